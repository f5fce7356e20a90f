"""Exact mean, variance and covariance of the random kernel s = z(x).z(y) (Sutherland & Schneider, eqs 3-7).

    paired:  Var s = [1 + k(2u) - 2 k(u)^2] / D,        u = x - y
    phase:   Var s = [1 + k(2u) / 2 - k(u)^2] / D

for k(0) = 1, and k(0)^2 times that otherwise. E s = k for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import Embedding, n_frequencies
from bochner.theory.normalised import NormalisedKernel, normalised

__all__ = [
    "EmbeddingChoice",
    "better_embedding",
    "cosine_variance",
    "covariance",
    "mean_map_variance",
    "summand_variance",
    "variance",
]

_PAIRS_AT_A_TIME = 2**22


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


@dataclass(frozen=True)
class EmbeddingChoice:
    """Comparison of the variances of the two embeddings at some differences.

    Attributes
    ----------
    embedding : {"paired", "phase"}
        The one with the lower mean variance at equal width.
    paired_share : float
        Share of the differences at which pairs have the lower variance (or the same).
    paired, phase : float
        Mean of D Var s over the differences.
    """

    embedding: Embedding
    paired_share: float
    paired: float
    phase: float


def better_embedding(kernel: Stationary, difference: Array) -> EmbeddingChoice:
    """The embedding of lower variance for this kernel, at these differences x - y (Sutherland & Schneider, eq 7).

        pairs have the lower variance at u   where   Var cos(omega . u) = 1/2 + k(2u)/2 - k(u)^2 <= 1/2,

    for k(0) = 1, that is, k(2u) <= 2 k(u)^2. For the Gaussian and Laplacian kernels this holds everywhere; for kernels
    with heavy tails, such as Cauchy, it fails far away.

    Parameters
    ----------
    kernel : Stationary
    difference : array of shape (..., d)
        Differences of points, such as `X[:, None] - X[None]`.

    Examples
    --------
    >>> from bochner.kernels import Cauchy, Gaussian
    >>> far = [[3.0], [4.0], [5.0]]
    >>> better_embedding(Gaussian(), far).embedding, better_embedding(Cauchy(), far).embedding
    ('paired', 'phase')
    """
    u = np.atleast_1d(np.asarray(difference, dtype=float))
    if u.size == 0 or not np.all(np.isfinite(u)):
        raise invalid_parameter("better_embedding", "difference", "a non-empty array of finite numbers", difference)
    spread = cosine_variance(normalised(kernel), u)
    scale = kernel.variance**2
    paired, phase = 2 * scale * float(np.mean(spread)), scale * float(np.mean(spread + 0.5))
    share = float(np.mean(spread <= 0.5))
    return EmbeddingChoice("paired" if paired <= phase else "phase", share, paired, phase)


def mean_map_variance(
    kernel: Stationary, X: Array, Y: Array, *, n_components: int, embedding: Embedding = "paired"
) -> float:
    """Exact variance of the mean map kernel mean z(X) . mean z(Y) over the frequencies (Sutherland & Schneider, eq 12).

    The mean of Cov(s(X_i, Y_j), s(X_i', Y_j')) over all pairs of pairs: the time is O(n_x^2 n_y^2).

    Parameters
    ----------
    kernel : Stationary
    X, Y : arrays of shape (n_x, d) and (n_y, d)
    n_components : int
    embedding : {"paired", "phase"}, default="paired"

    Examples
    --------
    >>> from bochner.kernels import Gaussian
    >>> round(mean_map_variance(Gaussian(), [[0.0]], [[1.0]], n_components=100), 8)
    0.00399576
    """
    m, unit = n_frequencies(n_components, embedding), normalised(kernel)
    X, Y = np.asarray(X, dtype=float), np.asarray(Y, dtype=float)
    if X.ndim != 2 or Y.ndim != 2 or X.shape[1] != Y.shape[1] or 0 in (len(X), len(Y)):
        raise invalid_parameter("mean_map_variance", "Y", f"rows with the columns of X, {X.shape}", Y.shape)
    u = (X[:, None] - Y[None]).reshape(-1, X.shape[1])
    t = (X[:, None] + Y[None]).reshape(-1, X.shape[1])
    per_frequency = (_mean_at(unit, u, u) + _mean_at(unit, u, -u)) / 2 - float(np.mean(unit.at(u))) ** 2
    if embedding == "phase":
        per_frequency += _mean_at(unit, t, t) / 2
    return float(kernel.variance**2 * max(per_frequency, 0.0) / m)


def _mean_at(kernel: NormalisedKernel, left: Array, right: Array) -> float:
    """Mean of k(l - r) over all pairs, some rows at a time."""
    step = max(1, _PAIRS_AT_A_TIME // right.size)
    total = sum(
        float(np.sum(kernel.at(left[start : start + step, None] - right[None]))) for start in range(0, len(left), step)
    )
    return total / (len(left) * len(right))
