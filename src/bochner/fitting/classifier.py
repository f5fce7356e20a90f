"""Fitting classifiers on features: rows, labels and settings in, a fitted model out.

fit_classifier(rows, labelled, settings) -> FittedClassifier
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
from bochner.fitting.features import ChosenFeatures, FeatureSettings
from bochner.fitting.kernel_classifier import KERNEL_LOSSES, KernelClassification, pilot_of
from bochner.fitting.linear_scores import LinearScores
from bochner.fitting.penalised import fit_penalised, penalised_step
from bochner.fitting.squared_classifier import fit_signs, temperature_and_skill, to_solution
from bochner.fitting.watch import Silent, Watch, watched
from bochner.memory import advice_when_full, require_memory
from bochner.solvers import (
    ClassificationProblem,
    Fold,
    LinearSolution,
    Logistic,
    Progress,
    QuadraticPenalty,
    classifier_bill,
    inverse_temperature,
    out_of_fold_scores,
)
from bochner.statistics import FeatureStream, RowIdentity, identify
from bochner.tuning import Tuning

__all__ = ["ClassifierSettings", "FittedClassifier", "Labels", "add_labelled_rows", "fit_classifier"]


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
        The folds of a problem, for cross-validation and calibration; `rows=`: the numbers of its rows among all.
    fit_intercept, probability : bool
    tol : float
    max_iter : int
    may_hinge : bool
        Whether the squared hinge may take the place of the squared error, for two classes of many rows.
    """

    features: FeatureSettings
    loss: str
    alpha: float | None
    alphas: Array | None
    folds: Callable[..., list[Fold]]
    fit_intercept: bool
    probability: bool
    tol: float
    max_iter: int
    may_hinge: bool = False


@dataclass(frozen=True, eq=False)
class FittedClassifier(LinearScores):
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


@advice_when_full()
def fit_classifier(
    rows: RowSource,
    labels: Labels,
    settings: ClassifierSettings,
    *,
    watch: Watch | None = None,
    checkpoint: FitCheckpoint | None = None,
) -> FittedClassifier:
    """Choose the features and the penalty, solve, and calibrate probabilities of a hinge loss if they are wanted."""
    with naming_checkpoint(checkpoint):
        identity = identify(rows, labels.labels, labels.weight)
        if settings.loss == "squared_error":
            fit = _fit_squared(rows, labels, settings, watch or Silent(), checkpoint)
        else:
            exact = settings.features.has_all_rows and settings.loss in KERNEL_LOSSES
            with watched(watch, checkpoint) as progress:
                fit = (_fit_exactly if exact else _fit_iteratively)(rows, labels, settings, progress)
    return replace(fit, row_identity=identity)


def _fit_iteratively(
    rows: RowSource, labels: Labels, settings: ClassifierSettings, progress: Progress
) -> FittedClassifier:
    """Features, penalty, solution and calibration, by a solver of many passes."""
    step, solution = fit_penalised(
        rows,
        (labels.labels, labels.weight),
        partial(_problem, rows, labels, settings=settings),
        settings,
        progress,
    )
    temperature = 1.0
    if settings.loss != "logistic" and settings.probability:
        temperature = _calibrated(step.problem, step.alpha, solution, settings, progress)
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
        few, known, some = pilot_of(rows, labels, settings)
        chosen = ChosenFeatures(settings.features.draw(kernel, 0, few, tuning), tuning)
        among = replace(settings, folds=partial(settings.folds, rows=some))
        step = penalised_step(chosen, partial(_problem, few, known, settings=settings), among, progress)
        alpha, alphas, losses = step.alpha, step.alphas, step.losses
    solution, temperature = problem.fitted(alpha, settings, progress)
    drawn, found = problem.drawn, (solution, alpha, rows.n_rows, tuning, alphas, losses, temperature)
    return FittedClassifier(drawn.transformer, drawn.map, *found, loss=settings.loss)


def _fit_squared(
    rows: RowSource, labels: Labels, settings: ClassifierSettings, watch: Watch, checkpoint: FitCheckpoint | None
) -> FittedClassifier:
    """Least squares on the signs of the classes; width, penalty and temperature by leave-one-out errors."""
    ridge, left_out = fit_signs(rows, labels, settings, watch, checkpoint)
    path, hinges = ridge.solution.path, ridge.solution.hinge is not None
    temperature, relative_error = temperature_and_skill(labels, left_out, hinges=hinges)
    return FittedClassifier(
        ridge.features,
        ridge.feature_map,
        to_solution(ridge, float(labels.weight.sum())),
        ridge.solution.alpha * (2 if hinges else 1),
        rows.n_rows,
        ridge.tuning,
        None if path is None else path.alphas,
        inverse_temperature=temperature,
        loss="squared_hinge" if hinges else settings.loss,
        relative_error=relative_error,
    )


@advice_when_full()
def add_labelled_rows(
    fit: FittedClassifier | None,
    rows: RowSource,
    labels: Labels,
    settings: ClassifierSettings,
    *,
    watch: Watch | None = None,
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
    with watched(watch, None) as progress:
        solution = solver.solve(prior, tol=settings.tol, max_iter=settings.max_iter, progress=progress)
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
    others = "raise the budget with bochner.set_config(memory=...)."
    require_memory(bill, f"Lower n_components (now {D}), use loss='squared_error' for many classes, or {others}")
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
