"""Plan of a fit on a grid of frequencies: its size and error from the kernel, a timed pass and a timed product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import numpy as np
from scipy.sparse import issparse

from bochner._dense import dense
from bochner._nufft import has_nufft, require_nufft
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.data import ArrayRows
from bochner.errors import AssumptionError
from bochner.features import GridMap
from bochner.kernels import Matern, Stationary
from bochner.planning.cost import CostModel
from bochner.planning.plan import Plan
from bochner.planning.width import GRID_ROWS, grid_width
from bochner.sampling import MOST_AXES, FrequencyGrid, choose_grid
from bochner.solvers import PROBED_MODES, ToeplitzSystem, grid_bill, grid_block
from bochner.statistics import FourierReduction, PassPlan, add_fourier_sums, fourier_bill, fourier_cut
from bochner.tuning import searched_modes

__all__ = ["plan_grid", "takes_a_grid"]

_EPS, _EPS_OF_WIDTH = 1e-4, 1e-6  # of a grid as in a fit, without and with a number of frequencies
_MOST_MODES = 2**22  # that eps may need
_TIMED_ROWS, _TIMED_MODES = 2**14, 2**18
_SHARE = 0.1  # of the width of the rows: a length scale to begin with
_STEPS, _COLUMNS = 60, 10  # of the solver; and of the solution, the evidence, the degrees of freedom and some draws
_STEPS_OF_MANY = 100  # of a grid that has a solution only
_EVALUATIONS = 100  # of the evidence while scales are learned


def plan_grid(
    kernel: Stationary | None,
    X: Rows | None,
    shape: tuple[int, int],
    *,
    n_components: int | None,
    eps: float | None,
    n_targets: int,
    cost: CostModel,
    time: float | None = None,
) -> Plan:
    """Memory and time of `KernelRegressor(features="grid")`; a kernel with its own scale has its error bound before.

    Without rows, they are taken to fill the unit cube.
    """
    require_nufft()
    n, d = shape
    low, high = (np.zeros(d), np.ones(d)) if X is None else _box(X)
    own = kernel or Matern(_SHARE * np.where(high > low, high - low, 1.0), nu=0.5)
    grid, error = _grid_and_error(own, low, high, n, n_components, eps)
    tuning = (
        0.0 if kernel is not None else _EVALUATIONS * cost.product * searched_modes(n) ** 3 / get_config().threads()
    )
    cut, bills = fourier_cut(grid, n), (fourier_bill(grid, n, n_targets), grid_bill(grid.n_modes))
    items = dict(max(bills, key=lambda bill: bill.total).items)  # what the pass took is free when the solver begins
    bound = f"kernel error at most {error:.3g} of k(0) on the box of the rows, without probability"
    found = Plan.without_bound(
        shape,
        PassPlan(cut.block_rows, cut.n_threads or 1, sum(items.values())),
        items,
        kernel="chosen by the data" if kernel is None else str(kernel),
        n_components=grid.n_modes,
        reason=_reason(n_components, eps),
        delta=0.0,
        bound=bound if kernel is not None else "none before the fit: scales are learned, and certify bounds the error",
        seconds=tuning + _fit_seconds(GridMap(own, grid), n, cost),
        tuning_seconds=tuning,
    )
    found = replace(found, time_budget=time)
    return found if kernel is None else replace(found, certified_error=error, eps=eps)


def _grid_and_error(
    kernel: Stationary, low: Array, high: Array, n_rows: int, n_components: int | None, eps: float | None
) -> tuple[FrequencyGrid, float]:
    """The grid of a fit on a box, and the largest error of the kernel there, over k(0)."""
    density = kernel.spectral_density(len(low))
    wanted = eps or (_EPS_OF_WIDTH if n_components else _EPS)
    grid = choose_grid(
        density, low, high, eps=wanted, most=n_components or (_MOST_MODES if eps else grid_width(n_rows))
    )
    error = grid.error(density, high - low).total / kernel.variance
    if eps is not None and error > eps:
        raise AssumptionError(
            f"eps={eps:g} needs more than {_MOST_MODES:,} frequencies of {kernel}. Allow a larger eps."
        )
    return grid, error


def takes_a_grid(n_rows: int, n_features: int, rows: Rows | None) -> bool:
    """Whether features="auto" has a grid of frequencies, unless rows far outside speak against it."""
    return n_features <= MOST_AXES and n_rows > GRID_ROWS[n_features] and has_nufft() and not issparse(rows)


def _reason(n_components: int | None, eps: float | None) -> str:
    if n_components is not None:
        return "frequencies on a grid, at most as many as were asked for"
    return "frequencies on a grid, at most" if eps is None else "frequencies on a grid, which eps needs"


def _box(X: Rows) -> tuple[Array, Array]:
    rows = dense(X, float)
    return rows.min(axis=0), rows.max(axis=0)


def _fit_seconds(features: GridMap, n_rows: int, cost: CostModel) -> float:
    """The pass and the solution, from those of some rows on a grid that is not larger than can be timed quickly."""
    grid = features.grid
    small = FrequencyGrid(grid.centre, grid.period, _shrunk(grid.extent))
    X = grid.centre + np.random.default_rng(0).uniform(-0.5, 0.5, (_TIMED_ROWS, len(grid.extent))) * grid.period / 2
    empty = FourierReduction(small, np.zeros(1), np.ones(1)).empty()
    many, few = ArrayRows(X, X[:, 0], None, X.dtype), ArrayRows(X[:2], X[:2, 0], None, X.dtype)
    sums = add_fourier_sums(empty, many)  # and plans of transforms
    fixed = _seconds(lambda: add_fourier_sums(empty, few))
    per_row = max(_seconds(lambda: add_fourier_sums(empty, many)) - fixed, 0.0) / _TIMED_ROWS
    system = ToeplitzSystem.of(sums, GridMap(features.kernel, small).amplitude, True)
    V, larger = np.ones((system.size, 1)), grid.n_modes / small.n_modes
    block = min(grid_block(grid.n_modes), grid.n_modes)
    factor = cost.product * float(block) ** 3 / 3
    products = _STEPS * _COLUMNS if grid.n_modes <= PROBED_MODES else _STEPS_OF_MANY
    return per_row * n_rows + larger * (fixed + products * _seconds(lambda: system.product(V))) + factor


def _shrunk(extent: Array) -> Array:
    while np.prod(2.0 * extent + 1) > _TIMED_MODES:
        extent = extent * 9 // 10
    return extent


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
