"""The power exponential kernel: a Gaussian kernel whose inverse squared length scale is a positive stable variable."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import check_positive
from bochner.kernels.distance import Isotropic
from bochner.kernels.measure import GaussianMixture, SpectralMeasure

__all__ = ["PowerExponential"]


class PowerExponential(Isotropic):
    """Power exponential kernel, also called generalised Laplace or stable kernel.

        k(x, y) = exp(-(||x - y|| / length_scale)^exponent),      0 < exponent <= 2
        omega = sqrt(2 s) g / length_scale,   g ~ N(0, I),  E exp(-t s) = exp(-t^(exponent / 2))

    Exponent 2 is a Gaussian kernel, exponent 1 `Matern(nu=0.5)`; functions of smaller exponents are rougher still.

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        One scale, or one per feature (ARD).
    exponent : float, default=1.0
        Above 0, at most 2.

    References
    ----------
    Kanter (1975), Stable densities under change of scale and total variation inequalities: the draw of s.
    """

    def __init__(self, length_scale: float | Array = 1.0, exponent: float = 1.0) -> None:
        self.length_scale = length_scale
        self.exponent = exponent

    @property
    def non_negative(self) -> bool:
        return True  # an exponential

    @property
    def is_normal_mixture(self) -> bool:
        return True  # normal times the root of a stable variable

    def profile(self, r: Array) -> Array:
        return np.exp(-(r ** self._power()))

    def profile_of_square(self, squared: Array) -> Array:
        # Overrides the way by the root: one compiled loop.
        from bochner.kernels._loops import exp_of_minus_power

        exp_of_minus_power(squared, self._power() / 2)
        return squared

    def decay(self, r: Array) -> Array:
        """p r^(p - 2) exp(-r^p)."""
        # Overrides the differences by the closed form.
        p = self._power()
        return p * r ** (p - 2) * np.exp(-(r**p))

    def decay_of_square(self, squared: Array) -> Array:
        # Overrides the way by the root, as `profile_of_square`.
        from bochner.kernels._loops import power_decay

        power_decay(squared, self._power() / 2)
        return squared

    def steepest_slope(self) -> float:
        """p r^(p - 1) exp(-r^p) at r^p = (p - 1) / p; 1 for p = 1, infinite below."""
        p = self._power()
        if p <= 1:
            return 1.0 if p == 1 else np.inf
        t = (p - 1) / p
        return float(p * t**t * np.exp(-t))

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return GaussianMixture(self.scales(d), radius=_StableRadius(self._power() / 2))

    def second_moments(self, d: int) -> Array:
        moment = 2.0 if self._power() == 2 else np.inf
        return np.broadcast_to(moment / np.square(self.scales(d)), (d,)).copy()

    def _power(self) -> float:
        power = check_positive(self, "exponent", self.exponent)
        if power > 2:
            raise invalid_parameter(self, "exponent", "above 0 and at most 2: beyond, it is no kernel", self.exponent)
        return power


class _StableRadius:
    """Two uniform numbers -> sqrt(2 s), s positive a-stable, E exp(-t s) = exp(-t^a); a class so that it pickles.

        s = (b / e)^((1 - a) / a),      b = sin((1 - a) theta) sin(a theta)^(a / (1 - a)) / sin(theta)^(1 / (1 - a))

    theta uniform on (0, pi), e exponential (Kanter 1975).
    """

    n_uniforms = 2

    def __init__(self, a: float) -> None:
        self.a = a

    def __call__(self, u: Array) -> Array:
        a = self.a
        if a == 1:
            return np.full((len(u), 1), np.sqrt(2.0))
        theta, e = np.pi * u[:, :1], -np.log1p(-u[:, 1:2])
        log_b = np.log(np.sin((1 - a) * theta)) + a / (1 - a) * np.log(np.sin(a * theta))
        log_b -= np.log(np.sin(theta)) / (1 - a)
        radius: Array = np.sqrt(2.0) * np.exp((1 - a) / (2 * a) * (log_b - np.log(e)))
        return radius
