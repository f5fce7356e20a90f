"""Preconditioned conjugate gradients for ridge regression on wide maps: the normal equations are never formed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._magnitude import require_finite
from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.solvers.conjugate_gradient import ConjugateGradients, State
from bochner.solvers.criteria import calibrated_noise_variance, gcv_score, noise_variance
from bochner.solvers.iterative_solution import Ending, IterativeSolution
from bochner.solvers.landmark_gram import LandmarkGram
from bochner.solvers.low_rank_spread import LowRankSpread
from bochner.solvers.path import RidgePath, best_penalty, path_of_state, penalty_grid, state_of_path
from bochner.solvers.preconditioner import (
    SampledRows,
    ShiftedFactor,
    SubsampleGram,
    best_rows,
    first_rows,
    most_rows,
)
from bochner.solvers.problem import RidgePoint, RidgeProblem, noise_floor
from bochner.statistics.normal_equations import NormalOperator

__all__ = ["PROBES", "SEARCHED_PENALTIES", "solve_ridge_iteratively"]

SEARCHED_PENALTIES = 13
_SEARCH_TOL, _SEARCH_ITER = 1e-3, 100
PROBES = 2
_PROBE_TOL = 1e-2  # the trace has an error of the square of that
_SETTLED, _PATIENCE = 1e-4, 3
_MARGIN = 0.8  # the recursion aims lower than asked, so that the recomputed residual is as asked
_PROGRESS = 0.5  # of recomputed residuals: less is rounding

Validation = Callable[[Array, Array], float]


def solve_ridge_iteratively(
    operator: NormalOperator,
    *,
    alpha: float | str,
    alphas: Array | None = None,
    tol: float = 1e-6,
    max_iter: int = 200,
    start: Array | None = None,
    validation: Validation | None = None,
    seed: int = 0,
    n_rows: int | None = None,
    on_iteration: Callable[[State], object] | None = None,
    state: State | None = None,
) -> IterativeSolution:
    """Solve at a penalty, or at the best one by "gcv".

    Parameters
    ----------
    operator : NormalOperator
    alpha : float or "gcv"
        "gcv" solves for all penalties and two random probes of the trace at once, loosely, and then at the best one.
    alphas : array or None
        Penalties to choose from. None: 13, and the best one is refined by a parabola through its neighbours.
    tol : float, default=1e-6
        Residual relative to the right side.
    max_iter : int, default=200
    start : array of shape (D, t) or None
        Coefficients to start from.
    validation : callable or None
        (coef, intercept) -> error on rows kept aside. The iterations end when three of them in a row did not lower it
        by 1e-4 of itself.
    seed : int
        Of the rows of the preconditioner and of the probes.
    n_rows : int or None
        Rows of the preconditioner; None: as many as save time.
    on_iteration : callable or None
        Called after every iteration with the state: a dict of arrays and numbers, to be copied or written at once.
        True from it ends the iterations.
    state : dict or None
        Such a state, to go on from: the same operator, penalties and seed give the solution that it was on the way to.
    """
    solver = _Solver(operator, seed, n_rows, on_iteration)
    limits = _Limits(tol, max_iter, validation)
    if state is not None and state["stage"] == "final":
        return solver.solve(float(state["alpha"]), limits, state=state)
    if not isinstance(alpha, str):
        solution = solver.solve(float(alpha) or solver.least_penalty() or 1.0, limits, start=start)
        return replace(solution, raised=alpha == 0)
    chosen, path, nearest = solver.search(alphas, state)
    return solver.solve(chosen, limits, start=nearest, path=path)


@dataclass(frozen=True)
class _Limits:
    """Stopping rule of the iterations."""

    tol: float
    max_iter: int
    validation: Validation | None


class _Solver:
    """One problem: its right side, probes of the trace, and what preconditions it: a subsample, or landmarks."""

    _gram: SubsampleGram | None = None

    def __init__(
        self, operator: NormalOperator, seed: int, n_rows: int | None, on_iteration: Callable[[State], object] | None
    ) -> None:
        self.operator, self.seed, self.n_rows, self.on_iteration = operator, seed, n_rows, on_iteration
        self.begin, self.n_passes = operator.start(), 1
        C, intercept = operator.whitening, operator.fit_intercept
        self.landmarks = None if C is None else LandmarkGram(C, operator.weight, centred=intercept)
        self.probes = generator(seed, Purpose.PROBES).choice([-1.0, 1.0], size=(operator.width, PROBES))
        # The criteria of a penalty ask for energy and count, never for the matrix.
        self.problem = RidgeProblem(
            gram=np.empty((0, 0)),
            cross=self.begin.cross,
            energy=self.begin.energy,
            n=operator.weight,
            intercept=operator.fit_intercept,
            precision=float(np.finfo(operator.dtype).eps),
        )

    def least_penalty(self) -> float:
        """The least penalty that rounding in the features' float type allows."""
        known = self.gram if self.landmarks is None else self.landmarks
        return noise_floor(known.trace, self.operator.width, float(np.finfo(self.operator.dtype).eps))

    @property
    def gram(self) -> SubsampleGram:
        """The subsample, drawn when it is first needed."""
        if self._gram is None:
            self._draw(self._first_rows)
        assert self._gram is not None
        return self._gram

    @property
    def _first_rows(self) -> int:
        return self.n_rows or first_rows(self.operator.width, self.operator.dtype.itemsize)

    def search(self, alphas: Array | None, state: State | None) -> tuple[float, RidgePath, Array]:
        """The best penalty by GCV, the path, and coefficients of the penalty nearest to the best."""
        floor = noise_floor(self.gram.trace, self.operator.width, self.problem.precision)
        grid = penalty_grid(self.gram.trace, floor, SEARCHED_PENALTIES) if alphas is None else np.sort(alphas)
        base, columns = self._sampling_shift(float(grid[0])), self.begin.cross.shape[1] + PROBES
        decades = np.round(np.log10(np.maximum(grid, base) / base))
        factors = self.gram.factors(np.where(grid > base, base * 10**decades, base))
        cg = self._systems(np.repeat(grid, columns), [f for f in factors for _ in range(columns)], _SEARCH_TOL, state)
        cg.state["stage"] = "search"
        while len(cg.running) and cg.n_iter < _SEARCH_ITER and not self._step(cg):
            pass
        corrections = {factor: self._correction(factor) for factor in set(factors)}
        points = [
            self._point(cg, alpha, slice(i * columns, (i + 1) * columns), corrections[factor])
            for i, (alpha, factor) in enumerate(zip(grid, factors))
        ]
        gcv = np.array([gcv_score(self.problem, point) for point in points])
        path = RidgePath(grid, gcv, np.full(len(grid), np.nan), np.array([point.dof for point in points]))
        chosen = best_penalty(path, refine=alphas is None)
        near = int(np.argmin(np.abs(np.log(grid / chosen))))
        return chosen, path, cg.x[:, near * columns : near * columns + columns - PROBES]

    def solve(
        self,
        alpha: float,
        limits: _Limits,
        *,
        start: Array | None = None,
        path: RidgePath | None = None,
        state: State | None = None,
    ) -> IterativeSolution:
        """The solution at one penalty."""
        k = self.begin.cross.shape[1]
        tols = np.append(np.full(k, _MARGIN * limits.tol), np.full(PROBES, max(_PROBE_TOL, limits.tol)))
        factor = self._factor(alpha, limits.tol)
        cg = self._systems(np.full(k + PROBES, alpha), [factor] * (k + PROBES), tols, state, start)
        cg.state.update(stage="final", alpha=alpha, **(state_of_path(path) if path else {}))
        path = path_of_state(cg.state)
        ending = self._iterate(cg, k, limits)
        point = self._point(cg, alpha, slice(None), self._correction(factor))
        coef, intercept = self._model(cg)
        dof = point.dof - self.operator.fit_intercept
        return IterativeSolution(
            alpha=alpha,
            coef=coef,
            intercept=intercept,
            noise_variance=(calibrated_noise_variance if path else noise_variance)(self.problem, point),
            log_evidence=float("nan"),
            path=path,
            dof=point.dof,
            residuals=cg.state["history"][:, :k].copy(),
            n_iter=cg.n_iter,
            n_passes=self.n_passes,
            outcome=ending.name,
            condition=(1 + self._largest_eigenvalue() / alpha, cg.condition(0)),
            rows=len(self.gram.A) if self.landmarks is None else self.landmarks.n_rows,
            shift=factor.shift,
            spread=self._spread(alpha, dof),
        )

    def _largest_eigenvalue(self) -> float:
        """Of G: by the subsample, or no more than the trace of landmarks."""
        return self.gram.largest_eigenvalue() if self.landmarks is None else self.landmarks.trace

    def _spread(self, alpha: float, dof: float) -> LowRankSpread:
        """Error bars by the subsample: that of the preconditioner, or one whose features are computed if asked for."""
        operator = self.operator
        offset = 1 + (1 / operator.weight if operator.fit_intercept else 0.0)
        mean = self.begin.z_mean * operator.fit_intercept
        gram: SubsampleGram | SampledRows
        if self.landmarks is None:
            gram = self.gram
        else:
            rows, factors = operator.sampled_rows(self._first_rows, self.seed)
            gram = SampledRows(operator.feature_map, dense(rows, float), factors, mean, len(factors) < self._first_rows)
        return LowRankSpread(gram, alpha=alpha, dof=dof, mean=mean, offset=offset)

    def _iterate(self, cg: ConjugateGradients, k: int, limits: _Limits) -> Ending:
        """Iterate until the recomputed residual, the validation error, rounding or the limit says stop."""
        errors, before = list(cg.state.get("errors", ())), np.inf
        while True:
            settled = stopped = False
            while len(cg.running) and cg.n_iter < limits.max_iter and not (settled or stopped):
                if limits.validation is not None:
                    errors.append(limits.validation(*self._model(cg)))
                    cg.state["errors"] = np.array(errors)
                    settled = _have_settled(errors)
                stopped = self._step(cg)
            cg.replace_residual()
            worst = float(np.max(cg.relative[:k], initial=0.0))
            require_finite(worst)
            if worst <= limits.tol:
                return Ending.CONVERGED
            if settled or stopped:
                return Ending.SETTLED if settled else Ending.STOPPED
            if cg.n_iter >= limits.max_iter:
                return Ending.MAX_ITER
            if not worst <= _PROGRESS * before:  # also for NaN
                return Ending.ROUNDING
            before = worst

    def _model(self, cg: ConjugateGradients) -> tuple[Array, Array]:
        """Coefficients and intercept so far."""
        coef = cg.x[:, : self.begin.cross.shape[1]]
        offset = self.begin.y_mean - self.begin.z_mean @ coef
        return coef, offset * self.operator.fit_intercept

    def _systems(
        self, shifts: Array, factors: list[ShiftedFactor], tol: Any, state: State | None, start: Array | None = None
    ) -> ConjugateGradients:
        """Targets and probes at every penalty, preconditioned."""

        def precondition(R: Array, columns: Array) -> Array:
            out = np.empty_like(R)
            own = [factors[column] for column in columns]
            for factor in set(own):
                where = np.flatnonzero([other is factor for other in own])
                out[:, where] = factor.solve(R[:, where])
            return out

        right = np.hstack([self.begin.cross, self.probes])
        first = None if start is None else np.hstack([start, np.zeros_like(self.probes)])
        return ConjugateGradients(
            product=self._product,
            precondition=precondition,
            shifts=shifts,
            right=np.tile(right, len(shifts) // right.shape[1]),
            tols=np.broadcast_to(tol, len(shifts)),
            solution=first,
            resumed=state,
        )

    def _product(self, V: Array, columns: Array) -> Array:
        self.n_passes += 1
        return self.operator.product(V)

    def _step(self, cg: ConjugateGradients) -> bool:
        cg.step()
        return self.on_iteration is not None and self.on_iteration(cg.state) is True

    def _draw(self, n_rows: int) -> None:
        A = self.operator.sample(n_rows, self.seed)
        self._gram = SubsampleGram(A, exact=len(A) < n_rows or len(A) == self.operator.n_rows)

    def _factor(self, alpha: float, tol: float) -> ShiftedFactor:
        """The preconditioner at a penalty, with more rows if that saves time."""
        if self.landmarks is not None:
            return self.landmarks.factor(alpha)
        shift = self._sampling_shift(alpha)
        if self.n_rows is None and not self.gram.exact:
            D, first = self.operator.width, len(self.gram.A)
            most = most_rows(D, self.operator.dtype.itemsize)
            rows = best_rows(first, shift, alpha, most=most, n_rows=self.operator.n_rows, width=D, tol=tol)
            if rows > first:
                self._draw(rows)
                shift = self._sampling_shift(alpha)
        return self.gram.factors(np.array([max(alpha, shift)]))[0]

    def _sampling_shift(self, least: float) -> float:
        """Sampling shift of the subsample; in float64 if float32 is too imprecise."""
        shift = self.gram.sampling_shift(least)
        if shift < self.gram.floor and self.gram.A.dtype == np.float32:
            self._gram = SubsampleGram(self.gram.A.astype(np.float64), exact=self.gram.exact)
            shift = self.gram.sampling_shift(least)
        return shift

    def _correction(self, factor: ShiftedFactor) -> float:
        """The probes' error in mu tr (A'A + mu)^-1, which is known: a control variate for alpha tr (G + alpha)^-1.

        That of many landmarks would cost as much as their preconditioner: none.
        """
        if self.landmarks is not None:
            return 0.0
        probed = np.mean(np.sum(self.probes * factor.solve(self.probes), axis=0))
        return factor.shift * (factor.trace_of_inverse() - float(probed))

    def _point(self, cg: ConjugateGradients, alpha: float, columns: slice, correction: float) -> RidgePoint:
        """Residual, norm and degrees of freedom at a penalty. Inexact solutions do: the trace is exact to second order.

        RSS = y'y - w'c - alpha ||w||^2 - w'r,      tr (G + alpha)^-1 ~ u'x + x'r,      r the residuals
        """
        x, residual = cg.x[:, columns], cg.residual[:, columns]
        w, r, c = x[:, :-PROBES], residual[:, :-PROBES], self.begin.cross
        penalty = np.sum(w**2, axis=0)
        rss = self.problem.energy - np.sum(w * c, axis=0) - alpha * penalty - np.sum(w * r, axis=0)
        probed = np.mean(np.sum(x[:, -PROBES:] * (self.probes + residual[:, -PROBES:]), axis=0))
        D = self.operator.width
        dof = float(np.clip(D - alpha * probed - correction, 0.0, D))
        return RidgePoint(alpha, np.maximum(rss, 0.0), penalty, dof + self.problem.intercept, np.nan)


def _have_settled(errors: list[float]) -> bool:
    """Whether the last three errors are no better than the best before them."""
    if len(errors) <= _PATIENCE:
        return False
    return min(errors[-_PATIENCE:]) > (1 - _SETTLED) * min(errors[:-_PATIENCE])
