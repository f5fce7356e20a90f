"""Residual of the equations of exact kernel ridge at a sample of the rows, for any number of rows.

With u = (y - f^ - c) / alpha, c the weighted mean of y - f^ (0 without an intercept), the kernel makes of the errors of
a model the function g = sum_j w_j u_j k(x_j, .). Where f^ - g is the same at all rows (0 without an intercept), the
model is the exact machine; how it varies bounds the distance (`bochner.theory.sampled_distance`). A value of g takes n
kernel values, so it is computed at a sample, of a function h that varies little:

    h = f~ - g,    f~ = f^,  or, with landmarks,  f~ = sum_j w_j u_j z(x_j).z(.), where f^ - f~ is known at all rows

Rows are drawn with replacement, in two samples: by w_i r_i for the variation of h, r_i the residual variance
k(x_i, x_i) - ||z(x_i)||^2 of landmarks, else 1; and by w_i abs(u_i) sqrt(r_i) for the norm that bounds h / sqrt(r).
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
    residual : array of shape (n,)
        Residual variances r of the rows, positive.
    """

    values: Array
    residual: Array


@dataclass(frozen=True, eq=False)
class ResidualSample:
    """Values of h at two samples of rows, and what is known of all rows.

    Attributes
    ----------
    residual : array of shape (m, t)
        h / sqrt(r) at rows drawn by w r.
    signed : array of shape (m, t)
        h / sqrt(r) at rows drawn by w abs(u) sqrt(r), times t = u / abs(u), abs(u_i) the sum over the targets.
    direction : array of shape (m, t)
        t at these rows.
    mass : float
        sum_i w_i abs(u_i) sqrt(r_i).
    spread : float
        Root of the weighted mean of r.
    along : array of shape (t,)
        sum_i w_i u_i f^_i; 0 for a projection.
    fixed : array of shape (t,)
        By how much predictions vary, or their largest size without an intercept; 0 for a projection.
    factor : float
        h / sqrt(r) is at most `fixed` + `factor` N, N the norm; it varies by at most that if it is `centred`.
    shift : array of shape (t,)
        c.
    known : array of shape (t,)
        Standard deviation of f^ - f~ over the rows, root mean square without an intercept; 0 without a projection.
    rounding : float
        By how much a value of h / sqrt(r) may be off.
    n_rows : int
    centred : bool
        Only the variation of h counts: of a model with an intercept, without a projection.
    """

    residual: Array
    signed: Array
    direction: Array
    mass: float
    spread: float
    along: Array
    fixed: Array
    factor: float
    shift: Array
    known: Array
    rounding: float
    n_rows: int
    centred: bool


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
    scale = np.ones(product.n_rows) if projection is None else np.sqrt(projection.residual)
    draws = _Draws(problem.weight * scale**2, problem.weight * sizes * scale, seed)
    plain, signed, direction, rounding = [], [], [], 0.0
    for number in range(1, _most_blocks(product.n_rows, time_limit) + 1):
        rows = draws.block()
        values, bound = product.cross_times(product.X[rows], weighted), product.rounding(weighted, product.X[rows])
        h, t = (smooth[rows] - values) / scale[rows, None], dual[rows[_BLOCK:]] / sizes[rows[_BLOCK:], None]
        plain.append(h[:_BLOCK])
        signed.append(h[_BLOCK:] * t)
        direction.append(t)
        bound += 1e-12 * np.abs(smooth[rows])
        rounding = max(rounding, float(np.max(bound / scale[rows, None])))
        spent = time.monotonic() - began
        if time_limit is not None and spent * (1 + 1 / number) > time_limit:
            break
        if on_block is not None and on_block(number):
            break
    return ResidualSample(
        residual=np.vstack(plain),
        signed=np.vstack(signed),
        direction=np.vstack(direction),
        mass=float(problem.weight @ (sizes * scale)),
        spread=float(np.sqrt(problem.weight @ scale**2 / problem.total)),
        shift=shift,
        rounding=rounding,
        n_rows=product.n_rows,
        centred=problem.intercept and projection is None,
        **_known(problem, predictions, weighted, projection),
    )


def _known(problem: ExactRidge, predictions: Array, weighted: Array, projection: Projection | None) -> dict[str, Any]:
    """What the rows tell of the range of h, and of f^ - f~."""
    t = predictions.shape[1]
    if projection is None:
        low, high = predictions.min(axis=0), predictions.max(axis=0)
        return {
            "along": np.sum(weighted * predictions, axis=0),
            "fixed": high - low if problem.intercept else np.maximum(np.abs(low), np.abs(high)),
            "factor": (2 if problem.intercept else 1) * np.sqrt(np.max(problem.product.diagonal())),
            "known": np.zeros(t),
        }
    apart = predictions - projection.values
    apart = apart - problem.mean_of(apart)
    return {
        "along": np.zeros(t),
        "fixed": np.zeros(t),
        "factor": 1.0,
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
