"""Regularised smooth losses on features: L-BFGS in coordinates that make the problem round.

    minimise over W (D, k), b (k):   sum_i s_i loss(y_i, W'(z_i - zbar) + b) + alpha/2 ||W||^2

With h_i the curvature of the loss at row i and M = sum_i s_i h_i (z_i - zbar)(z_i - zbar)' + alpha I = R'R, the Hessian
in the variables R W is close to the identity. M is computed on a pilot of rows (a preconditioner need not be exact) and
renewed every few iterations, as the curvature moves to the rows near the boundary. Every evaluation is one pass over
the features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from bochner._typing import Array
from bochner.data.blocks import Block
from bochner.solvers.cholesky import factorise
from bochner.solvers.losses import SmoothLoss
from bochner.solvers.problem import RidgeProblem
from bochner.statistics.moments import Moments
from bochner.statistics.stream import FeatureStream

__all__ = ["LinearSolution", "WhitenedSolver"]

_ROUND = 12
"""Iterations between two preconditioners."""


@dataclass(frozen=True)
class LinearSolution:
    """A linear classifier and how far its solver came.

    Attributes
    ----------
    coef : array of shape (D, k)
    intercept : array of shape (k,)
    objective : float
    gap : float
        How far the objective can be above its minimum, by its gradient and the strong convexity of the penalty.
    n_iter : int
    converged : bool
    """

    coef: Array
    intercept: Array
    objective: float
    gap: float
    n_iter: int
    converged: bool


class WhitenedSolver:
    """Solver for one data set.

    Parameters
    ----------
    stream : FeatureStream
        All rows; its targets are labels 0 ... n_classes - 1.
    pilot : FeatureStream
        Some of the rows, for the preconditioner.
    loss : SmoothLoss
    n_classes : int
    fit_intercept : bool
    """

    def __init__(
        self, stream: FeatureStream, pilot: FeatureStream, loss: SmoothLoss, n_classes: int, fit_intercept: bool
    ) -> None:
        self.stream, self.pilot, self.loss, self.fit_intercept = stream, pilot, loss, fit_intercept
        self.n_columns = 1 if n_classes == 2 else n_classes

    def solve(self, alpha: float, *, tol: float, max_iter: int) -> LinearSolution:
        """The minimiser to a relative accuracy `tol` of the objective, or after `max_iter` iterations."""
        D, k = self.stream.feature_map.n_components, self.n_columns
        current = LinearSolution(np.zeros((D, k)), np.zeros(k), np.inf, np.inf, 0, False)
        while current.n_iter < max_iter and not current.converged:
            objective = _Objective(self, alpha, *self._whitening(current, alpha), tol)
            limit = min(_ROUND, max_iter - current.n_iter)
            steps = objective.minimise(current, limit)
            found = objective.best
            stalled = current.objective - found.objective <= 0.1 * tol * abs(found.objective)
            current = replace(
                found, n_iter=current.n_iter + steps, converged=stalled or found.gap <= tol * abs(found.objective)
            )
        return current

    def _whitening(self, at: LinearSolution, alpha: float) -> tuple[Array, Array]:
        """R of M = R'R at a solution, and the weighted mean of the features."""
        moments = Moments.empty(len(at.coef), 1)
        for Z, block, _ in self.pilot:
            curvature = self.loss.curvature(Z @ at.coef + at.intercept, block.Y[:, 0].astype(np.intp))
            weight = np.ones(block.n_rows) if block.sample_weight is None else block.sample_weight
            moments.update(Z, block.Y, weight * np.maximum(curvature, 1e-6))
        scale = _weight(self.stream) / _weight(self.pilot)
        problem = RidgeProblem.from_moments(moments, self.fit_intercept)
        root = np.sqrt(scale) * factorise(problem, alpha / scale).upper
        return root, moments.z_mean if self.fit_intercept else np.zeros_like(moments.z_mean)


class _Objective:
    """The objective as a function of the packed variables (R W, b), remembering its best point."""

    def __init__(self, solver: WhitenedSolver, alpha: float, root: Array, mean: Array, tol: float) -> None:
        self.solver, self.alpha, self.root, self.mean, self.tol = solver, alpha, root, mean, tol
        self.best = LinearSolution(np.zeros(0), np.zeros(0), np.inf, np.inf, 0, False)

    def minimise(self, start: LinearSolution, max_iter: int) -> int:
        """Run L-BFGS from a solution; returns the number of iterations."""
        intercept = start.intercept + self.mean @ start.coef
        packed = np.concatenate([(np.triu(self.root) @ start.coef).ravel(), self._free(intercept)])
        options = {"maxiter": max_iter, "maxcor": _ROUND, "ftol": 0.0, "gtol": 0.0, "maxfun": 5 * max_iter}
        result = minimize(self, packed, jac=True, method="L-BFGS-B", callback=self._stop, options=options)
        return max(1, int(result.nit))

    def __call__(self, packed: Array) -> tuple[float, Array]:
        D, k = len(self.root), self.solver.n_columns
        W = solve_triangular(self.root, packed[: D * k].reshape(D, k), check_finite=False)
        b = packed[D * k :] if self.solver.fit_intercept else np.zeros(k)
        loss, dW, db = self._pass(W, b - self.mean @ W)
        value = loss + 0.5 * self.alpha * float(np.sum(W**2))
        gradient = dW + self.alpha * W
        if value < self.best.objective:
            gap = float(np.sum(gradient**2)) / (2 * self.alpha)
            self.best = LinearSolution(W, b - self.mean @ W, value, gap, 0, False)
        white = solve_triangular(self.root, gradient, trans=1, check_finite=False)
        return value, np.concatenate([white.ravel(), self._free(db)])

    def _pass(self, W: Array, offset: Array) -> tuple[float, Array, Array]:
        """Loss, and its gradient in W and the intercept, in one pass over the features."""
        stream, loss_of = self.solver.stream, self.solver.loss.value
        weights = W.astype(stream.blocks.dtype)

        def work(Z: Array, block: Block, rows: slice) -> tuple[float, Array, Array]:
            labels = block.Y[:, 0].astype(np.intp)
            scale = np.ones(block.n_rows) if block.sample_weight is None else block.sample_weight
            loss, residual = loss_of((Z @ weights).astype(float) + offset, labels, scale)
            return loss, (Z.T @ residual.astype(Z.dtype)).astype(float), residual.sum(axis=0)

        loss, ZR, R = stream.total(work)
        return float(loss), ZR - np.outer(self.mean, R), R

    def _free(self, intercept: Array) -> Array:
        return intercept if self.solver.fit_intercept else intercept[:0]

    def _stop(self, intermediate_result: Any) -> None:
        if self.best.gap <= self.tol * abs(self.best.objective):
            raise StopIteration


def _weight(stream: FeatureStream) -> float:
    weight = stream.blocks.sample_weight
    return float(stream.blocks.n_rows) if weight is None else float(np.sum(weight))
