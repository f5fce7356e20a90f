"""The Matern kernels; their spectral measure is a Student t law with 2 nu degrees of freedom."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gamma, gammaincinv, kv

from bochner._typing import Array
from bochner.kernels.base import check_positive
from bochner.kernels.density import SpectralDensity, student_density
from bochner.kernels.distance import Isotropic
from bochner.kernels.measure import GaussianMixture, SpectralMeasure

__all__ = ["Matern", "bessel_profile"]


class Matern(Isotropic):
    """Matern kernel of any smoothness nu > 0.

        k(x, y) = 2^(1-nu) / Gamma(nu) * t^nu K_nu(t),   t = sqrt(2 nu) ||x - y|| / length_scale
        omega = g / (length_scale * sqrt(h / nu)),   g ~ N(0, I),  h ~ Gamma(nu, 1)     (Student t, 2 nu d.o.f.)

    nu = 1/2 is exp(-r); nu = inf would be the Gaussian kernel (use `Gaussian`). For nu <= 1 the measure has
    no second moment: `sigma_p` is infinite. For nu < 1/2 the kernel is not Lipschitz.

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        One scale, or one per feature (ARD).
    nu : float, default=1.5
        Smoothness.
    """

    def __init__(self, length_scale: float | Array = 1.0, nu: float = 1.5) -> None:
        self.length_scale = length_scale
        self.nu = nu

    @property
    def non_negative(self) -> bool:
        return True  # t^nu K_nu(t) > 0

    @property
    def is_normal_mixture(self) -> bool:
        return True  # Student: normal over the root of a gamma variable

    def profile(self, r: Array) -> Array:
        nu = self._smoothness()
        if nu in _CLOSED_FORMS:
            return _CLOSED_FORMS[nu](np.minimum(sqrt(2 * nu) * r, _NOTHING))  # plain numbers: float32 stays float32
        return bessel_profile(np.sqrt(2 * nu) * np.asarray(r, dtype=float), nu)

    def profile_of_square(self, squared: Array) -> Array:
        # Overrides the way by the root: one compiled loop in place of several passes.
        order = self._smoothness() - 0.5
        if order not in (0, 1, 2):
            return super().profile_of_square(squared)
        from bochner.kernels._loops import matern_profile

        matern_profile(squared, int(order))
        return squared

    def decay(self, r: Array) -> Array:
        """2 nu 2^(1-nu) / Gamma(nu) t^(nu-1) K_(nu-1)(t), since (t^nu K_nu)' = -t^nu K_(nu-1)."""
        # Overrides the differences by the closed form.
        nu = self._smoothness()
        t = np.sqrt(2 * nu) * r
        if nu in _DECAYS:
            return _DECAYS[nu](t)
        return 2 * nu * 2 ** (1 - nu) / gamma(nu) * t ** (nu - 1) * kv(nu - 1, t)

    def decay_of_square(self, squared: Array) -> Array:
        # Overrides the way by the root, as `profile_of_square`.
        order = self._smoothness() - 0.5
        if order not in (0, 1, 2):
            return super().decay_of_square(squared)
        from bochner.kernels._loops import matern_decay

        matern_decay(squared, int(order))
        return squared

    def steepest_slope(self) -> float:
        """max_t sqrt(2 nu) 2^(1-nu) / Gamma(nu) t^nu K_{nu-1}(t); 1 for nu = 1/2, infinite below."""
        nu = self._smoothness()
        if nu <= 0.5:
            return 1.0 if nu == 0.5 else np.inf
        # t^nu K_{nu-1}(t) is unimodal with its mode below 2 sqrt(nu); 1e-9 covers the search tolerance.
        best = minimize_scalar(
            lambda t: -(t**nu) * kv(nu - 1, t),
            bounds=(1e-12, 4 * np.sqrt(nu) + 2),
            method="bounded",
            options={"xatol": 1e-10},
        )
        return float(-best.fun * np.sqrt(2 * nu) * 2 ** (1 - nu) / gamma(nu) * (1 + 1e-9))

    def spectral_measure(self, d: int) -> SpectralMeasure:
        nu = self._smoothness()
        return GaussianMixture(self.scales(d), radius=_StudentRadius(nu))

    def spectral_density(self, d: int) -> SpectralDensity:
        return student_density(np.broadcast_to(self.scales(d), d).astype(float), self.profile, self._smoothness())

    def second_moments(self, d: int) -> Array:
        nu = self._smoothness()
        inflation = nu / (nu - 1) if nu > 1 else np.inf
        return np.broadcast_to(inflation / np.square(self.scales(d)), (d,)).copy()

    def _smoothness(self) -> float:
        return check_positive(self, "nu", self.nu)


class _StudentRadius:
    """u -> sqrt(nu / h), h the u-quantile of Gamma(nu, 1); a class so that it pickles."""

    def __init__(self, nu: float) -> None:
        self.nu = nu

    def __call__(self, u: Array) -> Array:
        radius: Array = np.sqrt(self.nu / gammaincinv(self.nu, u))
        return radius


_NOTHING = 1e3
"""t from which on exp(-t) is 0: beyond, infinity times 0 would be no number."""

_CLOSED_FORMS = {
    0.5: lambda t: np.exp(-t),
    1.5: lambda t: (1 + t) * np.exp(-t),
    2.5: lambda t: (1 + t + t**2 / 3) * np.exp(-t),
}

_DECAYS = {
    0.5: lambda t: np.exp(-t) / t,
    1.5: lambda t: 3 * np.exp(-t),
    2.5: lambda t: 5 / 3 * (1 + t) * np.exp(-t),
}


def bessel_profile(t: Array, nu: float) -> Array:
    """2^(1-nu) / Gamma(nu) t^nu K_nu(t), with its limits 1 at 0 and 0 at infinity."""
    t = np.maximum(t, np.finfo(float).tiny ** (1 / (2 * nu + 2)))  # below it k = 1 to all digits and K_nu overflows
    value = 2 ** (1 - nu) / gamma(nu) * t**nu * kv(nu, t)
    return np.minimum(value, 1.0)
