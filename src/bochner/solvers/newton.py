"""Newton's method with a subsampled Hessian for smooth losses: logistic, Poisson, Huber.

    minimise over Theta = (W, w_0):   sum_i s_i loss(y_i, W'z_i + w_0) + penalty(Theta)

Every iteration has the exact gradient of all rows, and the Hessian of a pilot: rows drawn with a probability in
proportion to the curvature of their loss, s_i mean_c p_ic (1 - p_ic) for the logistic one (rows that are classified
with certainty have next to none), and weighted by its inverse. The Newton equations of the pilot are solved by
conjugate gradients, which couple the classes, preconditioned by a Cholesky factor that ignores the coupling. Scores are
linear in Theta, so the line search, to the minimum along the direction, costs no pass. With fewer rows than a pilot
has, all of them are taken, and the method is Newton's own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from bochner._definite import raise_diagonal
from bochner._magnitude import require_finite
from bochner._random import Purpose, generator, position, set_position
from bochner._threads import single_threaded_blas
from bochner._typing import Array, JsonDict
from bochner.config import get_config
from bochner.solvers.linear import LinearSolution, gap_scale
from bochner.solvers.losses import SmoothLoss
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.progress import NO_PROGRESS, Progress
from bochner.statistics.feature_stream import FeatureStream
from bochner.statistics.state_schema import POSITION, ArrayRule, NumberRule, Rule, Schema

__all__ = ["NewtonSolver", "pilot_rows"]

_SHARE_OF_BUDGET = 0.125
_SMALL = 2**22
"""Numbers of a pilot up to which one thread multiplies it as fast as two."""

_FACTOR_ROWS = 1024
"""Rows of a pilot that are factorised at least; half as many as features if that is more."""

_EXACT = 1e-14
"""Relative gap to which problems no larger than a pilot are solved: each step squares the error, so it costs little."""


@dataclass(frozen=True)
class _Point:
    """Parameters (D + 1, t), their scores (n, t), objective and gradient."""

    theta: Array
    scores: Array
    objective: float
    gradient: Array


def pilot_rows(width: int, itemsize: int) -> int:
    """Rows of a pilot: four for each feature, 4,096 at least, within an eighth of the memory budget."""
    affordable = int(_SHARE_OF_BUDGET * get_config().memory_budget() / (width * itemsize))
    return max(256, min(max(4096, 4 * width), affordable))


class NewtonSolver:
    """Solver for smooth losses.

    Parameters
    ----------
    stream : FeatureStream
    loss : SmoothLoss
    n_columns : int
        1 for two classes or a target, else the number of classes.
    fit_intercept : bool
    seed : int
        Of the pilots.
    """

    def __init__(
        self, stream: FeatureStream, loss: SmoothLoss, n_columns: int, *, fit_intercept: bool, seed: int
    ) -> None:
        self.stream, self.loss, self.n_columns, self.fit_intercept = stream, loss, n_columns, fit_intercept
        self._random = generator(seed, Purpose.PILOT)
        self._pilot_rows = pilot_rows(stream.width, stream.dtype.itemsize)
        self._weighted = np.flatnonzero(loss.weight > 0)
        self.exact = len(self._weighted) <= self._pilot_rows

    def solve(
        self,
        penalty: QuadraticPenalty,
        *,
        tol: float,
        max_iter: int,
        start: LinearSolution | None = None,
        polish: bool = True,
        progress: Progress = NO_PROGRESS,
    ) -> LinearSolution:
        """The minimiser to a duality gap of `tol` times the objective, or after `max_iter` iterations.

        With `polish`, a problem no larger than a pilot is solved to rounding errors. `progress` has the state of an
        interrupted solve, which then ends with the same bits.
        """
        at_zero = self.loss.value(np.zeros((self.stream.n_rows, self.n_columns)))
        point, n_iter = self._resumed(progress, penalty, max_iter, at_zero) or (self._first_point(penalty, start), 0)
        goal, over = min(tol, _EXACT) if self.exact and polish else tol, False
        while True:
            gap = self._gap(point, penalty)
            require_finite(gap, point.objective)
            relative = gap / gap_scale(point.objective, at_zero)
            if relative <= goal or over or n_iter >= max_iter:
                coef, intercept = point.theta[:-1], point.theta[-1]
                return LinearSolution(coef, intercept, point.objective, gap, n_iter, bool(relative <= tol))
            point, decrease = self._step(point, penalty, relative)
            stalled = bool(decrease <= 8 * np.finfo(float).eps * abs(point.objective))
            n_iter += 1
            over = stalled or progress.reached(partial(self._state, point, n_iter))

    def hessian_solve(self, scores: Array, penalty: QuadraticPenalty, right: Array, *, accuracy: float) -> Array:
        """Hessian^-1 right (D + 1, t) where the scores (n, t) are the given ones; with the Hessian of a pilot."""
        return self._pilot(scores, penalty).solve(right, accuracy)

    def curvature(self, solution: LinearSolution) -> Array:
        """Curvature sum_i s_i mean_c h_ic (z_i, 1)(z_i, 1)' at a solution, for the Laplace approximation.

        h_ic is the second derivative of the loss of row i in its score c: p_ic (1 - p_ic) for the logistic loss.
        """
        total = np.zeros((self.stream.width + 1,) * 2)
        scores = self.stream.forward(solution.coef) + solution.intercept
        root = np.sqrt(self._importance(self.loss.curvature(scores)))

        def product(Z: Array, rows: slice) -> Array:
            extended = np.empty((len(Z), self.stream.width + 1))
            np.multiply(Z, root[rows, None], out=extended[:, :-1])
            extended[:, -1] = root[rows] * self.fit_intercept
            return extended.T @ extended

        self.stream.for_each(product, lambda part: np.add(total, part, out=total))
        return total

    def _state(self, point: _Point, n_iter: int) -> JsonDict:
        return {"n_iter": n_iter, "theta": point.theta, "scores": point.scores, "random": position(self._random)}

    def _resumed(
        self, progress: Progress, penalty: QuadraticPenalty, max_iter: int, at_zero: float
    ) -> tuple[_Point, int] | None:
        """Point and iterations of an interrupted solve; None if there was none, or if it is worse than zero.

        Scores are sums of steps, which the bits of a solution depend on; where they are not those of theta, these are.
        """
        n, t = self.stream.n_rows, self.n_columns
        rules: dict[str, Rule] = {
            "n_iter": NumberRule(0, max_iter, integer=True),
            "theta": ArrayRule((self.stream.width + 1, t)),
            "scores": ArrayRule((n, t)),
            "random": POSITION,
        }
        state = progress.resumed(Schema(rules))
        if state is None:
            return None
        theta, scores = state["theta"], state["scores"]
        with np.errstate(over="ignore", invalid="ignore"):
            of_theta = self.stream.forward(theta[:-1]) + theta[-1]
            if not np.allclose(scores, of_theta, rtol=0, atol=1e-3 * max(1.0, float(np.max(np.abs(of_theta))))):
                scores = of_theta
            point = self._point(theta, scores, penalty, self.stream.adjoint(self.loss.gradient(scores)))
        if not point.objective <= at_zero:
            return None
        set_position(self._random, state["random"])
        return point, state["n_iter"]

    def _first_point(self, penalty: QuadraticPenalty, start: LinearSolution | None) -> _Point:
        if start is None:
            shape = (self.stream.width + 1, self.n_columns)
            return self._evaluate(np.zeros(shape) if penalty.centre is None else penalty.centre, penalty)
        return self._evaluate(np.vstack([start.coef, start.intercept]), penalty)

    def _evaluate(self, theta: Array, penalty: QuadraticPenalty) -> _Point:
        """Scores, objective and gradient: two passes."""
        scores = self.stream.forward(theta[:-1]) + theta[-1]
        return self._point(theta, scores, penalty, self.stream.adjoint(self.loss.gradient(scores)))

    def _point(self, theta: Array, scores: Array, penalty: QuadraticPenalty, adjoint: Array) -> _Point:
        intercept = self.loss.gradient(scores).sum(axis=0) * self.fit_intercept
        gradient = np.vstack([adjoint, intercept]) + penalty.gradient(theta)
        return _Point(theta, scores, self.loss.value(scores) + penalty.value(theta), gradient)

    def _gap(self, point: _Point, penalty: QuadraticPenalty) -> float:
        """Duality gap ||gradient in W||^2 / (2 alpha) at the dual point of the scores, if the gradient in w_0 is 0.

        What an intercept without a penalty still has to gain is added to second order.
        """
        if penalty.of_intercept:
            return float(np.sum(point.gradient**2)) / (2 * penalty.alpha)
        gap = float(np.sum(point.gradient[:-1] ** 2)) / (2 * penalty.alpha)
        diagonal = self.loss.curvature_diagonal(self.loss.curvature(point.scores))
        curvature = self.loss.weight @ diagonal + np.finfo(float).tiny
        return gap + 0.5 * float(np.sum(point.gradient[-1] ** 2 / curvature))

    def _step(self, point: _Point, penalty: QuadraticPenalty, relative_gap: float) -> tuple[_Point, float]:
        """One Newton step with a line search on the scores; the new point and by how much the objective fell."""
        pilot = self._pilot(point.scores, penalty)
        accuracy = min(0.1, np.sqrt(relative_gap)) if self.exact else 0.1
        direction = pilot.solve(-point.gradient, max(accuracy, 1e-7))
        move = self.stream.forward(direction[:-1]) + direction[-1]
        size = self._step_size(point, direction, move, penalty)
        if size == 0:
            return point, 0.0
        theta, scores = point.theta + size * direction, point.scores + size * move
        new = self._point(theta, scores, penalty, self.stream.adjoint(self.loss.gradient(scores)))
        return new, point.objective - new.objective

    def _step_size(self, point: _Point, direction: Array, move: Array, penalty: QuadraticPenalty) -> float:
        """The minimiser along a direction, by Newton's method on the scores from the full step; 0 if none is lower."""
        bend = float(np.sum(direction * penalty.product(direction)))
        tilt = float(np.sum(direction * penalty.gradient(point.theta)))
        size = 1.0
        for _ in range(10):
            scores = size * move
            scores += point.scores
            slope = float(np.vdot(self.loss.gradient(scores), move)) + tilt + size * bend
            if not np.isfinite(slope):  # beyond the range of exp
                size *= 0.1
                continue
            product = self.loss.curvature_product(self.loss.curvature(scores), move)
            change = slope / (float(self.loss.weight @ np.einsum("ij,ij->i", move, product)) + bend)
            size = min(max(size - change, 0.1 * size), 4 * size)
            if abs(change) <= 0.01 * size:
                break
        while size > 1e-9:
            value = self.loss.value(point.scores + size * move) + penalty.value(point.theta + size * direction)
            if value < point.objective:
                return size
            size *= 0.25
        return 0.0

    def _importance(self, curvature: Array) -> Array:
        return self.loss.weight * np.mean(self.loss.curvature_diagonal(curvature), axis=1)

    def _pilot(self, scores: Array, penalty: QuadraticPenalty) -> _Pilot:
        curvature = self.loss.curvature(scores)
        rows, weight = self._weighted, self.loss.weight
        if not self.exact:
            rows, chance = self._drawn_rows(self._importance(curvature))
            weight = weight / chance
        return _Pilot(self._extended(rows), self.loss, curvature[rows], weight[rows], penalty)

    def _drawn_rows(self, importance: Array) -> tuple[Array, Array]:
        """Rows drawn in proportion to their importance, a tenth of them to their weight, and the chances of all."""
        weight = self.loss.weight
        share = 0.9 * importance / importance.sum() + 0.1 * weight / weight.sum()
        chance = np.minimum(1, self._pilot_rows * share)
        for _ in range(4):  # rows that are certain leave room for others
            chance = np.minimum(1, chance * self._pilot_rows / chance.sum())
        return np.flatnonzero(self._random.random(len(chance)) < chance), np.maximum(chance, 1e-300)

    def _extended(self, rows: Array) -> Array:
        """Features of some rows, and a last column for the intercept."""
        Z = np.empty((len(rows), self.stream.width + 1), dtype=self.stream.dtype)
        self.stream.gather_into(rows, Z[:, :-1])
        Z[:, -1] = self.fit_intercept
        return Z


