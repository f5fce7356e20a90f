"""Linear classification on features for any loss: solver, path of penalties, cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import logsumexp

from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType
from bochner.config import get_config
from bochner.features import FeatureMap
from bochner.memory import MAP, MemoryBill
from bochner.solvers.dual import DualAscent
from bochner.solvers.linear import LinearSolution
from bochner.solvers.losses import Hinge, Logistic
from bochner.solvers.newton import NewtonSolver, pilot_rows
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.progress import NO_PROGRESS, Progress
from bochner.statistics.feature_stream import KEPT_FEATURES, FeatureStream, can_be_kept

__all__ = [
    "ClassificationProblem",
    "Fold",
    "choose_penalty",
    "classifier_bill",
    "default_penalties",
    "out_of_fold_scores",
    "signs_of",
]

_PATIENCE = 2
"""Penalties in a row that may be worse than the best before a path ends."""


Fold: TypeAlias = tuple[Array, Array]


@dataclass(frozen=True)
class ClassificationProblem:
    """Labelled, weighted features and a loss.

    Attributes
    ----------
    stream : FeatureStream
    labels : array of int of shape (n,)
        0 ... n_classes - 1.
    weight : array of shape (n,)
    n_classes : int
    loss : {"logistic", "hinge", "squared_hinge"}
    fit_intercept : bool
    seed : int
    """

    stream: FeatureStream
    labels: Array
    weight: Array
    n_classes: int
    loss: str
    fit_intercept: bool
    seed: int

    @property
    def n_columns(self) -> int:
        return 1 if self.n_classes == 2 else self.n_classes

    def signs(self) -> Array:
        return signs_of(self.labels, self.n_classes)

    def path(
        self,
        alphas: Array,
        weight: Array,
        *,
        tol: float,
        max_iter: int,
        known: int = 0,
        progress: Progress = NO_PROGRESS,
    ) -> Iterator[LinearSolution]:
        """Solutions along penalties with other row weights, each started from the one before.

        Those of the first `known` penalties are left out: they are known of an interrupted run.
        """
        solver, found = self._solver(weight), None
        for i, alpha in enumerate(alphas[known:], start=known):
            step, penalty = progress.within(f"penalty-{i}"), QuadraticPenalty(float(alpha))
            found = solver.solve(penalty, tol=tol, max_iter=max_iter, start=found, progress=step)
            step.ended()
            yield found

    def solve(
        self,
        alpha: float,
        *,
        tol: float,
        max_iter: int,
        weight: Array | None = None,
        start: LinearSolution | None = None,
        progress: Progress = NO_PROGRESS,
    ) -> LinearSolution:
        solver = self._solver(self.weight if weight is None else weight)
        return solver.solve(QuadraticPenalty(float(alpha)), tol=tol, max_iter=max_iter, start=start, progress=progress)

    def newton(self, weight: Array) -> NewtonSolver:
        loss = Logistic(self.labels, weight)
        return NewtonSolver(self.stream, loss, self.n_columns, fit_intercept=self.fit_intercept, seed=self.seed)

    def _solver(self, weight: Array) -> NewtonSolver | DualAscent:
        if self.loss == "logistic":
            return self.newton(weight)
        loss = Hinge(self.signs(), weight, squared=self.loss == "squared_hinge")
        return DualAscent(self.stream, loss, fit_intercept=self.fit_intercept, seed=self.seed)

    def folds(self, n_folds: int) -> list[Fold]:
        """Rows to fit and rows held out, every class spread evenly over the folds."""
        shuffled = generator(self.seed, Purpose.FOLDS).permutation(len(self.labels))
        by_class = shuffled[np.argsort(self.labels[shuffled], kind="stable")]
        fold = np.empty(len(self.labels), dtype=np.intp)
        fold[by_class] = np.arange(len(by_class)) % n_folds
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]

    def weight_of(self, rows: Array) -> Array:
        """Row weights, 0 outside the given rows: to fit to some rows only, with the features of all."""
        weight = np.zeros_like(self.weight)
        weight[rows] = self.weight[rows]
        return weight

    def scores(self, solution: LinearSolution, rows: Array) -> Array:
        """Scores of some rows, shape (len(rows), t)."""
        Z = self.stream.gather(rows)
        return (Z @ solution.coef.astype(Z.dtype)).astype(float) + solution.intercept

    def held_out_loss(self, scores: Array, rows: Array) -> float:
        """Weighted mean over rows: log loss for the logistic loss, error rate for the others."""
        labels, weight = self.labels[rows], self.weight[rows]
        full = np.hstack([np.zeros_like(scores), scores]) if self.n_classes == 2 else scores
        if self.loss == "logistic":
            losses = logsumexp(full, axis=1) - full[np.arange(len(labels)), labels]
        else:
            losses = np.argmax(full, axis=1) != labels
        total = float(weight.sum())
        return float(weight @ losses) / total if total > 0 else 0.0


def signs_of(labels: Array, n_classes: int) -> Array:
    """+1 where a row has the class of the column, else -1; one column, of the second class, if there are two."""
    classes = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    return np.where(labels[:, None] == classes, 1.0, -1.0)


def default_penalties(problem: ClassificationProblem) -> Array:
    """Ten penalties, falling by half decades: alpha = lambda sum_i s_i with lambda from 10^-2 to 10^-6.5."""
    return float(problem.weight.sum()) * 10.0 ** np.arange(-2, -7, -0.5)


def choose_penalty(
    problem: ClassificationProblem,
    alphas: Array,
    folds: list[Fold],
    *,
    tol: float,
    max_iter: int,
    progress: Progress = NO_PROGRESS,
) -> tuple[float, Array, Array]:
    """The penalty with the smallest cross-validated loss: its value, all penalties falling, their loss in each fold.

    A fold is a weight of 0 for its rows, so the features are computed once for all. A path ends after two penalties in
    a row that are worse than its best; what was not tried is infinite.
    """
    falling = np.sort(alphas)[::-1]
    losses = progress.numbers("losses", (len(falling), len(folds)))
    for k, (fitted, held_out) in enumerate(folds):
        known = _n_known(losses[:, k])
        if _is_over(losses[:known, k], len(falling)):
            continue
        step, weight = progress.within(f"fold-{k}"), problem.weight_of(fitted)
        path = problem.path(falling, weight, tol=tol, max_iter=max_iter, known=known, progress=step)
        for i, solution in enumerate(path, start=known):
            losses[i, k] = problem.held_out_loss(problem.scores(solution, held_out), held_out)
            if _is_over(losses[: i + 1, k], len(falling)):
                break
    losses = np.where(np.isnan(losses), np.inf, losses)
    return float(falling[int(np.argmin(losses.mean(axis=1)))]), falling, losses


def _n_known(losses: Array) -> int:
    """Penalties of a path whose losses are known, from the first one on."""
    gaps = np.flatnonzero(np.isnan(losses))
    return int(gaps[0]) if len(gaps) else len(losses)


def _is_over(losses: Array, most: int) -> bool:
    """Whether a path ends after these losses: two in a row are worse than the best, or there are no more penalties."""
    return len(losses) == most or bool(len(losses) > _PATIENCE and losses[-_PATIENCE:].min() > losses.min())


def out_of_fold_scores(
    problem: ClassificationProblem,
    alpha: float,
    folds: list[Fold],
    start: LinearSolution,
    *,
    tol: float,
    max_iter: int,
    progress: Progress = NO_PROGRESS,
) -> tuple[Array, Array]:
    """Rows of all folds one after the other, and their scores by models that have not seen them."""
    rows = np.concatenate([held_out for _, held_out in folds])
    ends = np.cumsum([len(held_out) for _, held_out in folds])
    scores = progress.numbers("scores", (len(rows), problem.n_columns))
    for k, ((fitted, held_out), end) in enumerate(zip(folds, ends)):
        own = scores[end - len(held_out) : end]
        if not np.any(np.isnan(own)):
            continue
        step, weight = progress.within(f"fold-{k}"), problem.weight_of(fitted)
        solution = problem.solve(alpha, tol=tol, max_iter=max_iter, weight=weight, start=start, progress=step)
        step.ended()
        own[...] = problem.scores(solution, held_out)
    return rows, scores


def classifier_bill(
    feature_map: FeatureMap, *, n_rows: int, n_classes: int, dtype: FloatType, curvature: bool = False
) -> MemoryBill:
    """The bill of a classifier: features of all rows if they are kept, a pilot of rows and its equations, scores.

    `curvature` adds what `partial_fit` keeps for the rows to come: a matrix, one for each thread that sums it, and two
    copies of the one before in the equations.
    """
    D, item = feature_map.n_components, dtype.itemsize
    kept, pilot = n_rows * D * item, min(n_rows, pilot_rows(D, item))
    items = {
        MAP: feature_map.n_bytes(dtype),
        "scores of the classes": 6 * 8 * n_rows * (1 if n_classes == 2 else n_classes),
        "pilot rows and their equations": 2 * pilot * D * item + 2 * min(pilot, D) ** 2 * item,
    }
    if curvature:
        items["curvature of the rows"] = 8 * (D + 1) ** 2 * (3 + get_config().threads())
    return MemoryBill(items | ({KEPT_FEATURES: kept} if can_be_kept(kept) else {}))
