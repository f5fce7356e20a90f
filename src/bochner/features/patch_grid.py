"""Positions of the patches of an image, on a square grid or on rings, and the weights by which they are pooled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.sparse import csr_array

from bochner._typing import Array
from bochner.groups.interpolation import sampled_points

__all__ = ["PatchGrid", "PolarPatchGrid", "Positions"]

_ROUNDING = 32  # units of it, below which a patch has no contrast


@dataclass(frozen=True)
class Positions(ABC):
    """Positions of patches, and points about which they are pooled.

    Attributes
    ----------
    shape : (height, width, channels)
    patch : int
        Side of a patch.
    pool : (int, int)
        Points of pooling: along the height and the width, or rings and angles.
    gaussian : bool
        Weights fall off as a Gaussian with half the distance of two points as its deviation; else they are equal in the
        cell of a point, and 0 outside.
    centred : bool
        The mean of every channel is taken away from a patch.
    """

    shape: tuple[int, int, int]
    patch: int
    pool: tuple[int, int]
    gaussian: bool
    centred: bool

    @property
    @abstractmethod
    def sides(self) -> tuple[int, int]:
        """Positions of a patch along the height and the width, or rings and angles."""

    @abstractmethod
    def weights(self) -> Array:
        """Pooling weights h_g(u), (points, positions); those of a point sum to 1."""

    @abstractmethod
    def windows(self, X: Array) -> Array:
        """Patches of rows (n, d) as they are: (n positions, channels, patch^2), a copy."""

    @property
    def n_positions(self) -> int:
        return self.sides[0] * self.sides[1]

    @property
    def n_points(self) -> int:
        return self.pool[0] * self.pool[1]

    @property
    def n_pixels(self) -> int:
        return self.shape[0] * self.shape[1] * self.shape[2]

    @property
    def patch_size(self) -> int:
        """Numbers of a patch."""
        return self.patch**2 * self.shape[2]

    def patches(self, X: Array) -> tuple[Array, Array]:
        """Unit patches (n positions, patch_size) of rows (n, d), and their lengths; those without contrast are zero."""
        found = self.windows(X)
        before = np.sqrt(np.einsum("ijk,ijk->i", found, found))
        if self.centred:
            found -= found.mean(axis=2, keepdims=True)
        length = np.sqrt(np.einsum("ijk,ijk->i", found, found))
        faint = length <= _ROUNDING * np.finfo(X.dtype).eps * before
        length[faint] = 0
        found /= np.where(faint, 1, length)[:, None, None]
        found[faint] = 0
        return found.reshape(len(found), -1), length

    def _along(self, n: int, m: int, *, circle: bool = False) -> Array:
        """Weights of n positions on a line, or a circle, about m points in the middles of equal cells."""
        cell = n / m
        distance = np.abs(np.arange(n) - (cell * (np.arange(m)[:, None] + 0.5) - 0.5))
        if circle:
            distance = np.minimum(distance, n - distance)
        distance /= cell
        weights = np.exp(-2 * distance**2) if self.gaussian else (distance <= 0.5 + 1e-12).astype(float)
        return weights / weights.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class PatchGrid(Positions):
    """All patches of whole pixels, pooled about the points of a square grid."""

    @property
    def sides(self) -> tuple[int, int]:
        return self.shape[0] - self.patch + 1, self.shape[1] - self.patch + 1

    def weights(self) -> Array:
        along = [self._along(n, m) for n, m in zip(self.sides, self.pool)]
        return np.kron(*along)

    def windows(self, X: Array) -> Array:
        images = X.reshape(len(X), *self.shape)
        windows = sliding_window_view(images, (self.patch, self.patch), axis=(1, 2))
        return np.array(windows, order="C").reshape(-1, self.shape[2], self.patch**2)


@dataclass(frozen=True)
class PolarPatchGrid(Positions):
    """Patches about points of rings around the middle of an image, each turned with its angle; pixels are interpolated.

    Points of pooling are rings and angles, the angles outermost. Turning an image by one angle shifts its pooled
    features by one block of all rings (`CyclicShifts(block_size=...)`), up to interpolation.
    """

    @property
    def sides(self) -> tuple[int, int]:
        rings = max(1, (min(self.shape[:2]) - self.patch + 1) // 2)  # one pixel apart
        angles = self.pool[1] * max(1, -(-4 * rings // self.pool[1]))  # outermost, some 1.6 pixels apart
        return rings, angles

    def weights(self) -> Array:
        rings, angles = self.sides
        return np.kron(self._along(angles, self.pool[1], circle=True), self._along(rings, self.pool[0]))

    def windows(self, X: Array) -> Array:
        found: Array = self.sampling.astype(X.dtype) @ X.T
        return np.array(found.T, order="C").reshape(-1, self.shape[2], self.patch**2)

    @cached_property
    def sampling(self) -> csr_array:
        """Interpolated pixels of all patches as a matrix (positions channels patch^2, pixels)."""
        rings, angles = self.sides
        side = np.arange(self.patch) - (self.patch - 1) / 2
        out, along = (each.ravel() for each in np.meshgrid(side, side, indexing="ij"))
        turn = np.repeat(2 * np.pi * np.arange(angles) / angles, rings)[:, None]
        radius = np.tile(np.arange(rings) + 0.5, angles)[:, None] + out
        down = radius * np.cos(turn) - along * np.sin(turn)
        right = radius * np.sin(turn) + along * np.cos(turn)
        return sampled_points(self.shape, np.stack([down, right], axis=-1))
