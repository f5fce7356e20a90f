"""Means of a target by level of a category, shrunken to the mean of all rows, and out of fold.

A level with n rows and the mean m has

    (n m + k M) / (n + k),     k = within / between,

with M the mean of all rows and k the ratio of the variances within and between levels by the method of moments of
one-way random effects (Searle, Casella and McCulloch 1992, section 3.6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array

__all__ = ["LevelMeans"]

_FOLDS = 5
_SEED = 0  # the same folds of the same rows every time
_LEAST_PULL = 0.01  # rows of the mean of all: levels without a row in the other folds are there


@dataclass(frozen=True)
class LevelMeans:
    """Sums of a target by fold and level, and the constants of their shrinkage."""

    sums: Array
    rows: Array
    folds: Array
    pull: float
    spread: float

    @classmethod
    def of(cls, codes: Array, rare: Array, target: Array) -> Self:
        n_levels = len(rare)
        folds = generator(_SEED, Purpose.SUBSAMPLE).permutation(len(codes)) % _FOLDS
        cells, size = folds * n_levels + codes, _FOLDS * n_levels
        shape = _FOLDS, n_levels
        mean = float(target.mean())
        sums = np.bincount(cells, target - mean, size).reshape(shape)
        rows = np.bincount(cells, minlength=size).reshape(shape)
        pull = _pull(sums.sum(axis=0), rows.sum(axis=0), float(((target - mean) ** 2).sum()))
        made = cls(sums, rows, folds, pull, 1.0)
        spread = float(made.shrunken()[codes[rare[codes]]].std())
        return cls(sums, rows, folds, pull, spread or 1.0)

    def shrunken(self) -> Array:
        """Of all rows, less the mean of all: (levels,)."""
        return _shrink(self.sums.sum(axis=0), self.rows.sum(axis=0), self.pull)

    def out_of_fold(self, codes: Array) -> Array:
        """For the rows of training, by the rows of the other folds: (rows,)."""
        others = _shrink(self.sums.sum(axis=0) - self.sums, self.rows.sum(axis=0) - self.rows, self.pull)
        found: Array = others[self.folds, codes]
        return found

    def scaled(self, values: Array) -> Array:
        return values / self.spread


def _shrink(sums: Array, rows: Array, pull: float) -> Array:
    """Sums over numbers of rows plus `pull`; 0 where it is infinite: levels do not differ."""
    shrunken: Array = sums / (rows + pull) if np.isfinite(pull) else np.zeros_like(sums)
    return shrunken


def _pull(sums: Array, rows: Array, total: float) -> float:
    """Ratio of the variances within and between levels, by moments; infinite if levels do not differ.

    `sums` are those of a target with mean 0, `total` the sum of its squares.
    """
    n, n_levels = rows.sum(), np.count_nonzero(rows)
    if not 1 < n_levels < n:
        return np.inf
    explained = float((sums**2 / np.maximum(rows, 1)).sum())
    within = (total - explained) / (n - n_levels)
    between = (explained / (n_levels - 1) - within) * (n_levels - 1) / (n - (rows**2).sum() / n)
    return max(float(within / between), _LEAST_PULL) if between > 0 else np.inf
