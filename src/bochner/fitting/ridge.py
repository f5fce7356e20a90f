"""Fitting ridge regression on features: rows and settings in, a fitted model out.

    fit_ridge(rows, settings) -> FittedRidge

The solver says which statistics of the rows it needs: moments of one pass, or products with the normal equations, a
pass each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bochner.data import RowSource
from bochner.errors import InvalidDataError
from bochner.fitting.checkpoints import FitCheckpoint, naming_checkpoint
from bochner.fitting.exact import ExactMachine, add_to_exact
from bochner.fitting.exact_iterative import fit_exact_iteratively
from bochner.fitting.features import FeatureSettings
from bochner.fitting.grid import add_to_grid, fit_grid
from bochner.fitting.intervals import ConformalScores, calibration_split
from bochner.fitting.landmark_width import search_landmarks
from bochner.fitting.left_out import LEFT_OUT_ROWS, LeftOut, calibrated, left_out_errors
from bochner.fitting.moments import MomentsFit, rows_to_leave_out
from bochner.fitting.noise_learning import require_left_out_errors, with_learned_noise
from bochner.fitting.products import fit_products
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Silent, Watch
from bochner.fitting.width_search import search_width, widens
from bochner.kernels import Stationary
from bochner.memory import advice_when_full
from bochner.solvers import DirectSolver, PenaltyRule, RidgeSolver
from bochner.tuning import Tuning

__all__ = ["RidgeSettings", "add_rows", "fit_exact", "fit_ridge"]

_CALIBRATE_SHARE, _MOST_TO_CALIBRATE = 5, 20_000  # one of so many rows, a fifth of the time of their moments; at most

Publish = Callable[[FittedRidge], None]
"""Takes every state of a fit that is a model: an interrupted fit leaves the last one."""


@dataclass(frozen=True)
class RidgeSettings:
    """Settings of a ridge fit: features, solver, penalty, intervals.

    Attributes
    ----------
    owner : str
        Whose parameters these are, for messages.
    features : FeatureSettings
    solver : RidgeSolver
    rule : PenaltyRule
    interval : {"auto", "normal", "conformal"}
        How prediction intervals are calibrated: by leave-one-out errors, the normal law, or rows that are held out.
    validation_fraction : float or None
        Share of the rows to leave out of an iterative fit, which ends when the error on them has settled.
    noise : {"constant", "learned"}
        Whether the variance of the noise is a function of the row, learned from leave-one-out errors.
    alike : bool
        Whether errors of all targets are of one unit, as those of signs of classes are.
    may_hinge : bool
        Whether the squared hinge may take the place of least squares on signs of two classes, of many rows.
    """

    owner: str
    features: FeatureSettings
    solver: RidgeSolver
    rule: PenaltyRule
    interval: str = "auto"
    validation_fraction: float | None = None
    alike: bool = False
    noise: str = "constant"
    may_hinge: bool = False

    @property
    def seed(self) -> int:
        return self.features.seed

    @property
    def calibrates(self) -> bool:
        """Whether errors on rows that are left out are used: by a penalty that is chosen, or by probabilities."""
        return isinstance(self.rule.alpha, str) or self.alike


@advice_when_full()
def fit_ridge(
    rows: RowSource,
    settings: RidgeSettings,
    *,
    watch: Watch | None = None,
    checkpoint: FitCheckpoint | None = None,
    publish: Publish = lambda fit: None,
) -> FittedRidge:
    """Choose the features, gather the statistics that the solver needs, and solve."""
    settings.solver.require(settings.rule, rows, settings.owner)
    if settings.noise == "learned":
        require_left_out_errors(settings.owner, settings.solver, rows)
    with naming_checkpoint(checkpoint):
        return _fitted(rows, settings, watch or Silent(), checkpoint, publish)


def _fitted(
    rows: RowSource, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None, publish: Publish
) -> FittedRidge:
    rows, held = calibration_split(rows, settings.seed) if settings.interval == "conformal" else (rows, None)
    left_out: LeftOut | None = None
    if settings.features.exact_only:
        kernel, tuning = settings.features.kernel_for(rows)
        assert kernel is not None
        fit, left_out = fit_exact(rows, kernel, tuning, settings, watch=watch, checkpoint=checkpoint)
        publish(fit)
    elif settings.solver.needs == "fourier_sums":
        fit, left_out = fit_grid(rows, settings, watch, checkpoint)
        publish(fit)
    elif settings.solver.needs == "moments":
        fit, left_out = _fit_moments(rows, settings, watch, checkpoint, publish)
    else:
        fit = fit_products(rows, settings, watch, checkpoint)
    if settings.rule.alpha == "auto" and rows.passes is None:
        fit = _calibrated(fit, left_out, rows, settings)
    if settings.noise == "learned":
        fit = with_learned_noise(fit, rows, settings.seed, partial(_fit_logarithms, settings=settings))
    if held is not None:
        fit = replace(fit, conformal=ConformalScores.of(held.targets()[0], *fit.means_and_deviations(held.X)))
    return fit


def _fit_logarithms(rows: RowSource, settings: RidgeSettings) -> FittedRidge:
    """A second model with the features and scales that the settings ask for, and a penalty of its own."""
    solver = settings.solver if settings.solver.needs == "fourier_sums" else DirectSolver()
    rule = PenaltyRule("auto", None, True)
    own = replace(settings, solver=solver, rule=rule, interval="normal", validation_fraction=None, noise="constant")
    return fit_ridge(rows, own)


def _calibrated(fit: FittedRidge, left_out: LeftOut | None, rows: RowSource, settings: RidgeSettings) -> FittedRidge:
    """With error bars by leave-one-out errors, if the solver has them."""
    if settings.solver.needs == "moments" and (left_out is None or (fit.moments is not None and rows.in_memory)):
        size = int(np.clip(rows.n_rows // _CALIBRATE_SHARE, LEFT_OUT_ROWS, _MOST_TO_CALIBRATE))
        if left_out is None or size > len(left_out.errors):
            left_out = left_out_errors(fit, rows, settings.seed, size)
    if left_out is None or len(left_out.errors) == 0:
        return fit
    return calibrated(fit, left_out, scores=settings.interval == "auto")


@advice_when_full()
def add_rows(
    fit: FittedRidge | None, rows: RowSource, settings: RidgeSettings, *, watch: Watch, publish: Publish
) -> FittedRidge:
    """The model of more rows: its moments grow in place, so that the value before it is spent.

    The equations are solved when they are needed.
    """
    if fit is not None and fit.has_factor:
        return add_to_exact(fit, rows, settings.rule)
    if settings.solver.needs == "fourier_sums":
        return fit_grid(rows, settings, watch)[0] if fit is None else add_to_grid(fit, rows, settings)
    if fit is None:
        chosen = settings.features.choose(rows)
        return MomentsFit.begun(chosen, rows, settings.solver, settings.rule, publish=publish).add(rows, watch).fit
    # Scores are in units of the noise of leave-one-out errors, which rows that have gone no longer give.
    grown = replace(fit, found=None, conformal=None, far_variance=None, rule=settings.rule, solver=settings.solver)
    return MomentsFit(grown, publish).add(rows, watch).fit


def _fit_moments(
    rows: RowSource,
    settings: RidgeSettings,
    watch: Watch,
    checkpoint: FitCheckpoint | None,
    publish: Publish,
) -> tuple[FittedRidge, LeftOut | None]:
    """One pass and the solution; both again in float64 if float32 products cannot carry the best penalty.

    With leave-one-out errors, if they chose the width, or of a sample of rows that are not in memory.
    """
    features = settings.features
    kernel, tuning = features.kernel_for(rows)
    arrays = rows.arrays
    if checkpoint is None and kernel is not None and arrays is not None and widens(features, settings.rule, arrays):
        gathered = search_width(arrays, kernel, tuning, settings, watch, publish)
    elif kernel is not None and features.searched_by_refitting:
        return search_landmarks(rows, kernel, tuning, settings, watch, publish, checkpoint)
    else:
        ledger = None if checkpoint is None else checkpoint.moments()
        width = 0 if kernel is None else features.width_for(rows)
        drawn = features.draw(kernel, width, rows, tuning)
        gathered = MomentsFit.drawn(drawn, tuning, rows, settings.solver, settings.rule, publish=publish, ledger=ledger)
        gathered.add(rows, watch, ledger=ledger)
    left_out = rows_to_leave_out(settings.rule, rows)
    fit = gathered.solved(rows, left_out).in_enough_precision(rows).fit
    if settings.rule.alpha != "auto" or rows.in_memory or left_out is None:
        return fit, None
    return fit, left_out_errors(fit, left_out, settings.seed)  # from what was read once for the penalty


def fit_exact(
    rows: RowSource,
    kernel: Stationary,
    tuning: Tuning | None,
    settings: RidgeSettings,
    *,
    watch: Watch,
    checkpoint: FitCheckpoint | None = None,
) -> tuple[FittedRidge, LeftOut]:
    """The exact kernel machine, by a factor of the kernel matrix or by products with it, and its left-out errors."""
    if settings.solver.needs == "products":
        return fit_exact_iteratively(rows, kernel, tuning, settings, watch=watch, checkpoint=checkpoint)
    on_block, finish = watch.begin(1)
    found = ExactMachine.of(rows, kernel, tuning, settings).fit()
    on_block(rows.n_rows)
    finish()
    return found


def require_moments(fit: FittedRidge) -> None:
    """Refuse to add rows to a model that has no moments."""
    if fit.moments is None and not fit.has_factor and fit.solution.fourier_sums is None:
        raise InvalidDataError(
            "partial_fit cannot add rows to a model of the iterative solver: it keeps no moments of the rows "
            "before. Fit with solver='direct'."
        )
