"""Products of the exact kernel matrix with block vectors, tile by tile: K V without K, in O(n) memory.

    (K V)_i = sum_j k(x_i, x_j) V_j,      |computed - exact|_i <= rounding_i

A tile of kernel values stays in cache and is multiplied with all columns of V at once; a symmetric product computes
half of the tiles, and keeps them for the next one if it is given room. In float64, every product comes with a bound on
its own rounding errors, so that what is said of it can be rounded outwards; float32 tiles are several times faster, and
have none. Sums over tiles are float64 in both.
With a group, k is the orbit kernel E k(g x, g' y).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._threads import run_in_threads
from bochner._typing import Array, FloatType
from bochner.config import get_config
from bochner.features import FeatureMap, RankWarp, WarpedMap
from bochner.features.kernel_sums import kernel_sums
from bochner.features.kernel_tiles import UNIT_ROUNDOFF, Prepared, Values, fast_values
from bochner.features.nystroem import KernelMap, draw_nystroem_map
from bochner.groups import Transforms
from bochner.kernels.base import Stationary
from bochner.memory import row_slices
from bochner.statistics.kept_tiles import KeptTiles
from bochner.statistics.kernel_tiles import PROFILE_ERROR, OrbitValues, bounded_values

__all__ = ["BLOCK_ROWS", "ExactKernel", "KernelProduct", "symmetric_tile_bytes"]

_ROWS, _COLUMNS = 256, 512  # of a tile: 512 kB in float32; larger ones were slower, with one column and with many
_FEW_COLUMNS = 32  # of a block vector: BLAS is faster for more
BLOCK_ROWS = 128
"""Rows of the kernel matrix that are computed at a time where all of it is looked at once."""


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
    precision : dtype, default=None
        Float type of the tiles, without bounds on their rounding. None: float64, in ways whose rounding is bounded.
        Orbit kernels and kernels that are no function of distance have float64 tiles always.
    room : int, default=0
        Bytes of tiles that are kept from one symmetric product to the next.

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
    precision: FloatType | None = None
    room: int = 0
    _counter: list[int] = field(default_factory=lambda: [0], repr=False)
    _values: Values = field(init=False, repr=False)
    _left: Prepared = field(init=False, repr=False)
    _right: Prepared = field(init=False, repr=False)
    _kept: list[KeptTiles] = field(init=False, default_factory=list, repr=False)

    def __post_init__(self) -> None:
        X = self._seen(self.X)
        values = self._ways(X)
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_left", values.left(X))
        object.__setattr__(self, "_right", values.right(X))

    def _ways(self, X: Array) -> Values:
        if self.transforms is not None:
            return OrbitValues(self.kernel, self.transforms, self.one_sided, X)
        if self.precision is None:
            return bounded_values(self.kernel, X)
        return fast_values(self.kernel, X, self.precision)

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
        left = self._left if X is None else self._values.left(self._seen(X))
        out = np.empty((left.n_rows, self.n_rows))
        scratch = np.empty((min(_ROWS, len(out)), self.n_rows), self._tile_type)
        for rows in row_slices(len(out), _ROWS):
            out[rows] = self._values.tile(left[rows], self._right, scratch[: rows.stop - rows.start])
        return out

    def row_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Rows of `matrix()`, some at a time, with their numbers."""
        for rows in row_slices(self.n_rows, BLOCK_ROWS):
            out = np.empty((rows.stop - rows.start, self.n_rows), self._tile_type)
            yield rows, self._values.tile(self._left[rows], self._right, out)

    @property
    def _tile_type(self) -> FloatType:
        return np.dtype(float) if self.precision is None else self.precision

    def value_rounding(self) -> float:
        """By how much any entry of `matrix()` may be off."""
        assert self.precision is None
        size = float(np.max(self._right.size, initial=0.0))
        return 2 * self._values.error * size + PROFILE_ERROR * self.kernel.variance

    def times(self, V: Array) -> Array:
        """K V for V (n, c), in float64."""
        self._counter[0] += 1
        tiles = list(enumerate(_symmetric_tiles(self.n_rows)))
        n_lanes, kept = min(len(tiles), get_config().threads()), self._kept_tiles(len(tiles))
        sums, factors = np.zeros((n_lanes, V.shape[1], self.n_rows)), np.ascontiguousarray(V.T, self._tile_type)

        def add(lane: int, scratch: Array) -> None:
            # A fixed share for every lane: the order of the sums does not depend on which thread is faster.
            for number, (rows, columns) in tiles[lane::n_lanes]:
                shape = rows.stop - rows.start, columns.stop - columns.start
                tile = kept.tile(number, shape, scratch, partial(self._symmetric_tile, rows, columns))
                _add_products(tile, factors, rows, columns, sums[lane])

        run_in_threads(add, range(n_lanes), state=self._scratch)
        return np.ascontiguousarray(sums.sum(axis=0).T)

    def _kept_tiles(self, n_tiles: int) -> KeptTiles:
        """The tiles that are kept, at the first product none of them known."""
        if not self._kept:
            size = _ROWS * _COLUMNS
            most = self.room // (size * self._tile_type.itemsize)
            self._kept.append(KeptTiles(min(n_tiles, most), size, self._tile_type))
        return self._kept[0]

    def forget_tiles(self) -> None:
        """Give back the memory of the tiles that are kept; the next product computes them again."""
        self._kept.clear()

    def _symmetric_tile(self, rows: slice, columns: slice, space: Array) -> Array:
        """A tile of the matrix of the rows with themselves."""
        tile = self._values.tile(self._left[rows], self._right[columns], space)
        if columns.start <= rows.start and self.transforms is None:
            # k(0), where float32 distances of a rough kernel would be far off
            own = np.arange(rows.stop - rows.start)
            tile[own, own + rows.start - columns.start] = self.kernel.variance
        return tile

    def cross_times(self, X: Array, V: Array) -> Array:
        """k(X, rows) V for other rows X (m, d)."""
        return kernel_sums(self._values, self._values.left(self._seen(X)), self._right, V, self._tile_type)

    def _scratch(self) -> Array:
        """Space for a tile: one for every thread."""
        return np.empty(_ROWS * _COLUMNS, self._tile_type)

    def precise_times(self, V: Array) -> tuple[Array, Array]:
        """K V with sums in extended precision, and a bound on |computed - exact|: that of the values. For few rows.

        Where `longdouble` is float64, as on some systems, the bound is as wide as it has to be there.
        """
        self._counter[0] += 1
        wide, out = V.astype(np.longdouble), np.empty(V.shape)
        for rows, values in self.row_blocks():
            out[rows] = values.astype(np.longdouble) @ wide
        sums = float(self.n_rows * np.finfo(np.longdouble).eps) + UNIT_ROUNDOFF
        return out, self._rounding(V, self._left, sums)

    def rounding(self, V: Array, X: Array | None = None) -> Array:
        """Bound on |computed - exact| of every entry of `times(V)`, or of `cross_times(X, V)`.

        Kernel values are off by at most a (size_i + size_j) + 1e-14 k(0); a sum of products in blocks of t terms, in
        any order, by (t + n / t + 2 lanes) units of its absolute value.
        """
        terms = _COLUMNS + self.n_rows / _ROWS + 2 * get_config().threads() + 4
        return self._rounding(V, self._left if X is None else self._values.left(self._seen(X)), terms * UNIT_ROUNDOFF)

    def _rounding(self, V: Array, left: Prepared, sums: float) -> Array:
        """The bound for sums that are off by so large a part of their absolute value."""
        assert self.precision is None
        absolute = np.abs(V)
        total, sized = absolute.sum(axis=0), self._right.size @ absolute
        unit = self.kernel.variance * (sums + PROFILE_ERROR)
        bound = self._values.error * (left.size[:, None] * total + sized) + unit * total
        return bound * (1 + 1e-9)


