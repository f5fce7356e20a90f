"""Fitting regression by other losses than squares: rows, targets and settings in, a fitted model out.

fit_regression(rows, observed, settings) -> FittedRegression
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bochner._typing import Array, Transformer
from bochner.data import RowSource
from bochner.errors import InvalidDataError
from bochner.features import FeatureMap
from bochner.fitting.checkpoints import FitCheckpoint, naming_checkpoint
from bochner.fitting.features import FeatureSettings
from bochner.fitting.intervals import ConformalScores, calibration_split
from bochner.fitting.linear_scores import LinearScores
from bochner.fitting.penalised import PenalisedStep, fit_penalised
from bochner.fitting.watch import Watch, watched
from bochner.memory import advice_when_full, require_memory
from bochner.solvers import (
    Fold,
    LinearSolution,
    Progress,
    RegressionLoss,
    RegressionProblem,
    linear_bill,
    out_of_fold_scores,
)
from bochner.statistics import FeatureStream, RowIdentity, identify
from bochner.tuning import Tuning

__all__ = ["FittedRegression", "Observed", "RegressionSettings", "fit_regression"]

_PARTS = 10  # five parts leave out so many rows that quantiles of steep learners are wide
_ENOUGH_LEFT_OUT = 5000  # the share below a median of so many is right to 0.007
_TOL = 1e-3  # of the fits without the rows: their errors are larger than what this changes


@dataclass(frozen=True)
class Observed:
    """Targets (n,) and weights (n,) of all rows."""

    y: Array
    weight: Array


@dataclass(frozen=True)
class RegressionSettings:
    """Settings of a fit: features, loss, penalty, solver limits.

    Attributes
    ----------
    features : FeatureSettings
    loss : RegressionLoss
    alpha : float or None
        The penalty; None: by cross-validation.
    alphas : array or None
        Penalties to choose from.
    folds : callable
        The folds of a problem, for cross-validation.
    fit_intercept : bool
    tol : float
    max_iter : int
    conformal : bool
        Whether rows are held out to calibrate intervals between the first and the last column of the predictions.
    """

    features: FeatureSettings
    loss: RegressionLoss
    alpha: float | None
    alphas: Array | None
    folds: Callable[[RegressionProblem], list[Fold]]
    fit_intercept: bool
    tol: float
    max_iter: int
    conformal: bool = False


@dataclass(frozen=True, eq=False)
class FittedRegression(LinearScores):
    """A regression that was fitted to rows.

    Attributes
    ----------
    features : transformer
    feature_map : FeatureMap
    solution : LinearSolution
        Coefficients in the units of the targets; objective and gap in those that the loss is solved in.
    alpha : float
    n_rows : int
    loss : RegressionLoss
    tuning : Tuning or None
    alphas, cv_losses : array or None
        Penalties that were tried, and their held-out losses in every fold.
    row_identity : RowIdentity or None
        Checksum of the rows.
    conformal : ConformalScores or None
        max(first column - y, y - last column) of calibration rows.
    """

    features: Transformer
    feature_map: FeatureMap
    solution: LinearSolution
    alpha: float
    n_rows: int
    loss: RegressionLoss
    tuning: Tuning | None = None
    alphas: Array | None = None
    cv_losses: Array | None = None
    row_identity: RowIdentity | None = None
    conformal: ConformalScores | None = None


@advice_when_full()
def fit_regression(
    rows: RowSource,
    observed: Observed,
    settings: RegressionSettings,
    *,
    watch: Watch | None = None,
    checkpoint: FitCheckpoint | None = None,
) -> FittedRegression:
    """Choose the features and the penalty, solve, and calibrate intervals if they are wanted."""
    with naming_checkpoint(checkpoint), watched(watch, checkpoint) as progress:
        identity = identify(rows, observed.y, observed.weight)
        if not settings.conformal:
            return replace(_fit(rows, observed, settings, progress), row_identity=identity)
        to_fit, held_out = calibration_split(rows, settings.features.seed)
        assert to_fit.sample_weight is not None
        fit = _fit(to_fit, Observed(observed.y, to_fit.sample_weight), settings, progress)
        found = settings.loss.predictions(fit.response()(held_out.X))
        y = np.asarray(held_out.Y, dtype=float).reshape(-1)
        scores = np.maximum(found[:, 0] - y, y - found[:, -1])
    return replace(fit, row_identity=identity, conformal=ConformalScores(np.sort(scores)[:, None].astype(float)))


def _fit(rows: RowSource, observed: Observed, settings: RegressionSettings, progress: Progress) -> FittedRegression:
    """Targets in their units, features, penalty, solution, and back to the units of the user."""
    loss, present = settings.loss, observed.weight > 0
    y, weight = observed.y, observed.weight
    wrong = loss.problem_with(y[present], weight[present])
    if wrong is not None:
        raise InvalidDataError(f"y {wrong}.")
    units = loss.units(y[present], weight[present], fit_intercept=settings.fit_intercept)
    scaled = loss.scaled(np.where(present, y, y[present][0]), units)  # targets of weight 0 may be anything
    of_loss = Observed(scaled, loss.scaled_weight(weight, units))
    problem = partial(_problem, rows, of_loss, settings)
    for_scales = loss.for_squares(scaled)[:, None], loss.weight_for_squares(weight)
    step, found = fit_penalised(rows, for_scales, problem, settings, progress)
    if loss.holds_shares and settings.alpha is None and settings.fit_intercept:
        found = _moved(step, found, settings, progress.within("left-out"))
    return FittedRegression(
        step.chosen.drawn.transformer,
        step.chosen.map,
        replace(loss.restored(found, units), dual=None),
        step.alpha,
        rows.n_rows,
        loss,
        step.chosen.tuning,
        step.alphas,
        step.losses,
    )


def _moved(
    step: PenalisedStep[RegressionProblem], found: LinearSolution, settings: RegressionSettings, progress: Progress
) -> LinearSolution:
    """The solution with intercepts at which shares of targets are right on rows that were left out, up to 5,000 or so.

    The penalty of the smallest loss may follow its rows so closely that the shares are right on these alone: below the
    quantile 0.1 of 600 rows of the airfoil table were 0.35 of the targets of other rows.
    """
    problem = step.problem
    folds = [fold for fold in problem.folds(_PARTS) if all(problem.weight[part].sum() > 0 for part in fold)]
    enough = int(np.ceil(_ENOUGH_LEFT_OUT / max(1, len(problem.targets) // _PARTS)))
    if not folds:
        return found
    rows, scores = out_of_fold_scores(
        problem, step.alpha, folds[:enough], tol=_TOL, max_iter=settings.max_iter, progress=progress
    )
    shift = settings.loss.shift(problem.targets[rows], scores, problem.weight[rows])
    return replace(found, intercept=found.intercept + shift)


def _problem(
    rows: RowSource, observed: Observed, settings: RegressionSettings, feature_map: FeatureMap
) -> RegressionProblem:
    loss, D = settings.loss, feature_map.n_components
    bill = linear_bill(feature_map, n_rows=rows.n_rows, n_columns=loss.n_columns, dtype=rows.dtype)
    require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
    stream = FeatureStream(rows, feature_map)
    return RegressionProblem(stream, observed.y, observed.weight, loss, settings.fit_intercept, settings.features.seed)
