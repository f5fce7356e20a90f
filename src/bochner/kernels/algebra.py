"""Kernel algebra: sums, products and positive multiples of stationary kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from bochner._typing import Array, Rows
from bochner.kernels.base import Stationary, check_positive, require_stationary
from bochner.kernels.density import SpectralDensity, WeightedDensities
from bochner.kernels.measure import Convolution, Mixture, SpectralMeasure

__all__ = ["Product", "Scaled", "Sum"]


class _Pair(Stationary):
    """Two stationary kernels combined."""

    def __init__(self, left: Stationary, right: Stationary) -> None:
        self.left = left
        self.right = right

    def scaled_by(self, factor: float) -> Self:
        return type(self)(self._left.scaled_by(factor), self._right.scaled_by(factor))

    # A composite kernel is as settled as its parts.

    @property
    def is_settled(self) -> bool:
        return self._left.is_settled and self._right.is_settled

    def settled(self, X: Rows) -> Self:
        return self if self.is_settled else type(self)(self._left.settled(X), self._right.settled(X))

    # Frequencies of one part or the other, or sums of one of each.

    @property
    def is_normal_mixture(self) -> bool:
        return self._left.is_normal_mixture and self._right.is_normal_mixture

    @property
    def _left(self) -> Stationary:
        return require_stationary(self, "left", self.left)

    @property
    def _right(self) -> Stationary:
        return require_stationary(self, "right", self.right)


class Sum(_Pair):
    """k = left + right; the spectral measure is the mixture with weights left(0), right(0).

    Parameters
    ----------
    left, right : Stationary
    """

    # A composite kernel has the variance that its parts give it.

    @property
    def variance(self) -> float:
        return self._left.variance + self._right.variance

    def at(self, delta: Array) -> Array:
        return self._left.at(delta) + self._right.at(delta)

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return Mixture(
            (self._left.spectral_measure(d), self._right.spectral_measure(d)),
            (self._left.variance, self._right.variance),
        )

    def spectral_density(self, d: int) -> SpectralDensity:
        return WeightedDensities((self._left.spectral_density(d), self._right.spectral_density(d)), (1.0, 1.0))

    def second_moments(self, d: int) -> Array:
        left, right = self._left, self._right
        weighted = left.variance * left.second_moments(d) + right.variance * right.second_moments(d)
        return weighted / self.variance

    def lipschitz(self, d: int) -> float:
        """Upper bound: the sum of the two constants."""
        return self._left.lipschitz(d) + self._right.lipschitz(d)

    def slopes(self, X: Array, Y: Array) -> Iterator[Array]:
        return (left + right for left, right in zip(self._left.slopes(X, Y), self._right.slopes(X, Y), strict=True))

    def _matrix(self, X: Array, Y: Array) -> Array:
        return self._left.matrix(X, Y) + self._right.matrix(X, Y)


class Product(_Pair):
    """k = left * right; a frequency is the sum of one of each.

    Parameters
    ----------
    left, right : Stationary
    """

    # A composite kernel has the variance that its parts give it.

    @property
    def variance(self) -> float:
        return self._left.variance * self._right.variance

    def at(self, delta: Array) -> Array:
        return self._left.at(delta) * self._right.at(delta)

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return Convolution((self._left.spectral_measure(d), self._right.spectral_measure(d)))

    def second_moments(self, d: int) -> Array:
        return self._left.second_moments(d) + self._right.second_moments(d)

    def lipschitz(self, d: int) -> float:
        """Upper bound left(0) L_right + right(0) L_left."""
        return self._left.variance * self._right.lipschitz(d) + self._right.variance * self._left.lipschitz(d)

    def slopes(self, X: Array, Y: Array) -> Iterator[Array]:
        """The product rule."""
        left, right = self._left.matrix(X, Y), self._right.matrix(X, Y)
        both = zip(self._left.slopes(X, Y), self._right.slopes(X, Y), strict=True)
        return (of_left * right + left * of_right for of_left, of_right in both)

    def _matrix(self, X: Array, Y: Array) -> Array:
        return self._left.matrix(X, Y) * self._right.matrix(X, Y)


class Scaled(Stationary):
    """k = factor * kernel, factor > 0; the normalised spectral measure is the kernel's.

    Parameters
    ----------
    kernel : Stationary
    factor : float
    """

    def __init__(self, kernel: Stationary, factor: float) -> None:
        self.kernel = kernel
        self.factor = factor

    # A multiple has the variance and the sign of its kernel, and drops its own factor.

    @property
    def variance(self) -> float:
        return self._factor * self._kernel.variance

    @property
    def non_negative(self) -> bool:
        return self._kernel.non_negative

    @property
    def is_normal_mixture(self) -> bool:
        return self._kernel.is_normal_mixture

    def without_factor(self) -> Stationary:
        return self._kernel.without_factor()

    def at(self, delta: Array) -> Array:
        return self._factor * self._kernel.at(delta)

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return self._kernel.spectral_measure(d)

    def spectral_density(self, d: int) -> SpectralDensity:
        return WeightedDensities((self._kernel.spectral_density(d),), (self._factor,))

    def second_moments(self, d: int) -> Array:
        return self._kernel.second_moments(d)

    def lipschitz(self, d: int) -> float:
        return self._factor * self._kernel.lipschitz(d)

    def scaled_by(self, factor: float) -> Self:
        return type(self)(self._kernel.scaled_by(factor), self.factor)

    # As settled as its kernel.

    @property
    def is_settled(self) -> bool:
        return self._kernel.is_settled

    def settled(self, X: Rows) -> Self:
        return self if self.is_settled else type(self)(self._kernel.settled(X), self.factor)

    def slopes(self, X: Array, Y: Array) -> Iterator[Array]:
        return (self._factor * slope for slope in self._kernel.slopes(X, Y))

    def _matrix(self, X: Array, Y: Array) -> Array:
        return self._factor * self._kernel.matrix(X, Y)

    @property
    def _kernel(self) -> Stationary:
        return require_stationary(self, "kernel", self.kernel)

    @property
    def _factor(self) -> float:
        return check_positive(self, "factor", self.factor)
