"""Functions of a kernel outside of the cell of a grid of frequencies, where its features are 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bochner._dense import dense
from bochner._typing import Array, FloatType, Rows
from bochner.features.base import MapOnBase
from bochner.features.fourier import FourierMap
from bochner.features.residual import ResidualDraws, draw_prior
from bochner.features.slopes import ColumnSlopes
from bochner.sampling.grid import FrequencyGrid

if TYPE_CHECKING:
    from bochner.features.grid import GridMap

__all__ = ["OutsideMap", "OutsideProcess"]


@dataclass(frozen=True, eq=False)
class OutsideMap(MapOnBase):
    """Fourier features of rows outside of the cell of a grid; 0 inside."""

    base: FourierMap
    grid: FrequencyGrid

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        self.base.write(X, out, scratch)
        out[self._inside(X)] = 0

    def n_bytes(self, dtype: FloatType) -> int:
        return self.base.n_bytes(dtype)

    def slopes(self, X: Rows, dtype: FloatType) -> Iterator[ColumnSlopes]:  # an optional power
        inside = self._inside(X)
        for slopes in self.base.slopes(X, dtype):
            yield ColumnSlopes(np.where(inside[:, None], 0, slopes.values))

    def _inside(self, X: Rows) -> Array:
        return self.grid.contains(dense(X, float))


@dataclass(frozen=True, eq=False)
class OutsideProcess:
    """The kernel's process outside of the cell of a grid: a `ResidualProcess`.

    Inside, features are all of it; a row outside is at least so far from all rows of the fit that it knows nothing of
    them, and its values are taken to be independent of those inside.

    Attributes
    ----------
    features : GridMap
    scale : float
        Of the kernel, in units of the noise variance.
    """

    features: GridMap
    scale: float

    def covariance(self, X: Rows, Z: Array) -> Array:
        rows = dense(X, float)
        outside = ~self.features.grid.contains(rows)
        return self.scale * self.features.kernel.matrix(rows, rows) * np.outer(outside, outside)

    def draw(self, count: int, n_components: int, seed: int) -> ResidualDraws:
        grid = self.features.grid
        prior, coef = draw_prior(self.features.kernel, len(grid.extent), count, n_components, seed)
        projected = np.zeros((self.features.n_components, count))
        return ResidualDraws(OutsideMap(prior, grid), np.sqrt(self.scale) * coef, projected)
