"""Tiles of exact kernel values: one GEMM of augmented rows into scratch space, then one loop for the profile.

    ||x - y||^2 = [x, ||x||^2, 1] . [-2 y, 1, ||y||^2]

Rows are centred and scaled once, when they are prepared. Every kernel of distance goes through the GEMM, in float32 or
float64; others through their matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from bochner._typing import Array, FloatType
from bochner.groups import Transforms
from bochner.kernels.base import Stationary
from bochner.kernels.distance import DistanceKernel

__all__ = [
    "UNIT_ROUNDOFF",
    "DirectValues",
    "GemmValues",
    "MovedValues",
    "Prepared",
    "Values",
    "fast_values",
    "float32_error",
    "parts_of",
]

UNIT_ROUNDOFF = 2.0**-53


@dataclass(frozen=True)
class Prepared:
    """Rows as one side of a tile wants them, and what their rounding errors are proportional to."""

    rows: Array
    size: Array

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> Prepared:
        return Prepared(self.rows[rows], self.size[rows])


class Values(ABC):
    """Kernel values of two sets of prepared rows, off by at most error * (size_i + size_j), beside the profile's.

    `error` is a bound in float64, for ways of which `bochner.statistics.kernel_tiles` says so.
    """

    @property
    @abstractmethod
    def error(self) -> float: ...

    @abstractmethod
    def left(self, X: Array) -> Prepared:
        """Rows as the left side of a tile."""

    def right(self, X: Array) -> Prepared:
        """Rows as the right side of a tile."""
        return self.left(X)

    @abstractmethod
    def tile(self, left: Prepared, right: Prepared, out: Array) -> Array:
        """The values, in `out` (n, m) or in an array of their own."""


class GemmValues(Values):
    """A kernel of distance, by GEMM.

    In float64 the squared distance is off by (3 d + 16) u (||x||^2 + ||y||^2), of a sum of d + 2 products, of squares
    and of scaled rows, and |dk / d r^2| <= k(0) E omega_1^2 / 2, of the spectral measure in scaled coordinates:
    k(r) = k(0) E cos(omega_1 r), so |k'(r)| <= k(0) r E omega_1^2.
    """

    def __init__(self, kernel: DistanceKernel, factor: float, X: Array, dtype: FloatType) -> None:
        self.kernel, self.factor, self.dtype, self.centre = kernel, factor, dtype, X.mean(axis=0)

    @property
    def error(self) -> float:
        # A linear metric has sums of d products in every coordinate, too.
        d = len(self.centre) * (1 if self.kernel.isotropic else 2)
        return self.factor * self.kernel.curvature() * (1.5 * d + 8) * UNIT_ROUNDOFF

    def left(self, X: Array) -> Prepared:
        return self._augmented(X, 1.0, 0)

    def right(self, X: Array) -> Prepared:
        return self._augmented(X, -2.0, 1)

    def _augmented(self, X: Array, factor: float, at: int) -> Prepared:
        """Rows times a factor, then their squared norm and 1, or 1 and their squared norm."""
        rows = self.kernel.coordinates(X - self.centre)
        n, d = rows.shape
        size = np.einsum("ij,ij->i", rows, rows)
        augmented = np.ones((n, d + 2), self.dtype)
        augmented[:, :d] = np.multiply(rows, factor, out=rows)
        augmented[:, d + at] = size
        return Prepared(augmented, size)

    def tile(self, left: Prepared, right: Prepared, out: Array) -> Array:
        np.matmul(left.rows, right.rows.T, out=out)
        values = self.kernel.profile_of_square(out)
        if self.factor != 1:
            values *= values.dtype.type(self.factor)
        return values


class DirectValues(Values):
    """Any stationary kernel by its own matrix, of centred rows: differences keep their digits.

    |k(x, y) - k(x', y')| <= L (||x - x'|| + ||y - y'||); for a kernel of scaled distance in scaled coordinates.
    """

    def __init__(self, kernel: Stationary, factor: float, X: Array, dtype: FloatType) -> None:
        self.kernel, self.factor, self.centre, self.dtype = kernel, factor, X.mean(axis=0), dtype

    @property
    def error(self) -> float:
        profile, d = self.kernel.of_distance(), len(self.centre)
        slope = self.kernel.lipschitz(d) if profile is None else profile.steepest_slope()
        return self.factor * slope * (d + 8) * UNIT_ROUNDOFF

    def left(self, X: Array) -> Prepared:
        rows = X - self.centre
        profile = self.kernel.of_distance()
        size = np.linalg.norm(rows if profile is None else profile.coordinates(rows), axis=1)
        return Prepared(rows.astype(self.dtype, copy=False), size)

    def tile(self, left: Prepared, right: Prepared, out: Array) -> Array:
        values = self.kernel._matrix(left.rows, right.rows)
        return values if self.factor == 1 else self.factor * values


class MovedValues(Values):
    """Values averaged over transformations of the right side: sum_g q_g k(x, g y)."""

    def __init__(self, values: Values, transforms: Transforms, dtype: FloatType) -> None:
        self.values, self.transforms, self.weights = values, transforms, transforms.weights.astype(dtype)

    @property
    def error(self) -> float:
        return self.values.error

    def left(self, X: Array) -> Prepared:
        return self.values.left(X)

    def right(self, X: Array) -> Prepared:
        """Transformed rows (r n, d), transformations outermost."""
        return self.values.right(np.vstack([moved for _, moved in self.transforms.of(X)]))

    def tile(self, left: Prepared, right: Prepared, out: Array) -> Array:
        tile = self.values.tile(left, right, out).reshape(left.n_rows, len(self.weights), -1)
        found: Array = np.einsum("g,ngw->nw", self.weights, tile)
        return found


def fast_values(kernel: Stationary, X: Array, dtype: FloatType) -> Values:
    """Values in a float type, of rows like X: by GEMM for every kernel of distance, others by their matrix."""
    bare, factor, profile = parts_of(kernel)
    return DirectValues(bare, factor, X, dtype) if profile is None else GemmValues(profile, factor, X, dtype)


def float32_error(kernel: Stationary, X: Array) -> float:
    """Typical error of a float32 tile's values, not a bound; infinite if tiles are float64 anyway.

    Of squared distances 2^-24 of the squared norms; ten times that for a rough kernel, which sees roots of them.
    """
    _, factor, profile = parts_of(kernel)
    if profile is None:
        return np.inf
    squares = float(np.mean(GemmValues(profile, factor, X, np.dtype(float)).left(X).size))
    smooth = bool(np.all(np.isfinite(profile.second_moments(X.shape[1]))))
    return kernel.variance * 2.0**-24 * (1 + squares) * (1 if smooth else 10)


def parts_of(kernel: Stationary) -> tuple[Stationary, float, DistanceKernel | None]:
    """The kernel without its factor, the factor, and the kernel as a function of distance, if it is one."""
    bare = kernel.without_factor()
    return bare, kernel.variance / bare.variance, bare.of_distance()
