"""The Laplacian kernel of the L1 distance; its frequencies are independent Cauchy variables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bochner._typing import Array
from bochner.kernels.base import WithLengthScale, check_positive
from bochner.kernels.density import CoordinateDensity, SpectralDensity, laplace_alias
from bochner.kernels.measure import CoordinateProduct, SpectralMeasure

__all__ = ["Laplacian"]


class Laplacian(WithLengthScale):
    """Laplacian kernel, of the L1 distance as in scikit-learn and Rahimi & Recht (2007).

        k(x, y) = exp(-sum_j |x_j - y_j| / length_scale_j),      omega_j ~ Cauchy(1 / length_scale_j)

    The Cauchy law has no moments: `second_moments` and `sigma_p` are infinite, and bounds that need
    them refuse this kernel. The kernel of the Euclidean distance is `Matern(nu=0.5)`.

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        One scale, or one per feature (ARD).
    gamma : float, default=None
        scikit-learn's parameter, gamma = 1 / length_scale. Given, it replaces `length_scale`.
    """

    metric = "cityblock"

    def __init__(self, length_scale: float | Array = 1.0, *, gamma: float | None = None) -> None:
        self.length_scale = length_scale
        self.gamma = gamma

    @property
    def non_negative(self) -> bool:
        return True  # an exponential

    @property
    def is_normal_mixture(self) -> bool:
        return True  # each coordinate is Cauchy: normal over the root of a gamma variable

    def at(self, delta: Array) -> Array:
        delta = np.asarray(delta, dtype=float)
        return np.exp(-np.sum(np.abs(delta / self.scales(delta.shape[-1])), axis=-1))

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return CoordinateProduct(self.scales(d), _cauchy_quantile)

    def spectral_density(self, d: int) -> SpectralDensity:
        scale = np.broadcast_to(self.scales(d), d).astype(float)
        return CoordinateDensity(scale, lambda s: 1 / (np.pi * (1 + s**2)), laplace_alias)

    def second_moments(self, d: int) -> Array:
        return np.full(d, np.inf)

    def lipschitz(self, d: int) -> float:
        """sqrt(sum_j 1 / length_scale_j^2), approached at 0 from inside an orthant."""
        return float(np.sqrt(np.sum(np.broadcast_to(1 / np.square(self.scales(d)), (d,)))))

    def slopes(self, X: Array, Y: Array) -> Iterator[Array]:
        """-k sign(x_j - y_j) / length_scale_j."""
        K, d = self.matrix(X, Y), X.shape[1]
        for x, y, scale in zip(X.T, Y.T, np.broadcast_to(self.scales(d), d), strict=True):
            yield -K * np.sign(np.subtract.outer(x, y)) / scale

    def _matrix(self, X: Array, Y: Array) -> Array:
        from bochner.kernels._loops import laplacian_tile

        scale = self.scales(X.shape[1])
        out = np.empty((len(X), len(Y)), dtype=np.result_type(X, Y))
        laplacian_tile(np.ascontiguousarray(X / scale), np.ascontiguousarray((Y / scale).T), out)
        return out

    def scales(self, d: int | None = None) -> Array | float:
        # Overrides: gamma, if given, stands for the length scale.
        if self.gamma is not None:
            return 1 / check_positive(self, "gamma", self.gamma)
        return super().scales(d)


def _cauchy_quantile(u: Array) -> Array:
    """Quantile of the standard Cauchy law, for u < 1/2: -cot(pi u)."""
    return -1 / np.tan(np.pi * u)
