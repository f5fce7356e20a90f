"""Kernel errors over all pairs of an interval X = [-b, b] (Sutherland & Schneider, Section 4.1).

The error of the paired map depends on x - y alone; that of the phase map is a function of x - y plus one of x + y
(their eq 4):

    paired:  f = A(x - y) - k(x - y),                  A(u) = mean_i cos(omega_i u)
    phase:   f = A(x - y) - k(x - y) + B(x + y),       B(t) = mean_i cos(omega_i t + 2 b_i)

So a draw costs two curves instead of a matrix, and its suprema are those over all pairs of a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import cumulative_trapezoid, trapezoid

from bochner._typing import Array
from bochner.features import FourierMap, draw_fourier_map
from bochner.kernels import Gaussian
from bochner.sampling import MonteCarlo
from bochner.theory.base import Embedding

__all__ = ["Interval", "draw_maps", "mean_cosines"]


@dataclass(frozen=True)
class Interval:
    """[-b, b] with `n_points` equally spaced points, and the Gaussian kernel of length scale 1."""

    half_width: float
    n_points: int

    @cached_property
    def lags(self) -> Array:
        """The values of x - y >= 0; x + y has them too, with both signs."""
        return np.linspace(0, 2 * self.half_width, self.n_points)

    def suprema(self, feature_map: FourierMap, radii: Array | None = None) -> Array:
        """sup |f| over [-r, r]^2 for every r of `radii` (None: the whole interval), shape (n_radii,)."""
        difference, total = self._curves(feature_map)
        last = self._last_lag(np.array([self.half_width]) if radii is None else np.asarray(radii))
        if total is None:
            return np.maximum.accumulate(np.abs(difference))[last]
        outward = (
            np.maximum(total, total[::-1])[self.n_points - 1 :],
            np.maximum(-total, -total[::-1])[self.n_points - 1 :],
        )
        above, below = (np.maximum.accumulate(side) for side in outward)
        # |x - y| + |x + y| <= 2r: lag j leaves sums up to lag `end - j`.
        return np.array(
            [
                max(np.max(difference[: end + 1] + above[end::-1]), np.max(below[end::-1] - difference[: end + 1]))
                for end in last
            ]
        )

    def mean_square(self, feature_map: FourierMap) -> float:
        """The mean of f^2 over x, y independent and uniform on the interval."""
        difference, total = self._curves(feature_map)
        length, rest = 2 * self.half_width, 2 * self.half_width - self.lags
        inner = 2 * rest * difference**2
        if total is not None:
            center = self.n_points - 1
            first, second = (
                cumulative_trapezoid(curve[center:] + curve[center::-1], self.lags, initial=0)[::-1]
                for curve in (total, total**2)
            )
            inner = inner + 2 * difference * first + second
        return float(trapezoid(inner, self.lags) / length**2)

    def _curves(self, feature_map: FourierMap) -> tuple[Array, Array | None]:
        """The error as a function of x - y, and of x + y (from -2b to 2b) where there are phases."""
        omega, step = feature_map.omega[:, 0], float(self.lags[1])
        difference = mean_cosines(omega, np.zeros_like(omega), 0.0, step, self.n_points) - Gaussian().profile(self.lags)
        if len(feature_map.phase) == 0:
            return difference, None
        total = mean_cosines(omega, 2 * feature_map.phase, -2 * self.half_width, step, 2 * self.n_points - 1)
        return difference, total

    def _last_lag(self, radii: Array) -> Array:
        return np.searchsorted(self.lags, 2 * radii + 1e-9, side="right") - 1


def mean_cosines(omega: Array, phase: Array, start: float, step: float, n: int) -> Array:
    """mean_i cos(omega_i t + phase_i) at t = start, start + step, ..., n points.

    cos(a + b) = cos a cos b - sin a sin b with sqrt(n) values of a and of b: the rest is a matrix product.
    """
    block = int(np.ceil(np.sqrt(n)))
    corners = start + step * block * np.arange(-(-n // block))
    # float32: errors of 1e-6, far below the Monte Carlo error of any figure.
    coarse = (np.outer(corners, omega) + phase).astype(np.float32)
    fine = np.outer(step * np.arange(block), omega).astype(np.float32)
    products = np.cos(coarse) @ np.cos(fine).T - np.sin(coarse) @ np.sin(fine).T
    mean: Array = products.ravel()[:n].astype(np.float64) / len(omega)
    return mean


def draw_maps(n_components: int, embedding: Embedding, n_draws: int, seed: int) -> list[FourierMap]:
    """Independent maps of the Gaussian kernel on the line; no two widths or embeddings share a draw."""
    entropy = np.random.SeedSequence([seed, n_components, int(embedding == "phase")])
    return [
        draw_fourier_map(
            Gaussian(), MonteCarlo(), n_features=1, n_components=n_components, embedding=embedding, seed=int(own)
        )
        for own in entropy.generate_state(n_draws)
    ]
