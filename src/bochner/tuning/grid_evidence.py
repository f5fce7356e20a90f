"""Kernel, length scales and penalty of the largest evidence on a grid of frequencies, from one pass over the rows.

The Fourier sums do not depend on the kernel: every candidate costs fast Fourier transforms only. Kernels and scales are
searched on the inner modes, with what the outer ones would explain as noise. The penalty is then found on all modes,
or, of a large grid, on windows: cells of as fine a grid around some rows, where the noise and what the grid does not
resolve are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from bochner._typing import Array
from bochner.features import GridMap
from bochner.kernels import Stationary
from bochner.sampling import FrequencyGrid
from bochner.solvers import GridEquations, ToeplitzSystem
from bochner.solvers.toeplitz import affordable_block
from bochner.statistics import BoxOfRows, FourierReduction, FourierSums
from bochner.tuning.clock import Clock
from bochner.tuning.result import Stage, Tuning, rounded

__all__ = ["GridChoice", "best_penalty", "searched_modes", "tune_on_grid", "windows"]

_INNER = 2**11  # modes that kernels and scales are searched on, and modes of a window
_FEWEST = 2**9  # and one a row at least: few rows tell no more apart
_BLOCK = 2**11  # features of the preconditioner: exact for so many modes, a tenth of a second
_WHOLE = 2**13  # modes up to which the penalty is searched on all of them
_WINDOWS = 6
_FILLED = 0.5  # of a window, on every axis: its images are as far away
_FIRST, _MORE = 9, 20  # evaluations of every kernel, and of the best
_ALONG = 6  # of a penalty alone
_RANGE = 9.0  # of the logarithm of a penalty, either side
_ALPHA = 0.1  # to begin with
_FLOOR = 1e-10  # of the weight times k(0)


@dataclass(frozen=True)
class GridChoice:
    """A kernel and a penalty, and their loss: minus the log evidence per row."""

    kernel: Stationary
    alpha: float
    loss: float


@dataclass(frozen=True, eq=False)
class _Search:
    """Evidence as a function of kernel and penalty, on some sums."""

    sums: FourierSums
    system: ToeplitzSystem
    seed: int
    block: int

    @classmethod
    def on(cls, sums: FourierSums, intercept: bool, seed: int, block: int) -> _Search:
        system = ToeplitzSystem.of(sums, np.zeros(sums.grid.n_modes), intercept)
        return cls(sums, system.with_products() if system.size <= affordable_block(block) else system, seed, block)

    def loss(self, kernel: Stationary, alpha: float) -> float:
        amplitude = GridMap(kernel, self.sums.grid).amplitude
        alpha = max(alpha, _FLOOR * self.sums.weight * kernel.variance)
        found = GridEquations(self.system.with_amplitude(amplitude), alpha, self.block, self.seed).evidence(probes=3)
        return -found.log_evidence / (self.sums.weight * self.sums.n_targets)

    def descend(self, start: GridChoice, evaluations: int, *, penalty: bool) -> GridChoice:
        """Nelder and Mead's search over logarithms of scales, and of the penalty if it is free."""
        d = len(self.sums.grid.extent)
        scales = np.broadcast_to(start.kernel.scales(d), d)

        def choice(theta: Array) -> tuple[Stationary, float]:
            factors = np.exp(np.clip(theta[:d], -5, 5))
            own = start.alpha * float(np.exp(np.clip(theta[d], -_RANGE, _RANGE))) if penalty else start.alpha
            return start.kernel.with_length_scale(scales * factors), own

        steps = np.vstack([np.zeros(d), 0.7 * np.ones(d), -0.5 * np.eye(d)[1:]])
        simplex = np.hstack([steps, np.zeros((len(steps), 1))]) if penalty else steps
        if penalty:
            simplex = np.vstack([simplex, [*np.zeros(d), -2.0]])
        found = minimize(
            lambda theta: self.loss(*choice(theta)),
            simplex[0],
            method="Nelder-Mead",
            options={"maxfev": evaluations, "initial_simplex": simplex, "xatol": 0.05, "fatol": 1e-5},
        )
        return GridChoice(*choice(found.x), float(found.fun))


def searched_modes(n_rows: int) -> int:
    """Modes that kernels and scales of so many rows are searched on."""
    return int(np.clip(n_rows, _FEWEST, _INNER))


