"""Features of kernels on histograms: additive homogeneous kernels and semigroup kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._dense import dense, require_columns
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, Rows
from bochner.errors import AssumptionError
from bochner.features.base import FeatureMap
from bochner.kernels.histograms import AdditiveKernel, SemigroupKernel, require_histograms
from bochner.sampling.projection import multiplied

__all__ = ["AdditiveMap", "LaplaceMap", "additive_grid", "draw_additive_map", "draw_laplace_map"]


@dataclass(frozen=True)
class AdditiveMap(FeatureMap):
    """Cosines and sines of the logarithms of the numbers of each column.

        z(x) = [a_k sqrt(x_j) cos(lambda_jk log x_j)], [a_k sqrt(x_j) sin(lambda_jk log x_j)]

    for the columns j = 1 ... d and m frequencies each: all columns of one frequency, then those of the next.
    Frequencies drawn from the spectral law of the kernel, a_k^2 = K(0) / m: E z(x).z(y) = k(x, y). Those of a grid
    0, L, 2 L, ... (Vedaldi & Zisserman 2012), a_k^2 = L kappa(k L), twice that for k > 0, and no sine for k = 0: a
    fixed error, which is smaller at few frequencies.

    Attributes
    ----------
    kernel : AdditiveKernel
    frequencies : array of shape (d, m), float64
    amplitude : array of shape (m,), float64
    grid : bool
        Whether the first frequency of every column is 0, without a sine.
    """

    kernel: AdditiveKernel
    frequencies: Array
    amplitude: Array
    grid: bool

    @property
    def n_components(self) -> int:
        d, m = self.frequencies.shape
        return int(d * (2 * m - self.grid))

    @property
    def scratch_width(self) -> int:
        return len(self.frequencies)

    @property
    def tile_width(self) -> int:
        return self.n_components

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        from bochner.features import _sketch_loops

        require_columns(X, len(self.frequencies))
        rows = np.ascontiguousarray(dense(X, out.dtype))
        self.check_rows(rows)
        logs = np.log(np.maximum(rows, np.finfo(out.dtype).tiny, out=scratch), out=scratch)
        frequencies, amplitude = np.ascontiguousarray(self.frequencies.T, out.dtype), self.amplitude.astype(out.dtype)
        _sketch_loops.additive_features(rows, logs, frequencies, amplitude, self.grid, out)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.frequencies.size * (8 + dtype.itemsize)

    def check_rows(self, X: Rows) -> None:
        require_histograms(self.kernel, X)

    def kappa(self, X: Rows) -> float:
        raise AssumptionError("Additive features have a grid of frequencies, or strata: they are no independent draws.")


def draw_additive_map(kernel: AdditiveKernel, *, n_features: int, n_frequencies: int, seed: int) -> AdditiveMap:
    """Draw frequencies for every column, one in each of m strata of equal probability."""
    uniform = generator(seed, Purpose.UNIFORMS).random((n_features, n_frequencies))
    frequencies = kernel.spectral_quantiles((np.arange(n_frequencies) + uniform) / n_frequencies)
    amplitude = np.full(n_frequencies, np.sqrt(kernel.at_ratio_one / n_frequencies))
    return AdditiveMap(kernel, frequencies, amplitude, grid=False)


def additive_grid(kernel: AdditiveKernel, *, n_features: int, n_frequencies: int, interval: float) -> AdditiveMap:
    """The map of the frequencies 0, L, ... (m - 1) L for every column."""
    grid = interval * np.arange(n_frequencies)
    power = interval * kernel.spectral_density(grid)
    power[1:] *= 2
    frequencies = np.broadcast_to(grid, (n_features, n_frequencies)).copy()
    return AdditiveMap(kernel, frequencies, np.sqrt(power), grid=True)


@dataclass(frozen=True)
class LaplaceMap(FeatureMap):
    """Random Laplace features (Yang et al. 2014): z_i(x) = exp(-w_i . x) / sqrt(D), E z(x).z(y) = K(x + y).

    Attributes
    ----------
    kernel : SemigroupKernel
    rates : array of shape (D, d), float64
        w_i, not negative.
    """

    kernel: SemigroupKernel
    rates: Array

    @property
    def n_components(self) -> int:
        return len(self.rates)

    @property
    def scratch_width(self) -> int:
        return 0

    @property
    def tile_width(self) -> int:
        return self.n_components

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        self.check_rows(X)
        exponent = multiplied(X, -self.rates.T.astype(out.dtype), out)
        np.exp(exponent, out=out)
        out /= np.sqrt(self.n_components).astype(out.dtype)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.rates.size * (8 + dtype.itemsize)

    def check_rows(self, X: Rows) -> None:
        require_histograms(self.kernel, X)

    def kappa(self, X: Rows) -> float:
        """1: rates and histograms are not negative."""
        return 1.0


def draw_laplace_map(kernel: SemigroupKernel, *, n_features: int, n_components: int, seed: int) -> LaplaceMap:
    """Draw a map of width `n_components`."""
    return LaplaceMap(kernel, kernel.rates(n_components, n_features, generator(seed, Purpose.RATES)))
