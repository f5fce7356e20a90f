"""Tweedie deviance with the log link: Poisson counts, gamma amounts, and sums of gamma amounts between them.

    mu = exp(f),   variance of y in proportion to mu^power / weight
    half the unit deviance, as a function of f:
        power 1        y log(y / mu) - y + mu                                        (Poisson)
        power 2        y / mu - 1 - log(y / mu)                                      (gamma)
        1 < power < 2  y^(2-p) / ((1-p)(2-p)) - y mu^(1-p) / (1-p) + mu^(2-p) / (2-p)

convex in f, with slope mu^(2-p) - y mu^(1-p) and bend (p-1) y mu^(1-p) + (2-p) mu^(2-p). As in scikit-learn's
`TweedieRegressor`; rates are targets y = count / exposure with weights = exposure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import xlogy

from bochner._typing import Array
from bochner.solvers.linear import LinearSolution
from bochner.solvers.newton import NewtonSolver
from bochner.solvers.regression import RegressionLoss, TargetUnits
from bochner.statistics.feature_stream import FeatureStream

__all__ = ["Tweedie", "TweedieRows"]

_FAR = 300.0  # of the logarithm of a prediction: rows held out may be far from those fitted, and losses are finite


class TweedieRows:
    """Half unit deviances of weighted rows: a `SmoothLoss`.

    Parameters
    ----------
    y, weight : arrays of shape (n,)
    power : float
        From 1 to 2.
    """

    def __init__(self, y: Array, weight: Array, power: float) -> None:
        self.y, self.weight, self.power = y[:, None], weight, power

    def value(self, scores: Array) -> float:
        """Weighted sum of the half deviances; infinite where exp overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(self.weight @ half_deviance(self.y[:, 0], scores[:, 0], self.power))
        return total if np.isfinite(total) else np.inf

    def gradient(self, scores: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            first, second = self._powers(scores)
            return self.weight[:, None] * (second - self.y * first)

    def curvature(self, scores: Array) -> Array:
        """Second derivatives (n, 1)."""
        first, second = self._powers(scores)
        return (self.power - 1) * self.y * first + (2 - self.power) * second

    @staticmethod
    def curvature_product(curvature: Array, direction: Array) -> Array:
        return curvature * direction

    @staticmethod
    def curvature_diagonal(curvature: Array) -> Array:
        return curvature

    def _powers(self, scores: Array) -> tuple[Array, Array]:
        """mu^(1 - p) and mu^(2 - p)."""
        return np.exp((1 - self.power) * scores), np.exp((2 - self.power) * scores)


@dataclass(frozen=True)
class Tweedie(RegressionLoss):
    """Tweedie deviance of a power from 1 (Poisson) to 2 (gamma).

    Targets are solved for in units of their mean, with weights times mean^(2 - power): the same minimiser and the same
    penalty, from a start where exp neither over- nor underflows.

    Attributes
    ----------
    power : float
    """

    power: float

    def problem_with(self, y: Array, weight: Array) -> str | None:
        if np.any(y < 0):
            return f"must not be negative. Got {float(np.min(y))!r}"
        if self.power == 2 and np.any(y == 0):
            return "must be positive for power=2. Got 0.0: use a power between 1 and 2"
        return None if np.any(y * weight > 0) else "must have a positive value: the logarithm of its mean is modelled"

    def units(self, y: Array, weight: Array, *, fit_intercept: bool) -> TargetUnits:
        return TargetUnits(0.0, float(np.average(y, weights=weight)) if fit_intercept else 1.0)

    def scaled_weight(self, weight: Array, units: TargetUnits) -> Array:
        return weight * units.scale ** (2 - self.power)

    def restored(self, solution: LinearSolution, units: TargetUnits) -> LinearSolution:
        return replace(solution, intercept=solution.intercept + np.log(units.scale))

    def solver(self, stream: FeatureStream, y: Array, weight: Array, *, fit_intercept: bool, seed: int) -> NewtonSolver:
        return NewtonSolver(stream, TweedieRows(y, weight, self.power), 1, fit_intercept=fit_intercept, seed=seed)

    def losses(self, y: Array, scores: Array) -> Array:
        """Half unit deviances."""
        return half_deviance(y, np.clip(scores[:, 0], -_FAR, _FAR), self.power)

    def constant(self, y: Array, weight: Array) -> Array:
        return np.log(np.average(y, weights=weight, keepdims=True))

    def for_squares(self, y: Array) -> Array:
        """y^(1 - power/2), whose variance is about constant; the logarithm of gamma amounts."""
        stable: Array = np.log(y) if self.power == 2 else y ** (1 - self.power / 2)
        return stable

    def weight_for_squares(self, weight: Array) -> Array:
        """Exposures are precisions, not copies, which would agree with one another and leave no noise: of mean 1."""
        return weight / np.mean(weight[weight > 0])

    def predictions(self, scores: Array) -> Array:
        return np.exp(scores)


def half_deviance(y: Array, scores: Array, power: float) -> Array:
    """Half the unit deviance of targets at the logarithms of their predictions."""
    if power == 1:
        deviance: Array = xlogy(y, y) - y * scores - y + np.exp(scores)
        return deviance
    if power == 2:
        return y * np.exp(-scores) - 1 - np.log(y) + scores
    p, q = 1 - power, 2 - power
    return y**q / (p * q) - y * np.exp(p * scores) / p + np.exp(q * scores) / q