def _symmetric_tiles(n: int) -> Iterator[tuple[slice, slice]]:
    """Rows and columns of the tiles on and above the diagonal."""
    for outer in row_slices(n, _COLUMNS):
        for columns in row_slices(n, _COLUMNS):
            if columns.start >= outer.start:
                yield from (
                    (slice(i, min(i + _ROWS, outer.stop)), columns) for i in range(outer.start, outer.stop, _ROWS)
                )


def symmetric_tile_bytes(n: int) -> int:
    """Bytes of all float32 tiles of a symmetric product of n rows."""
    blocks = -(-n // _COLUMNS)
    return blocks * (blocks + 1) * _ROWS * _COLUMNS * 4


def _add_products(tile: Array, V: Array, rows: slice, columns: slice, sums: Array) -> None:
    """Add the product of a tile to the sums (c, n), and that of its transpose, unless it has a part of the diagonal."""
    mirrored = columns.start > rows.start
    if len(V) <= _FEW_COLUMNS:
        from bochner.statistics._tile_loops import add_tile_products

        add_tile_products(tile, V, rows.start, columns.start, mirrored, sums)
        return
    sums[:, rows] += V[:, columns] @ tile.T
    if mirrored:
        sums[:, columns] += V[:, rows] @ tile


def _shaped(scratch: Array, rows: slice, columns: slice) -> Array:
    """The first part of flat scratch space as a tile."""
    shape = rows.stop - rows.start, columns.stop - columns.start
    return scratch[: shape[0] * shape[1]].reshape(shape)
