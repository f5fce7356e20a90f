"""Exact kernel classification by Newton's method: kernel products in tiles, conjugate gradients, a duality gap.

    minimise over A (n, t), w_0:   sum_i loss_i(F_i) + alpha/2 tr A'K A,      F = K A + w_0

With G the gradient and H = R R' the curvature of the loss in the scores, the full step goes to A = R B with

    (P R'K R P + alpha I) B = P (R'F - R^+ G)

where P projects out a free intercept. Half the squared residual of these equations is the duality gap that is left, to
second order. They are solved roughly, with float32 tiles and preconditioned by landmarks; a search along the step makes
the objective fall. After every step the nearest feasible dual variables are multiplied by the kernel in float64: the
model that is returned is one whose gap is known, with all rounding errors (`solvers.exact_classifier`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bochner._blas import lower_gram, solve_cholesky
from bochner._definite import definite_cholesky
from bochner._magnitude import require_finite
from bochner._threads import run_in_threads
from bochner._typing import Array, FloatType, JsonDict
from bochner.solvers.conjugate_gradient import ConjugateGradients
from bochner.solvers.exact_classifier import ExactGap
from bochner.solvers.kernel_losses import KernelLoss, RowCurvature
from bochner.solvers.landmark_preconditioner import LandmarkFeatures
from bochner.solvers.linear import LinearSolution, gap_scale
from bochner.solvers.progress import NO_PROGRESS, Progress
from bochner.statistics.kernel_product import KernelProduct
from bochner.statistics.state_schema import ArrayRule, NumberRule, Rule, Schema

__all__ = ["KernelNewton"]

_FORCING = 0.03  # residual of a step's equations, relative to that before the step
_MOST_PRODUCTS = 100  # of a step
_SHARE = 0.1  # of the gap that is asked for: what a step has to gain
_STAGES = ((1e-1, np.float32), (1e-3, np.float32), (1e-3, np.float64), (1e-6, np.float64))
"""What the equations of a step may leave of the gap that is asked for, and float type of their tiles.

