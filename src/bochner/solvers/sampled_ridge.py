"""Residual of the equations of exact kernel ridge at a sample of the rows, for any number of rows.

With u = (y - f^ - c) / alpha, c the weighted mean of y - f^ (0 without an intercept), the kernel makes of the errors of
a model the function g = sum_j w_j u_j k(x_j, .). Where f^ - g is the same at all rows (0 without an intercept), the
model is the exact machine; how it varies bounds the distance (`bochner.theory.sampled_distance`). A value of g takes n
kernel values, so it is computed at a sample, of a function h that varies little:

    h = f~ - g,    f~ = f^,  or, with landmarks,  f~ = sum_j w_j u_j z(x_j).z(.), where f^ - f~ is known at all rows

Rows are drawn with replacement, in two samples: by their weights w_i, for the variation of h; and by w_i |u_i|, for the
norm that bounds its range.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.solvers.exact_ridge import ExactRidge

__all__ = ["Projection", "ResidualSample", "dual_of_errors", "product_seconds", "sample_residual"]

_BLOCK = 256  # rows of either sample at a time
_PROBE = 256
_MOST_VALUES = 2 * 10**10  # kernel values without a time limit: a minute


@dataclass(frozen=True, eq=False)
class Projection:
    """What features z that are a projection of the kernel (landmarks) make of the errors of their model.

    Attributes
    ----------
    values : array of shape (n, t)
        f~ at the rows.
    residual : float
        Largest residual variance k(x, x) - |z(x)|^2 of the rows.
    """

    values: Array
    residual: float


@dataclass(frozen=True, eq=False)
class ResidualSample:
    """Values of h at two samples of rows, and what is known of all rows.

    Attributes
    ----------
    residual : array of shape (m, t)
        h at rows drawn by their weights.
    signed : array of shape (m, t)
        h at rows drawn by w |u|, times t = u / |u|, |u_i| the sum over the targets.
    direction : array of shape (m, t)
        t at these rows.
    mass : float
        sum_i w_i |u_i|.
    along : array of shape (t,)
        sum_i w_i u_i f^_i; 0 for a projection.
    fixed : array of shape (t,)
        By how much predictions vary, or their largest size without an intercept; 0 for a projection.
    factor : float
        h varies by at most `fixed` + `factor` N over the rows, N the norm.
    shift : array of shape (t,)
        c.
    known : array of shape (t,)
        Standard deviation of f^ - f~ over the rows, root mean square without an intercept; 0 without a projection.
    rounding : float
        By how much a value of h may be off.
    n_rows : int
    intercept : bool
    """

    residual: Array
    signed: Array
    direction: Array
    mass: float
    along: Array
    fixed: Array
    factor: float
    shift: Array
    known: Array
    rounding: float
    n_rows: int
    intercept: bool


def dual_of_errors(problem: ExactRidge, predictions: Array) -> tuple[Array, Array]:
    """c (t,) and u (n, t) of predictions."""
    error = problem.Y - predictions
    shift = problem.mean_of(error)
    return shift, (error - shift) / problem.alpha


def product_seconds(problem: ExactRidge) -> float:
    """Time of a product with the kernel matrix, from that of some of its rows."""
    rows, V = problem.product.X[:_PROBE], problem.root * problem.Y
    problem.product.cross_times(rows[:1], V)  # which may have to be compiled
    began = time.perf_counter()
    problem.product.cross_times(rows, V)
    return (time.perf_counter() - began) * problem.product.n_rows / len(rows) / 2  # symmetric: half of the tiles


def sample_residual(
    problem: ExactRidge,
    predictions: Array,
    projection: Projection | None = None,
    *,
    seed: int,
    time_limit: float | None = None,
    on_block: Callable[[int], bool] | None = None,
) -> ResidualSample:
    """h at as many rows as the time allows, at least 256 of either sample, and at most as many as there are.

    `on_block(number)` is called after every 512 rows; True ends the sample. When it ends does not depend on values.
    """
    began, product = time.monotonic(), problem.product
    shift, dual = dual_of_errors(problem, predictions)
    weighted, sizes = problem.weight[:, None] * dual, np.abs(dual).sum(axis=1)
    smooth = predictions if projection is None else projection.values
    draws = _Draws(problem.weight, problem.weight * sizes, seed)
    plain, signed, direction, rounding = [], [], [], 0.0
    for number in range(1, _most_blocks(product.n_rows, time_limit) + 1):
        rows = draws.block()
        values, bound = product.cross_times(product.X[rows], weighted), product.rounding(weighted, product.X[rows])
        h, t = smooth[rows] - values, dual[rows[_BLOCK:]] / sizes[rows[_BLOCK:], None]
        plain.append(h[:_BLOCK])
        signed.append(h[_BLOCK:] * t)
        direction.append(t)
        rounding = max(rounding, float(bound.max()))
        spent = time.monotonic() - began
        if time_limit is not None and spent * (1 + 1 / number) > time_limit:
            break
        if on_block is not None and on_block(number):
            break
    return ResidualSample(
        residual=np.vstack(plain),
        signed=np.vstack(signed),
        direction=np.vstack(direction),
        mass=float(problem.weight @ sizes),
        shift=shift,
        rounding=rounding + 1e-12 * float(np.max(np.abs(smooth))),
        n_rows=product.n_rows,
        intercept=problem.intercept,
        **_known(problem, predictions, weighted, projection),
    )


def _known(problem: ExactRidge, predictions: Array, weighted: Array, projection: Projection | None) -> dict[str, Any]:
    """What the rows tell of the range of h, and of f^ - f~."""
    sides, t = 2 if problem.intercept else 1, predictions.shape[1]
    if projection is None:
        low, high = predictions.min(axis=0), predictions.max(axis=0)
        return {
            "along": np.sum(weighted * predictions, axis=0),
            "fixed": high - low if problem.intercept else np.maximum(np.abs(low), np.abs(high)),
            "factor": sides * np.sqrt(np.max(problem.product.diagonal())),
            "known": np.zeros(t),
        }
    apart = predictions - projection.values
    apart = apart - problem.mean_of(apart)
    return {
        "along": np.zeros(t),
        "fixed": np.zeros(t),
        "factor": sides * np.sqrt(max(projection.residual, 0.0)),
        "known": np.sqrt(problem.weight @ apart**2 / problem.total),
    }


class _Draws:
    """Blocks of numbers of rows, drawn with replacement by two masses."""

    def __init__(self, weight: Array, mass: Array, seed: int) -> None:
        self._random = generator(seed, Purpose.CERTIFIED_ROWS)
        self._sums = [np.cumsum(weight), np.cumsum(mass)]

    def block(self) -> Array:
        """Numbers of rows: as many of the first kind as of the second, in this order."""
        uniform = self._random.random((2, _BLOCK))
        drawn = [np.searchsorted(sums, u * sums[-1], side="right") for sums, u in zip(self._sums, uniform)]
        return np.minimum(np.concatenate(drawn), len(self._sums[0]) - 1)


def _most_blocks(n_rows: int, time_limit: float | None) -> int:
    """Blocks of a sample: of all rows in number, or what takes a minute where no time is given."""
    most = -(-n_rows // _BLOCK)
    return most if time_limit is not None else max(1, min(most, _MOST_VALUES // (2 * _BLOCK * n_rows)))
