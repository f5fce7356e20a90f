"""Landmarks by randomly pivoted Cholesky factorisation (Chen, Epperly, Tropp & Webber 2023).

    d = diag K;   repeat: draw s with probability d_s / sum d,   g = (K[:, s] - F F[s]') / sqrt(d_s),   append g to F,
                          d -= g^2

d is the residual variance k(x, x) - ||z(x)||^2 of every candidate, so landmarks are drawn where those before them see
least. Exactly as many are drawn as asked for, and the first of them are the choice for a smaller number: every prefix
is nested. Draws are made in blocks and accepted one by one with probability (residual now) / (residual when the block
was drawn), which gives the law of the loop above with few large products instead of many small ones (Epperly 2024).
Beyond 2,048 landmarks the rest is drawn at once, with probability in proportion to the residual variances there: O(N)
each instead of O(N k), for landmarks whose order hardly matters any more. Where the first 512 leave more than a
hundredth of the trace, F is float32 from there on: its rounding, some 1e-7 of k(x, x), is far below what is left.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from bochner._typing import Array
from bochner.features.base import transform
from bochner.features.nystroem import KernelMap
from bochner.memory import row_slices

__all__ = ["PIVOTS", "pivoted_rows"]

PIVOTS = 2048
"""Landmarks that are drawn one after the other; the rest is drawn at once."""

_BLOCKS = (64, 128)  # draws at once: of the first 512 landmarks, and of those after them, where products are larger
_FIRST = 512
_ROWS = 2048  # of the factor that are extended at once
_NOTHING_LEFT = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-5}  # of the trace: less is rounding of F
_MUCH_LEFT = 1e-2  # of the trace, by the first landmarks: the spectrum decays slowly
_IN_VAIN = 8  # blocks of which no draw is kept: kernel values contradict their diagonal, and none ever will be


def pivoted_rows(X: Array, towards: Callable[[Array], KernelMap], size: int, rng: np.random.Generator) -> Array:
    """Numbers of `size` rows of X (N, d), in the order in which they were drawn.

    `towards(points)` gives kernel values against points. Where the rows before explain all of the kernel, the rest is
    drawn uniformly.
    """
    residual, one_by_one = np.maximum(towards(X[:1]).diagonal(X), 0.0), min(size, PIVOTS)
    trace, factor, chosen = float(residual.sum()), np.empty((len(X), one_by_one)), np.empty(0, dtype=np.intp)
    in_vain = 0
    while len(chosen) < one_by_one and residual.sum() > _NOTHING_LEFT[factor.dtype] * trace and in_vain < _IN_VAIN:
        block = _BLOCKS[len(chosen) >= _FIRST]
        if len(chosen) >= _FIRST and factor.dtype == np.float64 and residual.sum() > _MUCH_LEFT * trace:
            factor = _narrow(factor, len(chosen))
        drawn = rng.choice(len(X), size=block, p=residual / residual.sum())
        floor = _NOTHING_LEFT[factor.dtype] * (residual.max() if factor.dtype == np.float64 else trace / len(X))
        accepted = _accepted(drawn, residual, _residual_matrix(X, drawn, factor, len(chosen), towards), floor, rng)
        accepted = accepted[: one_by_one - len(chosen)]
        _extend(X, accepted, factor, len(chosen), towards, residual)
        chosen, in_vain = np.concatenate([chosen, accepted]), 0 if len(accepted) else in_vain + 1
    rest = np.setdiff1d(np.arange(len(X)), chosen)
    return np.concatenate([chosen, _in_random_order(rest, residual[rest], rng)[: size - len(chosen)]])


def _in_random_order(rows: Array, residual: Array, rng: np.random.Generator) -> Array:
    """Rows drawn one after the other with probability in proportion to their residual variance, without replacement.

    In the order of exponential times of these rates (Efraimidis & Spirakis 2006), so that a smaller number is a prefix;
    those without residual variance come last, in any order.
    """
    log_times = np.log(rng.exponential(size=len(rows))) - np.log(np.maximum(residual, np.finfo(float).tiny))
    return rows[np.argsort(log_times)]


def _residual_matrix(X: Array, rows: Array, factor: Array, width: int, towards: Callable[[Array], KernelMap]) -> Array:
    """K - F F' of some rows."""
    part = factor[rows, :width]
    return transform(towards(X[rows]), X[rows], np.dtype(float)) - part @ part.T


def _narrow(factor: Array, width: int) -> Array:
    """The factor in float32, of which some columns are known."""
    narrow = np.empty(factor.shape, np.float32)
    narrow[:, :width] = factor[:, :width]
    return narrow


def _accepted(drawn: Array, before: Array, R: Array, floor: float, rng: np.random.Generator) -> Array:
    """The draws that are kept, in their order: a Cholesky factorisation of their residual matrix with rejections."""
    height, kept = rng.random(len(drawn)) * before[drawn], []
    for i, row in enumerate(drawn):
        if R[i, i] <= max(height[i], floor):
            continue
        kept.append(row)
        column = R[:, i] / np.sqrt(R[i, i])
        R -= np.outer(column, column)
    return np.array(kept, dtype=np.intp)


def _extend(
    X: Array, rows: Array, factor: Array, width: int, towards: Callable[[Array], KernelMap], residual: Array
) -> None:
    """Append the columns of accepted rows to the factor, and take what they explain from the residual variances."""
    if len(rows) == 0:
        return
    own = _residual_matrix(X, rows, factor, width, towards)
    root = cholesky(own + 1e-14 * np.trace(own) * np.eye(len(rows)), lower=True)
    values, before = towards(X[rows]), factor[rows, :width]
    for some in row_slices(len(X), _ROWS):
        columns = transform(values, X[some], np.dtype(float))
        columns -= factor[some, :width] @ before.T
        added = solve_triangular(root, columns.T, lower=True, overwrite_b=True, check_finite=False).T
        factor[some, width : width + len(rows)] = added
        np.maximum(residual[some] - np.einsum("ij,ij->i", added, added), 0.0, out=residual[some])
    residual[rows] = 0.0
