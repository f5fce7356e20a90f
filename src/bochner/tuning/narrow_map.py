"""Narrow Fourier map, whose features have derivatives by the length scales.

The unit frequencies stay fixed and a length scale l_j divides their column j, so that the features are smooth in it:

    P = (X / l) Omega',     Z = m^(-1/2) [cos P, sin P],     dP_if / d log l_j = -(x_ij / l_j) Omega_fj
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._blas import product
from bochner._typing import Array
from bochner.features import FourierMap
from bochner.kernels import Stationary
from bochner.sampling import QuasiMonteCarlo

__all__ = ["NarrowMap"]


@dataclass(frozen=True)
class NarrowMap:
    """Paired features of rows that are divided by their length scales.

    Attributes
    ----------
    omega : array of shape (m, d)
        Frequencies of the kernel of length scale 1.
    """

    omega: Array

    @classmethod
    def draw(cls, kernel: Stationary, n_frequencies: int, d: int, seed: int) -> NarrowMap:
        """Low discrepancy: the narrow map stands for a wide one."""
        measure = kernel.with_length_scale(1.0).spectral_measure(d)
        points = QuasiMonteCarlo().points(n_frequencies, d, measure.n_vectors, measure.n_uniforms, seed)
        return cls(measure.frequencies(*points))

    @property
    def fourier(self) -> FourierMap:
        m = len(self.omega)
        return FourierMap.dense(self.omega, np.full(m, m**-0.5))

    def by_log_scales(self, scaled: Array, features: Array, by_features: Array) -> Array:
        """Derivative by the logarithm of every column's scale, from that by the features (n, 2m).

        The sine is minus the derivative of the cosine.
        """
        m = len(self.omega)
        by_projection = by_features[:, m:] * features[:, :m]
        by_projection -= by_features[:, :m] * features[:, m:]
        by_frequency = product(by_projection.T, np.asfortranarray(scaled, dtype=float))
        return -np.sum(by_frequency * self.omega, axis=0)
