"""The Cauchy kernel; its frequencies are independent Laplace variables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bochner._typing import Array
from bochner.kernels.base import WithLengthScale
from bochner.kernels.density import CoordinateDensity, SpectralDensity, cauchy_alias
from bochner.kernels.measure import CoordinateProduct, SpectralMeasure

__all__ = ["Cauchy"]


class Cauchy(WithLengthScale):
    """Cauchy kernel of Rahimi & Recht (2007), a product over features.

        k(x, y) = prod_j 1 / (1 + (x_j - y_j)^2 / length_scale_j^2),   omega_j ~ Laplace(1 / length_scale_j)

    The isotropic relative is `RationalQuadratic(alpha=1)`.

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        One scale, or one per feature (ARD).
    """

    def __init__(self, length_scale: float | Array = 1.0) -> None:
        self.length_scale = length_scale

    @property
    def non_negative(self) -> bool:
        return True  # a product of positive fractions

    @property
    def is_normal_mixture(self) -> bool:
        return True  # each coordinate is Laplace: normal times the root of an exponential variable

    def at(self, delta: Array) -> Array:
        delta = np.asarray(delta, dtype=float)
        return 1 / np.prod(1 + (delta / self.scales(delta.shape[-1])) ** 2, axis=-1)

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return CoordinateProduct(self.scales(d), _laplace_quantile)

    def spectral_density(self, d: int) -> SpectralDensity:
        scale = np.broadcast_to(self.scales(d), d).astype(float)
        return CoordinateDensity(scale, lambda s: np.exp(-np.abs(s)) / 2, cauchy_alias)

    def second_moments(self, d: int) -> Array:
        return np.broadcast_to(2 / np.square(self.scales(d)), (d,)).copy()

    def lipschitz(self, d: int) -> float:
        """Exact for one feature (at delta = length_scale / sqrt 3), else the bound sqrt(2/e) / min length_scale.

        With a_j = log(1 + t_j^2): ||grad||^2 length_scale^2 <= 4 A e^(-2A) <= 2/e, A = sum a_j.
        """
        steepest = 3 * np.sqrt(3) / 8 if d == 1 else np.sqrt(2 / np.e)
        return float(steepest / np.min(self.scales(d)))

    def slopes(self, X: Array, Y: Array) -> Iterator[Array]:
        """-k 2 t / (1 + t^2) / length_scale_j, t = (x_j - y_j) / length_scale_j."""
        K, d = self.matrix(X, Y), X.shape[1]
        for x, y, scale in zip(X.T, Y.T, np.broadcast_to(self.scales(d), d), strict=True):
            t = np.subtract.outer(x, y) / scale
            yield -K * 2 * t / (1 + t**2) / scale

    def _matrix(self, X: Array, Y: Array) -> Array:
        from bochner.kernels._loops import cauchy_tile

        scale = self.scales(X.shape[1])
        out = np.empty((len(X), len(Y)), dtype=np.result_type(X, Y))
        cauchy_tile(np.ascontiguousarray(X / scale), np.ascontiguousarray((Y / scale).T), out)
        return out


def _laplace_quantile(u: Array) -> Array:
    """Quantile of the standard Laplace law, for u < 1/2: log(2u)."""
    return np.log(2 * u)
