"""Fitting classifiers on features: rows, labels and settings in, a fitted model out.

fit_classifier(rows, labelled, settings) -> FittedClassifier
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bochner._typing import Array, FloatType, Transformer
from bochner.data import RowSource
from bochner.errors import InvalidDataError, MemoryBudgetError
from bochner.features import FeatureMap, LinearResponse
from bochner.fitting.checkpoints import FitCheckpoint, naming_checkpoint
from bochner.fitting.features import ChosenFeatures, FeatureSettings
from bochner.fitting.importance import ColumnImportance, LinearModel, column_importance
from bochner.fitting.kernel_classifier import KERNEL_LOSSES, KernelClassification, pilot_of
from bochner.fitting.squared_classifier import fit_signs, temperature_and_skill, to_solution
from bochner.memory import advice_when_full, require_memory
from bochner.planning import landmark_numbers
from bochner.solvers import (
    NO_PROGRESS,
    ClassificationProblem,
    Fold,
    LinearSolution,
    Logistic,
    Progress,
    QuadraticPenalty,
    choose_penalty,
    classifier_bill,
    default_penalties,
    inverse_temperature,
    out_of_fold_scores,
)
from bochner.statistics import FeatureStream, RowIdentity, identify
from bochner.tuning import Tuning

__all__ = ["ClassifierSettings", "FittedClassifier", "Labels", "add_labelled_rows", "fit_classifier"]

_PARTS = 5
_SMALLEST_GAIN = 0.01  # of the held-out loss, by more landmarks
_PATH_ITERATIONS = 300  # of the fits that compare penalties
_CV_TOL = 1e-3  # of the fits that compare penalties: differences of held-out losses are larger


@dataclass(frozen=True)
class Labels:
    """Labels 0 ... n_classes - 1 and weights of all rows, those of the classes included."""

    labels: Array
    weight: Array
    n_classes: int


@dataclass(frozen=True)
class ClassifierSettings:
    """Settings of a classifier fit: features, loss, penalty, solver limits.

    Attributes
    ----------
    features : FeatureSettings
    loss : {"squared_error", "logistic", "hinge", "squared_hinge"}
    alpha : float or None
        The penalty; None: by leave-one-out errors of "squared_error", by cross-validation of the others.
    alphas : array or None
        Penalties to choose from.
    folds : callable
        The folds of a problem, for cross-validation and calibration.
    fit_intercept, probability : bool
    tol : float
    max_iter : int
    """

    features: FeatureSettings
    loss: str
    alpha: float | None
    alphas: Array | None
    folds: Callable[[ClassificationProblem], list[Fold]]
    fit_intercept: bool
    probability: bool
    tol: float
    max_iter: int


@dataclass(frozen=True, eq=False)
class FittedClassifier:
    """A classifier that was fitted to rows.

    Attributes
    ----------
    features : transformer
    feature_map : FeatureMap
    solution : LinearSolution
    alpha : float
    n_rows : int
        Rows of the last fit.
    tuning : Tuning or None
    alphas, cv_losses : array or None
        Penalties that were tried by cross-validation, and their held-out losses in every fold.
    inverse_temperature : float
        Factor of the scores before the softmax of probabilities.
    row_identity : RowIdentity or None
        Checksum of the rows; None for a model that approximates that of all rows.
    prior : QuadraticPenalty or None
        What earlier rows of `partial_fit` add to the objective.
    loss : str or None
        The loss that was minimised; None in files of earlier versions.
    relative_error : float or None
        Leave-one-out error over that of the frequencies of the classes; None: it is not known.
    """

    features: Transformer
    feature_map: FeatureMap
    solution: LinearSolution
    alpha: float
    n_rows: int
    tuning: Tuning | None = None
    alphas: Array | None = None
    cv_losses: Array | None = None
    inverse_temperature: float = 1.0
    row_identity: RowIdentity | None = None
    prior: QuadraticPenalty | None = None
    loss: str | None = None
    relative_error: float | None = None

    def column_importance(self, unit: Array) -> ColumnImportance:
        """Shares of the columns in squared gradients of the scores, in units (d,), without error bars."""
        return column_importance(LinearModel(self.feature_map, self.solution.coef), unit)

    def response(self) -> LinearResponse:
        """Scores of the classes as a function of rows."""
        precision: FloatType = np.dtype(np.float32)  # that of the rows, if it is more
        return LinearResponse(self.feature_map, self.solution.coef, self.solution.intercept, precision)


@advice_when_full()
def fit_classifier(
    rows: RowSource, labels: Labels, settings: ClassifierSettings, *, checkpoint: FitCheckpoint | None = None
) -> FittedClassifier:
    """Choose the features and the penalty, solve, and calibrate probabilities of a hinge loss if they are wanted."""
    with naming_checkpoint(checkpoint):
        identity = identify(rows, labels.labels, labels.weight)
        if settings.loss == "squared_error":
            fit = _fit_squared(rows, labels, settings, checkpoint)
        else:
            progress = NO_PROGRESS if checkpoint is None else checkpoint.journal()
            exact = settings.features.has_all_rows and settings.loss in KERNEL_LOSSES
            fit = (_fit_exactly if exact else _fit_iteratively)(rows, labels, settings, progress)
    return replace(fit, row_identity=identity)


def _fit_iteratively(
    rows: RowSource, labels: Labels, settings: ClassifierSettings, progress: Progress
) -> FittedClassifier:
    """Features, penalty, solution and calibration, by a solver of many passes."""
    found = _searched(rows, labels, settings, progress) if settings.features.searched_by_refitting else None
    if found is None:
        chosen = settings.features.choose(rows, (labels.labels, labels.weight))
        found = _Step.of(rows, labels, chosen, settings, progress)
    step, last = found, progress.within("solution")
    solution = step.problem.solve(step.alpha, tol=settings.tol, max_iter=settings.max_iter, progress=last)
    wanted = settings.loss != "logistic" and settings.probability
    temperature = _calibrated(step.problem, step.alpha, solution, settings, progress) if wanted else 1.0
    return FittedClassifier(
        step.chosen.drawn.transformer,
        step.chosen.map,
        solution,
        step.alpha,
        rows.n_rows,
        step.chosen.tuning,
        step.alphas,
        step.losses,
        temperature,
        loss=settings.loss,
    )


def _fit_exactly(rows: RowSource, labels: Labels, settings: ClassifierSettings, progress: Progress) -> FittedClassifier:
    """The exact kernel machine; the penalty, unless it is given, from a sample of the rows."""
    kernel, tuning = settings.features.kernel_for(rows, (labels.labels, labels.weight))
    problem = KernelClassification.of(rows, labels, kernel, tuning, settings)
    alpha, alphas, losses = settings.alpha, None, None
    if alpha is None:
        few, known = pilot_of(rows, labels, settings)
        chosen = ChosenFeatures(settings.features.draw(kernel, 0, few, tuning), tuning)
        alpha, alphas, losses = _penalty(_problem(few, known, chosen.map, settings), settings, progress)
    solution, temperature = problem.fitted(alpha, settings, progress)
    drawn, found = problem.drawn, (solution, alpha, rows.n_rows, tuning, alphas, losses, temperature)
    return FittedClassifier(drawn.transformer, drawn.map, *found, loss=settings.loss)


def _fit_squared(
    rows: RowSource, labels: Labels, settings: ClassifierSettings, checkpoint: FitCheckpoint | None
) -> FittedClassifier:
    """Least squares on the signs of the classes; width, penalty and temperature by leave-one-out errors."""
    ridge, left_out = fit_signs(rows, labels, settings, checkpoint)
    temperature, relative_error = temperature_and_skill(labels, left_out)
    path = ridge.solution.path
    return FittedClassifier(
        ridge.features,
        ridge.feature_map,
        to_solution(ridge, float(labels.weight.sum())),
        ridge.solution.alpha,
        rows.n_rows,
        ridge.tuning,
        None if path is None else path.alphas,
        inverse_temperature=temperature,
        loss=settings.loss,
        relative_error=relative_error,
    )


@dataclass(frozen=True, eq=False)
class _Step:
    """Features of one width, with the best penalty for them."""

    chosen: ChosenFeatures
    problem: ClassificationProblem
    alpha: float
    alphas: Array | None
    losses: Array | None

    @classmethod
    def of(
        cls,
        rows: RowSource,
        labels: Labels,
        chosen: ChosenFeatures,
        settings: ClassifierSettings,
        progress: Progress,
    ) -> _Step:
        problem = _problem(rows, labels, chosen.map, settings)
        return cls(chosen, problem, *_penalty(problem, settings, progress.within("penalties")))

    def held_out_loss(self, settings: ClassifierSettings, progress: Progress) -> float:
        """Of the best penalty; of the given one on a fifth of the rows."""
        losses = self.losses
        if losses is None:
            fold, tol = self.problem.folds(_PARTS)[:1], max(settings.tol, _CV_TOL)
            alphas = np.array([self.alpha])
            most, step = settings.max_iter, progress.within("held-out")
            losses = choose_penalty(self.problem, alphas, fold, tol=tol, max_iter=most, progress=step)[2]
        return float(np.min(losses.mean(axis=1)))


def _searched(rows: RowSource, labels: Labels, settings: ClassifierSettings, progress: Progress) -> _Step:
    """More and more landmarks until held-out rows see no gain."""
    features = settings.features
    kernel, tuning = features.kernel_for(rows, (labels.labels, labels.weight))
    best, smallest = None, np.inf
    for width in landmark_numbers(rows.n_rows):
        own = progress.within(f"landmarks-{width}")
        try:
            chosen = ChosenFeatures(features.draw(kernel, width, rows, tuning), tuning)
            step = _Step.of(rows, labels, chosen, settings, own)
        except MemoryBudgetError:
            if best is None:
                raise
            break
        loss = step.held_out_loss(settings, own)
        if best is not None and not loss < (1 - _SMALLEST_GAIN) * smallest:
            break
        best, smallest = step, loss
    assert best is not None
    return best


@advice_when_full()
def add_labelled_rows(
    fit: FittedClassifier | None, rows: RowSource, labels: Labels, settings: ClassifierSettings
) -> FittedClassifier:
    """A logistic model with more rows. Of earlier ones, their solution and its curvature are kept.

    A normal approximation to their likelihood, with the curvature averaged over the classes: the model of all rows is
    approached, not met.
    """
    assert settings.alpha is not None
    prior = QuadraticPenalty(settings.alpha) if fit is None else fit.prior
    assert prior is not None
    chosen = settings.features.choose(rows, (labels.labels, labels.weight)) if fit is None else None
    features, feature_map, tuning = _of(chosen, fit)
    problem = _problem(rows, labels, feature_map, settings, curvature=True)
    solver = problem.newton(problem.weight)
    solution = solver.solve(prior, tol=settings.tol, max_iter=settings.max_iter)
    prior = prior.updated(solution, solver.curvature(solution))
    return FittedClassifier(
        features, feature_map, solution, settings.alpha, rows.n_rows, tuning, prior=prior, loss="logistic"
    )


def _of(chosen: ChosenFeatures | None, fit: FittedClassifier | None) -> tuple[Transformer, FeatureMap, Tuning | None]:
    if chosen is not None:
        return chosen.drawn.transformer, chosen.map, chosen.tuning
    assert fit is not None
    return fit.features, fit.feature_map, fit.tuning


def _problem(
    rows: RowSource, labels: Labels, feature_map: FeatureMap, settings: ClassifierSettings, *, curvature: bool = False
) -> ClassificationProblem:
    D = feature_map.n_components
    bill = classifier_bill(
        feature_map, n_rows=rows.n_rows, n_classes=labels.n_classes, dtype=rows.dtype, curvature=curvature
    )
    require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
    stream = FeatureStream(rows, feature_map)
    if settings.loss != "logistic" and not stream.kept and not rows.in_memory:
        raise InvalidDataError(
            f"loss={settings.loss!r} visits rows in random order: they, or their features, must fit in memory. Use "
            "loss='logistic', or raise the budget with bochner.set_config(memory=...)."
        )
    return ClassificationProblem(
        stream=stream,
        labels=labels.labels.astype(np.intp),
        weight=labels.weight,
        n_classes=labels.n_classes,
        loss=settings.loss,
        fit_intercept=settings.fit_intercept,
        seed=settings.features.seed,
    )


def _penalty(
    problem: ClassificationProblem, settings: ClassifierSettings, progress: Progress
) -> tuple[float, Array | None, Array | None]:
    """The penalty, those that were tried, and their held-out losses."""
    if settings.alpha is not None:
        return settings.alpha, None, None
    alphas = default_penalties(problem) if settings.alphas is None else settings.alphas
    tol = max(settings.tol, _CV_TOL)
    most = min(settings.max_iter, _PATH_ITERATIONS)
    return choose_penalty(problem, alphas, settings.folds(problem), tol=tol, max_iter=most, progress=progress)


def _calibrated(
    problem: ClassificationProblem,
    alpha: float,
    solution: LinearSolution,
    settings: ClassifierSettings,
    progress: Progress,
) -> float:
    """Temperature of the scores of rows by models that have not seen them."""
    rows, scores = out_of_fold_scores(
        problem,
        alpha,
        settings.folds(problem),
        solution,
        tol=settings.tol,
        max_iter=settings.max_iter,
        progress=progress.within("calibration"),
    )
    return inverse_temperature(scores, Logistic(problem.labels[rows], problem.weight[rows]))
