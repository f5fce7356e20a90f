"""Products of the exact kernel matrix with block vectors, tile by tile: K V without K, in O(n) memory.

    (K V)_i = sum_j k(x_i, x_j) V_j,      |computed - exact|_i <= rounding_i

A tile of kernel values stays in cache and is multiplied with all columns of V at once; a symmetric product computes
half of the tiles. Every product comes with a bound on its own rounding errors, so that what is said of it can be
rounded outwards. With a group, k is the orbit kernel E k(g x, g' y).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config
from bochner.errors import AssumptionError
from bochner.features import FeatureMap, RankWarp, WarpedMap, transform
from bochner.features.nystroem import KernelMap, draw_nystroem_map
from bochner.groups import Transforms
from bochner.kernels.base import Isotropic, Stationary
from bochner.memory import row_slices

__all__ = ["BLOCK_ROWS", "ExactKernel", "KernelProduct"]

_TILE = 512  # rows and columns: 2 MB of values, which stay in L2
BLOCK_ROWS = 128
"""Rows of the kernel matrix that are computed at a time where all of it is looked at once."""

_UNIT = 2.0**-53
_PROFILE = 1e-14  # relative error of a profile at a given distance: exp, powers and Bessel functions
_GEMM_ERROR = 1e-12  # of a kernel value, up to which distances come from inner products


@dataclass(frozen=True)
class ExactKernel:
    """The kernel that a feature map approximates.

    Attributes
    ----------
    kernel : Stationary
    transforms : Transforms or None
        Transformations of its orbit kernel; None: the kernel itself.
    one_sided : bool
        Whether moving one side only gives the same average.
    warp : RankWarp or None
        The kernel is one of warped rows, k(w(x), w(y)); None: of the rows themselves.
    """

    kernel: Stationary
    transforms: Transforms | None = None
    one_sided: bool = False
    warp: RankWarp | None = None

    def on(self, warp: RankWarp) -> ExactKernel:
        """The kernel of warped rows."""
        return replace(self, warp=warp)

    def of(self, X: Any) -> KernelProduct:
        """Its products for some rows, dense or sparse."""
        rows = dense(X, float)
        return KernelProduct(self.kernel, rows, self.transforms, self.one_sided, self.warp)

    def landmark_map(self, points: Array) -> FeatureMap:
        """Its Nystroem features with some points as landmarks."""
        points = np.asarray(points, dtype=float)
        seen = points if self.warp is None else self.warp(points)
        drawn = draw_nystroem_map(KernelMap(self.kernel, seen, self.transforms, self.one_sided))
        return drawn if self.warp is None else WarpedMap(self.warp, drawn)

    def named(self) -> str:
        """ " with ..." for a machine with an orbit kernel; nothing for the kernel itself."""
        return "" if self.transforms is None else f" with {self}"

    def __str__(self) -> str:
        if self.transforms is None:
            return "the kernel"
        return "the orbit kernel" if self.transforms.whole else "the mean kernel over the sampled transformations"


@dataclass(frozen=True, eq=False)
class KernelProduct:
    """Rows under an exact kernel, and products with their kernel matrix.

    Parameters
    ----------
    kernel : Stationary
    X : array of shape (n, d)
    transforms : Transforms, default=None
        Transformations to average over: the orbit kernel.
    one_sided : bool, default=False
        Whether moving one side only gives the same average (`KernelMap`).
    warp : RankWarp, default=None
        Applied to all rows first.

    Attributes
    ----------
    n_products : int
        Columns do not count: how often the kernel matrix was gone through.
    """

    kernel: Stationary
    X: Array
    transforms: Transforms | None = None
    one_sided: bool = False
    warp: RankWarp | None = None
    _counter: list[int] = field(default_factory=lambda: [0], repr=False)
    _values: _Values = field(init=False, repr=False)
    _rows: _Prepared = field(init=False, repr=False)

    def __post_init__(self) -> None:
        X = self._seen(self.X)
        values = _of_kernel(self.kernel, X) if self.transforms is None else _OrbitValues(self, X)
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_rows", values.prepared(X))

    def _seen(self, X: Array) -> Array:
        """Rows as the kernel sees them."""
        rows = np.asarray(X, dtype=float)
        return rows if self.warp is None else self.warp(rows)

    @property
    def n_rows(self) -> int:
        return len(self.X)

    @property
    def n_products(self) -> int:
        return self._counter[0]

    def diagonal(self, X: Array | None = None) -> Array:
        """k(x, x) of the rows, or of others."""
        rows = self._seen(self.X if X is None else X)
        return KernelMap(self.kernel, rows[:1], self.transforms, self.one_sided).diagonal(rows)

    def matrix(self, X: Array | None = None) -> Array:
        """The kernel values of all rows (or of others) against the rows: for few of them."""
        left = self._rows if X is None else self._values.prepared(self._seen(X))
        out = np.empty((left.n_rows, self.n_rows))
        for start in range(0, len(out), _TILE):
            rows = slice(start, start + _TILE)
            out[rows] = self._values.tile(left[rows], self._rows)
        return out

    def row_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Rows of `matrix()`, some at a time, with their numbers."""
        for rows in row_slices(self.n_rows, BLOCK_ROWS):
            yield rows, self._values.tile(self._rows[rows], self._rows)

    def value_rounding(self) -> float:
        """By how much any entry of `matrix()` may be off."""
        size = float(np.max(self._rows.size, initial=0.0))
        return 2 * self._values.error * size + _PROFILE * self.kernel.variance

    def times(self, V: Array) -> Array:
        """K V for V (n, c), in float64."""
        self._counter[0] += 1
        starts = range(0, self.n_rows, _TILE)
        pairs = [(i, j) for i in starts for j in starts if i <= j]
        n_lanes = min(len(pairs), get_config().threads())
        sums = np.zeros((n_lanes, *V.shape))

        def add(lane: int, _: None) -> None:
            # A fixed share for every lane: the order of the sums does not depend on which thread is faster.
            for i, j in pairs[lane::n_lanes]:
                left, right = slice(i, i + _TILE), slice(j, j + _TILE)
                tile = self._values.tile(self._rows[left], self._rows[right])
                sums[lane, left] += tile @ V[right]
                if i != j:
                    sums[lane, right] += tile.T @ V[left]

        run_in_threads(add, range(n_lanes), state=lambda: None)
        return sums.sum(axis=0)

    def cross_times(self, X: Array, V: Array) -> Array:
        """k(X, rows) V for other rows X (m, d)."""
        left, out = self._values.prepared(self._seen(X)), np.zeros((len(X), V.shape[1]))

        def write(i: int, _: None) -> None:
            rows = slice(i, i + _TILE)
            for j in range(0, self.n_rows, _TILE):
                columns = slice(j, j + _TILE)
                out[rows] += self._values.tile(left[rows], self._rows[columns]) @ V[columns]

        run_in_threads(write, range(0, len(X), _TILE), state=lambda: None)
        return out

    def rounding(self, V: Array, X: Array | None = None) -> Array:
        """Bound on |computed - exact| of every entry of `times(V)`, or of `cross_times(X, V)`.

        Kernel values are off by at most a (size_i + size_j) + 1e-14 k(0); a sum of products in blocks of t terms, in
        any order, by (t + n / t + 2 lanes) units of its absolute value.
        """
        left = self._rows if X is None else self._values.prepared(self._seen(X))
        absolute = np.abs(V)
        total, sized = absolute.sum(axis=0), self._rows.size @ absolute
        terms = _TILE + self.n_rows / _TILE + 2 * get_config().threads() + 4
        unit = self.kernel.variance * (terms * _UNIT + _PROFILE)
        bound = self._values.error * (left.size[:, None] * total + sized) + unit * total
        return bound * (1 + 1e-9)


