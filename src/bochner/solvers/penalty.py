"""Quadratic penalty of a classifier: ridge, or a Laplace approximation of earlier rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.solvers.linear import LinearSolution

__all__ = ["QuadraticPenalty"]


@dataclass(frozen=True)
class QuadraticPenalty:
    """alpha/2 ||W||^2, or 1/2 (Theta - centre)' matrix (Theta - centre) with matrix >= diag(alpha, ..., alpha, 0).

    Attributes
    ----------
    alpha : float
    centre : array of shape (D + 1, t) or None
        What earlier rows said, and with which curvature; the last row is the intercept.
    matrix : array of shape (D + 1, D + 1) or None
    of_intercept : bool
        Whether the intercept is penalised as a coefficient, where there is no matrix.
    """

    alpha: float
    centre: Array | None = None
    matrix: Array | None = None
    of_intercept: bool = False

    def product(self, V: Array) -> Array:
        """Hessian of the penalty times V (D + 1, t)."""
        if self.matrix is not None:
            return self.matrix @ V
        product = self.alpha * V
        product[-1] *= self.of_intercept
        return product

    def gradient(self, theta: Array) -> Array:
        return self.product(theta if self.centre is None else theta - self.centre)

    def value(self, theta: Array) -> float:
        deviation = theta if self.centre is None else theta - self.centre
        return 0.5 * float(np.sum(deviation * self.product(deviation)))

    def updated(self, solution: LinearSolution, curvature: Array) -> QuadraticPenalty:
        """Laplace approximation of this penalty plus the rows of a solution, to second order around it."""
        theta = np.vstack([solution.coef, solution.intercept])
        ridge = np.append(np.full(len(theta) - 1, self.alpha), 0.0)
        matrix = np.diag(ridge) if self.matrix is None else self.matrix
        return QuadraticPenalty(self.alpha, theta, matrix + curvature)
