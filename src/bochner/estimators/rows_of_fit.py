"""Rows to certify, compared with the training rows by checksum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._typing import Array
from bochner.data import ArrayRows
from bochner.errors import AssumptionError
from bochner.memory import MemoryBill, require_memory, row_slices, rows_within
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
    size, per_target = len(present) * rows.n_features * 8, 8 * len(present) * max(1, rows.n_targets)
    bill = MemoryBill({"rows": 3 * size, "predictions, duals and their products": 8 * per_target if targets else 0})
    require_memory(bill, "Certify fewer rows.")
    every = len(present) == rows.n_rows
    X = dense(rows.X if every else rows.X[present])
    Y = np.asarray(rows.Y if every else rows.Y[present], dtype=float).reshape(len(present), -1)
    _require_range("The targets", Y)
    _require_range("The weights", weight[present])
    return CertifiedRows(X, Y, weight[present], present, difference)


def share_rows(X: Array, X_new: Array) -> bool:
    """Whether any row is in both."""
    known = _digests(X)
    return bool(np.any(np.isin(_digests(X_new), known)))


def _digests(X: Array) -> Array:
    """64 bits of every row: the same for the same row; for two others the same once in 2^64 pairs."""
    factors = np.random.default_rng(0).integers(0, 2**64, X.shape[1], dtype=np.uint64) | np.uint64(1)
    found = np.empty(len(X), dtype=np.uint64)
    for some in row_slices(len(X), rows_within(24 * max(1, X.shape[1]))):
        bits = np.ascontiguousarray(X[some], dtype=float).view(np.uint64)
        # Products carry only upwards, and round numbers differ in their upper bits.
        found[some] = ((bits ^ (bits >> np.uint64(32))) * factors).sum(axis=1, dtype=np.uint64)
    return found


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
