"""Features of the spline kernel: splines of half its order about uniform centres (Rudi & Rosasco 2017, Section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, Rows
from bochner.errors import invalid_parameter
from bochner.features.base import FeatureMap
from bochner.kernels.spline import Spline

__all__ = ["SplineMap", "draw_spline_map"]


@dataclass(frozen=True)
class SplineMap(FeatureMap):
    """Splines about centres w_i in a period.

        z_i(x) = prod_j Lambda_{q/2}(x_j / length_scale_j - w_ij) / sqrt(D Lambda_q(0)^(d-1))

    E z(x).z(y) = k(x, y) for centres uniform on [0, 1]^d, since int Lambda_{q/2} Lambda_{q/2} = Lambda_q.

    Attributes
    ----------
    kernel : Spline
        The kernel of order q.
    centres : array of shape (D, d), float64
        In units of the period.
    """

    kernel: Spline
    centres: Array

    @property
    def n_components(self) -> int:
        return len(self.centres)

    @property
    def scratch_width(self) -> int:
        return len(self.centres)

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        rows = dense(X, out.dtype)
        d = self.centres.shape[1]
        period = np.broadcast_to(self.kernel.length_scale, (d,)).astype(out.dtype)
        half = Spline(order=self.kernel.order / 2)
        out.fill(1 / np.sqrt(self.n_components * self.kernel.variance ** (d - 1)))
        for j in range(d):
            np.subtract.outer(rows[:, j] / period[j], self.centres[:, j].astype(out.dtype), out=scratch)
            out *= half.waves(scratch)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.centres.nbytes


def draw_spline_map(kernel: Spline, *, n_features: int, n_components: int, seed: int) -> SplineMap:
    """Draw a spline map of output width `n_components`; a wider one with the same seed begins with its centres."""
    if not kernel.order > 2:
        raise invalid_parameter(kernel, "order", "greater than 2 for features of half the order", kernel.order)
    kernel.spectral_measure(n_features)  # checks the order and that there are as many periods as features
    centres = generator(seed, Purpose.SPLINE_CENTRES).random((n_components, n_features))
    return SplineMap(kernel, centres)
