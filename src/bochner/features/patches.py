"""Pooled features of image patches: one level of a convolutional kernel (Mairal, Koniusz, Harchaoui & Schmid 2014).

    K(x, y) = sum_g sum_{u, v} h_g(u) h_g(v) |p_u| |q_v| k(p_u / |p_u|, q_v / |q_v|)

for patches p_u of the image x and q_v of y at positions u and v, and weights h_g of pooling about the points g of a
grid. With features phi of k on unit patches, z_g(x) = sum_u h_g(u) |p_u| phi(p_u / |p_u|): pooling is linear, so that
features z = C^-1 u that are whitened (Nystroem) are pooled before they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bochner._blas import solve_lower
from bochner._dense import dense
from bochner._typing import Array, FloatType, Rows
from bochner.config import get_config
from bochner.errors import AssumptionError
from bochner.features.base import FeatureMap
from bochner.features.patch_grid import Positions
from bochner.kernels import Stationary
from bochner.memory import row_slices

__all__ = ["PatchMap"]

_PATCHES = 1024  # at once: their kernel values against some hundred landmarks stay in L2


@dataclass(frozen=True, eq=False)
class PatchMap(FeatureMap):
    """Features of the patches of an image, times their lengths, pooled: z_g(x) = sum_u h_g(u) |p_u| phi(p_u / |p_u|).

    Attributes
    ----------
    grid : Positions
    base : FeatureMap
        phi, of unit patches.
    """

    grid: Positions
    base: FeatureMap

    @property
    def n_components(self) -> int:
        return self.grid.n_points * self.base.n_components

    @property
    def scratch_width(self) -> int:
        return 0

    @property
    def tile_width(self) -> int:  # an optional power
        return self.n_components

    def n_bytes(self, dtype: FloatType) -> int:
        """The base, and for each thread some patches and their features."""
        phi = self._factored[0]
        row = 3 * self.grid.patch_size + 2 * phi.n_components + phi.scratch_width
        working = row * self.grid.n_positions * self._at_once * dtype.itemsize
        weights = self.grid.n_points * self.grid.n_positions * 8
        return self.base.n_bytes(dtype) + weights + get_config().threads() * working

    def prepare(self, dtype: FloatType) -> None:
        self._factored[0].prepare(dtype)

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        phi, factor = self._factored
        pooled = out if factor is None or out.dtype == np.float64 else np.empty(out.shape)
        cells = pooled.reshape(len(out), self.grid.n_points, -1)
        weights = self.grid.weights().astype(out.dtype)
        for some, values in self._values(phi, dense(X, out.dtype)):
            np.matmul(weights, values, out=cells[some])
        if factor is not None:
            solve_lower(factor, pooled.reshape(-1, len(factor)))
        if pooled is not out:
            out[...] = pooled

    def residual_variance(self, X: Rows, Z: Array) -> Array:
        """K(x, x) - ||z(x)||^2 of rows with features Z: the square of the number of positions for each row."""
        kernel, weights = self.kernel(), self.grid.weights()
        rows, exact = dense(X, float), np.empty(len(Z))
        for i in range(len(rows)):
            unit, length = self.grid.patches(rows[i : i + 1])
            pooled = weights * length
            exact[i] = np.sum((pooled @ kernel(unit)) * pooled)
        return exact - np.einsum("ij,ij->i", Z, Z, dtype=float)

    def kernel(self) -> Stationary:
        """The kernel of unit patches, if the base projects it on landmarks."""
        values = self._factored[0].kernel_values
        if values is None or values.transforms is not None:
            raise AssumptionError(
                "Only patch features of landmarks (NystroemFeatures) have a certificate: the error of random features "
                "of patches is not bounded here."
            )
        return values.kernel

    @property
    def _factored(self) -> tuple[FeatureMap, Array | None]:
        """Features of patches, and the factor C that whitens them after they are pooled."""
        return self.base.unwhitened or (self.base, None)

    @property
    def _at_once(self) -> int:
        """Images whose patches are mapped together."""
        return max(1, _PATCHES // self.grid.n_positions)

    def _values(self, phi: FeatureMap, X: Array) -> Iterator[tuple[slice, Array]]:
        """Features of patches times their lengths, (images, positions, width), of some images after others."""
        n = self.grid.n_positions * min(self._at_once, len(X))
        values, scratch = np.empty((n, phi.n_components), X.dtype), np.empty((n, phi.scratch_width), X.dtype)
        for some in row_slices(len(X), self._at_once):
            unit, length = self.grid.patches(X[some])
            own = values[: len(unit)]
            phi.write(unit, own, scratch[: len(unit)])
            own *= length[:, None]
            yield some, own.reshape(-1, self.grid.n_positions, phi.n_components)