class _Pilot:
    """Subsampled Newton equations: the Hessian from pilot rows.

    Parameters
    ----------
    Z : array of shape (r, D + 1)
    loss : SmoothLoss
    curvature : array of shape (r, t)
        That of the loss at the rows.
    weight : array of shape (r,)
    penalty : QuadraticPenalty
    """

    def __init__(self, Z: Array, loss: SmoothLoss, curvature: Array, weight: Array, penalty: QuadraticPenalty) -> None:
        self.Z, self.loss, self.curvature, self.weight, self.penalty = Z, loss, curvature, weight[:, None], penalty
        importance = weight * np.mean(loss.curvature_diagonal(curvature), axis=1)
        step = max(1, len(Z) // max(_FACTOR_ROWS, Z.shape[1] // 2))  # a preconditioner need not see every row
        scale = np.sqrt(step * importance[::step]).astype(Z.dtype)
        self._precondition = _uncoupled(Z[::step] * scale[:, None], penalty)

    def product(self, V: Array) -> Array:
        """Hessian times V (D + 1, t)."""
        moved = self.weight * self.loss.curvature_product(self.curvature, self.Z @ V.astype(self.Z.dtype))
        return (self.Z.T @ moved.astype(self.Z.dtype)).astype(float) + self.penalty.product(V)

    def solve(self, right: Array, accuracy: float) -> Array:
        """Hessian^-1 right by preconditioned conjugate gradients, to a relative accuracy in the norm of the inverse."""
        with single_threaded_blas() if self.Z.size <= _SMALL else nullcontext():
            return self._conjugate_gradients(right, accuracy)

    def _conjugate_gradients(self, right: Array, accuracy: float) -> Array:
        solution, residual = np.zeros_like(right), right.copy()
        direction = gradient = self._precondition(residual)
        power = first = float(np.sum(residual * gradient))
        for _ in range(200):
            if power <= accuracy**2 * first:
                break
            product = self.product(direction)
            curvature = float(np.sum(direction * product))
            if not curvature > 0:
                break
            solution += power / curvature * direction
            residual -= power / curvature * product
            gradient = self._precondition(residual)
            power, before = float(np.sum(residual * gradient)), power
            direction = gradient + power / before * direction
        return solution


def _uncoupled(A: Array, penalty: QuadraticPenalty) -> Callable[[Array], Array]:
    """v -> (A'A + H)^-1 v with H the Hessian of the penalty; by the smaller of two systems if H is a multiple of I."""
    n_rows, width = A.shape
    if penalty.matrix is None and n_rows < width:
        solve = _solver(A @ A.T, penalty.alpha)
        return lambda v: (v - A.T @ solve(A @ v.astype(A.dtype)).astype(A.dtype)) / penalty.alpha
    gram = A.T @ A
    if penalty.matrix is not None:
        return _solver(gram + penalty.matrix, 0.0)
    return _solver(gram, penalty.alpha)


def _solver(gram: Array, alpha: float) -> Callable[[Array], Array]:
    """v -> (gram + alpha I)^-1 v; alpha is raised to where the factor exists in the precision of the matrix."""
    floor = 4 * np.finfo(gram.dtype).eps * float(np.trace(gram)) + np.finfo(float).tiny

    def factorise(shift: float) -> tuple[Array, bool] | None:
        matrix = gram.copy()
        matrix[np.diag_indices_from(matrix)] += shift
        try:
            with single_threaded_blas():  # SciPy's threads wait for NumPy's: one is up to ten times as fast here
                return cho_factor(matrix, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None

    factor, _ = raise_diagonal(factorise, max(alpha, floor))
    return lambda v: cho_solve(factor, v.astype(gram.dtype), check_finite=False).astype(float)