def tune_on_grid(
    sums: FourierSums, kernels: Sequence[Stationary], alpha: float | None, *, intercept: bool, seed: int
) -> Tuning:
    """The best kernel with its scales, one per axis, by the evidence on the inner modes.

    Parameters
    ----------
    sums : FourierSums
    kernels : sequence of Stationary
        Candidates with scales to begin with.
    alpha : float or None
        The penalty; None: it is free.
    intercept : bool
    seed : int
    """
    n, clock, d = sums.identity.n_rows, Clock(None), len(sums.grid.extent)
    inner = inner_sums(sums, searched_modes(n))
    search, begin = _Search.on(inner, intercept, seed, _BLOCK), _ALPHA if alpha is None else alpha
    first = [search.descend(GridChoice(each, begin, np.inf), _FIRST, penalty=alpha is None) for each in kernels]
    best = search.descend(min(first, key=_loss), _MORE, penalty=alpha is None)
    kernel = best.kernel.with_length_scale(rounded(np.broadcast_to(best.kernel.scales(d), d)))
    M = int(np.prod(inner.grid.shape))
    stages = [
        Stage(
            each.kernel.with_length_scale(1.0), n, M, (each.loss,), np.log(np.append(each.kernel.scales(d), each.alpha))
        )
        for each in [*first, best]
    ]
    return Tuning(
        kernel=kernel,
        length_scale=kernel.scales(),
        noise_variance=best.alpha / (1 + best.alpha),
        signal_variance=1 / (1 + best.alpha),
        log_evidence=-best.loss,
        criterion="evidence",
        stages=tuple(stages),
        n_rows=n,
        n_frequencies=M,
        n_restarts=1,
        seconds=clock.elapsed(),
    )


def best_penalty(
    sums: Sequence[FourierSums], kernel: Stationary, alpha: float, alphas: Array | None, *, intercept: bool, seed: int
) -> float:
    """The penalty of the largest evidence of all sums together: near `alpha`, or one of some."""
    searches = [_Search.on(each, intercept, seed, _BLOCK) for each in sums]
    weight = np.array([each.weight for each in sums])

    def loss(penalty: float) -> float:
        return float(weight @ [search.loss(kernel, penalty) for search in searches] / np.sum(weight))

    if alphas is not None:
        return float(min(alphas, key=lambda each: loss(float(each))))
    floor = np.log(_FLOOR * np.max(weight) * kernel.variance)
    low, high = max(np.log(alpha) - _RANGE, floor), max(np.log(alpha) + _RANGE, floor + 2)
    return float(np.exp(_bounded(lambda theta: loss(float(np.exp(theta))), low, high)))


def windows(sums: FourierSums, centres: Array) -> list[FourierReduction]:
    """Reductions to cells around some points, of the cutoff of a grid; none, if the grid has few modes itself."""
    grid = sums.grid
    if grid.n_modes <= _WHOLE:
        return []
    extent = _inner_extent(grid.extent, _INNER)
    period = grid.period * extent / grid.extent
    cells = [FrequencyGrid(centre, period, extent) for centre in centres[:_WINDOWS]]
    half = _FILLED * period / 2
    return [
        FourierReduction(cell, sums.reference, sums.unit, BoxOfRows(cell.centre - half, cell.centre + half))
        for cell in cells
    ]


def _bounded(function: Callable[[float], float], low: float, high: float) -> float:
    found = minimize_scalar(
        function, bounds=(low, high), method="bounded", options={"maxiter": 2 * _ALONG, "xatol": 0.3}
    )
    return float(found.x)


def _loss(choice: GridChoice) -> float:
    return choice.loss


def inner_sums(sums: FourierSums, most: int) -> FourierSums:
    """The sums of the inner modes, at most so many."""
    extent = _inner_extent(sums.grid.extent, most)
    grid = FrequencyGrid(sums.grid.centre, sums.grid.period, extent)
    outer = tuple(slice(int(2 * (m - k)), int(2 * (m + k) + 1)) for m, k in zip(sums.grid.extent, extent))
    inner = tuple(slice(int(m - k), int(m + k + 1)) for m, k in zip(sums.grid.extent, extent))
    targets = np.ascontiguousarray(sums.targets[(slice(None), *inner)])
    return replace(sums, grid=grid, density=np.ascontiguousarray(sums.density[outer]), targets=targets)


def _inner_extent(extent: Array, most: int) -> Array:
    """A smaller extent of the same shape, of at most so many modes."""
    while np.prod(2.0 * extent + 1) > most and np.any(extent > 1):
        extent = np.maximum(extent * 19 // 20, 1)
    return extent
