"""Noise variance as a function of the row, relative to its mean: r(x) = exp(g(x)), with g linear in features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array, Rows
from bochner.features import LinearResponse

__all__ = ["NoiseFunction"]


@dataclass(frozen=True, eq=False)
class NoiseFunction:
    """Noise variances of targets in units of the noise variance of the fit.

    Attributes
    ----------
    response : LinearResponse
        The logarithm g of the ratios.
    low, high : array of shape (t,)
        Limits of g, from rows of the fit: beyond these, nothing is known of the noise.
    """

    response: LinearResponse
    low: Array
    high: Array

    def ratios(self, X: Rows) -> Array:
        """r(x) of rows, shape (n, t)."""
        return np.exp(np.clip(self.response(X), self.low, self.high))
