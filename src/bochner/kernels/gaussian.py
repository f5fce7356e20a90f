"""The Gaussian kernel; its spectral measure is a normal law of scale 1 / length_scale."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse

from bochner._typing import Array, Rows
from bochner.errors import invalid_parameter
from bochner.kernels.base import check_positive
from bochner.kernels.density import SpectralDensity, normal_density
from bochner.kernels.distance import Isotropic
from bochner.kernels.measure import GaussianMixture, SpectralMeasure

__all__ = ["Gaussian"]


class Gaussian(Isotropic):
    """Gaussian (RBF) kernel.

        k(x, y) = exp(-||x - y||^2 / (2 length_scale^2)),      omega ~ N(0, I / length_scale^2)

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        One scale, or one per feature (ARD).
    gamma : float or "scale", default=None
        scikit-learn's parameter, gamma = 1 / (2 length_scale^2). Given, it replaces `length_scale`. "scale" is
        1 / (n_features * X.var()), as in `SVC`: a rule that estimators, maps and tests settle on their rows, as
        `kernel(X)` does and `settled(X)`, for whatever has no rows to look at.

    Examples
    --------
    >>> from bochner import Gaussian
    >>> Gaussian(length_scale=2.0)([[0.0], [2.0]]).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """

    has_normal_frequencies: ClassVar[bool] = True

    def __init__(self, length_scale: float | Array = 1.0, *, gamma: float | str | None = None) -> None:
        self.length_scale = length_scale
        self.gamma = gamma

    @property
    def non_negative(self) -> bool:
        return True  # an exponential

    def profile(self, r: Array) -> Array:
        return np.exp(-(r**2) / 2)

    def profile_of_square(self, squared: Array) -> Array:
        # Overrides the way by the root: exp(-s / 2) needs none, and the loop is ten times as fast as NumPy's exp.
        from bochner.kernels._loops import exp_of_minus_half

        exp_of_minus_half(squared)
        return squared

    def decay(self, r: Array) -> Array:
        # Overrides the differences by the closed form.
        return self.profile(r)

    def decay_of_square(self, squared: Array) -> Array:
        # Overrides the way by the root: the decay is the profile.
        return self.profile_of_square(squared)

    def steepest_slope(self) -> float:
        return float(np.exp(-0.5))

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return GaussianMixture(self.scales(d))

    def spectral_density(self, d: int) -> SpectralDensity:
        return normal_density(np.broadcast_to(self.scales(d), d).astype(float), self.profile)

    def second_moments(self, d: int) -> Array:
        return np.broadcast_to(1 / np.square(self.scales(d)), (d,)).copy()

    def scales(self, d: int | None = None) -> Array | float:
        # Overrides: gamma, if given, stands for the length scale.
        if not self.is_settled:
            rule = "a number where there are no rows to settle it on: give kernel.settled(X)"
            raise invalid_parameter(self, "gamma", rule, self.gamma)
        if self.gamma is not None:
            return float(1 / np.sqrt(2 * check_positive(self, "gamma", self.gamma)))
        return super().scales(d)

    # Overrides: gamma="scale" is a rule.

    @property
    def is_settled(self) -> bool:
        return not (isinstance(self.gamma, str) and self.gamma == "scale")

    def settled(self, X: Rows) -> Self:
        if self.is_settled:
            return self
        values: Any = X
        sparse = issparse(X)
        variance = values.multiply(values).mean() - values.mean() ** 2 if sparse else np.var(values, dtype=float)
        return type(self)(gamma=float(1 / (X.shape[1] * variance)) if variance > 0 else 1.0)
