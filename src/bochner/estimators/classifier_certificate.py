"""Certificates of a fitted KernelClassifier: how far its scores are from those of the exact kernel machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.config import get_config
from bochner.data import ArrayRows
from bochner.errors import InvalidDataError
from bochner.estimators.map_transformer import CertificateContext, MapTransformer
from bochner.estimators.rows_of_fit import CertifiedRows, share_rows
from bochner.memory import row_slices, rows_within
from bochner.solvers import ClassificationProblem, LinearSolution, Logistic, signs_of
from bochner.solvers.exact_classifier import ExactGap, logistic_gap, margin_gap
from bochner.solvers.kernel_losses import logistic_scores
from bochner.solvers.losses import Hinge
from bochner.statistics import FeatureStream
from bochner.statistics.kernel_product import KernelProduct
from bochner.theory import Certificate
from bochner.theory.base import check_delta
from bochner.theory.distance import ClassifierDistance, DistanceAtRows, NewRows

__all__ = ["ClassifierModel", "certify_classifier"]

_MACHINES = {
    "logistic": "exact kernel logistic regression",
    "hinge": "the exact support vector machine",
    "squared_hinge": "the exact support vector machine with squared hinge loss",
}
_INTERCEPTS = {"logistic": "", "hinge": " with a penalised intercept", "squared_hinge": " and a penalised intercept"}
_NEW_ROWS_QUANTILE = 0.95
_LANDMARKS = 4000
_TOL = 1e-8


@dataclass(frozen=True)
class ClassifierModel:
    """Inputs of the certificates of a classifier.

    Attributes
    ----------
    features : MapTransformer
    context : CertificateContext
    loss : {"logistic", "hinge", "squared_hinge"}
    alpha : float
    intercept : bool
    n_classes : int
    offsets : array of shape (t,)
        The intercepts of the model.
    dual : array of shape (n, t) or None
        Dual variables for the rows in the order in which they are certified: of a hinge loss, or signed ones of the
        logistic loss; None if not kept.
    max_iter, seed : int
    """

    features: MapTransformer
    context: CertificateContext
    loss: str
    alpha: float
    intercept: bool
    n_classes: int
    offsets: Array
    dual: Array | None
    max_iter: int
    seed: int

    @property
    def is_exact(self) -> bool:
        """Whether the model is the exact machine itself."""
        return self.features.map_.kernel_values is not None


def certify_classifier(
    model: ClassifierModel,
    rows: CertifiedRows,
    score: Callable[[Array], Array],
    X_new: Array | None,
    *,
    delta: float,
    tighten: bool,
) -> Certificate:
    """The distance of the scores from those of the exact kernel machine, on the training rows and on new ones.

    By the smaller of two duality gaps of the exact kernel problem: at the dual variables of the model, and (`tighten`)
    at those of the same problem on landmark features of the exact kernel.
    """
    check_delta(delta)
    rows.require("The distance to the exact kernel machine")
    product, scores = model.features.exact_kernel().of(rows.X), score(rows.X).astype(float)
    gap = min(_gaps(model, rows, product, scores, tighten), key=lambda found: float(found.gap.sum()))
    diagonal, machine, apart = product.diagonal(), _machine(model), ""
    extra = gap.intercept_radius(diagonal)
    shift = np.zeros(scores.shape[1])
    if not np.isfinite(extra):  # the free intercepts of many classes: the scores are compared without them
        extra, apart, shift = 0.0, ", both without their intercepts,", model.offsets - gap.intercept
    limits = np.abs(scores - gap.scores - shift) + gap.rounding + gap.radius(diagonal) + extra
    certificate = ClassifierDistance(
        gap=float(gap.gap.sum()),
        objective=float(gap.objective.sum()),
        largest=float(np.max(limits)),
        n_rows=rows.n_rows,
        alpha=model.alpha,
        machine=machine,
        apart=apart,
        exact=model.is_exact,
    ).certificate()
    machine = "the exact solution of its problem" if model.is_exact else machine
    if X_new is None:
        return certificate
    largest = np.empty(len(X_new))
    row = 8 * (8 * scores.shape[1] + 4 * X_new.shape[1] + 8)
    for some in row_slices(len(X_new), rows_within(row, least=512)):
        X = X_new[some]
        values, rounding = gap.at(product, X)
        limits = np.abs(score(X) - values - shift) + rounding + gap.radius(product.diagonal(X)) + extra
        largest[some] = np.max(limits, axis=1)
    new = not share_rows(rows.X, X_new)
    return replace(certificate, others=tuple(_at_new_rows(largest, machine, apart, delta, new)))


def _machine(model: ClassifierModel) -> str:
    """The exact machine, in words."""
    intercept = _INTERCEPTS[model.loss] if model.intercept else ", without an intercept,"
    exact = model.features.exact_kernel()
    return f"{_MACHINES[model.loss]}{intercept}{exact.named()}"


def _at_new_rows(limits: Array, machine: str, apart: str, delta: float, new: bool) -> Iterator[Certificate]:
    """The distance at every given row, and a quantile over their law if they are new, and enough for one."""
    yield DistanceAtRows(limits=limits, machine=machine, what="scores", apart=apart).certificate()
    if not new:
        return
    with suppress(InvalidDataError):  # too few for a quantile
        law = NewRows(difference=limits, machine=machine, what="scores", apart=apart)
        yield law.certificate(_NEW_ROWS_QUANTILE, delta)


def _gaps(
    model: ClassifierModel, rows: CertifiedRows, product: KernelProduct, scores: Array, tighten: bool
) -> Iterator[ExactGap]:
    """Gaps at the dual variables of the model, and of the problem on landmark features."""
    labels = rows.Y[:, 0].astype(np.intp)
    own = LinearSolution(np.empty(0), model.offsets, 0.0, 0.0, 0, True, _scaled(model.dual, 1 / model.alpha))
    if model.loss == "logistic" or model.dual is not None:
        yield _gap(model, labels, rows.weight, product, scores, own)
    if tighten or (model.loss != "logistic" and model.dual is None):
        problem = _landmark_problem(model, rows, labels)
        start = None if model.loss == "logistic" or model.dual is None else own
        solution = problem.solve(model.alpha, tol=_TOL, max_iter=model.max_iter, start=start)
        found = problem.scores(solution, np.arange(rows.n_rows))
        yield _gap(model, labels, rows.weight, product, found, solution)


def _gap(
    model: ClassifierModel,
    labels: Array,
    weight: Array,
    product: KernelProduct,
    scores: Array,
    solution: LinearSolution,
) -> ExactGap:
    if model.loss == "logistic":
        loss = Logistic(labels, weight)
        if solution.dual is not None:
            scores = logistic_scores(loss, model.alpha * solution.dual, loss.probabilities(scores))
        return logistic_gap(product, loss, scores, model.alpha, intercept=model.intercept)
    assert solution.dual is not None
    hinge = Hinge(signs_of(labels, model.n_classes), weight, squared=model.loss == "squared_hinge")
    return margin_gap(product, hinge, model.alpha * solution.dual, model.alpha, intercept=model.intercept)


def _landmark_problem(model: ClassifierModel, rows: CertifiedRows, labels: Array) -> ClassificationProblem:
    """The problem of the model on Nystroem features of the exact kernel: of all rows, if there are few.

    Its dual variables are near those of the exact problem where the landmarks leave little residual variance.
    """
    affordable = int(min(np.sqrt(get_config().memory_budget() / 64), get_config().memory_budget() / (32 * rows.n_rows)))
    size = max(1, min(rows.n_rows, _LANDMARKS, affordable))
    chosen = np.sort(generator(model.seed, Purpose.SUBSAMPLE).choice(rows.n_rows, size=size, replace=False))
    landmarks = model.features.exact_kernel().landmark_map(rows.X[chosen])
    blocks = ArrayRows(rows.X, rows.Y, rows.weight, np.dtype(float))
    return ClassificationProblem(
        stream=FeatureStream(blocks, landmarks, keep=True),
        labels=labels,
        weight=rows.weight,
        n_classes=model.n_classes,
        loss=model.loss,
        fit_intercept=model.intercept,
        seed=model.seed,
    )


def _scaled(dual: Array | None, factor: float) -> Array | None:
    return None if dual is None else dual * factor
