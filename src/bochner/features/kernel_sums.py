"""Kernel expansions f(x) = sum_j k(x, p_j) c_j, tile by tile: values stay in cache, and rows of them are never written.

The class of the largest of several scores, or the sign of one, mostly needs no float64. Values of float32 tiles are off
by e, as if at random, and scores by about e ||c||; rows whose two largest scores are no farther apart than a multiple
of that are scored again in float64, so that the class is the one of float64 scores.
"""

from __future__ import annotations

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array, FloatType
from bochner.features.kernel_tiles import Prepared, Values, fast_values, float32_error
from bochner.kernels.base import Stationary
from bochner.memory import row_slices

__all__ = ["FUSED_POINTS", "deciding_scores", "kernel_sums"]

FUSED_POINTS = 4096
"""Points from which on sums are taken tile by tile: rows of fewer values stay in cache anyway."""

_ROWS, _COLUMNS = 256, 512
_MARGIN = 16.0  # times e ||c||, a standard deviation or so of the difference of two scores


def kernel_sums(values: Values, left: Prepared, right: Prepared, coef: Array, dtype: FloatType) -> Array:
    """Sums (n, t) of kernel values with coefficients (L, t); within tiles in a float type, over tiles in float64."""
    out, factors = np.zeros((left.n_rows, coef.shape[1])), coef.astype(dtype, copy=False)

    def write(rows: slice, scratch: Array) -> None:
        for columns in row_slices(right.n_rows, _COLUMNS):
            shape = rows.stop - rows.start, columns.stop - columns.start
            space = scratch[: shape[0] * shape[1]].reshape(shape)
            out[rows] += values.tile(left[rows], right[columns], space) @ factors[columns]

    run_in_threads(write, list(row_slices(left.n_rows, _ROWS)), state=lambda: np.empty(_ROWS * _COLUMNS, dtype))
    return out


def deciding_scores(kernel: Stationary, points: Array, X: Array, coef: Array, offset: Array) -> Array:
    """Scores (n, t) of which the largest, or the sign of one, is that of scores in float64."""

    def scored(rows: Array, dtype: FloatType) -> Array:
        values = fast_values(kernel, points, dtype)
        return kernel_sums(values, values.left(rows), values.right(points), coef, dtype) + offset

    away = _MARGIN * float32_error(kernel, points) * float(np.max(np.linalg.norm(coef, axis=0)))
    if not np.isfinite(away):
        return scored(X, np.dtype(float))
    scores = scored(X, np.dtype(np.float32))
    close = np.flatnonzero(_leads(scores) <= away)
    if len(close):
        scores[close] = scored(X[close], np.dtype(float))
    return scores


def _leads(scores: Array) -> Array:
    """By how much the largest score (n,) is ahead of the next one; of a single score, its distance from 0."""
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    two = np.partition(scores, -2, axis=1)[:, -2:]
    leads: Array = two[:, 1] - two[:, 0]
    return leads
