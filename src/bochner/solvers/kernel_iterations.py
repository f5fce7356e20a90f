"""Exact kernel ridge regression by conjugate gradients, with the kernel matrix in tiles: O(n) memory, any n.

    (P diag(s) K diag(s) P + alpha I) a = P diag(s) y,      f = w_0 + sum_i s_i a_i k(x_i, .),   w_0 = mean of y - K s a

s are the roots of the weights, P the projection orthogonal to s (P = I without an intercept). The residual rho of any a
promises the distance to the exact machine:

    root mean square of f - f_exact over the rows  <=  ||rho|| / sqrt(sum of weights)  <=  tol times that of y - mean y

since ||alpha (K~ + alpha I)^-1|| <= 1 (`solvers.exact_ridge`). Iterations have float32 tiles where the penalty is far
above their rounding errors; the residual that ends them is computed in float64. Columns are targets, each with all
rows, and with some rows left out (s = 0): what these say of the model is said by rows that it has not seen. Where the
penalty was chosen and not given, iterations also end when the error on these rows has settled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bochner._magnitude import require_finite
from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.features.kernel_tiles import float32_error
from bochner.solvers.base import IterativeSolver, PenaltyRule, SolverContext
from bochner.solvers.conjugate_gradient import ConjugateGradients
from bochner.solvers.iterative_solution import Ending, IterativeSolution
from bochner.solvers.iterative_state import KernelSchema
from bochner.solvers.landmark_preconditioner import LandmarkFeatures, LandmarkPreconditioner
from bochner.solvers.settling import Settling
from bochner.statistics.kernel_product import KernelProduct
from bochner.statistics.state_schema import StateSchema

__all__ = ["KernelIterations", "KernelProblem", "KernelSolver", "float32_penalty"]

_MARGIN = 0.8  # the recursion aims lower than asked, so that the recomputed residual is as asked
_PROGRESS = 0.5  # of recomputed residuals: less is rounding
_LEFT_OUT_TOL = 1e-3  # of machines that only calibrate error bars
_LARGEST = 1e300
_POWER_STEPS = 5
_SETTLED_RESIDUAL = 0.1  # recomputed, up to which a settled error ends iterations
_DIVERGING = 5  # iterations in a row with residuals above that of zero: rounding of the preconditioner, or of tiles
_STRAYED = 1e-3  # of the solution: rounding of the preconditioner leaves 2e-5 outside of its space


@dataclass(frozen=True, eq=False)
class KernelProblem:
    """The systems of exact kernel ridge on rows of positive weight.

    Attributes
    ----------
    product : KernelProduct
        In float64.
    working : KernelProduct
        Of the iterations: in float32 where the penalty allows it, with tiles that are kept.
    Y : array of shape (n, t)
    weight : array of shape (n,)
    n_left_out : int
        As many of the last rows are left out of the last machine; 0: of none.
    alpha : float
    intercept : bool
    features : LandmarkFeatures
        Of the preconditioner.
    settling : Settling or None
        How iterations end when the error on the rows that are left out has settled; None: not then.
    with_all : bool
        Whether there is a machine of all rows before the one without some.
    """

    product: KernelProduct
    working: KernelProduct
    Y: Array
    weight: Array
    n_left_out: int
    alpha: float
    intercept: bool
    features: LandmarkFeatures
    settling: Settling | None = None
    with_all: bool = True

    @property
    def n_targets(self) -> int:
        return self.Y.shape[1]

    @property
    def n_columns(self) -> int:
        return self.n_targets * (2 if self.n_left_out and self.with_all else 1)

    @cached_property
    def roots(self) -> Array:
        """Roots of the weights of every column, (n, c)."""
        roots = np.repeat(np.sqrt(self.weight)[:, None], self.n_columns, axis=1)
        if self.n_left_out:
            roots[-self.n_left_out :, self.last] = 0.0
        return roots

    @property
    def last(self) -> slice:
        """Columns of the last machine."""
        return slice(self.n_columns - self.n_targets, None)

    @cached_property
    def targets(self) -> Array:
        """Targets of every column, (n, c)."""
        return np.tile(self.Y, self.n_columns // self.n_targets)

    @cached_property
    def right(self) -> Array:
        every = np.arange(self.n_columns)
        return self.projected(self.roots * (self.targets - self.means_of(self.targets, every)), every)

    def means_of(self, values: Array, columns: Array | slice) -> Array:
        """Weighted means, (c,); zeros without an intercept."""
        weight = self.roots[:, columns] ** 2
        means: Array = np.sum(weight * values, axis=0) / np.sum(weight, axis=0)
        return means * self.intercept

    def projected(self, V: Array, columns: Array) -> Array:
        """V less its part along s, twice: what is left of it is rounding."""
        if not self.intercept:
            return V
        roots = self.roots[:, columns]
        for _ in range(2):
            V = V - roots * (np.sum(roots * V, axis=0) / np.sum(roots**2, axis=0))
        return V

    def fault(self, state: Mapping[str, Any]) -> str | None:
        """Whether the solution of a state leaves the space of the equations, in which alone iterations end; in words.

        It is that of vectors without a part along s, and without rows that are left out.
        """
        x = state["x"]
        outside = x - self.projected(np.where(self.roots > 0, x, 0.0), np.arange(self.n_columns))
        strays = np.linalg.norm(outside) > _STRAYED * np.linalg.norm(x)
        return "'x' is nothing that iterations lead to" if strays else None

    @property
    def bears_float32(self) -> bool:
        """Whether tiles of the iterations are float32."""
        return self.working.precision == np.float32

    def unexplained(self, seed: int) -> float:
        """Norm of diag(s) (K - Z Z') diag(s), what the preconditioner does not see: a few steps of the power method."""
        root = np.sqrt(self.weight)[:, None]
        v, norm = generator(seed, Purpose.PROBES).standard_normal((self.product.n_rows, 1)), 0.0
        for _ in range(_POWER_STEPS):
            v = root * v / np.linalg.norm(v)
            v = root * (self.working.times(v) - self.features.times(self.features.adjoint_times(v)))
            norm = float(np.linalg.norm(v))
            if norm == 0:
                break
        return norm


def float32_penalty(product: KernelProduct, weight: Array) -> float:
    """The penalty from which on float32 tiles do: the size of their errors, as a random matrix.

    Infinite where tiles are float64 anyway.
    """
    return 4 * float32_error(product.kernel, product.X) * float(np.sqrt(product.n_rows) * np.max(weight))


class _Operator:
    """P diag(s) K diag(s) P with tiles of some float type; keeps the last K s V."""

    def __init__(self, problem: KernelProblem, product: KernelProduct) -> None:
        self.problem, self.product = problem, product
        self.image = np.empty((0, 0))

    def __call__(self, V: Array, columns: Array) -> Array:
        roots = self.problem.roots[:, columns]
        self.image = self.product.times(roots * V)
        return self.problem.projected(roots * self.image, columns)


@dataclass(frozen=True, eq=False)
class KernelIterations:
    """Solved systems: `IterativeSolution` of the machine of all rows, and the machine without some of them.

    Attributes
    ----------
    solution : IterativeSolution
    errors : array of shape (m, t)
        Of the second machine on the rows that it has not seen.
    variances : array of shape (m,)
        Of its predictions there, in units of the noise variance, but for what the kernel's diagonal adds.
    """

    solution: IterativeSolution
    errors: Array
    variances: Array

    @property
    def is_solved(self) -> bool:
        """Whether the residual is small enough for a penalty that was chosen, or somebody asked to stop."""
        solution = self.solution
        stopped = solution.converged or solution.ending is Ending.STOPPED
        return stopped or bool(np.max(solution.residuals[-1]) <= _SETTLED_RESIDUAL)


class KernelSolver(IterativeSolver):
    """Conjugate gradients on the exact kernel matrix, for more rows than can be factorised.

    Parameters
    ----------
    tol : float, default=1e-4
        Promised distance to the exact machine: root mean square over the rows, relative to that of the centred targets.
    max_iter : int, default=200
    """

    criteria = frozenset({"auto", "gcv", "evidence", "loo"})

    def __init__(self, tol: float = 1e-4, max_iter: int = 200) -> None:
        super().__init__(tol, max_iter)

    def solve(self, statistics: KernelProblem, rule: PenaltyRule, context: SolverContext) -> IterativeSolution:  # type: ignore[override]
        return self.solve_all(statistics, context).solution

    def solve_all(self, problem: KernelProblem, context: SolverContext) -> KernelIterations:
        """The solution, and what the rows say that were left out of a second one."""
        return _Solving(self, problem, context).solved()

    def state_schema(self, width: int, n_targets: int, rule: PenaltyRule) -> StateSchema:  # type: ignore[override]
        """Of `width` rows and `n_targets` columns."""
        return KernelSchema(width, n_targets, rule.alpha)


@dataclass(frozen=True)
class _Best:
    """Relative residuals (c,), solutions (n, c) and products K s x (n, c) of the best iterate of every column."""

    residual: Array
    x: Array
    image: Array

    def or_better(self, residual: Array, x: Array, image: Array) -> _Best:
        better = residual < self.residual
        kept = np.where(better, x, self.x), np.where(better, image, self.image)
        return _Best(np.where(better, residual, self.residual), *kept)


class _Solving:
    """One solve: systems, preconditioner, ending."""

    def __init__(self, solver: KernelSolver, problem: KernelProblem, context: SolverContext) -> None:
        self.solver, self.problem, self.context = solver, problem, context
        self.inverse = LandmarkPreconditioner(problem.features, problem.roots, problem.alpha, problem.intercept)
        self.single = _Operator(problem, problem.working)
        self.double = _Operator(problem, problem.product) if problem.bears_float32 else self.single
        c, t = problem.n_columns, problem.n_targets
        self.tols = np.where(np.arange(c) < t, solver.tol, max(solver.tol, _LEFT_OUT_TOL))
        size = np.linalg.norm(problem.right, axis=0)
        self.size = np.where(size > 0, size, 1.0)
        self.systems = ConjugateGradients(
            product=self.double,
            precondition=self.inverse,
            shifts=np.full(c, problem.alpha),
            right=problem.right / self.size,  # of length 1, for float32
            tols=_MARGIN * self.tols,
            resumed=context.state,
        )
        first = {
            "alpha": problem.alpha,
            "double": not problem.bears_float32,
            "before": _LARGEST,
            "image": np.zeros((problem.product.n_rows, c)),
            "errors": np.empty(0),
        }
        self.systems.state.update({name: value for name, value in first.items() if name not in self.systems.state})
        self.best = _Best(np.ones(c), np.zeros((problem.product.n_rows, c)), np.zeros((problem.product.n_rows, c)))
        self.begun = self.systems.n_iter
        if self.systems.state["double"] and problem.bears_float32:
            self._take_double()

    def solved(self) -> KernelIterations:
        ending, problem, t = self._iterate(), self.problem, self.problem.n_targets
        every, x = np.arange(problem.n_columns), self.systems.x * self.size
        offset = problem.means_of(problem.targets - self.systems.state["image"] * self.size, every)
        coef = problem.roots[:, :t] * x[:, :t]
        freedom = max(float(np.sum(problem.roots[:, 0] ** 2)) - problem.intercept, 0.5)
        noise = problem.alpha * np.sum(coef * (problem.Y - offset[:t]), axis=0) / freedom
        solution = IterativeSolution(
            alpha=problem.alpha,
            coef=coef,
            intercept=offset[:t],
            noise_variance=np.maximum(noise, 0.0),
            log_evidence=float("nan"),
            dof=self.inverse.dof(),
            residuals=self.systems.state["history"][:, :t].copy(),
            n_iter=self.systems.n_iter,
            n_passes=problem.working.n_products + problem.product.n_products,
            outcome=ending.name,
            condition=(1 + self.inverse.trace / problem.alpha, self.systems.condition(0)),
            rows=problem.features.width,
            shift=problem.alpha,
            spread=self.inverse.spread(0),
        )
        return KernelIterations(solution, *self._left_out(offset))

    def _left_out(self, offset: Array) -> tuple[Array, Array]:
        """Errors and variances of the last machine on the rows that it has not seen."""
        problem, m, last = self.problem, self.problem.n_left_out, self.problem.last
        if m == 0:
            return np.empty((0, problem.n_targets)), np.empty(0)
        image = self.systems.state["image"][-m:, last] * self.size[last]
        spread = self.inverse.spread(problem.n_columns - 1)
        towards = problem.product.X[spread.landmarks]
        K = KernelProduct(problem.product.kernel, towards, precision=np.dtype(float)).matrix(problem.product.X[-m:])
        own = replace(spread, landmarks=np.arange(len(towards)))
        return problem.Y[-m:] - image - offset[last], own.of(K)

    def _iterate(self) -> Ending:
        """Iterate until the recomputed residual, rounding or the limit says stop."""
        cg, state = self.systems, self.systems.state
        while True:
            asked = self._until_asked_to_stop()
            settling = self.problem.settling
            if asked is Ending.SETTLED and settling is not None and not settling.recomputes:
                return asked
            self._recompute()
            worst = float(np.max(cg.relative / self.tols))
            require_finite(worst)
            if worst <= 1:
                return Ending.CONVERGED
            if asked is Ending.SETTLED and np.max(cg.relative) > _SETTLED_RESIDUAL:
                asked = None  # the recursion has lost the residual
            if asked is not None:
                self._restore()
                return asked
            if not worst <= _PROGRESS * state["before"]:
                if state["double"]:
                    self._restore()
                    return Ending.PRECISION
                state["double"], worst = True, _LARGEST
                self._take_double()
                self._restore()
                self._recompute()
            state["before"] = worst

    def _recompute(self) -> None:
        """The residual of the solutions in float64; they are kept where it is the smallest so far."""
        cg, state = self.systems, self.systems.state
        cg.product = self.double
        cg.replace_residual()
        state["image"], self.begun = self.double.image, cg.n_iter
        self.best = self.best.or_better(cg.relative, state["x"], state["image"])

    def _restore(self) -> None:
        """Go back to the solutions of the smallest recomputed residuals."""
        state = self.systems.state
        state["x"], state["image"] = self.best.x.copy(), self.best.image.copy()
        state["history"][-1] = self.best.residual

    def _take_double(self) -> None:
        """float64 takes over, and the room of the float32 tiles: half of its own are kept there."""
        problem, working = self.problem, self.problem.working
        working.forget_tiles()
        self.double = _Operator(problem, replace(problem.product, room=working.room))
        features = replace(problem.features, dtype=np.dtype(float))
        self.inverse = LandmarkPreconditioner(features, problem.roots, problem.alpha, problem.intercept)
        self.systems.precondition = self.inverse

    def _until_asked_to_stop(self) -> Ending | None:
        """Iterations until all residuals are small, as the recursion has them; else why they ended before."""
        cg, state = self.systems, self.systems.state
        cg.product = operator = self.double if state["double"] else self.single
        while len(cg.running):
            if cg.n_iter >= self.solver.max_iter:
                return Ending.MAX_ITER
            self._step(operator)
            if self.context.on_iteration is not None and self.context.on_iteration(state) is True:
                return Ending.STOPPED
            if self._has_settled():
                return Ending.SETTLED
            if self._diverges() and not state["double"]:
                return None
        return None

    def _diverges(self) -> bool:
        """Whether the last residuals are all above that of zero."""
        cg = self.systems
        last = cg.state["history"][self.begun + 1 :][-_DIVERGING:]
        return len(last) == _DIVERGING and bool(np.all(np.max(last, axis=1) > 1))

    def _step(self, operator: _Operator) -> None:
        """An iteration, and what it does to the error on the rows that are left out: no further product."""
        cg, columns, image = self.systems, self.systems.running, self.systems.state["image"]
        cg.step()
        image[:, columns] += cg.state["sizes"][-1, columns] * operator.image
        m, last = self.problem.n_left_out, self.problem.last
        if m:
            size = self.size[last]
            offset = self.problem.means_of(self.problem.targets[:, last] / size - image[:, last], last)
            errors = self.problem.Y[-m:] / size - image[-m:, last] - offset
            cg.state["errors"] = np.append(cg.state["errors"], np.sqrt(np.mean(errors**2)))

    def _has_settled(self) -> bool:
        settling, worst = self.problem.settling, float(np.max(self.systems.relative))
        return settling is not None and settling.has_come(self.systems.state["errors"], worst)
