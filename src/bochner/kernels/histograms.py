"""Kernels on histograms, rows of numbers that are not negative: additive homogeneous and semigroup kernels.

A homogeneous kernel of two numbers depends on their product and their ratio alone, and its function of the ratio has a
spectral density (Vedaldi & Zisserman 2012):

    k(x, y) = sqrt(x y) K(log(y / x)),       K(t) = E cos(lambda t) K(0)

A kernel on histograms is the sum over the columns. A semigroup kernel is a function of the sum, which is a Laplace
transform of a law on [0, inf)^d (Berg, Christensen & Ressel 1984): k(x, y) = K(x + y) = E exp(-w.(x + y)).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from scipy.special import xlogy

from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.kernels.base import Kernel, check_positive

__all__ = [
    "AdditiveChi2",
    "AdditiveKernel",
    "ExponentialSemigroup",
    "Hellinger",
    "Intersection",
    "JensenShannon",
    "ReciprocalSemigroup",
    "SemigroupKernel",
    "require_histograms",
]


def require_histograms(owner: object, X: Any, name: str = "X") -> None:
    """Raise `InvalidDataError`, with the first place, if rows, dense or sparse, have a negative number."""
    if X.shape[0] and X.shape[1] and X.min() < 0:
        rows, columns = (X < 0).nonzero()
        row, column = int(rows[0]), int(columns[0])
        raise InvalidDataError(
            f"Negative values in data: {type(owner).__name__} needs histograms, numbers that are not negative. Got "
            f"{name} with {X[row, column]:.6g} in row {row}, column {column}."
        )


class AdditiveKernel(Kernel):
    """A sum over the columns of a homogeneous kernel of two numbers. A subclass gives that and its spectral law."""

    @abstractmethod
    def of_numbers(self, x: Array, y: Array) -> Array:
        """The kernel of two numbers that are not negative, both arrays of one shape."""

    @abstractmethod
    def spectral_quantiles(self, p: Array) -> Array:
        """Quantiles of the law of lambda, a symmetric one, at probabilities p."""

    @abstractmethod
    def spectral_density(self, frequencies: Array) -> Array:
        """K(0) times the density of the law of lambda."""

    @property
    def at_ratio_one(self) -> float:
        """K(0) = k(x, x) / x."""
        return 1.0

    def _matrix(self, X: Array, Y: Array) -> Array:
        require_histograms(self, X)
        require_histograms(self, Y, "Y")
        total = np.zeros((len(X), len(Y)))
        for j in range(X.shape[1]):  # one column at a time: memory stays at a few n x n arrays
            total += self.of_numbers(X[:, j, None], Y[None, :, j])
        return total

    def _diagonal(self, X: Array) -> Array:
        require_histograms(self, X)
        return self.at_ratio_one * X.sum(axis=1)


class AdditiveChi2(AdditiveKernel):
    """Additive chi-squared kernel; scikit-learn's `AdditiveChi2Sampler` approximates it.

        k(x, y) = sum_j 2 x_j y_j / (x_j + y_j),        lambda has density sech(pi lambda)

    Examples
    --------
    >>> from bochner import AdditiveChi2
    >>> AdditiveChi2()([[0.5, 0.5], [1.0, 0.0]]).round(4)
    array([[1.    , 0.6667],
           [0.6667, 1.    ]])
    """

    def of_numbers(self, x: Array, y: Array) -> Array:
        total = x + y
        return np.divide(2 * x * y, total, out=np.zeros_like(total), where=total > 0)

    def spectral_quantiles(self, p: Array) -> Array:
        return np.log(np.tan(np.pi * p / 2)) / np.pi

    def spectral_density(self, frequencies: Array) -> Array:
        return _sech(np.pi * frequencies)


class Intersection(AdditiveKernel):
    """Histogram intersection.

        k(x, y) = sum_j min(x_j, y_j),        lambda has density (2 / pi) / (1 + 4 lambda^2)

    Examples
    --------
    >>> from bochner import Intersection
    >>> Intersection()([[0.5, 0.5], [1.0, 0.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    def of_numbers(self, x: Array, y: Array) -> Array:
        return np.minimum(x, y)

    def spectral_quantiles(self, p: Array) -> Array:
        return np.tan(np.pi * (p - 0.5)) / 2

    def spectral_density(self, frequencies: Array) -> Array:
        return 2 / np.pi / (1 + 4 * frequencies**2)


class JensenShannon(AdditiveKernel):
    """Jensen-Shannon kernel: 2 less the Jensen-Shannon divergence in bits, for histograms that sum to 1, over 2.

        k(x, y) = sum_j x_j/2 log2((x_j + y_j) / x_j) + y_j/2 log2((x_j + y_j) / y_j)

    lambda has density (2 / log 4) sech(pi lambda) / (1 + 4 lambda^2).

    Examples
    --------
    >>> from bochner import JensenShannon
    >>> JensenShannon()([[0.5, 0.5], [1.0, 0.0]]).round(4)
    array([[1.    , 0.6887],
           [0.6887, 1.    ]])
    """

    def of_numbers(self, x: Array, y: Array) -> Array:
        total = x + y
        return (xlogy(total, total) - xlogy(x, x) - xlogy(y, y)) / np.log(4)

    def spectral_quantiles(self, p: Array) -> Array:
        grid, cumulated = _jensen_shannon_law(self)
        return np.interp(p, cumulated, grid)

    def spectral_density(self, frequencies: Array) -> Array:
        return 2 / np.log(4) * _sech(np.pi * frequencies) / (1 + 4 * frequencies**2)


class Hellinger(AdditiveKernel):
    """Hellinger's kernel (Bhattacharyya): sum_j sqrt(x_j y_j). It depends on products alone: its lambda is 0.

    Examples
    --------
    >>> from bochner import Hellinger
    >>> Hellinger()([[0.25, 0.75], [1.0, 0.0]]).round(4)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    def of_numbers(self, x: Array, y: Array) -> Array:
        return np.sqrt(x) * np.sqrt(y)

    def spectral_quantiles(self, p: Array) -> Array:
        return np.zeros_like(p)

    def spectral_density(self, frequencies: Array) -> Array:
        return np.where(frequencies == 0, 1.0, 0.0)


class SemigroupKernel(Kernel):
    """A kernel of the sum of two histograms: k(x, y) = K(x + y) = E exp(-w.(x + y)), w from a law on [0, inf)^d."""

    @abstractmethod
    def of_sum(self, s: Array) -> Array:
        """K of sums (..., d); shape (...)."""

    @abstractmethod
    def rates(self, m: int, d: int, random: np.random.Generator) -> Array:
        """m draws of w, shape (m, d)."""

    def _matrix(self, X: Array, Y: Array) -> Array:
        require_histograms(self, X)
        require_histograms(self, Y, "Y")
        return np.stack([self.of_sum(row + Y) for row in X]) if len(X) else np.empty((0, len(Y)))

    def _diagonal(self, X: Array) -> Array:
        require_histograms(self, X)
        return self.of_sum(2 * X)


class ExponentialSemigroup(SemigroupKernel):
    """Exponential semigroup kernel.

        k(x, y) = exp(-beta sum_j sqrt(x_j + y_j)),       w_j ~ Levy's law of scale beta^2 / 2

    Parameters
    ----------
    beta : float, default=1.0

    Examples
    --------
    >>> from bochner import ExponentialSemigroup
    >>> ExponentialSemigroup()([[0.0, 0.5], [0.5, 0.5]]).round(4)
    array([[0.3679, 0.1814],
           [0.1814, 0.1353]])
    """

    def __init__(self, beta: float = 1.0) -> None:
        self.beta = beta

    def of_sum(self, s: Array) -> Array:
        return np.exp(-check_positive(self, "beta", self.beta) * np.sqrt(s).sum(axis=-1))

    def rates(self, m: int, d: int, random: np.random.Generator) -> Array:
        """beta^2 / (2 g^2), g normal."""
        return 0.5 * (check_positive(self, "beta", self.beta) / random.standard_normal((m, d))) ** 2


class ReciprocalSemigroup(SemigroupKernel):
    """Reciprocal semigroup kernel.

        k(x, y) = prod_j scale / (scale + x_j + y_j),       w_j exponential of rate `scale`

    Parameters
    ----------
    scale : float, default=1.0

    Examples
    --------
    >>> from bochner import ReciprocalSemigroup
    >>> ReciprocalSemigroup()([[0.0], [1.0]]).round(4)
    array([[1.    , 0.5   ],
           [0.5   , 0.3333]])
    """

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def of_sum(self, s: Array) -> Array:
        scale = check_positive(self, "scale", self.scale)
        return np.prod(scale / (scale + s), axis=-1)

    def rates(self, m: int, d: int, random: np.random.Generator) -> Array:
        return random.exponential(1 / check_positive(self, "scale", self.scale), (m, d))


def _sech(x: Array) -> Array:
    """1 / cosh(x), without overflow."""
    small = np.exp(-np.abs(x))
    return 2 * small / (1 + small**2)


def _jensen_shannon_law(kernel: JensenShannon) -> tuple[Array, Array]:
    """A fine grid and the distribution function of lambda on it."""
    grid = np.linspace(-8, 8, 200_001)  # beyond: a probability of 1e-13
    density = kernel.spectral_density(grid)
    cumulated = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return grid, cumulated / cumulated[-1]
