"""Exact mean, variance and covariance of the random kernel s = z(x).z(y) (Sutherland & Schneider, eqs 3-7).

    paired:  Var s = [1 + k(2u) - 2 k(u)^2] / D,        u = x - y
    phase:   Var s = [1 + k(2u) / 2 - k(u)^2] / D

for k(0) = 1, and k(0)^2 times that otherwise. E s = k for both.
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import Embedding, n_frequencies
from bochner.theory.normalised import NormalisedKernel, normalised

__all__ = ["cosine_variance", "covariance", "summand_variance", "variance"]


def cosine_variance(kernel: NormalisedKernel, difference: Array) -> Array:
    """Var cos(omega . u) = 1/2 + k(2u)/2 - k(u)^2 (eq 7); (1 - e^(-r^2))^2 / 2 for the Gaussian kernel."""
    if kernel.is_gaussian:
        spread: Array = np.expm1(-kernel.squared_radius(difference)) ** 2 / 2
        return spread
    k, k_doubled = kernel.multiples(difference, 2)
    exact: Array = np.maximum(0.5 + k_doubled / 2 - k**2, 0.0)
    return exact


def summand_variance(kernel: NormalisedKernel, difference: Array, embedding: Embedding) -> Array:
    """Variance of one frequency's contribution to s; the phase adds 1/2."""
    return cosine_variance(kernel, difference) + (0.0 if embedding == "paired" else 0.5)


def variance(kernel: Stationary, difference: Array, *, n_components: int, embedding: Embedding = "paired") -> Array:
    """Var s(x, y) at differences x - y (..., d), exact (Sutherland & Schneider, eqs 5 and 6).

    Examples
    --------
    >>> from bochner.kernels import Gaussian
    >>> round(float(variance(Gaussian(), [1.0], n_components=100)), 8)
    0.00399576
    """
    m = n_frequencies(n_components, embedding)
    difference = np.asarray(difference, dtype=float)
    return kernel.variance**2 * summand_variance(normalised(kernel), difference, embedding) / m


def covariance(
    kernel: Stationary,
    difference: Array,
    other: Array,
    *,
    n_components: int,
    embedding: Embedding = "paired",
    total: Array | None = None,
    other_total: Array | None = None,
) -> Array:
    """Cov(s(x, y), s(x', y')) at u = x - y and u' = x' - y', exact.

        paired:  (2/D) [k(u - u')/2 + k(u + u')/2 - k(u) k(u')]
        phase:   (1/D) [the same + k(t - t')/2],   t = x + y, t' = x' + y'

    Parameters
    ----------
    difference, other : arrays of shape (..., d), broadcast against each other
    total, other_total : arrays of shape (..., d)
        x + y and x' + y'; needed for the phase embedding, which is not shift-invariant.
    """
    m = n_frequencies(n_components, embedding)
    unit = normalised(kernel)
    u, v = np.asarray(difference, dtype=float), np.asarray(other, dtype=float)
    per_frequency = (unit.at(u - v) + unit.at(u + v)) / 2 - unit.at(u) * unit.at(v)
    if embedding == "phase":
        if total is None or other_total is None:
            raise invalid_parameter("covariance", "total", "given for the phase embedding (x + y)", total)
        per_frequency = per_frequency + unit.at(np.asarray(total, float) - np.asarray(other_total, float)) / 2
    result: Array = kernel.variance**2 * per_frequency / m
    return result
