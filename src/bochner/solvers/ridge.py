"""Direct ridge regression from moments: choose the penalty, solve the normal equations, error bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.solvers.band import BandedRidge
from bochner.solvers.cholesky import factorise
from bochner.solvers.criteria import calibrated_noise_variance, log_evidence, noise_variance
from bochner.solvers.eigen import EigenRidge
from bochner.solvers.path import (
    PathSolver,
    RidgePath,
    best_of,
    cautious_penalties,
    choose_penalty,
    deepened,
    default_penalties,
    penalty_path,
)
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.solvers.solution import Solution
from bochner.statistics.moments import Moments

__all__ = ["PredictiveSpread", "RidgeSolution", "effective_dof", "solve_ridge"]

LeaveOneOut = Callable[[EigenRidge, Array], Array]


@dataclass(frozen=True)
class RidgeSolution(Solution):
    """A ridge model from moments: `Solution` with leave-one-out errors and the precision that the moments allow."""

    def dof_of(self, moments: Moments | None, *, fit_intercept: bool) -> float:
        return effective_dof(_required(moments), fit_intercept=fit_intercept, alpha=self.alpha)

    def spread_of(self, moments: Moments | None, *, fit_intercept: bool) -> PredictiveSpread:
        return PredictiveSpread(_required(moments), fit_intercept=fit_intercept, alpha=self.alpha)


def _required(moments: Moments | None) -> Moments:
    if moments is None:
        raise AssumptionError("Error bars of the direct solver need the moments of the rows.")
    return moments


def solve_ridge(
    moments: Moments,
    *,
    fit_intercept: bool,
    alpha: float | str,
    alphas: Array | None = None,
    leave_one_out: LeaveOneOut | None = None,
) -> RidgeSolution:
    """Solve at a penalty, or at the best penalty by "gcv", "evidence", "loo" or "auto".

    `leave_one_out(solver, alphas)` makes the second pass over the rows that "loo" needs. "auto" is "loo" on a longer
    path, up to penalties at which the model is the mean; "evidence" if rows cannot be read again.
    """
    problem = RidgeProblem.from_moments(moments, fit_intercept)
    if not isinstance(alpha, str):
        return _at(problem, moments, alpha, None)
    automatic = alpha == "auto"
    if automatic:
        alpha = "evidence" if leave_one_out is None else "loo"
    default = cautious_penalties if automatic and alpha == "loo" else default_penalties
    tried = default(problem) if alphas is None else np.sort(np.asarray(alphas, dtype=float))
    solver: PathSolver
    loo = None
    if alpha == "loo" and leave_one_out is not None:
        solver = eigen = EigenRidge(problem)
        path, loo = penalty_path(solver, tried), leave_one_out(eigen, tried)
        best = float(tried[best_of(np.log(np.maximum(loo, np.finfo(float).tiny)))])
    else:
        solver = BandedRidge(problem)
        path = penalty_path(solver, tried)
        path = deepened(solver, path, alpha) if alphas is None else path
        best = choose_penalty(solver, path, alpha, refine=alphas is None)
    point = solver.point(best)
    if point is None:
        return _at(problem, moments, best, path)
    solution = _solution(problem, moments, solver.solve(best), point, path, loo)
    variance = solution.noise_variance if alpha == "evidence" else calibrated_noise_variance(problem, point)
    return replace(solution, noise_variance=variance, at_floor=alphas is None and best <= path.floor())


def _at(problem: RidgeProblem, moments: Moments, alpha: float, path: RidgePath | None) -> RidgeSolution:
    """The solution at one penalty, by Cholesky."""
    factor = factorise(problem, alpha)
    coef = factor.solve(problem.cross)
    fit, penalty = np.sum(problem.cross * coef, axis=0), np.sum(coef**2, axis=0)
    residual = np.maximum(problem.energy - fit - factor.alpha * penalty, 0.0)
    point = RidgePoint(factor.alpha, residual, penalty, dof=np.nan, log_det=factor.log_det())
    return _solution(problem, moments, coef, point, path, None, raised=factor.alpha != alpha)


def _solution(
    problem: RidgeProblem,
    moments: Moments,
    coef: Array,
    point: RidgePoint,
    path: RidgePath | None,
    loo: Array | None,
    raised: bool = False,
) -> RidgeSolution:
    offset = moments.y_mean - moments.z_mean @ coef
    return RidgeSolution(
        alpha=point.alpha,
        coef=coef,
        intercept=offset if problem.intercept else np.zeros_like(offset),
        noise_variance=noise_variance(problem, point),
        log_evidence=log_evidence(problem, point),
        path=path,
        loo=loo,
        raised=raised,
        at_floor=raised,
    )


def effective_dof(moments: Moments, *, fit_intercept: bool, alpha: float) -> float:
    """tr G (G + alpha I)^-1, plus 1 for an intercept."""
    problem = RidgeProblem.from_moments(moments, fit_intercept)
    return float(problem.width - alpha * factorise(problem, alpha).trace_of_inverse() + fit_intercept)


class PredictiveSpread:
    """The variance of a prediction in units of the noise variance.

        v(z) = 1 + (z - zbar)'(G + alpha I)^-1 (z - zbar) + 1/n

    with the centring, and the last term, only if there is an intercept.
    """

    def __init__(self, moments: Moments, *, fit_intercept: bool, alpha: float) -> None:
        problem = RidgeProblem.from_moments(moments, fit_intercept)
        self._factor = factorise(problem, alpha)
        self._mean = moments.z_mean if fit_intercept else np.zeros_like(moments.z_mean)
        self._floor = 1 + (1 / moments.weight if fit_intercept else 0.0)

    def of(self, Z: Array) -> Array:
        """v(z) of every row; at least 1."""
        return self._floor + self._factor.squared_norms(Z - self._mean)

    def of_slopes(self, J: Array) -> Array:
        return self._factor.squared_norms(J)

    def covariance(self, Z: Array) -> Array:
        half = self._factor.half_solve((Z - self._mean).T)
        return half.T @ half + (self._floor - 1)

    def draws(self, beyond: Array, random: np.random.Generator) -> tuple[Array, Array]:
        """w - U^-1 e with G + alpha I = U'U, and the mean of the rows around which they turn."""
        drawn = self._factor.scale_normals(random.standard_normal(beyond.shape))
        shift = np.sqrt(self._floor - 1) * random.standard_normal(beyond.shape[1])
        return drawn - beyond, shift - self._mean @ drawn
