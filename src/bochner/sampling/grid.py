"""Equispaced frequencies: a quadrature rule for the spectral measure, with an error bound without probability.

    k_grid(delta) = sum_j w_j cos(omega_j . delta),   omega_j = 2 pi j / P,   w_j = p(omega_j) prod_a 2 pi / P_a,
    |j_a| <= m_a

Theorem. For all |delta_a| <= width_a <= P_a,

    |k_grid(delta) - k(delta)| <= images(P, width) + [k(0) + images(P, 0) - sum_j w_j],

with images(P, width) >= sum over n != 0 of |k(delta + n P)| (`bochner.kernels.density`). Proof. The periodic function
q(delta) = sum over all n of k(delta + n P) converges uniformly and is continuous, with Fourier coefficients w_j >= 0;
so its Fourier series converges absolutely, and to q (Poisson summation). Hence k_grid - k is the sum of the images less
the modes that are left out; these are at most their sum of weights, q(0) - sum w_j, and q(0) <= k(0) + images(P, 0).

The period is the width of the rows and so many length scales more; the extent is a multiple of the frequency
1 / length scale. Both are found from one tolerance (Greengard, Rachh & Barnett 2023, for the choice; the bound here is
computed, for every kernel with a density).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, prod

import numpy as np

from bochner._magnitude import require_finite
from bochner._typing import Array
from bochner.errors import AssumptionError, InvalidDataError
from bochner.kernels.density import SpectralDensity
from bochner.memory import row_slices
from bochner.sampling.modes import positive_modes

__all__ = ["MOST_AXES", "FrequencyGrid", "GridError", "choose_grid"]

MOST_AXES = 3
"""Columns up to which a grid of frequencies pays."""

_ROUNDING = 1e-12  # of k(0): of weights and their sum
_REACHES = np.geomspace(0.02, 2e6, 140)  # length scales from the rows to their images
_CUTOFFS = np.geomspace(1.0, 1e7, 220)  # largest frequency in units of 1 / length scale
_BLOCK = 2**16


@dataclass(frozen=True)
class GridError:
    """Bounds on the two errors of a grid."""

    aliasing: float
    truncation: float

    @property
    def total(self) -> float:
        return float(np.nextafter(self.aliasing + self.truncation, np.inf))


@dataclass(frozen=True, eq=False)
class FrequencyGrid:
    """Frequencies 2 pi j / period, |j_a| <= extent_a, and the middle of the rows.

    Attributes
    ----------
    centre, period : array of shape (d,)
    extent : int array of shape (d,)
    """

    centre: Array
    period: Array
    extent: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Modes on every axis."""
        return tuple(int(2 * m + 1) for m in self.extent)

    @property
    def n_modes(self) -> int:
        return prod(self.shape)

    def angles(self, X: Array) -> Array:
        """2 pi (x - centre) / period, one contiguous row an axis, shape (d, n)."""
        return np.ascontiguousarray((2 * pi / self.period * (np.asarray(X, dtype=float) - self.centre)).T)

    def contains(self, X: Array) -> Array:
        """Whether rows are in the cell around the centre, as wide as the period."""
        return np.all(np.abs(np.asarray(X, dtype=float) - self.centre) <= self.period / 2, axis=1)

    def weights(self, density: SpectralDensity) -> Array:
        """w_0, and w_j of the modes j > 0 in their order."""
        modes = np.vstack([np.zeros((1, len(self.extent)), dtype=int), positive_modes(self.extent)])
        spacing = 2 * pi / self.period
        found = [density.at(modes[some] * spacing) for some in row_slices(len(modes), _BLOCK)]
        weights: Array = np.concatenate(found) * np.prod(spacing)
        require_finite(float(weights.sum()))
        return weights

    def error(self, density: SpectralDensity, width: Array) -> GridError:
        """Bounds on the error over differences of at most `width` on every axis."""
        if np.any(width > self.period):
            return GridError(np.inf, 0.0)
        total = density.variance + density.images(self.period, np.zeros_like(width))
        truncation = total - self._weight_sum(density) + _ROUNDING * total
        return GridError(density.images(self.period, width), max(float(truncation), _ROUNDING * total))

    def _weight_sum(self, density: SpectralDensity) -> float:
        """Sum of all weights, from those of one orthant: densities are even on every axis."""
        spacing, last = 2 * pi / self.period, len(self.extent) - 1
        axes = [np.arange(m + 1) for m in self.extent]
        double = [np.where(axis > 0, 2.0, 1.0) for axis in axes]
        modes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, last + 1)
        times = np.prod(np.stack(np.meshgrid(*double, indexing="ij"), axis=-1), axis=-1).reshape(-1)
        parts = [times[some] @ density.at(modes[some] * spacing) for some in row_slices(len(modes), _BLOCK)]
        return float(np.sum(parts) * np.prod(spacing))


def choose_grid(density: SpectralDensity, low: Array, high: Array, *, eps: float, most: int) -> FrequencyGrid:
    """The smallest grid found whose error over the box of the rows is at most eps k(0); else the best of `most` modes.

    Its `error` tells which.
    """
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    width, half = high - low, eps * density.variance / 2
    if len(width) > MOST_AXES:
        raise AssumptionError(f"A grid of frequencies is for at most {MOST_AXES} columns. Got {len(width)}.")
    rule = _Rule(density, (low + high) / 2, width)
    reach = next((r for r in _REACHES if density.images(rule.period(r), width) <= half), _REACHES[-1])
    for cutoff in rule.cutoffs(reach, most):
        grid = rule.grid(reach, cutoff)
        if grid.error(density, width).truncation <= half:
            return grid
    shorter = [(each, rule.cutoffs(each, most)) for each in _REACHES[reach >= _REACHES][::-2]]
    grids = [rule.grid(each, cutoffs[-1]) for each, cutoffs in shorter if len(cutoffs)]
    if not grids:
        ratio = float(np.max(width / density.shortest))
        raise InvalidDataError(
            f"The rows are {ratio:.3g} length scales wide, and a grid of frequencies for them has more than {most:,} "
            "modes. Remove rows far outside, give a longer length_scale or more n_components, or use random features."
        )
    return min(grids, key=lambda grid: grid.error(density, width).total)


@dataclass(frozen=True, eq=False)
class _Rule:
    """Grids of rows of a width, by two numbers in units of length scales: reach and cutoff."""

    density: SpectralDensity
    centre: Array
    width: Array

    def period(self, reach: float) -> Array:
        return self.width + reach * self.density.longest

    def grid(self, reach: float, cutoff: float) -> FrequencyGrid:
        period = self.period(reach)
        extent = np.maximum(np.ceil(cutoff * period / (2 * pi * self.density.shortest)), 1)
        return FrequencyGrid(self.centre, period, np.minimum(extent, 2**40).astype(np.int64))

    def cutoffs(self, reach: float, most: int) -> Array:
        """Cutoffs whose grids have at most so many modes, ascending."""
        modes = [self.grid(reach, cutoff).n_modes for cutoff in _CUTOFFS]
        return _CUTOFFS[np.array(modes) <= most]