@dataclass(frozen=True)
class _Prepared:
    """Rows as a tile wants them, their squared norms, and what their rounding errors are proportional to."""

    X: Array
    squares: Array
    size: Array

    @property
    def n_rows(self) -> int:
        return len(self.X)

    def __getitem__(self, rows: slice) -> _Prepared:
        return _Prepared(self.X[rows], self.squares[rows], self.size[rows])


class _Values(ABC):
    """Kernel values of two sets of prepared rows, off by at most error * (size_i + size_j), beside the profile's."""

    error: float

    @abstractmethod
    def prepared(self, X: Array) -> _Prepared: ...

    @abstractmethod
    def tile(self, left: _Prepared, right: _Prepared) -> Array: ...


class _GemmValues(_Values):
    """A smooth kernel of distance, ||x - y||^2 = ||x||^2 + ||y||^2 - 2 x.y by GEMM.

    The squared distance is off by 2 (d + 8) u (||x||^2 + ||y||^2), and |dk / d r^2| <= k(0) E omega_1^2 / 2, of the
    spectral measure in scaled coordinates: k(r) = k(0) E cos(omega_1 r), so |k'(r)| <= k(0) r E omega_1^2.
    """

    def __init__(self, kernel: Isotropic, factor: float, X: Array) -> None:
        self.kernel, self.factor, d = kernel, factor, X.shape[1]
        self.centre, self.scale = X.mean(axis=0), np.broadcast_to(kernel.scales(d), (d,))
        curvature = float(np.max(kernel.second_moments(d) * np.square(self.scale)))
        self.error = factor * curvature * (d + 8) * _UNIT

    def prepared(self, X: Array) -> _Prepared:
        rows = (X - self.centre) / self.scale
        squares = np.einsum("ij,ij->i", rows, rows)
        return _Prepared(rows, squares, squares)

    def tile(self, left: _Prepared, right: _Prepared) -> Array:
        squared = left.X @ (-2 * right.X.T)
        squared += left.squares[:, None]
        squared += right.squares
        np.maximum(squared, 0, out=squared)
        values = self.kernel.profile_of_square(squared)
        if self.factor != 1:
            values *= self.factor
        return values


