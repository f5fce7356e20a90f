"""Equispaced frequencies as a sampler of `FourierFeatures`: the strongest of a grid for the box of the rows."""

from __future__ import annotations

import numpy as np

from bochner._dense import dense
from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.kernels.measure import SpectralMeasure
from bochner.sampling.base import Frequencies, Sampler
from bochner.sampling.grid import FrequencyGrid, choose_grid
from bochner.sampling.modes import positive_modes
from bochner.sampling.pilot import Pilot
from bochner.sampling.projection import DenseProjection

__all__ = ["Quadrature"]

_BALL = {1: 1.0, 2: 4 / np.pi, 3: 6 / np.pi}  # volume of a cube over that of its ball: corners of the grid are weak
_EPS = 1e-14  # of k(0): the best grid of so many frequencies is wanted


class Quadrature(Sampler):
    """Equispaced frequencies with weights of the spectral density, for one to three columns: no draw.

        k(delta) ~ sum_j a_j^2 cos(omega_j.delta),   omega_j = 2 pi j / period,   a_0^2 = w_0,  a_j^2 = 2 w_j  for j > 0

    of the grid that is best for the box of the rows (`bochner.sampling.grid`), the m strongest frequencies. Far closer
    to the kernel than random frequencies of that number, where rows are in the box; between rows a period apart the
    features are equal. The kernel needs a spectral density in closed form. `GridFeatures` takes a tolerance instead of
    a number, and `KernelRegressor(features="grid")` never forms the features.
    """

    independent = False
    nested = False
    uses_pilot = True
    unbiased = False

    def draw(
        self, measure: SpectralMeasure, n_frequencies: int, n_features: int, seed: int, pilot: Pilot | None = None
    ) -> Frequencies:
        # Overrides: frequencies are those of a grid for the box of the rows, whatever the seed.
        if pilot is None:
            raise AssumptionError("Quadrature has a grid for the box of rows: fit FourierFeatures on them.")
        rows, density = dense(pilot.X, float), pilot.kernel.spectral_density(n_features)
        most = max(3**n_features, int(_BALL.get(n_features, 1.0) * 2 * n_frequencies))
        grid = choose_grid(density, rows.min(axis=0), rows.max(axis=0), eps=_EPS, most=most)
        grid = _enlarged(grid, n_frequencies)
        power = grid.weights(density) * np.where(np.arange(grid.n_modes // 2 + 1) > 0, 2.0, 1.0)
        chosen = np.argsort(-power, kind="stable")[:n_frequencies]
        modes = np.vstack([np.zeros((1, n_features)), positive_modes(grid.extent)])[chosen]
        weights = power[chosen] * n_frequencies / pilot.kernel.variance
        return Frequencies(DenseProjection(modes * (2 * np.pi / grid.period)), weights)

    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        raise AssumptionError("Quadrature has no standard points: its frequencies are those of a grid.")


def _enlarged(grid: FrequencyGrid, n_frequencies: int) -> FrequencyGrid:
    """The grid with weaker modes beyond it, where it has fewer frequencies than are asked for."""
    extent = grid.extent
    while (np.prod(2.0 * extent + 1) + 1) / 2 < n_frequencies:
        extent = extent + np.maximum(extent // 8, 1)
    return FrequencyGrid(grid.centre, grid.period, extent)