The next one where a step neither lowers the objective nor the gap.
"""
_LONGEST, _HALVINGS = 2.0, 20  # of a step
_FLAT = 1e-12  # of the objective: less is no difference
_PROGRESS = 0.5  # of the gap
_LARGEST = 1e140  # number of a state: products with the kernel and their squares are then finite


@dataclass(frozen=True, eq=False)
class _Point:
    """Coefficients A (n, t), scores F = K A + w_0 as products of the iterations have them, and w_0 (t,)."""

    coef: Array
    scores: Array
    intercept: Array


class KernelNewton:
    """Newton's method for a loss under the exact kernel.

    Parameters
    ----------
    product : KernelProduct
        In float64, with bounds on its rounding.
    working : KernelProduct
        In float32, for the equations of a step; tiles that it keeps are kept from one step to the next.
    loss : KernelLoss
    features : LandmarkFeatures
        Of the preconditioner.
    alpha : float
    """

    def __init__(
        self,
        product: KernelProduct,
        working: KernelProduct,
        loss: KernelLoss,
        features: LandmarkFeatures,
        alpha: float,
    ) -> None:
        self.product, self.working, self.loss, self.features, self.alpha = product, working, loss, features, alpha
        self._at_zero = loss.value(np.zeros(loss.shape))

    def solve(self, *, tol: float, max_iter: int, progress: Progress = NO_PROGRESS) -> LinearSolution:
        """The minimiser to a duality gap of `tol` times the objective, or after `max_iter` steps.

        `progress` has the state of an interrupted solve, which then ends with the same bits.
        """
        point, n_iter, stage = self._resumed(progress, max_iter) or (self._first_point(), 0, 0)
        found, value, over = self._certified(point), self._objective(point), False
        while True:
            require_finite(*found.objective, *found.gap, *value)
            goal = tol * gap_scale(np.minimum(value, found.objective), self._at_zero)
            converged = bool(np.all(found.gap <= goal))
            if converged or over or n_iter >= max_iter or stage == len(_STAGES):
                progress.ended(partial(_state, point, n_iter, stage))
                return self._solution(point, value, found, n_iter, converged)
            before = value.sum(), found.gap.sum()
            point = self._stepped(point, goal, _STAGES[stage])
            found, value, n_iter = self._certified(point), self._objective(point), n_iter + 1
            fell = before[0] - value.sum() > _SHARE * float(goal.sum())
            stage += not (fell or found.gap.sum() <= _PROGRESS * before[1])
            over = progress.reached(partial(_state, point, n_iter, stage))

    def _solution(self, point: _Point, value: Array, found: ExactGap, n_iter: int, converged: bool) -> LinearSolution:
        """The feasible point; the one beside it if that is nearer to the lower limit of the objective, at least 0."""
        limit = np.maximum(found.objective - found.gap, 0.0)
        if converged or found.gap.sum() <= np.sum(value - limit):
            total = float(found.objective.sum()), float(found.gap.sum())
            return LinearSolution(found.dual / self.alpha, found.intercept, *total, n_iter, converged)
        return LinearSolution(
            point.coef, point.intercept, float(value.sum()), float(np.sum(value - limit)), n_iter, converged
        )

    def _first_point(self) -> _Point:
        zeros = np.zeros(self.loss.shape)
        w_0 = self.loss.best_intercept(zeros)
        return _Point(zeros, zeros + w_0, w_0)

    def _certified(self, point: _Point) -> ExactGap:
        """The feasible dual variables next to a point, and their duality gap: one product in float64."""
        return self.loss.gap(self.product, self.alpha * point.coef, point.scores, self.alpha)

    def _stepped(self, point: _Point, goal: Array, stage: tuple[float, type]) -> _Point:
        """The point after a step: the full one, or the longest part of it that lowers the objective."""
        share, precision = stage
        end = _Equations(self, point, np.dtype(precision)).solved(np.sqrt(2 * share * goal))
        size = self._step_size(point, end)
        parts = (
            (1 - size) * old + size * new
            for old, new in ((point.coef, end.coef), (point.scores, end.scores), (point.intercept, end.intercept))
        )
        return _Point(*parts)

    def _step_size(self, point: _Point, end: _Point) -> Array:
        """Where the objective is least along a step, for every problem, in [0, 2]; 1 if it is no higher there.

        By the sign of its slope. Coefficients of rows that cancel each other may change where no score does.
        """
        line = _Line(self, point, end)
        low, high = np.zeros(len(line.slope)), np.full(len(line.slope), _LONGEST)
        for _ in range(_HALVINGS):
            size = (low + high) / 2
            rising = line.slope_at(size) > 0
            low, high = np.where(rising, low, size), np.where(rising, size, high)
        least, full = line.value_at(low), line.value_at(np.ones_like(low))
        return np.where(full <= least + _FLAT * np.abs(least), 1.0, low)

    def _objective(self, point: _Point) -> Array:
        return self.loss.value(point.scores) + self.alpha / 2 * self.energy(point, point)

    def energy(self, left: _Point, right: _Point) -> Array:
        """A'K A' of two points, for every problem, with the constant that a penalised intercept adds to K."""
        free = right.intercept * self.loss.free_intercept
        return np.atleast_1d(np.sum(left.coef * (right.scores - free), axis=None if self.loss.coupled else 0))

    def _resumed(self, progress: Progress, max_iter: int) -> tuple[_Point, int, int] | None:
        """The point of an interrupted solve."""
        many = ArrayRule(self.loss.shape, low=-_LARGEST, high=_LARGEST)
        rules: dict[str, Rule] = {
            "coef": many,
            "scores": many,
            "intercept": ArrayRule(self.loss.shape[1:], low=-_LARGEST, high=_LARGEST),
            "n_iter": NumberRule(0, max_iter, integer=True),
            "stage": NumberRule(0, len(_STAGES), integer=True),
        }
        saved = progress.resumed(Schema(rules))
        if saved is None:
            return None
        return _Point(saved["coef"], saved["scores"], saved["intercept"]), saved["n_iter"], saved["stage"]


def _state(point: _Point, n_iter: int, stage: int) -> JsonDict:
    arrays = {"coef": point.coef, "scores": point.scores, "intercept": point.intercept}
    return {**arrays, "n_iter": n_iter, "stage": stage}


class _Line:
    """The objective along a step, for every problem."""

    def __init__(self, solver: KernelNewton, point: _Point, end: _Point) -> None:
        self.loss, self.alpha, self._start, self._move = solver.loss, solver.alpha, point, end.scores - point.scores
        self._energy, across = solver.energy(point, point), solver.energy(point, end)
        self.slope = across - self._energy
        self._bend = solver.energy(end, end) - 2 * across + self._energy

    def slope_at(self, size: Array) -> Array:
        gradient = self.loss.gradient(self._start.scores + size * self._move)
        slope = np.sum(gradient * self._move, axis=None if self.loss.coupled else 0)
        return slope + self.alpha * (self.slope + size * self._bend)

    def value_at(self, size: Array) -> Array:
        energy = self._energy + 2 * size * self.slope + size**2 * self._bend
        return self.loss.value(self._start.scores + size * self._move) + self.alpha / 2 * energy


class _Equations:
    """The Newton equations of a point, as systems for `ConjugateGradients`: one of all columns, or one for each."""

    def __init__(self, solver: KernelNewton, point: _Point, precision: FloatType) -> None:
        self.alpha, self.loss, self.point = solver.alpha, solver.loss, point
        self.double = solver.product
        same = precision == solver.working.precision
        self.single = solver.working if same else replace(solver.product, precision=precision, _counter=[0])
        self.curvature: RowCurvature = solver.loss.curvature(point.scores)
        free = solver.loss.free_intercept
        self._pinv = np.linalg.pinv(self.curvature.total(), hermitian=True) if free else None
        weight = self.curvature.weight
        self._inverse = _ColumnPreconditioner(solver.features, weight, solver.alpha, solver.loss.constant)

    def solved(self, accuracy: Array) -> _Point:
        """The end of the full step, with residuals of at most `accuracy`."""
        curvature, scores = self.curvature, self.point.scores
        target = curvature.adjoint(scores) - curvature.inverse(self.loss.gradient(scores))
        right = self._packed(self._projected(target))
        start = self._packed(self._projected(curvature.inverse(self.point.coef)))
        size = np.linalg.norm(right, axis=0)
        size[size == 0] = 1.0
        systems = ConjugateGradients(
            product=self._times,
            precondition=self._precondition,
            shifts=np.full(right.shape[1], self.alpha),
            right=right / size,
            tols=np.zeros(right.shape[1]),
            solution=start / size,
        )
        systems.tols = np.maximum(_FORCING * np.minimum(systems.relative, self._gradient() / size), accuracy / size)
        while len(systems.running) and systems.n_iter < _MOST_PRODUCTS:
            systems.step()
        B = self._unpacked(systems.x * size)
        coef = curvature.times(B)
        image = self._kernel_times(coef, self.double)
        w_0 = self.loss.constant * coef.sum(axis=0)
        if self._pinv is not None:
            w_0 = self.loss.best_intercept(image)
            image = image + w_0
        return _Point(coef, image, w_0)

    def _gradient(self) -> Array:
        """Norm of the residual at the point itself, for every system."""
        left = self.curvature.inverse(self.alpha * self.point.coef + self.loss.gradient(self.point.scores))
        return np.linalg.norm(self._packed(self._projected(left)), axis=0)

    def _kernel_times(self, V: Array, product: KernelProduct) -> Array:
        return product.times(V) + self.loss.constant * V.sum(axis=0)

    def _times(self, packed: Array, columns: Array) -> Array:
        """P R'K R P for some of the systems."""
        if self.loss.coupled:
            V = self.curvature.times(self._unpacked(packed))
            return self._packed(self._projected(self.curvature.adjoint(self._kernel_times(V, self.single))))
        scale = self.curvature.scale[:, columns]
        return scale * self._kernel_times(scale * packed, self.single)

    def _precondition(self, packed: Array, columns: Array) -> Array:
        if self.loss.coupled:
            every = np.arange(self.loss.shape[1])
            return self._packed(self._projected(self._inverse(self._unpacked(packed), every)))
        return self._inverse(packed, columns)

    def _projected(self, V: Array) -> Array:
        """V in the range of R', without what a free intercept explains."""
        V = self.curvature.projected(V)
        if self._pinv is None:
            return V
        shift = self._pinv @ self.curvature.times(V).sum(axis=0)
        return V - self.curvature.adjoint(np.broadcast_to(shift, V.shape))

    def _packed(self, V: Array) -> Array:
        return V.reshape(-1, 1) if self.loss.coupled else V

    def _unpacked(self, V: Array) -> Array:
        return V.reshape(self.loss.shape)


