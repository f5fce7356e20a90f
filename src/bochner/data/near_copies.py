"""Rows that are nearly copies of each other: clusters whose rows are ten times closer than any others.

Repeated measurements, windows of one recording, or one patient's visits: a row that is left out has a twin that stays,
and every choice by left-out rows is that of a model which has seen them. Distances of a sample of rows to others, in
standard deviations of the columns, are counted by their order of magnitude. Rows that were drawn one by one have
distances of all magnitudes, down to their nearest neighbour. Where a decade is empty and a fifth of the rows have
others below it, the rows below it are clusters of copies, if there are twenty of them and none has more than a fifth of
the rows: a few groups, or one group and outliers, have structure of their own. Rows of equal inputs are no copies:
values of few levels repeat by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.sparse import issparse

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data.array_rows import ArrayRows
from bochner.data.weights import without_copies
from bochner.memory import row_slices

__all__ = ["Collapsed", "counted_once", "near_copies"]

_QUERIES, _OTHERS = 300, 10_000  # rows whose distances are counted, and to how many
_BLOCK = 64
_BINS = 4  # a decade
_DECADES = (-9, 3)  # in standard deviations; below is rounding
_GAP = 4  # bins that are empty
_RARELY = 0.1  # of the rows, that may have a distance in the gap
_COPIED = 0.2  # of the rows, that have another one below it
_FEWEST_CLUSTERS, _LARGEST_SHARE = 20, 0.2
_CLOSE = 0.03  # standard deviations a column, that copies are no farther apart
_MOSTLY_DISTINCT = 0.9  # share of rows that are there once, from which on the others do not matter
_GRIDS = 24  # of random offset: rows that share a cell of one of them are one cluster
_FEWEST, _MOST_COLUMNS = 40, 512


def near_copies(X: Array, seed: int) -> Array | None:
    """Cluster labels (n,) of the rows of a dense matrix; None if they are not nearly copies of each other."""
    n, d = X.shape
    if n < _FEWEST or not 0 < d <= _MOST_COLUMNS:
        return None
    spread = np.std(X, axis=0)
    rows = (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    if rows.shape[1] == 0:
        return None
    distance = _separating_distance(rows, seed)
    if distance is None:
        return None
    found = _clusters(rows, distance, seed)
    sizes = np.bincount(found)
    return found if len(sizes) >= _FEWEST_CLUSTERS and sizes.max() <= _LARGEST_SHARE * n else None


def _separating_distance(rows: Array, seed: int) -> float | None:
    """Distance inside an empty decade, above that within clusters; None if there is no such decade."""
    rng = generator(seed, Purpose.SUBSAMPLE)
    order = rng.permutation(len(rows))
    seen = np.zeros((min(_QUERIES, len(rows)), (_DECADES[1] - _DECADES[0]) * _BINS), dtype=bool)
    others = rows[np.sort(order[:_OTHERS])]
    squares = np.einsum("ij,ij->i", others, others)
    queries = rows[order[: len(seen)]]
    for part in row_slices(len(queries), _BLOCK):
        some = queries[part]
        sizes = np.einsum("ij,ij->i", some, some)[:, None] + squares
        squared = sizes - 2 * (some @ others.T)
        # Close rows are looked at again by differences: rounding of products is some 1e-15 of the squared norms.
        left, right = np.nonzero(squared < 1e-9 * sizes)
        squared[left, right] = np.sum((some[left] - others[right]) ** 2, axis=1)
        at, _ = np.nonzero(squared > 10.0 ** (2 * _DECADES[0]))
        logarithms = np.log10(squared[squared > 10.0 ** (2 * _DECADES[0])])
        bins = np.floor(_BINS * (0.5 * logarithms - _DECADES[0])).astype(int)
        seen[part.start + at, np.minimum(bins, seen.shape[1] - 1)] = True
    rarely = seen.mean(axis=0) <= _RARELY
    below = np.logical_or.accumulate(seen, axis=1).mean(axis=0)
    close = int(_BINS * (np.log10(_CLOSE * np.sqrt(rows.shape[1])) - _DECADES[0]))
    for first in range(min(close, seen.shape[1] - _GAP - 1), 0, -1):
        last = first + _GAP - 1
        separated = np.all(rarely[first : last + 1]) and np.any(seen[:, last + 1 :])
        if separated and below[first - 1] >= _COPIED:
            return float(10.0 ** (_DECADES[0] + (first + 1) / _BINS))
    return None


def _clusters(rows: Array, distance: float, seed: int) -> Array:
    """Connected rows: those that share a cell of one of some grids of random offset, and are that close."""
    rng = generator(seed, Purpose.SUBSAMPLE)
    label = np.arange(len(rows))
    width = 3 * distance / np.sqrt(rows.shape[1])
    for _ in range(_GRIDS):
        cells = np.floor(rows / width + rng.uniform(size=rows.shape[1])).astype(np.int64)
        _, cell = np.unique(cells, axis=0, return_inverse=True)
        cell = cell.reshape(-1)
        # The least label of a cell becomes that of all its rows, and of the rows that had theirs.
        least = np.full(cell.max() + 1, len(rows))
        np.minimum.at(least, cell, label)
        target = np.arange(len(rows))
        np.minimum.at(target, label, least[cell])
        while np.any(target != target[target]):
            target = target[target]
        label = target[label]
    _, found = np.unique(label, return_inverse=True)
    return found.reshape(-1)


@dataclass(frozen=True)
class Collapsed:
    """One row for every cluster of near copies, with the mean of its targets.

    Attributes
    ----------
    rows : ArrayRows
    index : array of int
        The row of every cluster that stands for it.
    within : array of shape (t,)
        Variance of the targets within clusters.
    """

    rows: ArrayRows
    index: Array
    within: Array

    @classmethod
    def of(cls, rows: ArrayRows, seed: int) -> Self | None:
        """None if rows are not nearly copies, or sparse."""
        present = slice(None) if rows.sample_weight is None else np.flatnonzero(rows.sample_weight)
        label = None if issparse(rows.X) else near_copies(np.asarray(rows.X, dtype=float)[present], seed)
        if label is None:
            return None
        numbers = np.arange(rows.n_rows)[present]
        order = generator(seed, Purpose.SUBSAMPLE).permutation(len(label))
        _, first, count = np.unique(label[order], return_index=True, return_counts=True)
        one = order[first]
        Y = np.asarray(rows.Y, dtype=float).reshape(rows.n_rows, -1)[present]
        means = np.column_stack([np.bincount(label, weights=y) / count for y in Y.T])
        within = np.sum((Y - means[label]) ** 2, axis=0) / max(len(Y) - len(count), 1)
        chosen = np.sort(numbers[one])
        means = means[np.argsort(numbers[one])]
        weight = None if rows.sample_weight is None else rows.sample_weight[chosen]
        return cls(
            replace(rows, X=rows.X[chosen], Y=means, sample_weight=weight), chosen, within * (1 - 1 / count.mean())
        )

    def warning(self, n_rows: int) -> str:
        """What a user is told: the number of rows and of clusters, and how to fit every row."""
        return (
            f"{n_rows:,} rows are nearly copies of each other, in {self.rows.n_rows:,} clusters. "
            "Each cluster counts as one row, because a copy of a left-out row would otherwise stay in the fit. "
            "Give alpha as a number to fit every row."
        )


def counted_once(rows: ArrayRows) -> ArrayRows:
    """Rows without exact copies, which add to the weight of the first one; unchanged if nine in ten are distinct.

    A search by left-out rows would otherwise see the copies of a row that it has left out.
    """
    if issparse(rows.X):
        return rows
    Y, weight = rows.targets()
    X, distinct, total = without_copies(rows.X, Y, weight)
    if len(distinct) > _MOSTLY_DISTINCT * rows.n_rows:
        return rows
    return replace(rows, X=X, Y=distinct, sample_weight=total)
