"""Columns as a candidate kernel sees them: in units of their spread, their normal scores, or directions in these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy.linalg import eigh

from bochner._typing import Array
from bochner.features import RankWarp
from bochner.kernels import Metric, Stationary
from bochner.tuning.result import rounded

__all__ = ["Columns", "principal_directions"]

_ROUNDING = 16 * np.finfo(float).eps  # of a column's largest value: a spread that is none
_DECIMALS = 10  # of standardised columns: the last digits, which depend on units, must not be amplified by a search
_METRIC_DIGITS = 4  # of a metric's entries, relative to the largest


@dataclass(frozen=True)
class Columns:
    """Rows as a candidate sees them.

    Attributes
    ----------
    X : array of shape (n, r)
        Its rows are as far from each other as those of the columns in their units, or of their scores.
    unit : array of shape (d,)
        Units of the columns.
    warped : bool
        Whether X is made of normal scores of the columns.
    directions : array of shape (d, r) or None
        X is made of the columns in their units, or of their scores, times this; None: it is these themselves.
    wide : Columns or None
        The columns before they were turned, or rotated into fewer coordinates; None: they are as they were.
    """

    X: Array
    unit: Array
    warped: bool
    directions: Array | None = None
    wide: Columns | None = None

    @classmethod
    def plain(cls, X: Array, weight: Array | None) -> Columns:
        """Columns in units of their standard deviations."""
        centred = X - np.average(X, axis=0, weights=weight)
        return cls._in_units(X, centred, np.sqrt(np.average(centred**2, axis=0, weights=weight)))

    @classmethod
    def in_ranges(cls, X: Array) -> Columns:
        """Columns in units of their ranges: pixels, words and spectra that are hardly ever seen stay small."""
        return cls._in_units(X, X - np.min(X, axis=0), np.ptp(X, axis=0))

    @property
    def n_columns(self) -> int:
        """Columns that were given."""
        return len(self.unit)

    def rotated(self) -> Columns:
        """The same distances in no more coordinates than rows, R' of X' = Q R, for one scale for all columns."""
        if self.X.shape[1] <= len(self.X):
            return self
        R = cast("Array", np.linalg.qr(self.X.T, mode="r"))
        return replace(self, X=np.ascontiguousarray(R.T), wide=self)

    def principal(self, width: int, n_rows: int, weight: Array | None) -> Columns:
        """These columns in the directions of the largest variance of the first rows (principal components)."""
        whole = self if self.wide is None else self.wide
        return whole.turned(principal_directions(whole.X[:n_rows], width, None if weight is None else weight[:n_rows]))

    @classmethod
    def _in_units(cls, X: Array, centred: Array, unit: Array) -> Columns:
        """Rows without their centre in some units, 1 for a column that is constant."""
        varies = np.ptp(X, axis=0) > _ROUNDING * np.max(np.abs(X), axis=0)  # the mean of a constant column is rounded
        unit = np.where(varies & (unit > 0) & np.isfinite(unit), unit, 1.0)
        return cls(np.round(centred / unit, _DECIMALS), unit, warped=False)

    @classmethod
    def ranked(cls, X: Array) -> Columns:
        scores = RankWarp.of(np.unique(X, axis=0))(X)
        return cls(np.round(scores, _DECIMALS), np.ones(X.shape[1]), warped=True)

    def turned(self, directions: Array) -> Columns:
        """These columns, which are not turned yet, times directions (d, r)."""
        assert self.directions is None
        return replace(self, X=self.X @ directions, directions=directions, wide=self)

    def kernel(self, kernel: Stationary, scales: Array) -> tuple[Stationary, Array]:
        """The kernel of the columns themselves with scales in these units, and the length scale of every column.

        Under a metric, that is the distance along the column alone at which the kernel sees 1.
        """
        if self.directions is None:
            scale = rounded(np.broadcast_to(scales, self.unit.shape)) * self.unit
            return kernel.with_length_scale(scale), scale
        digits = 10.0 ** (_METRIC_DIGITS - 1 - np.floor(np.log10(np.max(np.abs(self.directions / scales)))))
        metric = np.round(self.directions / scales * digits) / digits / self.unit[:, None]
        length = np.linalg.norm(metric, axis=1)
        longest = 1 / max(float(np.max(length * self.unit)), np.finfo(float).tiny)
        with np.errstate(divide="ignore"):
            scale = np.minimum(1 / length, 1e6 * longest * self.unit)  # a column that is not seen
        return Metric(kernel.with_length_scale(1.0), metric), scale


def principal_directions(X: Array, width: int, weight: Array | None) -> Array:
    """Directions (d, width) of the largest variance of rows, by the smaller of X'X and X X'; signs are fixed."""
    own = np.ones(len(X)) if weight is None else weight
    centred = (X - np.average(X, axis=0, weights=own)) * np.sqrt(own)[:, None]
    by_rows = len(X) < X.shape[1]
    gram = centred @ centred.T if by_rows else centred.T @ centred
    _, vectors = eigh(gram, subset_by_index=(len(gram) - width, len(gram) - 1), check_finite=False)
    found = centred.T @ vectors[:, ::-1] if by_rows else vectors[:, ::-1]
    size = np.linalg.norm(found, axis=0) * np.sign(found[np.argmax(np.abs(found), axis=0), np.arange(width)])
    return found / np.where(size == 0, 1.0, size)
