"""Penalised linear problem on features for any convex loss: path of penalties, cross-validation, held-out scores.

minimise over W, w_0:   sum_i s_i loss_i(W'z_i + w_0) + alpha/2 ||W||^2
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, TypeAlias

import numpy as np

from bochner._typing import Array, FloatType
from bochner.features import FeatureMap
from bochner.memory import MAP, MemoryBill
from bochner.solvers.dual import DualAscent
from bochner.solvers.linear import LinearSolution
from bochner.solvers.newton import NewtonSolver, pilot_rows
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.progress import NO_PROGRESS, Progress
from bochner.statistics.feature_stream import KEPT_FEATURES, FeatureStream, can_be_kept

__all__ = ["Fold", "LinearProblem", "choose_penalty", "default_penalties", "linear_bill", "out_of_fold_scores"]

_PATIENCE = 2
_FLAT = 0.01  # of the first loss of a path: less is no gain
"""Penalties in a row that may be worse than the best before a path ends."""


Fold: TypeAlias = tuple[Array, Array]


class LinearProblem(ABC):
    """Weighted features and a loss. A subclass has the targets, and says which solver and which held-out loss.

    Attributes
    ----------
    stream : FeatureStream
    weight : array of shape (n,)
    """

    stream: FeatureStream
    weight: Array

    has_classes: ClassVar[bool] = False

    @property
    @abstractmethod
    def split_targets(self) -> Array:
        """Targets or labels (n,), by which a splitter may spread the rows."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Columns of the scores."""

    @abstractmethod
    def solver(self, weight: Array) -> NewtonSolver | DualAscent:
        """The solver for the loss, with other row weights."""

    @abstractmethod
    def folds(self, n_folds: int) -> list[Fold]:
        """Rows to fit and rows held out."""

    @abstractmethod
    def held_out_losses(self, scores: Array, rows: Array) -> Array:
        """Losses of some rows (m,), not weighted, by which penalties are compared."""

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
        solver, found = self.solver(weight), None
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
        solver = self.solver(self.weight if weight is None else weight)
        return solver.solve(QuadraticPenalty(float(alpha)), tol=tol, max_iter=max_iter, start=start, progress=progress)

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
        """Weighted mean of the held-out losses of some rows."""
        weight = self.weight[rows]
        total = float(weight.sum())
        return float(weight @ self.held_out_losses(scores, rows)) / total if total > 0 else 0.0


def default_penalties(problem: LinearProblem) -> Array:
    """Ten penalties, falling by half decades: alpha = lambda sum_i s_i with lambda from 10^-2 to 10^-6.5."""
    return float(problem.weight.sum()) * 10.0 ** np.arange(-2, -7, -0.5)


def choose_penalty(
    problem: LinearProblem,
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
    folds = [fold for fold in folds if all(problem.weight[part].sum() > 0 for part in fold)]
    if not folds:  # a single row, say: the most cautious penalty
        return float(falling[0]), falling, np.full((len(falling), 1), np.inf)
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
    """Whether a path ends after these losses: two in a row are worse than the best, or there are no more penalties.

    Where large penalties leave nothing but the mean, losses are flat and noise makes them worse: a path goes on until
    it has gained a per cent.
    """
    if len(losses) == most or len(losses) <= _PATIENCE:
        return len(losses) == most
    gained = losses.min() < losses[0] - _FLAT * abs(losses[0])
    return bool(gained and losses[-_PATIENCE:].min() > losses.min())


def out_of_fold_scores(
    problem: LinearProblem,
    alpha: float,
    folds: list[Fold],
    start: LinearSolution | None = None,
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


def linear_bill(
    feature_map: FeatureMap, *, n_rows: int, n_columns: int, dtype: FloatType, scores: str = "scores"
) -> MemoryBill:
    """The bill of a problem: features of all rows if they are kept, a pilot of rows and its equations, scores."""
    D, item = feature_map.n_components, dtype.itemsize
    kept, pilot = n_rows * D * item, min(n_rows, pilot_rows(D, item))
    items = {
        MAP: feature_map.n_bytes(dtype),
        scores: 6 * 8 * n_rows * n_columns,
        "pilot rows and their equations": 2 * pilot * D * item + 2 * min(pilot, D) ** 2 * item,
        "coefficients and scores of the pilot": 8 * n_columns * (10 * (D + 1) + 4 * pilot),
    }
    return MemoryBill(items | ({KEPT_FEATURES: kept} if can_be_kept(kept) else {}))
