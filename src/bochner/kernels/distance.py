"""Kernels of the Euclidean distance between rows, in coordinates of their own: scaled columns, or a linear metric."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary, WithLengthScale, require_stationary
from bochner.kernels.measure import LinearImage, SpectralMeasure

__all__ = ["DistanceKernel", "Isotropic", "Metric"]

_STEP = 1e-5
_CLOSEST = 1e-14  # a squared distance within rounding of 0, where differences are 0 whatever the decay


class DistanceKernel(Stationary):
    """A kernel of the distance r = ||c(x) - c(y)|| in linear coordinates c. A subclass gives them and its profile."""

    def of_distance(self) -> DistanceKernel:  # this is one
        return self

    @abstractmethod
    def coordinates(self, X: Array) -> Array:
        """Coordinates (..., r) of rows or of differences (..., d) in which the kernel sees plain distance."""

    @abstractmethod
    def profile(self, r: Array) -> Array:
        """Kernel value at distance `r`."""

    @abstractmethod
    def steepest_slope(self) -> float:
        """Largest slope of the profile, infinite where it has a vertical tangent."""

    @abstractmethod
    def curvature(self) -> float:
        """-k''(0) of the profile: E omega_1^2 in its coordinates, infinite for a rough kernel."""

    # Optional powers: computed from the profile, unless a subclass has a closed form or a compiled loop.

    def profile_of_square(self, squared: Array) -> Array:
        """Kernel values at squared distances, a float array (n, m) that may be overwritten.

        Rounding errors below 0 count as 0. A subclass with a faster way than by the root gives it.
        """
        return self.profile(np.sqrt(np.maximum(squared, 0, out=squared), out=squared))

    def decay(self, r: Array) -> Array:
        """-k'(r) / r at distances r > 0, by differences; a subclass that has a closed form gives it."""
        step = _STEP * r
        return (self.profile(r - step) - self.profile(r + step)) / (2 * step * r)

    def decay_of_square(self, squared: Array) -> Array:
        """`decay` at squared distances > 0, a float array (n, m) that may be overwritten."""
        return self.decay(np.sqrt(squared, out=squared))

    def decays(self, at: Array, points: Array) -> Array:
        """decay(r_ij) (n, m) between rows in the kernel's coordinates; 0 for a row and itself."""
        squared = cdist(at, points, "sqeuclidean")
        same = squared <= _CLOSEST
        squared[same] = 1.0
        decay = self.decay_of_square(squared)
        decay[same] = 0.0
        return decay

    def slopes(self, X: Array, Y: Array) -> Iterator[Array]:
        """-decay(r) a_j.(c(x) - c(y)), with a_j the coordinates of the unit vector of column j."""
        at, points = self.coordinates(X), self.coordinates(Y)
        decay = self.decays(at, points)
        for unit in self.coordinates(np.eye(X.shape[1])):
            yield decay * np.subtract.outer(at @ unit, points @ unit) * -1.0

    def at(self, delta: Array) -> Array:
        return self.profile(np.sqrt(np.sum(self.coordinates(np.asarray(delta, dtype=float)) ** 2, axis=-1)))

    def _matrix(self, X: Array, Y: Array) -> Array:
        return self.profile(cdist(self.coordinates(X), self.coordinates(Y)))


class Isotropic(WithLengthScale, DistanceKernel):
    """A kernel of the scaled distance r = ||(x - y) / length_scale||. A subclass gives its profile."""

    isotropic: ClassVar[bool] = True

    def coordinates(self, X: Array) -> Array:
        return X / self.scales(X.shape[-1])

    def curvature(self) -> float:
        return float(self.with_length_scale(1.0).second_moments(1)[0])

    def lipschitz(self, d: int) -> float:
        return float(self.steepest_slope() / np.min(self.scales(d)))


class Metric(DistanceKernel):
    """A kernel of distance under a linear metric, k(x, y) = kernel(A'x, A'y), of profile kappa.

        k(x, y) = kappa(sqrt((x - y)' A A' (x - y))),      omega = A omega_kernel

    A learned metric (`length_scale="metric"`) stretches directions along which a function changes and forgets others.

    Parameters
    ----------
    kernel : Isotropic
        With one length scale, the unit of the new coordinates.
    directions : array of shape (n_features, r)
        A. With fewer columns than rows, directions orthogonal to them are not seen.
    """

    def __init__(self, kernel: Isotropic, directions: Array) -> None:
        self.kernel = kernel
        self.directions = directions

    @property
    def non_negative(self) -> bool:
        return self._kernel.non_negative

    @property
    def is_normal_mixture(self) -> bool:
        return self._kernel.is_normal_mixture

    @property
    def variance(self) -> float:
        return self._kernel.variance

    def coordinates(self, X: Array) -> Array:
        return self._kernel.coordinates(X @ self._factors(X.shape[-1]))

    def in_fewer_columns(self) -> tuple[Stationary, Array] | None:
        factors = np.asarray(self.directions, dtype=float)
        return (self._kernel, factors) if factors.shape[1] < factors.shape[0] else None

    def profile(self, r: Array) -> Array:
        return self._kernel.profile(r)

    def profile_of_square(self, squared: Array) -> Array:
        return self._kernel.profile_of_square(squared)

    def decay(self, r: Array) -> Array:
        return self._kernel.decay(r)

    def decay_of_square(self, squared: Array) -> Array:
        return self._kernel.decay_of_square(squared)

    def steepest_slope(self) -> float:
        return self._kernel.steepest_slope()

    def curvature(self) -> float:
        return self._kernel.curvature()

    def spectral_measure(self, d: int) -> SpectralMeasure:
        factors = self._factors(d)
        return LinearImage(self._kernel.spectral_measure(factors.shape[1]), factors)

    def second_moments(self, d: int) -> Array:
        squares = self._factors(d) ** 2
        moments = self._kernel.second_moments(squares.shape[1])
        with np.errstate(invalid="ignore"):
            return np.nansum(squares * moments, axis=1)  # 0 times infinity: a direction that a column has no part in

    def lipschitz(self, d: int) -> float:
        factors = self._factors(d)
        return float(self._kernel.lipschitz(factors.shape[1]) * np.linalg.norm(factors, 2))

    def scaled_by(self, factor: float) -> Self:
        return type(self)(self._kernel.scaled_by(factor), self.directions)

    @property
    def _kernel(self) -> DistanceKernel:
        rule = "a kernel of distance with one length scale"
        kernel = require_stationary(self, "kernel", self.kernel, rule=rule)
        of_distance = kernel.of_distance()
        if of_distance is None or not kernel.isotropic or kernel.has_scale_per_feature:
            raise invalid_parameter(self, "kernel", rule, self.kernel)
        return of_distance

    def _factors(self, d: int) -> Array:
        """A, of as many rows as there are columns."""
        factors = np.asarray(self.directions, dtype=float)
        if factors.ndim != 2 or len(factors) != d or not np.all(np.isfinite(factors)):
            raise invalid_parameter(self, "directions", f"finite, with {d} rows, one for each feature", factors.shape)
        return factors
