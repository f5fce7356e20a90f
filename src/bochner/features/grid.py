"""Fourier features on a grid of frequencies, whose linear responses are non-uniform fast Fourier transforms.

    z(x) = (sqrt(w_0), sqrt(2 w_j) cos(omega_j.(x - c)), sqrt(2 w_j) sin(omega_j.(x - c))),  j > 0,
    z(x).z(y) = k_grid(x - y)

for rows in the cell around the centre c, as wide as the period; z = 0 outside, where the periodic kernel would see
images of the rows: a model returns to its intercept there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import pi

import numpy as np

from bochner._dense import dense
from bochner._nufft import modes_to_points
from bochner._typing import Array, FloatType, Rows
from bochner.config import get_config
from bochner.features.base import FeatureMap, transform
from bochner.features.outside import OutsideProcess
from bochner.features.slopes import ColumnSlopes
from bochner.kernels.base import Stationary
from bochner.memory import row_slices
from bochner.sampling.grid import FrequencyGrid, GridError
from bochner.sampling.modes import full_modes, positive_modes

__all__ = ["GridMap"]

_FEW = 2**14  # features whose sum is faster than one transform, which takes a millisecond to begin
_ROWS = 2**20  # of one transform: angles and values take some ten arrays of them


@dataclass(frozen=True, eq=False)
class GridMap(FeatureMap):
    """Features of a kernel on a grid of frequencies: as many as the grid has modes.

    Attributes
    ----------
    kernel : Stationary
    grid : FrequencyGrid
    """

    kernel: Stationary
    grid: FrequencyGrid

    @cached_property
    def amplitude(self) -> Array:
        """sqrt(w) of every feature over those of sqrt(2) cos and sqrt(2) sin, shape (M,)."""
        w = np.sqrt(self.grid.weights(self.kernel.spectral_density(len(self.grid.extent))))
        return np.concatenate([w, w[1:]])

    @property
    def on_grid(self) -> GridMap:  # it is one
        return self

    @property
    def n_components(self) -> int:
        return self.grid.n_modes

    @property
    def scratch_width(self) -> int:
        return self.n_components // 2

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        rows, h = dense(X, float), self.n_components // 2
        phase = (rows - self.grid.centre) @ self._frequencies().T
        inside = self.grid.contains(rows)[:, None]
        size = np.sqrt(2) * self.amplitude[1 : h + 1]
        out[:, :1] = inside * self.amplitude[0]
        out[:, 1 : h + 1] = inside * size * np.cos(phase)
        out[:, h + 1 :] = inside * size * np.sin(phase)

    def n_bytes(self, dtype: FloatType) -> int:
        return 8 * self.n_components * (len(self.grid.extent) + 2)

    def response(self, X: Rows, coef: Array) -> Array:
        """z(x).coef of all rows and columns, (n, t), by one transform for two columns; of few rows by features."""
        if X.shape[0] * self.n_components <= _FEW:
            return transform(self, X, np.dtype(float)) @ coef
        rows, found = dense(X, float), np.empty((X.shape[0], coef.shape[1]))
        modes = [self._modes(coef[:, pair : pair + 2]) for pair in range(0, coef.shape[1], 2)]
        for part in row_slices(len(rows), _ROWS):
            angles, inside = self.grid.angles(rows[part]), self.grid.contains(rows[part])
            for pair, both in enumerate(modes):
                values = modes_to_points(angles, both, get_config().threads()) * inside
                found[part, 2 * pair] = values.real
                if 2 * pair + 1 < coef.shape[1]:
                    found[part, 2 * pair + 1] = values.imag
        return found

    def gradient_form(self, coef: Array) -> Array:
        """omega_j (b, -a) of coefficients (a, b) of cosines and sines."""
        h = self.n_components // 2
        omega = self._frequencies().T
        a, b = coef.T[:, None, 1 : h + 1], coef.T[:, None, h + 1 :]
        form = np.zeros((coef.shape[1], len(omega), self.n_components))
        form[:, :, 1 : h + 1], form[:, :, h + 1 :] = omega * b, -omega * a
        return form

    def residual_process(self, alpha: float) -> OutsideProcess:
        return OutsideProcess(self, 1 / alpha)

    def slopes(self, X: Rows, dtype: FloatType) -> Iterator[ColumnSlopes]:
        h, Z, unseen = self.n_components // 2, transform(self, X, dtype), self.unseen_slopes(X)
        turned = np.hstack([0 * Z[:, :1], -Z[:, h + 1 :], Z[:, 1 : h + 1]])
        for omega, beyond in zip(self._frequencies().T, unseen.T, strict=True):
            yield ColumnSlopes(turned * np.concatenate([[0], omega, omega]).astype(dtype), beyond)

    def unseen_slopes(self, X: Rows) -> Array:
        """Variances (n, d) of slopes of functions drawn from the kernel, outside of the cell; 0 inside."""
        rows = dense(X, float)
        prior = self.kernel.variance * self.kernel.second_moments(rows.shape[1])
        return np.where(self.grid.contains(rows)[:, None], 0.0, prior)

    def unseen_variance(self, X: Rows, Z: Array, alpha: float) -> Array:
        """The prior variance outside of the cell."""
        return np.where(self.grid.contains(dense(X, float)), 0.0, self.kernel.variance / alpha)

    def error(self, width: Array) -> GridError:
        """Bounds on |z(x).z(y) - k(x, y)| over rows that differ by at most `width` on every axis."""
        return self.grid.error(self.kernel.spectral_density(len(width)), width)

    def _frequencies(self) -> Array:
        """omega_j of the modes j > 0."""
        return 2 * pi / self.grid.period * positive_modes(self.grid.extent)

    def _modes(self, coef: Array) -> Array:
        """Complex modes of one or two real functions: f, or f + i g."""
        each = [full_modes(self.amplitude * column, self.grid.shape) for column in coef.T]
        return each[0] if len(each) == 1 else each[0] + 1j * each[1]
