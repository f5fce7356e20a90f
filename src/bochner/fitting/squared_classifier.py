"""Classification by least squares: ridge regression on the signs of the classes (Rifkin & Klautau 2004).

    minimise_W,w_0  1/2 sum_i s_i ||y_i - w_0 - W'z(x_i)||^2 + alpha/2 ||W||^2

with y_ik = +1 if row i is of class k, else -1.

One factorisation serves all classes and penalties, and leave-one-out scores are exact, so that the number of landmarks,
the penalty and the temperature of the probabilities are chosen by predictions of rows that were left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.data import ArrayRows, RowSource
from bochner.errors import InvalidDataError
from bochner.fitting.checkpoints import FitCheckpoint
from bochner.fitting.features import ChosenFeatures, FeatureSettings
from bochner.fitting.landmark_width import search_few_landmarks, search_landmarks
from bochner.fitting.left_out import LeftOut, left_out_errors
from bochner.fitting.moments import MomentsFit
from bochner.fitting.ridge import RidgeSettings, fit_exact
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.sign_products import fit_sign_products, takes_products
from bochner.fitting.watch import Watch
from bochner.memory import MemoryBill, require_memory
from bochner.planning import EXACT_ROWS
from bochner.solvers import (
    DirectSolver,
    KernelSolver,
    LinearSolution,
    Logistic,
    PenaltyRule,
    RidgeSolver,
    inverse_temperature,
    signs_of,
)
from bochner.statistics import Moments

if TYPE_CHECKING:
    from bochner.fitting.classifier import ClassifierSettings, Labels

__all__ = ["fit_signs", "temperature_and_skill", "to_solution"]

_TOL = 1e-4  # of the scores of an exact machine by iterations, relative to the signs


def fit_signs(
    rows: RowSource,
    labels: Labels,
    settings: ClassifierSettings,
    watch: Watch,
    checkpoint: FitCheckpoint | None = None,
) -> tuple[FittedRidge, LeftOut]:
    """Ridge regression on the signs of the classes, and its leave-one-out errors."""
    features = settings.features
    signed = _signed(_rows_in_memory(rows), labels)
    rule = PenaltyRule("auto" if settings.alpha is None else settings.alpha, settings.alphas, settings.fit_intercept)
    ridge = RidgeSettings("KernelClassifier", features, DirectSolver(), rule, alike=True, may_hinge=settings.may_hinge)
    easy = _fit_easy_classes(signed, labels, ridge, watch, checkpoint)
    if easy is not None:
        return easy
    kernel, tuning = features.kernel_for(rows, (labels.labels, labels.weight), rivals=_fits_rivals(features, rows))
    if kernel is not None and features.exact_only:
        exact = replace(ridge, solver=_exact_solver(settings, rows.n_rows))
        return fit_exact(signed, kernel, tuning, exact, watch=watch, checkpoint=checkpoint)
    if kernel is not None and features.searched_by_refitting:
        return search_landmarks(signed, kernel, tuning, ridge, watch, lambda fit: None, checkpoint)
    width = 0 if kernel is None else features.width_for(rows)
    chosen = ChosenFeatures(features.draw(kernel, width, signed, tuning), tuning, kernel)
    if checkpoint is None and takes_products(signed, chosen, ridge):
        return fit_sign_products(signed, chosen, ridge, watch, settings.max_iter)
    return _fit_sign_moments(signed, chosen, ridge, watch, checkpoint)


def _fits_rivals(features: FeatureSettings, rows: RowSource) -> bool:
    """Whether simpler kernels are fitted beside the best: exact machines of few rows."""
    return features.searched_by_refitting and rows.n_rows <= EXACT_ROWS


def _fit_easy_classes(
    signed: ArrayRows, labels: Labels, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None
) -> tuple[FittedRidge, LeftOut] | None:
    """Few landmarks with a kernel by a short search, for many rows that these tell apart; else None."""
    features = settings.features.few
    tuning = None if features is None else features.easy_tuning(signed, (labels.labels, labels.weight))
    if features is None or tuning is None:
        return None
    rows = replace(signed, dtype=np.dtype(np.float64))  # as the features of landmarks
    return search_few_landmarks(rows, tuning, replace(settings, features=features), watch, checkpoint)


def _rows_in_memory(rows: RowSource) -> ArrayRows:
    if rows.arrays is None:
        raise InvalidDataError("loss='squared_error' needs rows in memory. Use loss='logistic'.")
    return rows.arrays


def _signed(rows: ArrayRows, labels: Labels) -> ArrayRows:
    """The rows with the signs of their classes as targets, within the memory budget."""
    columns = 1 if labels.n_classes == 2 else labels.n_classes
    bill = MemoryBill({"signs of the classes": 17 * len(labels.labels) * columns})
    require_memory(bill, "Use loss='logistic', or raise the budget with bochner.set_config(memory=...).")
    return replace(rows, Y=signs_of(labels.labels, labels.n_classes), sample_weight=labels.weight)


def _fit_sign_moments(
    signed: ArrayRows, chosen: ChosenFeatures, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None
) -> tuple[FittedRidge, LeftOut]:
    """Features of a width that is given, by their moments."""
    ledger, rule = None if checkpoint is None else checkpoint.moments(), settings.rule
    gathered = MomentsFit.drawn(chosen.drawn, chosen.tuning, signed, settings.solver, rule, ledger=ledger)
    gathered.add(signed, watch, ledger=ledger)
    fit = gathered.solved(signed, alike=True).in_enough_precision(signed, alike=True).fit
    return fit, left_out_errors(fit, signed, settings.features.seed)


def _exact_solver(settings: ClassifierSettings, n_rows: int) -> RidgeSolver:
    """The solver of an exact machine: a factor of the kernel matrix of few rows, products with that of many."""
    return DirectSolver() if n_rows <= EXACT_ROWS else KernelSolver(max(settings.tol, _TOL), settings.max_iter)


def to_solution(fit: FittedRidge, total_weight: float) -> LinearSolution:
    """The model as a linear classifier: exact, so without a duality gap."""
    solution, moments = fit.solution, fit.moments
    if solution.hinge is not None:
        return solution.hinge
    if moments is None:  # the maximum-likelihood noise variance is squared residuals and penalty over nu
        total = max(total_weight - fit.rule.fit_intercept, 0.5) * float(np.sum(solution.noise_variance))
    else:
        total = _residual_and_penalty(moments, solution.coef, fit.rule.fit_intercept)
    return LinearSolution(solution.coef, solution.intercept, 0.5 * total, 0.0, 1, True)


def _residual_and_penalty(moments: Moments, coef: Array, intercept: bool) -> float:
    """Squared residuals and penalty at the solution: y'y - y'Z w, centred with an intercept."""
    n, zy, yy = moments.weight, moments.zy, moments.yy
    if not intercept:
        zy, yy = zy + n * np.outer(moments.z_mean, moments.y_mean), yy + n * moments.y_mean**2
    return max(0.0, float(np.sum(yy) - np.sum(zy * coef)))


def temperature_and_skill(labels: Labels, left_out: LeftOut, *, hinges: bool) -> tuple[float, float]:
    """By exact leave-one-out scores: factor of the scores before the softmax; error over that of class frequencies."""
    of_skill = left_out.shortfalls() if hinges else left_out
    signs = left_out.targets
    scores = signs - left_out.errors
    found = np.argmax(signs, axis=1) if signs.shape[1] > 1 else (signs[:, 0] > 0).astype(np.intp)
    variance = sign_variances(labels)
    skill = float(np.sqrt(np.average(of_skill.squares(variance), weights=left_out.weight)))
    return inverse_temperature(*_with_one_mistake(scores, found, left_out.weight)), skill


def sign_variances(labels: Labels) -> Array:
    """Weighted variances of the signs of the classes: 4 p (1 - p); one of two classes."""
    counts = np.bincount(labels.labels, weights=labels.weight, minlength=labels.n_classes)
    share = counts / counts.sum()
    return (4 * share * (1 - share))[1 if labels.n_classes == 2 else 0 :]


def _with_one_mistake(scores: Array, labels: Array, weight: Array) -> tuple[Array, Logistic]:
    """The rows, and one more with the mean scores that is taken for another class: probabilities stay short of 0 and 1.

    Laplace's rule of succession: m rows without an error do not say that there are none.
    """
    if scores.shape[1] == 1:
        mean = np.array([np.average(np.where(labels == 1, scores[:, 0], -scores[:, 0]), weights=weight)])
    else:
        own = np.arange(scores.shape[1]) == labels[:, None]
        of_others = (scores * ~own).sum(axis=1) / (scores.shape[1] - 1)
        mean = np.full(scores.shape[1], np.average(of_others, weights=weight))
        mean[1] = np.average(scores[own], weights=weight)
    return np.vstack([scores, mean]), Logistic(np.append(labels, 0), np.append(weight, min(1.0, weight.mean())))
