"""Spectral measures: the law of the frequencies of a shift-invariant kernel (Bochner's theorem).

    k(x, y) = k(0) * E cos(omega . (x - y)),      omega ~ spectral measure, symmetric about 0

A measure is written as the image of standard points: `n_vectors` standard normal vectors of R^d and
`n_uniforms` uniform numbers, independent. A sampler decides which standard points (independent,
orthogonal, low discrepancy, ...); the measure only maps them. This is the seam between kernels and
samplers: k kernels and s samplers cost k + s files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from bochner._typing import Array

__all__ = ["CoordinateProduct", "Convolution", "GaussianMixture", "LinearImage", "Mixture", "SpectralMeasure"]


class SpectralMeasure(ABC):
    """A law on R^d, as the image of standard points.

    Attributes
    ----------
    n_vectors : int
        Standard normal vectors of R^d needed for one frequency.
    n_uniforms : int
        Uniform numbers needed for one frequency.
    """

    n_vectors: int
    n_uniforms: int

    @abstractmethod
    def frequencies(self, normals: Array, uniforms: Array) -> Array:
        """Frequencies (m, d) from `normals` (m, n_vectors, d) and `uniforms` (m, n_uniforms)."""

    def scale_mixture(self) -> GaussianMixture | None:
        """The measure as a scale mixture of normals, radius(u) g / length_scale, if it is one."""
        return None


@dataclass(frozen=True)
class GaussianMixture(SpectralMeasure):
    """Isotropic scale mixture of normals: omega = radius(u) * g / length_scale, g ~ N(0, I).

    `radius` None is the normal law itself. Every kernel that is positive definite in all dimensions
    has this form (Schoenberg).
    """

    length_scale: Array | float
    radius: Callable[[Array], Array] | None = None

    n_vectors = 1

    @property
    def n_uniforms(self) -> int:  # type: ignore[override]
        # A radius of several uniform numbers says so.
        return 0 if self.radius is None else getattr(self.radius, "n_uniforms", 1)

    def frequencies(self, normals: Array, uniforms: Array) -> Array:
        omega: Array = normals[:, 0, :] / self.length_scale
        return omega if self.radius is None else omega * self.radii(uniforms)

    def radii(self, uniforms: Array) -> Array:
        """Radii (m, 1) from uniform numbers (m, n_uniforms or more)."""
        if self.radius is None:
            return np.ones((len(uniforms), 1))
        return self.radius(uniforms[:, : self.n_uniforms])

    def scale_mixture(self) -> GaussianMixture:  # this is one
        return self


@dataclass(frozen=True)
class CoordinateProduct(SpectralMeasure):
    """Independent coordinates: omega_j = quantile(Phi(g_j)) / length_scale_j."""

    length_scale: Array | float
    quantile: Callable[[Array], Array]

    n_vectors = 1
    n_uniforms = 0

    def frequencies(self, normals: Array, uniforms: Array) -> Array:
        # The quantile functions are odd about 1/2: go through the lower half, where ndtr keeps its digits.
        g = normals[:, 0, :]
        omega: Array = -np.sign(g) * self.quantile(ndtr(-np.abs(g))) / self.length_scale
        return omega


@dataclass(frozen=True)
class Mixture(SpectralMeasure):
    """Mixture of measures (a sum of kernels): one uniform number picks the part."""

    parts: tuple[SpectralMeasure, ...]
    weights: tuple[float, ...]

    @property
    def n_vectors(self) -> int:  # type: ignore[override]
        return max(part.n_vectors for part in self.parts)

    @property
    def n_uniforms(self) -> int:  # type: ignore[override]
        return 1 + max(part.n_uniforms for part in self.parts)

    def frequencies(self, normals: Array, uniforms: Array) -> Array:
        choice = np.searchsorted(np.cumsum(self.weights)[:-1] / np.sum(self.weights), uniforms[:, 0], side="right")
        omega = np.empty((len(normals), normals.shape[2]))
        for i, part in enumerate(self.parts):
            rows = choice == i
            omega[rows] = part.frequencies(normals[rows, : part.n_vectors], uniforms[rows, 1 : 1 + part.n_uniforms])
        return omega


@dataclass(frozen=True)
class Convolution(SpectralMeasure):
    """Law of a sum of independent frequencies (a product of kernels)."""

    parts: tuple[SpectralMeasure, ...]

    @property
    def n_vectors(self) -> int:  # type: ignore[override]
        return sum(part.n_vectors for part in self.parts)

    @property
    def n_uniforms(self) -> int:  # type: ignore[override]
        return sum(part.n_uniforms for part in self.parts)

    def frequencies(self, normals: Array, uniforms: Array) -> Array:
        omega = np.zeros((len(normals), normals.shape[2]))
        v = u = 0
        for part in self.parts:
            omega += part.frequencies(normals[:, v : v + part.n_vectors], uniforms[:, u : u + part.n_uniforms])
            v, u = v + part.n_vectors, u + part.n_uniforms
        return omega


@dataclass(frozen=True)
class LinearImage(SpectralMeasure):
    """Law of A omega (a kernel under a linear metric), from the first r coordinates of standard points of R^d.

    Where A has more columns than rows, the coordinates that are missing come from further vectors.
    """

    base: SpectralMeasure
    matrix: Array

    @property
    def _parts(self) -> int:
        """Vectors of R^d that make one of R^r."""
        d, r = self.matrix.shape
        return -(-r // d)

    @property
    def n_vectors(self) -> int:  # type: ignore[override]
        return self.base.n_vectors * self._parts

    @property
    def n_uniforms(self) -> int:  # type: ignore[override]
        return self.base.n_uniforms

    def frequencies(self, normals: Array, uniforms: Array) -> Array:
        m, r = len(normals), self.matrix.shape[1]
        vectors = normals[:, : self.n_vectors].reshape(m, self.base.n_vectors, -1)[:, :, :r]
        return self.base.frequencies(vectors, uniforms) @ self.matrix.T
