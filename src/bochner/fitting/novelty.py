"""Kernel Mahalanobis distance of a row from the rows of a fit, and its leave-one-out calibration.

    d(x) = n (z(x) - zbar)' (G + alpha I)^-1 (z(x) - zbar),     G = sum_i (z_i - zbar)(z_i - zbar)'

n times the ridge leverage of the row, from the moments of the features alone. For a row of the fit, left out of mean
and moments with the same penalty, with q = d / n and c = n / (n - 1):

    d_-i = (n - 1) c^2 q_i / (1 - c q_i)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from bochner._typing import Array
from bochner.features import FeatureMap, LinearResponse
from bochner.solvers import EigenRidge, RidgeProblem
from bochner.statistics import Moments

__all__ = ["FittedNovelty", "fit_novelty", "squared_norms"]


@dataclass(frozen=True)
class FittedNovelty:
    """Mahalanobis distances and what they are on a sample of the rows of the fit.

    Attributes
    ----------
    whitening : array of shape (D, D)
        sqrt(n) V diag(eigenvalues + alpha)^-1/2: d(x) = ||(z(x) - zbar)' whitening||^2.
    mean : array of shape (D,)
        zbar.
    alpha : float
    n : float
        Rows of the fit.
    """

    whitening: Array
    mean: Array
    alpha: float
    n: float

    def response(self, feature_map: FeatureMap) -> LinearResponse:
        """(z(x) - zbar)' whitening as a function of rows."""
        return LinearResponse(feature_map, self.whitening, -self.mean @ self.whitening, np.dtype(np.float64))

    def left_out(self, distances: Array) -> Array:
        """Distances of rows of the fit from the other rows, given those from all rows."""
        c, q = self.n / (self.n - 1), distances / self.n
        # q < 1 / c but for rounding, where a row alone spans a direction and the penalty is tiny.
        left: Array = (self.n - 1) * c**2 * q / np.maximum(1 - c * q, np.finfo(float).eps)
        return left


def fit_novelty(moments: Moments, alpha: float | None) -> FittedNovelty:
    """The distances behind moments. alpha None: sqrt(n) effective dimensions, at most half of those that there are."""
    ridge = EigenRidge(RidgeProblem.from_moments(moments, fit_intercept=True))
    eigenvalues, n = ridge.eigenvalues, float(moments.weight)
    penalty = _balanced_penalty(eigenvalues, n, moments.precision) if alpha is None else float(alpha)
    return FittedNovelty(np.sqrt(n / (eigenvalues + penalty)) * ridge.vectors, moments.z_mean.copy(), penalty, n)


def squared_norms(rows: Array) -> Array:
    """||r||^2 of every row."""
    return np.einsum("ij,ij->i", rows, rows)


def _balanced_penalty(eigenvalues: Array, n: float, precision: float) -> float:
    """The alpha with sum_k lam_k / (lam_k + alpha) = min(sqrt(n), rank / 2)."""
    largest = float(eigenvalues[-1])
    present = eigenvalues[eigenvalues > len(eigenvalues) * precision * largest]
    if not largest > 0:
        return 1.0
    wanted = min(np.sqrt(n), len(present) / 2)
    low, high = np.log(present[0]) - 30, np.log(present.sum() / wanted) + 1
    return float(np.exp(brentq(lambda log: np.sum(present / (present + np.exp(log))) - wanted, low, high)))
