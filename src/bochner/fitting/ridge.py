"""Fitting ridge regression on features: rows and settings in, a fitted model out.

    fit_ridge(rows, settings) -> FittedRidge

The solver says which statistics of the rows it needs: moments of one pass, or products with the normal equations, a
pass each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import RowSource
from bochner.errors import InvalidDataError
from bochner.fitting.checkpoints import FitCheckpoint, naming_checkpoint
from bochner.fitting.features import FeatureSettings
from bochner.fitting.intervals import ConformalScores, calibration_split
from bochner.fitting.landmark_width import search_landmarks
from bochner.fitting.left_out import LeftOut, calibrated, left_out_errors
from bochner.fitting.moments import MomentsFit, rows_to_leave_out
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Silent, Watch
from bochner.fitting.width_search import search_width, widens
from bochner.memory import advice_when_full, require_memory
from bochner.solvers import PenaltyRule, RidgeSolver, SolverContext, iterative_bill
from bochner.solvers.conjugate_gradient import State
from bochner.statistics import KEPT_FEATURES, RowIdentity, StreamedNormal, identify

__all__ = ["RidgeSettings", "add_rows", "fit_ridge", "left_out_rows"]

Publish = Callable[[FittedRidge], None]
"""Takes every state of a fit that is a model: an interrupted fit leaves the last one."""

_VALIDATION_ROWS = 4096


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
    """

    owner: str
    features: FeatureSettings
    solver: RidgeSolver
    rule: PenaltyRule
    interval: str = "auto"
    validation_fraction: float | None = None

    @property
    def seed(self) -> int:
        return self.features.seed


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
    with naming_checkpoint(checkpoint):
        return _fitted(rows, settings, watch or Silent(), checkpoint, publish)


def _fitted(
    rows: RowSource, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None, publish: Publish
) -> FittedRidge:
    rows, held = calibration_split(rows, settings.seed) if settings.interval == "conformal" else (rows, None)
    left_out: LeftOut | None = None
    if settings.solver.needs == "moments":
        fit, left_out = _fit_moments(rows, settings, watch, checkpoint, publish)
    else:
        fit = _fit_products(rows, settings, watch, checkpoint)
    if settings.rule.alpha == "auto" and fit.moments is not None and rows.passes is None:
        left_out = left_out or left_out_errors(fit, rows, settings.seed)
        fit = calibrated(fit, left_out, scores=settings.interval == "auto")
    if held is not None:
        fit = replace(fit, conformal=ConformalScores.of(held.targets()[0], *fit.means_and_deviations(held.X)))
    return fit


@advice_when_full()
def add_rows(
    fit: FittedRidge | None, rows: RowSource, settings: RidgeSettings, *, watch: Watch, publish: Publish
) -> FittedRidge:
    """The model of more rows: its moments grow in place, so that the value before it is spent.

    The equations are solved when they are needed.
    """
    if fit is None:
        chosen = settings.features.choose(rows)
        return MomentsFit.begun(chosen, rows, settings.solver, settings.rule, publish=publish).add(rows, watch).fit
    grown = replace(fit, found=None, rule=settings.rule, solver=settings.solver)
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
        found, errors = search_landmarks(rows, kernel, tuning, settings, watch, publish, checkpoint)
        return found.fit, errors
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


def _fit_products(
    rows: RowSource, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None
) -> FittedRidge:
    """Many passes of products with the normal equations."""
    chosen = settings.features.choose(rows)
    D = chosen.map.n_components
    searched = isinstance(settings.rule.alpha, str)
    bill = iterative_bill(chosen.map, n_rows=rows.n_rows, n_targets=rows.n_targets, dtype=rows.dtype, searched=searched)
    require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
    fraction = settings.validation_fraction
    left_out = None if fraction is None else left_out_rows(fraction, rows.n_rows, settings.seed)
    keep, intercept = KEPT_FEATURES in bill.items, settings.rule.fit_intercept
    operator = StreamedNormal(rows, chosen.map, fit_intercept=intercept, keep=keep, left_out=left_out)
    on_block, finish = watch.begin(None)

    def on_iteration(state: State) -> bool:
        if checkpoint is not None:
            checkpoint.save_state(state)
        return on_block(0)

    schema = settings.solver.state_schema(D, rows.n_targets, settings.rule)
    context = SolverContext(
        seed=settings.seed,
        validation=None if left_out is None else operator.error_on_left_out,
        on_iteration=on_iteration,
        state=None if checkpoint is None else checkpoint.resumed_state(schema),
    )
    solution = settings.solver.solve(operator, settings.rule, context)
    finish()
    return FittedRidge(
        features=chosen.drawn.transformer,
        feature_map=chosen.map,
        rule=settings.rule,
        solver=settings.solver,
        row_type=rows.dtype,
        found=solution,
        tuning=chosen.tuning,
        row_identity=_identity(rows, left_out),
    )


def left_out_rows(fraction: float, n_rows: int, seed: int) -> Array:
    """Rows for validation: a share of them, and no more than 4,096."""
    size = min(_VALIDATION_ROWS, int(np.ceil(fraction * n_rows)))
    return np.sort(generator(seed, Purpose.FOLDS).choice(n_rows, size=size, replace=False))


def _identity(rows: RowSource, left_out: Array | None) -> RowIdentity:
    """The checksum of the rows that an iterative fit has used: one more reading pass, without features."""
    if left_out is None:
        return identify(rows)
    weight = rows.targets()[1]
    weight = np.ones(rows.n_rows) if weight is None else weight.copy()
    weight[left_out] = 0
    return identify(rows, weight=weight)


def require_moments(fit: FittedRidge) -> None:
    """Refuse to add rows to a model that has no moments."""
    if fit.moments is None:
        raise InvalidDataError(
            "partial_fit cannot add rows to a model of the iterative solver: it keeps no moments of the rows "
            "before. Fit with solver='direct'."
        )