class _DirectValues(_Values):
    """Any stationary kernel by its own matrix, of centred rows: differences keep their digits.

    |k(x, y) - k(x', y')| <= L (||x - x'|| + ||y - y'||); for a kernel of scaled distance in scaled coordinates.
    """

    def __init__(self, kernel: Stationary, factor: float, X: Array) -> None:
        self.kernel, self.factor, self.centre, d = kernel, factor, X.mean(axis=0), X.shape[1]
        profile = kernel.of_distance()
        self.scale = 1.0 if profile is None else profile.scales(d)
        slope = kernel.lipschitz(d) if profile is None else profile.steepest_slope()
        if not np.isfinite(slope):
            raise _not_lipschitz(kernel)
        self.error = factor * slope * (d + 8) * _UNIT

    def prepared(self, X: Array) -> _Prepared:
        rows = X - self.centre
        return _Prepared(rows, np.empty(len(rows)), np.linalg.norm(rows / self.scale, axis=1))

    def tile(self, left: _Prepared, right: _Prepared) -> Array:
        values = self.kernel._matrix(left.X, right.X)
        return values if self.factor == 1 else self.factor * values


class _OrbitValues(_Values):
    """The mean of a kernel over transformations of both sides, or of one where that is the same.

    `KernelMap` takes distances from inner products, of rows that are centred at most once more: 4 times the squared
    norms. A rough kernel sees the root of what is lost there.
    """

    def __init__(self, owner: KernelProduct, X: Array) -> None:
        self.owner, d = owner, X.shape[1]
        moments, slope = owner.kernel.second_moments(d), owner.kernel.lipschitz(d)
        self.smooth, loss = bool(np.all(np.isfinite(moments))), 8 * (d + 8) * _UNIT
        if not (self.smooth or np.isfinite(slope)):
            raise _not_lipschitz(owner.kernel)
        self.error = owner.kernel.variance * float(np.max(moments)) * loss / 2 if self.smooth else slope * np.sqrt(loss)

    def prepared(self, X: Array) -> _Prepared:
        assert self.owner.transforms is not None
        moved = np.max([np.linalg.norm(rows, axis=1) for _, rows in self.owner.transforms.of(X)], axis=0)
        return _Prepared(X, np.empty(len(X)), np.square(moved) if self.smooth else moved)

    def tile(self, left: _Prepared, right: _Prepared) -> Array:
        values = KernelMap(self.owner.kernel, right.X, self.owner.transforms, self.owner.one_sided)
        return transform(values, left.X, np.dtype(float))


def _not_lipschitz(kernel: Stationary) -> AssumptionError:
    return AssumptionError(f"The rounding of products with {kernel!r} cannot be bounded: it is not Lipschitz.")


def _of_kernel(kernel: Stationary, X: Array) -> _Values:
    """The faster way where it is precise enough."""
    bare = kernel.without_factor()
    factor, profile = kernel.variance / bare.variance, bare.of_distance()
    if profile is not None and np.all(np.isfinite(profile.second_moments(X.shape[1]))):
        fast = _GemmValues(profile, factor, X)
        if 2 * fast.error * float(np.max(fast.prepared(X).size, initial=0.0)) <= _GEMM_ERROR * factor:
            return fast
    return _DirectValues(bare, factor, X)
