"""Rows between the levels of a category: mixtures of the rows that have one level each.

Neighbouring columns of 0 and 1 of which every row of the fit has exactly one are the levels of a category. A new row
with shares p_j there that add up to 1, as `TableEncoder` makes of a level that training did not have, is a row that has
level j with probability p_j. Its law is the mixture of those of these rows x_j:

    mean = sum_j p_j mean(x_j),    std^2 = sum_j p_j (std(x_j)^2 + (mean(x_j) - mean)^2)

so that levels which differ make wide error bars. The kernel at the row itself would say nothing of the sort: half way
between levels, a smooth function is as certain as at the levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from scipy.sparse import issparse

from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.data import RowSource

__all__ = ["Mix", "level_columns", "means_of_levels", "mixtures_of_levels", "over_levels"]

Mix: TypeAlias = Callable[[Array, tuple[Array, ...]], tuple[Array, ...]]
"""From shares (k,) and arrays of answers for k rows the answers for their mixture."""

_MOST = 32  # rows in place of one: all levels of one category if these are no more, else draws
_LOOKED_AT = 4096  # rows in which the levels are looked for, before all rows are
_ROUNDING = 1e-5  # of shares in float32
_AT_ONCE = 32


def level_columns(rows: RowSource, before: Array | None = None) -> Array | None:
    """Where the levels of each category begin and end in rows in memory, (g, 2); of those `before`, if given."""
    arrays = rows.arrays
    if arrays is None or issparse(arrays.X):
        return None
    found = _neighbours(arrays.X[:_LOOKED_AT]) if before is None else before
    kept = [each for each in found if _one_each(arrays.X[:, each[0] : each[1]])]
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


def over_levels(
    groups: Array | None, X: Rows, function: Callable[[Rows], tuple[Array, ...]], mix: Mix
) -> tuple[Array, ...]:
    """The arrays of `function(X)`, with those of rows between levels in the `mix` of their levels."""
    between = _rows_between(groups, X)
    answers = function(X)
    if groups is None or not len(between):
        return answers
    for start in range(0, len(between), _AT_ONCE):
        chosen = between[start : start + _AT_ONCE]
        points = [_points(row, groups) for row in X[chosen]]
        found = function(np.concatenate([rows for rows, _ in points]))
        ends = np.cumsum([len(rows) for rows, _ in points])
        for at, (_, shares), end in zip(chosen, points, ends):
            part = slice(end - len(shares), end)
            for answer, mixed in zip(answers, mix(shares, tuple(each[part] for each in found))):
                answer[at] = mixed
    return answers


def means_of_levels(shares: Array, answers: tuple[Array, ...]) -> tuple[Array, ...]:
    """Means of all answers."""
    return tuple(np.tensordot(shares, values, axes=1) for values in answers)


def mixtures_of_levels(shares: Array, answers: tuple[Array, ...]) -> tuple[Array, ...]:
    """Mean and standard deviation of a mixture."""
    means, deviations = answers
    mean = shares @ means
    return mean, np.sqrt(shares @ (deviations**2 + (means - mean) ** 2))


def _neighbours(X: Array) -> Iterator[tuple[int, int]]:
    """Neighbouring columns of 0 and 1 that add up to 1 in every row, from left to right.

    Every column is added once and taken away once at most: from every beginning anew, thousands of columns that are
    nearly empty would take seconds.
    """
    marks = np.all((X == 0) | (X == 1), axis=0)
    total, start = np.zeros(X.shape[0]), 0
    for at, is_mark in enumerate(marks):
        if is_mark:
            total += X[:, at]
            while total.max() > 1:
                total -= X[:, start]
                start += 1
            if total.min() < 1:
                continue
            if at > start:
                yield start, at + 1
        total[:], start = 0, at + 1


def _one_each(levels: Array) -> bool:
    """Whether every row has one 1, and else zeros."""
    return bool(np.all(np.count_nonzero(levels, axis=1) == 1) and np.all(levels.max(axis=1) == 1))


def _rows_between(groups: Array | None, X: Rows) -> Array:
    """Numbers of the rows that have shares of levels, in some category."""
    if groups is None or issparse(X):
        return np.empty(0, dtype=np.int64)
    found = np.zeros(X.shape[0], dtype=bool)
    for start, end in groups:
        found |= _are_shares(X[:, start:end])
    return np.flatnonzero(found)


def _are_shares(levels: Array) -> Array:
    """Which rows have shares that add up to 1, and not one level."""
    added = np.abs(levels.sum(axis=1) - 1) < _ROUNDING
    return added & (levels.min(axis=1) >= 0) & (levels.max(axis=1) < 1)


def _points(row: Array, groups: Array) -> tuple[Array, Array]:
    """Rows with one level each in place of a row between levels, and their shares.

    All levels of one category; of several categories, or many levels, points of a Latin hypercube, always the same.
    """
    parts = [part for part in groups if _are_shares(row[None, part[0] : part[1]])[0]]
    start, end = parts[0]
    levels = np.flatnonzero(row[start:end])
    if len(parts) == 1 and len(levels) <= _MOST:
        shares = row[start + levels].astype(float)
        return _with_levels(row, parts, [levels]), shares / shares.sum()
    rng, middles = generator(0, Purpose.SUBSAMPLE), (np.arange(_MOST) + 0.5) / _MOST
    chosen = []
    for start, end in parts:
        reached = np.cumsum(row[start:end], dtype=float)
        chosen.append(np.searchsorted(reached / reached[-1], rng.permutation(middles)))
    return _with_levels(row, parts, chosen), np.full(_MOST, 1 / _MOST)


def _with_levels(row: Array, parts: list[Array], chosen: list[Array]) -> Array:
    """Copies of a row with one level each in some categories."""
    rows = np.tile(row, (len(chosen[0]), 1))
    for (start, end), levels in zip(parts, chosen):
        rows[:, start:end] = 0
        rows[np.arange(len(levels)), start + levels] = 1
    return rows
