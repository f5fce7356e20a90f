"""Ridge regression on a grid of frequencies: a box, a kernel learned from a sample, one pass of Fourier sums, a solve.

The penalty of a large grid is found on some windows. Some rows are taken out of the sums again, and the model without
them predicts them: that calibrates error bars.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from bochner._dense import dense
from bochner._nufft import require_nufft
from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import ArrayRows, RowSource
from bochner.errors import InvalidDataError
from bochner.features import FeatureMap, GridMap
from bochner.fitting.checkpoints import FitCheckpoint
from bochner.fitting.features import DrawnFeatures
from bochner.fitting.left_out import LEFT_OUT_ROWS, LeftOut
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Watch
from bochner.kernels import Matern, Stationary
from bochner.memory import MemoryBill, require_memory
from bochner.planning import grid_width
from bochner.sampling import MOST_AXES, FrequencyGrid
from bochner.solvers import Solution, SolverContext, ToeplitzSolver
from bochner.statistics import (
    BoxOfRows,
    FourierReduction,
    FourierSums,
    add_fourier_sums,
    box_of,
    fourier_bill,
    fourier_sums_of_boxes,
)
from bochner.tuning import Tuning, best_penalty, column_spreads, spread_of, tune_on_grid, windows

if TYPE_CHECKING:
    from bochner.fitting.ridge import RidgeSettings

__all__ = ["add_to_grid", "fills_its_box", "fit_grid"]

_SAMPLE_ROWS = 2**17  # for the kernel and its scales, and the middle and spread of the targets
_REFERENCE_ROWS = 4096  # for the spread of the columns
_ALPHA = 0.1  # penalty to begin with, if nothing is known
_TUNED_MODES = 2**13  # of the grid that the kernel is learned on
_CALIBRATED_MODES = 2**17  # up to which error bars are calibrated: draws of more take minutes
_FEW_DRAWS = 16  # for the error bars of rows that are left out
_SHARE = 0.1  # of the width of the rows: a scale to begin with
_WIDEST = 100.0  # width of a column in units of its spread


def fit_grid(
    rows: RowSource, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None = None
) -> tuple[FittedRidge, LeftOut | None]:
    """The fit, and with alpha="auto" its errors on some rows that it was solved without."""
    require_columns(rows, settings.owner)
    require_nufft()
    rule, box, sample = settings.rule, box_of(rows), ArrayRows.sampled(rows, _SAMPLE_ROWS, settings.seed)
    _require_no_outliers(sample, box, settings.owner)
    kernel, tuning = _kernel(rows, sample, box, settings)
    drawn = _drawn(settings, kernel, box, settings.features.width or grid_width(rows.n_rows))
    sums = _summed(rows, drawn, sample, watch, checkpoint)
    parts = _windows_of(rows, sample, sums) or [sums]
    alpha = _penalty(parts, kernel, tuning, settings)
    fit = FittedRidge(
        features=drawn.transformer,
        feature_map=drawn.map,
        rule=rule,
        solver=settings.solver,
        row_type=rows.dtype,
        found=_solve(drawn.map, sums, alpha, settings),
        tuning=tuning,
        row_identity=sums.identity,
    )
    calibrated = rule.alpha == "auto" and sums.grid.n_modes <= _CALIBRATED_MODES
    return fit, _left_out(fit, rows, settings) if calibrated else None


def require_columns(rows: RowSource, owner: str) -> None:
    """Refuse rows of more columns than a grid is for."""
    if rows.n_features > MOST_AXES:
        raise InvalidDataError(
            f"features='grid' of {owner} takes at most {MOST_AXES} columns: the number of frequencies on a grid grows "
            f"with their power. Got {rows.n_features} columns. Use features='fourier' or 'nystroem'."
        )


def add_to_grid(fit: FittedRidge, rows: RowSource, settings: RidgeSettings) -> FittedRidge:
    """The model of more rows on its grid, with its scales; its penalty is chosen anew if it is chosen at all.

    Of a large grid it is kept: rows that have gone have no windows.
    """
    before, rule = fit.solution.fourier_sums, settings.rule
    assert before is not None
    sums, large = add_fourier_sums(before, rows), before.grid.n_modes > _CALIBRATED_MODES
    kernel = _map_of(fit.feature_map).kernel
    alpha = fit.solution.alpha if large else _penalty([sums], kernel, fit.tuning, settings)
    found = _solve(fit.feature_map, sums, alpha, settings)
    return replace(fit, found=found, rule=rule, row_identity=sums.identity, conformal=None, left_out_error=None)


def _kernel(
    rows: RowSource, sample: ArrayRows, box: BoxOfRows, settings: RidgeSettings
) -> tuple[Stationary, Tuning | None]:
    """The kernel that is given, or learned from the Fourier sums of a sample on a small grid."""
    scale, rule = settings.features.scale, settings.rule
    assert scale is not None
    if not scale.learns:
        kernel, _ = settings.features.kernel_for(rows)
        assert kernel is not None
        return kernel, None
    scale.check()
    width = box.high - box.low
    scales = _SHARE * np.where(width > 0, width, 1.0)
    first = _drawn(settings, Matern(scales, nu=0.5), box, _TUNED_MODES)
    sums = add_fourier_sums(_reduction(first, sample).empty(), sample)
    kernels = [each.with_length_scale(scales) for each in scale.candidates()]
    alpha = None if isinstance(rule.alpha, str) else max(float(rule.alpha), np.finfo(float).tiny)
    tuning = tune_on_grid(sums, kernels, alpha, intercept=rule.fit_intercept, seed=settings.seed)
    return tuning.kernel, tuning


def fills_its_box(rows: RowSource) -> bool:
    """Whether no row is so far outside that a grid would see the others as a few points."""
    return bool(np.all(_emptiness(rows, box_of(rows)) <= _WIDEST))


def _emptiness(rows: RowSource, box: BoxOfRows) -> Array:
    """Width of every column in units of its spread."""
    sample = dense(ArrayRows.sampled(rows, _REFERENCE_ROWS, 0).X, float)
    return (box.high - box.low) / column_spreads(sample)


def _require_no_outliers(rows: ArrayRows, box: BoxOfRows, owner: str) -> None:
    """Refuse a box that is nearly empty."""
    ratio = _emptiness(rows, box)
    far = int(np.argmax(ratio))
    if ratio[far] > _WIDEST:
        raise InvalidDataError(
            f"features='grid' of {owner} takes rows that fill their box. Column {far} is {ratio[far]:.3g} times as "
            "wide as its spread. Remove rows far outside, or use features='fourier' or 'nystroem'."
        )


def _windows_of(rows: RowSource, sample: ArrayRows, sums: FourierSums) -> list[FourierSums]:
    """Sums of the rows near some of the sample, on grids as fine as a large one; none of a small one."""
    random = generator(0, Purpose.PROBES)
    centres = dense(sample.X, float)[random.permutation(sample.n_rows)]
    reductions = windows(sums, centres)
    return [each for each in fourier_sums_of_boxes(reductions, rows) if each.weight > 0] if reductions else []


def _penalty(sums: list[FourierSums], kernel: Stationary, tuning: Tuning | None, settings: RidgeSettings) -> float:
    """The penalty that was given, or the one of the largest evidence."""
    rule = settings.rule
    if not isinstance(rule.alpha, str):
        return float(rule.alpha)
    near = _ALPHA
    if tuning is not None and tuning.noise_variance and tuning.signal_variance:
        near = tuning.noise_variance / tuning.signal_variance
    return best_penalty(sums, kernel, near, rule.alphas, intercept=rule.fit_intercept, seed=settings.seed)


def _drawn(settings: RidgeSettings, kernel: Stationary, box: BoxOfRows, width: int) -> DrawnFeatures:
    """The grid of a kernel for the box of the rows, which its two corners tell."""
    corners = ArrayRows(np.vstack([box.low, box.high]), np.zeros(2), None, np.dtype(float))
    return settings.features.draw(kernel, width, corners)


def _reduction(drawn: DrawnFeatures, sample: ArrayRows) -> FourierReduction:
    """Sums on a grid, of targets in units of those of a sample."""
    Y, weight = sample.targets()
    return FourierReduction(_map_of(drawn.map).grid, np.average(Y, axis=0, weights=weight), spread_of(Y, weight))


def _summed(
    rows: RowSource, drawn: DrawnFeatures, sample: ArrayRows, watch: Watch, checkpoint: FitCheckpoint | None
) -> FourierSums:
    """Fourier sums of all rows, one pass, or what an interrupted one has left of it."""
    grid = _map_of(drawn.map).grid
    require_memory(_bill(grid, rows), "Give fewer n_components, or raise the memory budget.")
    on_block, finish = watch.begin(None)
    ledger, before = None if checkpoint is None else checkpoint.fourier_sums(), _reduction(drawn, sample).empty()
    before, cut = (before, None) if ledger is None else (ledger.restored(before), ledger.block_rows)
    sums = add_fourier_sums(before, rows, on_block=on_block, ledger=ledger, block_rows=cut)
    finish()
    if not sums.weight > 0:
        raise InvalidDataError("The sum of sample_weight must be positive. Got 0.")
    return sums


def _bill(grid: FrequencyGrid, rows: RowSource) -> MemoryBill:
    return fourier_bill(grid, rows.planned_rows, rows.n_targets, rows.read_bytes)


def _map_of(feature_map: FeatureMap) -> GridMap:
    grid = feature_map.on_grid
    assert grid is not None
    return grid


def _solve(feature_map: FeatureMap, sums: FourierSums, alpha: float, settings: RidgeSettings) -> Solution:
    """The solution; of a large grid with its evidence where that was asked for by name."""
    rule, solver = replace(settings.rule, alpha=alpha), cast("ToeplitzSolver", settings.solver)
    solve = solver.solve_probed if settings.rule.alpha == "evidence" else solver.solve
    return solve((_map_of(feature_map), sums), rule, SolverContext(seed=settings.seed))


def _left_out(fit: FittedRidge, rows: RowSource, settings: RidgeSettings) -> LeftOut | None:
    """Errors on some rows of the model without them, whose sums are those of all less theirs."""
    sums = fit.solution.fourier_sums
    assert sums is not None
    sample = ArrayRows.sampled(rows, min(LEFT_OUT_ROWS, rows.n_rows // 10), settings.seed)
    if sample.n_rows == 0:
        return None
    reduction = FourierReduction(sums.grid, sums.reference, sums.unit)
    others = sums - add_fourier_sums(reduction.empty(), sample)
    if not others.weight > 0:
        return None
    solver, rule = cast("ToeplitzSolver", settings.solver), replace(settings.rule, alpha=fit.solution.alpha)
    found = solver.solve_alone((_map_of(fit.feature_map), others), rule, SolverContext(seed=settings.seed))
    less = replace(fit, found=replace(found, n_draws=_FEW_DRAWS))
    Y, weight = sample.targets()
    means, leverage, unseen = less.means_and_leverages(sample.X)
    own = np.ones(len(Y)) if weight is None else weight
    return LeftOut(Y - means, np.maximum(1 + leverage + unseen, 1.0), own, Y)