class _ColumnPreconditioner:
    """(W^(1/2) (Z Z' + c) W^(1/2) + alpha I)^-1 with row weights W of its own for every column; Woodbury's identity."""

    def __init__(self, features: LandmarkFeatures, weight: Array, alpha: float, constant: float) -> None:
        self.features, self.alpha, self.constant = features, alpha, constant
        self._roots = np.sqrt(weight)
        self._factors = [self._factor(root) for root in self._roots.T]

    def __call__(self, R: Array, columns: Array) -> Array:
        roots = self._roots[:, columns]
        size = np.linalg.norm(R, axis=0)
        size[size == 0] = 1.0
        weighted = roots * (R / size)
        right = np.vstack([self.features.adjoint_times(weighted), self.constant * weighted.sum(axis=0)])
        inner = np.hstack([solve_cholesky(self._factors[j], b[:, None]) for j, b in zip(columns, right.T)])
        back = self.features.times(inner[:-1]) + self.constant * inner[-1]
        return (R / size - roots * back) * (size / self.alpha)

    def _factor(self, root: Array) -> Array:
        """Cholesky factor of [Z, c]'W [Z, c] + alpha I; rows without weight are left out."""
        L, dtype = self.features.width, self.features.dtype
        gram, total = np.zeros((L, L)), np.zeros(L)

        def part(rows: slice, scratch: Array) -> tuple[Array, Array]:
            some = np.flatnonzero(root[rows])
            Z = self.features.of(rows)[some] * root[rows][some, None].astype(dtype)
            lower_gram(Z, scratch)
            return scratch, root[rows][some] @ Z

        def add(found: tuple[Array, Array]) -> None:
            np.add(gram, found[0], out=gram)
            np.add(total, found[1], out=total)

        seen = [rows for rows in self.features.blocks() if np.any(root[rows])]
        run_in_threads(part, seen, state=lambda: np.zeros((L, L), dtype), finish=add)
        whole = np.empty((L + 1, L + 1))
        whole[:-1, :-1] = np.tril(gram) + np.tril(gram, -1).T
        whole[-1, :-1] = whole[:-1, -1] = self.constant * total
        whole[-1, -1] = self.constant**2 * float(root @ root)
        floor = 1e-14 * float(np.max(np.diagonal(whole), initial=0.0))
        return definite_cholesky(whole, self.alpha, floor=floor)
