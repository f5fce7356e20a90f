"""Null distribution of a squared distance between mean maps: a weighted sum of chi-squared variables.

    ||mean of b rows - mean of n rows||^2  ~  (1/b + 1/n) sum_i lambda_i chi^2_1

with lambda the eigenvalues of the covariance of the features, by the central limit theorem; features are bounded, so
some tens of rows suffice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from bochner._typing import Array

__all__ = ["ChiSquaredMixture"]


@dataclass(frozen=True)
class ChiSquaredMixture:
    """The law of sum_i lambda_i chi^2_1 for weights lambda_i >= 0 of shape (k,)."""

    weights: Array

    @property
    def mean(self) -> float:
        return float(np.sum(self.weights))

    def survival(self, value: float) -> float:
        """P(sum >= value) by the saddle-point formula: a relative error of a few per cent, in the far tail too.

            P = 1 - Phi(r + log(v / r) / r),   r = sign(s) sqrt(2 (s q - K(s))),   v = s sqrt(K''(s)),   K'(s) = q

        with K(s) = -1/2 sum_i log(1 - 2 lambda_i s) (Kuonen 1999).
        """
        if not self.mean > 0:
            return float(value <= 0)
        if value <= 0:
            return 1.0
        q, weights = value / self.mean, self.weights[self.weights > 0] / self.mean
        if abs(q - 1) < 1e-3:  # s = 0 is a removable singularity: interpolate across it
            low, high = _tail(weights, 1 - 1e-3), _tail(weights, 1 + 1e-3)
            return float(low + (high - low) * (q - (1 - 1e-3)) / 2e-3)
        return _tail(weights, q)

    def quantile(self, level: float) -> float:
        """The value that is exceeded with probability `level`, in (0, 1)."""
        if not 0 < level < 1 or not np.isfinite(self.mean):
            raise ValueError(f"A quantile needs a level in (0, 1) and finite weights. Got {level} and {self.mean}.")
        if not self.mean > 0:
            return 0.0
        high = self.mean
        while self.survival(high) > level and high < np.finfo(float).max / 2:
            high *= 2
        return float(brentq(lambda value: self.survival(value) - level, 0.0, high, xtol=1e-12 * high, rtol=1e-10))


def _tail(weights: Array, q: float) -> float:
    """The saddle-point formula at q for weights of sum 1."""
    largest = 1 / (2 * np.max(weights))

    def slope(s: float) -> float:
        return float(np.sum(weights / (1 - 2 * weights * s))) - q

    low = -1.0
    while slope(low) > 0:
        low *= 2
    high = largest * (1 - 1e-12)
    if slope(high) < 0:
        return 0.0
    s = brentq(slope, low, high, xtol=1e-15, rtol=1e-14)
    cumulant = -0.5 * np.sum(np.log1p(-2 * weights * s))
    r = np.sign(s) * np.sqrt(max(2 * (s * q - cumulant), 1e-300))
    v = s * np.sqrt(2 * np.sum((weights / (1 - 2 * weights * s)) ** 2))
    return float(norm.sf(r + np.log(v / r) / r))
