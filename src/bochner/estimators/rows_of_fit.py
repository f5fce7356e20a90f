"""Rows to certify, compared with the training rows by checksum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._typing import Array
from bochner.data import ArrayRows
from bochner.errors import AssumptionError
from bochner.memory import MemoryBill, require_memory
from bochner.statistics import RowIdentity, identify

__all__ = ["CertifiedRows", "certified_rows", "in_memory", "share_rows", "without"]

_TINY = 1e-100


@dataclass(frozen=True)
class CertifiedRows:
    """Rows of positive weight, dense and in their float type, and how they differ from those of the fit.

    Attributes
    ----------
    X : array of shape (n, d)
    Y : array of shape (n, t)
        Empty columns if no targets were given.
    weight : array of shape (n,)
    kept : array of int of shape (n,)
        Their places among the rows that were given.
    difference : str or None
        How rows, weights or targets differ from those of the fit, in words; None if they are the same.
    """

    X: Array
    Y: Array
    weight: Array
    kept: Array
    difference: str | None

    @property
    def n_rows(self) -> int:
        return len(self.X)

    @property
    def weighted(self) -> bool:
        """Whether the weights are not all 1."""
        return bool(np.any(self.weight != 1))

    def require(self, what: str) -> None:
        """Raise `AssumptionError` unless these are the rows, weights and targets of the fit."""
        if self.difference is not None:
            raise AssumptionError(f"{what} speaks of the rows of the fit, and {self.difference}.")


def certified_rows(
    rows: ArrayRows, of_fit: RowIdentity | None, *, targets: bool, weights: str | None = "the sample weights"
) -> CertifiedRows:
    """The rows of positive weight, compared with those of the fit (`RowIdentity.difference`)."""
    difference: str | None = "the model does not know the rows of its fit"
    if of_fit is not None:
        difference = of_fit.difference(identify(rows), targets=targets, weights=weights)
    weight = np.ones(rows.n_rows) if rows.sample_weight is None else np.asarray(rows.sample_weight, dtype=float)
    present = np.flatnonzero(weight > 0)
    size = len(present) * rows.n_features * 8
    require_memory(MemoryBill({"rows": 2 * size}), "Certify fewer rows.")
    X = dense(rows.X[present])
    Y = np.asarray(rows.Y, dtype=float).reshape(rows.n_rows, -1)[present]
    _require_range("The targets", Y)
    _require_range("The weights", weight[present])
    return CertifiedRows(X, Y, weight[present], present, difference)


def share_rows(X: Array, X_new: Array) -> bool:
    """Whether any row is in both."""
    known = {row.tobytes() for row in np.ascontiguousarray(X, dtype=float)}
    return any(row.tobytes() in known for row in np.ascontiguousarray(X_new, dtype=float))


def _require_range(what: str, values: Array) -> None:
    """Squares of the values must neither over- nor underflow."""
    size = np.abs(values[values != 0])
    if size.size and not (_TINY < size.max() < 1 / _TINY and (what != "The weights" or size.min() > _TINY)):
        raise AssumptionError(f"{what} are too large or too small for a certificate: up to {size.max():.3g}.")


def in_memory(rows: Any) -> ArrayRows:
    """All rows of a scan or a cluster as arrays, if the memory budget allows."""
    bill = MemoryBill({"rows": rows.n_rows * (rows.n_features + rows.n_targets + 1) * 8})
    require_memory(bill, "Certify fewer rows: give an array.")
    X = rows.take(np.arange(rows.n_rows))
    if rows.n_targets == 0:
        return ArrayRows(X, np.empty((rows.n_rows, 0)), None, X.dtype)
    Y, weight = rows.targets()
    return ArrayRows(X, Y, weight, X.dtype)


def without(rows: ArrayRows, left_out: Array) -> ArrayRows:
    """The rows with weight 0 for those that were left out."""
    weight = np.ones(rows.n_rows) if rows.sample_weight is None else np.array(rows.sample_weight, dtype=float)
    weight[left_out] = 0
    return replace(rows, sample_weight=weight)
