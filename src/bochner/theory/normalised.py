"""Normalised kernels k / k(0), for which bounds are proved, and the scaling of bounds with k(0).

The random features of k are sqrt(k(0)) times those of k / k(0), so an error of k is k(0) times an error of
k / k(0), and a squared error k(0)^2 times: `KernelTailBound` rescales `eps` once and hands its subclasses the
normalised problem.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner._typing import Array
from bochner.kernels.base import Stationary, require_stationary
from bochner.theory.base import Embedding, TailBound, check_eps, n_frequencies, require

__all__ = ["MIXTURE", "KernelTailBound", "NormalisedKernel", "normalised"]

MIXTURE = "a Gaussian kernel or a mixture of Gaussian kernels"


@dataclass(frozen=True)
class NormalisedKernel:
    """k / k(0), with the constants of the theory. `Scaled` kernels are unwrapped."""

    kernel: Stationary

    @property
    def is_gaussian(self) -> bool:
        """A Gaussian kernel, of one length scale or one per feature."""
        return self.kernel.has_normal_frequencies

    @property
    def is_normal_mixture(self) -> bool:
        """Frequencies that are known to be mixtures of centred normal vectors."""
        return self.kernel.is_normal_mixture

    @property
    def has_scale_per_feature(self) -> bool:
        """One length scale per feature (ARD)."""
        return self.kernel.has_scale_per_feature

    def scales_per_feature(self, d: int) -> Array:
        """The d length scales of a kernel that has one per feature; ones for every other kernel."""
        if not self.has_scale_per_feature:
            return np.ones(d)
        return np.broadcast_to(self.kernel.scales(d), (d,))

    def at(self, difference: Array) -> Array:
        """Values at differences (..., d)."""
        return self.kernel.at(difference) / self.kernel.variance

    def multiples(self, difference: Array, n_terms: int) -> Array:
        """Values at n * difference, n = 1 ... n_terms, shape (n_terms, ...)."""
        return self.kernel.multiples(difference, n_terms) / self.kernel.variance

    def lipschitz(self, d: int) -> float:
        """sup ||grad k|| / k(0); a kernel without one is refused."""
        constant = self.kernel.lipschitz(d) / self.kernel.variance
        require(np.isfinite(constant), "a Lipschitz kernel", self.kernel)
        return constant

    def sigma_p(self, d: int) -> float:
        """sqrt(E ||omega||^2); a spectral measure without a second moment is refused."""
        sigma_p = self.kernel.sigma_p(d)
        require(np.isfinite(sigma_p), "a spectral measure with a second moment (sigma_p finite)", self.kernel)
        return sigma_p

    def squared_radius(self, difference: Array) -> Array:
        """E (omega . difference)^2: ||difference / length_scale||^2 of a Gaussian kernel."""
        difference = np.asarray(difference, dtype=float)
        radius2: Array = np.sum(difference**2 * self.kernel.second_moments(difference.shape[-1]), axis=-1)
        return radius2

    def in_scaled_coordinates(self, d: int) -> NormalisedKernel:
        """The kernel as a function of difference / length_scale, where there is one length scale per feature.

        A kernel with one length scale for all features, a sum or a product is returned as it is.
        """
        self.kernel.second_moments(d)  # checks that there are d length scales
        return self.with_unit_scale() if self.has_scale_per_feature else self

    def with_unit_scale(self) -> NormalisedKernel:
        """The same kernel with length scale 1, that is, as a function of difference / length_scale."""
        self.kernel.scales()  # a composite kernel, which has none, is refused
        return NormalisedKernel(self.kernel.with_length_scale(1.0))


def normalised(kernel: Stationary) -> NormalisedKernel:
    """The kernel divided by k(0)."""
    return NormalisedKernel(require_stationary("bochner.theory", "kernel", kernel).without_factor())


@dataclass(frozen=True, kw_only=True)
class KernelTailBound(TailBound):
    """A tail bound for the random features of one kernel. A subclass bounds the tail for k(0) = 1.

    Parameters
    ----------
    kernel : Stationary
    embedding : {"paired", "phase"}, default="paired"
        [cos, sin] pairs (D = 2m) or cosines with a random phase (D = m).
    """

    kernel: Stationary
    embedding: Embedding = "paired"

    degree: ClassVar[int] = 1
    """The error is proportional to k(0)^degree."""
    reach: ClassVar[tuple[float, float]] = (2.0, 3.0)
    """The largest possible error for k(0) = 1: paired, phase."""

    def probability(self, eps: float, *, n_components: int) -> float:
        """Upper bound on P(error >= eps) for a map of `n_components` columns, at most 1."""
        m = n_frequencies(n_components, self.embedding)
        return float(min(1.0, self._tail(check_eps(eps) / self._unit_of_error(), m)))

    @abstractmethod
    def _tail(self, eps: float, m: int) -> float:
        """The bound for the normalised kernel and m frequencies; may exceed 1."""

    @property
    def _normalised(self) -> NormalisedKernel:
        return normalised(self.kernel)

    @property
    def _paired(self) -> bool:
        return self.embedding == "paired"

    def _unit_of_error(self) -> float:
        return float(self.kernel.variance**self.degree)

    def ceiling(self) -> float:
        # Overrides: in units of k(0).
        return self.reach[0 if self._paired else 1] * self._unit_of_error()

    def _require_gaussian(self, fact: str) -> None:
        require(self._normalised.is_gaussian, f"a Gaussian kernel ({fact})", self.kernel)

    def _require_normal_mixture(self) -> None:
        require(self._normalised.is_normal_mixture, MIXTURE, self.kernel)
