"""Huber's loss with a scale that is estimated beside the model (Huber 1981, chapter 7; scikit-learn's HuberRegressor).

    minimise over w, w_0 and sigma > 0:   1/2 sum_i s_i (sigma + sigma H((y_i - f_i) / sigma)) + alpha/2 ||w||^2
    H(u) = u^2 for |u| <= epsilon, else 2 epsilon |u| - epsilon^2

Squares for small residuals, absolute values for large ones, so that outliers in the target have a bounded pull. The sum
is convex in (f, sigma) together, so its minimum over sigma is a convex function of the scores f: Newton's method sees
that one. At the best sigma, sum_i s_i min(u_i^2, epsilon^2) = sum_i s_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.solvers.newton import NewtonSolver
from bochner.solvers.regression import RegressionLoss, TargetUnits, robust_units
from bochner.statistics.feature_stream import FeatureStream

__all__ = ["Huber", "HuberRows"]

_SMALLEST = 1e-4
"""Of sigma, in spreads of the targets: data without noise have none, and curvatures are as large as its inverse."""


class HuberRows:
    """Huber's losses of weighted rows at the best scale: a `SmoothLoss`, half of the sum of scikit-learn.

    Parameters
    ----------
    y, weight : arrays of shape (n,)
    epsilon : float
    """

    def __init__(self, y: Array, weight: Array, epsilon: float) -> None:
        self.y, self.weight, self.epsilon = y, weight, epsilon
        self._last: tuple[Array, float] | None = None  # value, gradient and curvature are asked for at the same scores

    def scale(self, scores: Array) -> float:
        """The best sigma for some scores, exactly."""
        if self._last is None or not np.array_equal(self._last[0], scores):
            self._last = scores.copy(), self._scale(scores)
        return self._last[1]

    def _scale(self, scores: Array) -> float:
        present = self.weight > 0
        squares, weight = np.square(self.y - scores[:, 0])[present], self.weight[present]
        order = np.argsort(squares)
        squares, weight = squares[order], weight[order]
        total = float(weight.sum())
        # With the k smallest residuals as inliers, sigma^2 = sum of their squares / (total - epsilon^2 outliers); the
        # first k whose next residual is an outlier at that sigma is the root, since the derivative in sigma rises.
        room = total - self.epsilon**2 * (total - np.cumsum(weight))
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.where(room > 0, np.cumsum(weight * squares) / room, np.inf)
        first = int(np.argmax(variance * self.epsilon**2 <= np.append(squares[1:], np.inf)))
        return max(float(np.sqrt(variance[first])), _SMALLEST)

    def value(self, scores: Array) -> float:
        """Half the weighted sum of sigma + sigma H(r / sigma)."""
        sigma = self.scale(scores)
        return 0.5 * sigma * float(self.weight @ (1 + huber((self.y - scores[:, 0]) / sigma, self.epsilon)))

    def gradient(self, scores: Array) -> Array:
        """-s clip(r / sigma, -epsilon, epsilon), shape (n, 1): that of sigma is 0."""
        u = (self.y - scores[:, 0]) / self.scale(scores)
        return (-self.weight * np.clip(u, -self.epsilon, self.epsilon))[:, None]

    def curvature(self, scores: Array) -> Array:
        """1 / sigma for inliers, else 0, shape (n, 1): at a fixed sigma, which bends no less than at the best one."""
        sigma = self.scale(scores)
        return (np.abs(self.y[:, None] - scores) <= self.epsilon * sigma) / sigma

    @staticmethod
    def curvature_product(curvature: Array, direction: Array) -> Array:
        return curvature * direction

    @staticmethod
    def curvature_diagonal(curvature: Array) -> Array:
        return curvature


@dataclass(frozen=True)
class Huber(RegressionLoss):
    """Huber's loss: squares up to `epsilon` scales, absolute values beyond.

    Attributes
    ----------
    epsilon : float
        More than 1. With 1.35, 95 % efficient under normal noise.
    """

    epsilon: float

    def units(self, y: Array, weight: Array, *, fit_intercept: bool) -> TargetUnits:
        return robust_units(y, weight, fit_intercept=fit_intercept)

    def solver(self, stream: FeatureStream, y: Array, weight: Array, *, fit_intercept: bool, seed: int) -> NewtonSolver:
        return NewtonSolver(stream, HuberRows(y, weight, self.epsilon), 1, fit_intercept=fit_intercept, seed=seed)

    def losses(self, y: Array, scores: Array) -> Array:
        """Absolute errors: outliers among the rows held out count for little, and no scale is needed."""
        return np.abs(y - scores[:, 0])

    def constant(self, y: Array, weight: Array) -> Array:
        return np.quantile(y, [0.5], weights=weight, method="inverted_cdf")


def huber(u: Array, epsilon: float) -> Array:
    """u^2 up to epsilon, 2 epsilon |u| - epsilon^2 beyond."""
    size = np.abs(u)
    return np.where(size <= epsilon, size**2, 2 * epsilon * size - epsilon**2)
