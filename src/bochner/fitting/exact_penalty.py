"""Penalty of exact kernel ridge regression: leave-one-out errors on 1,000 rows, then on 3,000 from there.

Errors of outliers count up to a limit (`bochner.tuning.outliers`), and the model is the mean unless its errors are
smaller than those of the mean by more than chance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bochner._typing import Array
from bochner.features.nystroem import KernelMap
from bochner.fitting.exact_problem import ExactProblem
from bochner.planning import PILOT_ROWS
from bochner.solvers import KernelEquations
from bochner.tuning import Tuning, is_clear_gain, outlier_limits

__all__ = ["loss_by_raising", "search_penalty"]

_FEW = 1000  # of them first
_COARSE, _FINE = 10.0, 3.0  # steps of the search
_START = 1e-2  # of k(x, x): the penalty to begin with, where no tuning has found one
_MOST_STEPS = 12
_SMALLEST_GAIN = 1e-4  # of the logarithm of an error: less is not worth another step
_CAUTION = 2.0  # standard errors: the penalty was chosen by the same errors, so that noise gains one and a half
_TO_THE_MEAN = 1e4  # times the sum of the kernel's diagonal: a penalty at which the model is the mean


def search_penalty(problem: ExactProblem, rule: float | str, alphas: Array | None, tuning: Tuning | None) -> float:
    """The penalty of the model: given, or the best by a criterion."""
    if not isinstance(rule, str):
        return float(rule)
    few, more = (_FEW, PILOT_ROWS) if rule == "auto" else (len(problem.Y),) * 2
    if alphas is not None:
        return float(min(alphas, key=_Criterion(problem.last(more), rule)))
    criterion = _Criterion(problem.last(few), rule)
    alpha = _descended(criterion, _start(problem.values, tuning), _COARSE)
    if few < len(problem.Y):
        criterion = _Criterion(problem.last(more), rule)
    alpha = _descended(criterion, alpha, _FINE)
    if rule in ("auto", "loo") and not criterion.beats_the_mean():
        alpha = _TO_THE_MEAN * float(np.sum(problem.values.diagonal(problem.values.points)))
    return alpha


def loss_by_raising(problem: ExactProblem, rule: str, alpha: float, raised: float) -> float:
    """By how much the criterion of a penalty grows if that is raised: of errors, the logarithm of their mean square."""
    criterion = _Criterion(problem, rule)
    return criterion(raised) - criterion(alpha)


class _Criterion:
    """Criterion of a penalty, lower is better: log of the leave-one-out error or of GCV, or minus log evidence."""

    def __init__(self, problem: ExactProblem, rule: str) -> None:
        self._problem, self._matrix = problem, problem.matrix()
        self._value = {"evidence": self._evidence, "gcv": self._gcv}.get(rule, self._leave_one_out)
        self._n_left_out = len(problem.Y) if rule in ("loo", "gcv") else problem.n_left_out
        self._limit = outlier_limits(problem.Y, problem.weight) if rule == "auto" else np.inf
        self._known: dict[float, float] = {}
        self._caution = _CAUTION if rule == "auto" else 0.0
        self._squares: dict[float, Array] = {}
        diagonal = problem.values.diagonal(problem.values.points)
        self._floor = np.finfo(float).eps * float(np.sum(diagonal))  # of the largest eigenvalue: below it is rounding

    def __call__(self, alpha: float) -> float:
        if alpha not in self._known:
            equations = None if alpha < self._floor else self._matrix.factorised(alpha)
            self._known[alpha] = np.inf if equations is None else self._value(equations)
        return self._known[alpha]

    def beats_the_mean(self) -> bool:
        """Whether the best penalty tried has smaller errors than the mean; of "auto", by two standard errors."""
        best = min(self._known, key=self._known.__getitem__)
        if not np.isfinite(self._known[best]):
            return False
        return is_clear_gain(self._squares_of_mean() - self._squares[best], self._share(), self._caution)

    def _squares_of_mean(self) -> Array:
        """Squared leave-one-out errors (m,) of the weighted mean of the targets, or of 0 without an intercept."""
        Y, weight = self._problem.Y, self._problem.weight
        if not self._problem.intercept:
            return self._mean_squares(Y[-self._n_left_out :])
        share = self._problem.left_out_weight / weight.sum()
        errors = (Y - np.average(Y, axis=0, weights=weight)) / np.maximum(1 - share, 1e-8)[:, None]
        return self._mean_squares(errors[-self._n_left_out :])

    def _leave_one_out(self, equations: KernelEquations) -> float:
        coef, _ = equations.solve(self._problem.Y)
        errors, _ = equations.left_out(coef, self._problem.left_out_weight[-self._n_left_out :])
        self._squares[equations.alpha] = self._mean_squares(errors)
        mean = float(self._share() @ self._squares[equations.alpha])
        return float(np.log(max(mean, np.finfo(float).tiny)))

    def _mean_squares(self, errors: Array) -> Array:
        """Squares (m,) of errors (m, t) within the limits of outliers, averaged over targets."""
        squares: Array = np.mean(np.clip(errors, -self._limit, self._limit) ** 2, axis=1)
        return squares

    def _share(self) -> Array:
        """Share of the weight of every row that is left out."""
        weight = self._problem.weight[-self._n_left_out :]
        return weight / weight.sum()

    def _evidence(self, equations: KernelEquations) -> float:
        return -equations.log_evidence(self._problem.Y, *equations.solve(self._problem.Y))

    def _gcv(self, equations: KernelEquations) -> float:
        """Logarithm of (RSS / n) / (1 - dof / n)^2, with n the sum of the weights."""
        weight, total = self._problem.weight, float(self._problem.weight.sum())
        coef, _ = equations.solve(self._problem.Y)
        squares = np.sum(weight[:, None] * (equations.alpha * coef / weight[:, None]) ** 2, axis=0)
        spare = 1 - float(np.sum(weight * equations.leverage(len(weight)))) / total
        return float(np.log(np.mean(squares) / total / spare**2)) if spare > 0.01 else np.inf


def _start(values: KernelMap, tuning: Tuning | None) -> float:
    """The ratio of noise and signal that tuning has found, or a hundredth of the kernel's diagonal."""
    largest = float(np.max(values.diagonal(values.points[:1])))
    if tuning is None or not tuning.noise_variance or not tuning.signal_variance:
        return _START * largest
    return max(tuning.noise_variance / tuning.signal_variance, 1e-10 * largest)


def _descended(criterion: Callable[[float], float], start: float, step: float) -> float:
    """The minimum of a criterion over log alpha: downhill from a start, then the vertex of a parabola."""
    best = start
    for direction in (1, -1):
        for _ in range(_MOST_STEPS):
            following = best * step**direction
            if not criterion(following) < criterion(best) - _SMALLEST_GAIN:
                break
            best = following
    return _vertex(criterion, best, step)


def _vertex(criterion: Callable[[float], float], middle: float, step: float) -> float:
    """Vertex of the parabola through three neighbours, over the logarithm of the penalty."""
    left, centre, right = (criterion(middle * step**power) for power in (-1, 0, 1))
    if not np.all(np.isfinite([left, centre, right])):
        return middle
    curvature = left - 2 * centre + right
    shift = (left - right) / (2 * curvature) if curvature > 1e-12 else 0.0
    return float(middle * step ** np.clip(shift, -0.5, 0.5))
