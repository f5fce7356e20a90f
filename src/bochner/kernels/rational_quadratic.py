"""The rational quadratic kernel: a Gaussian kernel whose inverse squared length scale is a Gamma variable."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv

from bochner._typing import Array
from bochner.kernels.base import check_positive
from bochner.kernels.density import SpectralDensity, bessel_density
from bochner.kernels.distance import Isotropic
from bochner.kernels.matern import bessel_profile
from bochner.kernels.measure import GaussianMixture, SpectralMeasure

__all__ = ["RationalQuadratic"]


class RationalQuadratic(Isotropic):
    """Rational quadratic kernel.

        k(x, y) = (1 + ||x - y||^2 / (2 alpha length_scale^2))^(-alpha)
        omega = sqrt(h / alpha) g / length_scale,   g ~ N(0, I),  h ~ Gamma(alpha, 1)

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        One scale, or one per feature (ARD).
    alpha : float, default=1.0
        Tail weight; infinity would be the Gaussian kernel.
    """

    def __init__(self, length_scale: float | Array = 1.0, alpha: float = 1.0) -> None:
        self.length_scale = length_scale
        self.alpha = alpha

    @property
    def non_negative(self) -> bool:
        return True  # a power of a positive number

    @property
    def is_normal_mixture(self) -> bool:
        return True  # normal times the root of a gamma variable

    def profile(self, r: Array) -> Array:
        alpha = self._tail()
        return (1 + r**2 / (2 * alpha)) ** -alpha

    def profile_of_square(self, squared: Array) -> Array:
        # Overrides the way by the root, which would only be squared again: one compiled loop.
        from bochner.kernels._loops import power_of_one_plus

        alpha = self._tail()
        power_of_one_plus(squared, 1 / (2 * alpha), alpha)
        return squared

    def decay(self, r: Array) -> Array:
        # Overrides the differences by the closed form.
        alpha = self._tail()
        return (1 + r**2 / (2 * alpha)) ** (-alpha - 1)

    def steepest_slope(self) -> float:
        """Largest slope r (1 + r^2/(2 alpha))^(-alpha-1), at r^2 = 2 alpha / (2 alpha + 1)."""
        alpha = self._tail()
        r2 = 2 * alpha / (2 * alpha + 1)
        return float(np.sqrt(r2) * (1 + r2 / (2 * alpha)) ** (-alpha - 1))

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return GaussianMixture(self.scales(d), radius=_GammaRadius(self._tail()))

    def spectral_density(self, d: int) -> SpectralDensity:
        return bessel_density(
            np.broadcast_to(self.scales(d), d).astype(float), self.profile, self._tail(), bessel_profile
        )

    def second_moments(self, d: int) -> Array:
        return np.broadcast_to(1 / np.square(self.scales(d)), (d,)).copy()

    def _tail(self) -> float:
        return check_positive(self, "alpha", self.alpha)


class _GammaRadius:
    """u -> sqrt(h / alpha), h the u-quantile of Gamma(alpha, 1); a class so that it pickles."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def __call__(self, u: Array) -> Array:
        radius: Array = np.sqrt(gammaincinv(self.alpha, u) / self.alpha)
        return radius
