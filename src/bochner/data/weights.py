"""What a weight says: how many copies of a row there are, or how much the one row counts.

Both give the same equations; they differ in what "a row less" and "the number of rows" mean, so in leave-one-out errors
and in the noise. A table of counts has whole numbers beside inputs that repeat with other targets: one copy is left
out. Other weights are precisions, exposures or numbers of measurements behind a mean: a row is left out with all its
weight, and the unit of the weights does not matter. As many copies of a measured value, the same to the last digit,
would say that there is no noise. Rows that are there twice, with their targets, are one row of all their weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from bochner._typing import Array, Rows
from bochner.memory import row_slices

__all__ = ["left_out_weight", "new_row_weight", "weights_count_copies", "without_copies"]

Keys = npt.NDArray[np.uint64]

_REPEATED = 0.5  # distinct inputs among distinct rows, at most, of inputs that repeat
_BLOCK = 4096
_MIXERS = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of splitmix64 (Steele, Lea & Flood 2014)


def weights_count_copies(X: Rows, Y: Array, weight: Array) -> bool:
    """Whether weights (n,) of rows count copies: whole numbers, beside inputs that repeat with other targets."""
    inputs = _keys(X)
    return _are_counts(inputs, _with_targets(inputs, Y), weight)


def left_out_weight(X: Rows, Y: Array, weight: Array | None) -> Array:
    """Weight (n,) that leaves with every row: one copy; or all of it, with that of the same row elsewhere."""
    own = np.ones(len(Y)) if weight is None else weight
    inputs = _keys(X)
    rows = _with_targets(inputs, Y)
    if _are_counts(inputs, rows, own):
        return np.minimum(own, 1)
    _, group = np.unique(rows, return_inverse=True)
    found: Array = np.bincount(group, weights=own)[group]
    return found


def new_row_weight(X: Rows, Y: Array, removed: Array) -> Array:
    """Weight (n,) of the new row that stands for each that is left out: 1, or that of its copies.

    Whole numbers beside inputs that are there with other targets may count copies. All copies of a row leave together,
    chosen by their target: an error as that of a row which counts as much, and not of a new one.
    """
    inputs = _keys(X)
    distinct = np.unique(np.column_stack([inputs, _with_targets(inputs, Y)]), axis=0)
    values, targets = np.unique(distinct[:, 0], return_counts=True)
    copied = (targets[np.searchsorted(values, inputs)] > 1) & bool(np.all(removed == np.round(removed)))
    return np.where(copied, removed, 1.0)


def without_copies(X: Rows, Y: Array, weight: Array | None) -> tuple[Rows, Array, Array | None]:
    """Rows without those that are there twice, in an order of their own, with the weights of all their copies.

    Whether a row is given twice or with a weight of 2, and where, then makes no difference to any digit. The order is
    that of the values, column by column, which units of columns do not change; of sparse rows, any.
    """
    _, first, group = np.unique(_with_targets(_keys(X), Y), return_index=True, return_inverse=True)
    total = None if weight is None and len(first) == len(Y) else np.bincount(group, weights=weight).astype(float)
    columns = Y[first].reshape(len(first), -1) if issparse(X) else np.column_stack([X[first], Y[first]])
    order = np.lexsort(columns.T[::-1])
    return X[first[order]], Y[first[order]], None if total is None else total[order]


def _are_counts(inputs: Keys, rows: Keys, weight: Array) -> bool:
    present = weight > 0
    distinct = len(np.unique(rows[present]))
    if distinct > 1 and np.any(weight[present] != np.round(weight[present])):
        return False
    return distinct == 1 or len(np.unique(inputs[present])) <= _REPEATED * distinct  # without the only row none is left


def _keys(X: Any) -> Keys:
    """A number (n,) for every row of a matrix: the same for the same values, for others with a chance of 2^-64."""
    if issparse(X):
        X = X.tocsr()
        total = np.append(np.uint64(0), np.cumsum(_mixed(X.data, X.indices.astype(np.uint64)), dtype=np.uint64))
        return total[X.indptr[1:]] - total[X.indptr[:-1]]
    columns = np.arange(X.shape[1], dtype=np.uint64)
    parts = [np.sum(_mixed(X[some], columns), axis=1, dtype=np.uint64) for some in row_slices(len(X), _BLOCK)]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _with_targets(inputs: Keys, Y: Array) -> Keys:
    """Keys of rows with their targets."""
    return _scrambled(inputs) + _keys(np.asarray(Y).reshape(len(inputs), -1))


def _mixed(values: Array, columns: Keys) -> Keys:
    """Numbers of values and their columns; 0 for 0, which a sparse matrix does not keep."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # -0 becomes 0
    return np.where(bits == 0, np.uint64(0), _scrambled(bits + _scrambled(columns + np.uint64(1))))


def _scrambled(keys: Keys) -> Keys:
    start, *factors = (np.uint64(each) for each in _MIXERS)
    keys = keys * start
    for factor, shift in zip(factors, (30, 27), strict=True):
        keys = (keys ^ (keys >> np.uint64(shift))) * factor
    return keys ^ (keys >> np.uint64(31))
