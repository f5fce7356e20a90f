"""Features of all rows for an iterative solver, pass after pass: kept in memory if they fit, or computed anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config
from bochner.data import Block, RowSource
from bochner.features.base import FeatureMap, apply_map, new_scratch, transform

__all__ = ["FeatureStream", "can_be_kept", "open_stream"]

Part = TypeVar("Part")

_BLOCK_BYTES = 2**23  # of features: both products of a pass find the block in cache
_WRITTEN_BYTES = 2**24  # of features that are kept: threads then rarely fault on the same huge page
_COPIED_ROWS = 256
_SHARE_OF_BUDGET = 0.5


def can_be_kept(size: int) -> bool:
    """Whether features of so many bytes stay in memory: up to half of the budget."""
    return size <= _SHARE_OF_BUDGET * get_config().memory_budget()


class FeatureStream:
    """The features Z (n, D) of some rows, for many passes.

    Parameters
    ----------
    rows : RowSource
    feature_map : FeatureMap
    keep : bool or None, default=None
        Keep the features of all rows (n x D numbers); None: if they take at most half of the memory budget.

    Attributes
    ----------
    kept : bool
    features : array of shape (n, D) or None
        The features, if they are kept.
    n_passes : int
        Passes over the features so far.
    """

    def __init__(self, rows: RowSource, feature_map: FeatureMap, *, keep: bool | None = None) -> None:
        self.rows = rows
        self.feature_map = feature_map
        self.n_passes = 0
        self.block_rows = int(np.clip(_BLOCK_BYTES // (self.width * self.dtype.itemsize), 32, 16384))
        size = rows.n_rows * self.width * self.dtype.itemsize
        self.kept = can_be_kept(size) if keep is None else keep
        self.features: Array | None = None
        if self.kept:
            self.features = self._all_features()

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows

    @property
    def width(self) -> int:
        return self.feature_map.n_components

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.rows.dtype

    def forward(self, W: Array) -> Array:
        """Z W, shape (n, k), in float64."""
        scores = np.empty((self.n_rows, W.shape[1]))
        weights = W.astype(self.dtype)

        def respond(Z: Array, rows: slice) -> None:
            scores[rows] = Z @ weights

        self.for_each(respond)
        return scores

    def adjoint(self, R: Array) -> Array:
        """Z'R, shape (D, k), summed over blocks in float64."""
        total = np.zeros((self.width, R.shape[1]))

        def product(Z: Array, rows: slice) -> Array:
            own = R[rows].astype(self.dtype, copy=False)
            used = np.flatnonzero(own.any(axis=1))
            return Z[used].T @ own[used] if 2 * len(used) < len(own) else Z.T @ own  # leave what is 0 unread

        self.for_each(product, lambda part: np.add(total, part, out=total))
        return total

    def normal_product(self, V: Array, shift: Array, weight: Array | None) -> tuple[Array, Array]:
        """Z'(s T), shape (D, c), and the sums of s T, with T = Z V - shift: both products while a block is in cache."""
        c = V.shape[1]
        if c > 1 and c % 4:  # BLAS takes longer for two or three columns than for four
            spare = -c % 4
            V, shift = np.pad(V, ((0, 0), (0, spare))), np.pad(shift, (0, spare))
        narrow = V.astype(self.dtype)
        # Transposed sums: BLAS then writes and NumPy adds long rows (at 3 to 40 columns mostly 10 to 20 % less time).
        total, of_moved = np.zeros((V.shape[1], self.width)), np.zeros(V.shape[1])

        def products(Z: Array, rows: slice) -> tuple[Array, Array]:
            moved = Z @ narrow - shift
            if weight is not None:
                moved *= weight[rows, None]
            return moved.T.astype(Z.dtype) @ Z, moved.sum(axis=0)

        def add(parts: tuple[Array, Array]) -> None:
            np.add(total, parts[0], out=total)
            np.add(of_moved, parts[1], out=of_moved)

        self.for_each(products, add)
        return total[:c].T, of_moved[:c]

    def gather(self, index: Array) -> Array:
        """Features of the rows of an index, in a new array."""
        Z = np.empty((len(index), self.width), dtype=self.dtype)
        self.gather_into(index, Z)
        return Z

    def gather_into(self, index: Array, out: Array) -> None:
        """Write the features of the rows of an index to `out` (len(index), D), some at a time."""
        kept = self.features
        X = self.rows.take(index) if kept is None else kept
        for start in range(0, len(index), _COPIED_ROWS):
            part = slice(start, start + _COPIED_ROWS)
            out[part] = transform(self.feature_map, X[part], self.dtype) if kept is None else X[index[part]]

    def for_each(self, work: Callable[[Array, slice], Part], finish: Callable[[Part], object] | None = None) -> None:
        """Call `work(Z, rows)` on every block, in threads, and `finish` with what it returned, in order of the rows."""
        self.n_passes += 1
        kept = self.features
        if kept is not None:
            slices = [slice(i, min(i + self.block_rows, len(kept))) for i in range(0, len(kept), self.block_rows)]
            run_in_threads(lambda rows, _: work(kept[rows], rows), slices, state=lambda: None, finish=finish)
            return

        def state() -> tuple[Array, Array]:
            Z = np.empty((self.block_rows, self.width), dtype=self.dtype)
            return Z, new_scratch(self.feature_map, self.dtype)

        def handle(block: Block, own: tuple[Array, Array]) -> Part:
            Z = own[0][: block.n_rows]
            apply_map(self.feature_map, block.X, Z, own[1])
            return work(Z, slice(block.start, block.start + block.n_rows))

        run_in_threads(handle, self.rows.blocks(self.block_rows), state=state, finish=finish)

    def _all_features(self) -> Array:
        Z = np.empty((self.n_rows, self.width), dtype=self.dtype)

        def write(block: Block, scratch: Array) -> None:
            apply_map(self.feature_map, block.X, Z[block.start : block.start + block.n_rows], scratch)

        blocks = self.rows.blocks(max(self.block_rows, _WRITTEN_BYTES // (self.width * self.dtype.itemsize)))
        run_in_threads(write, blocks, state=lambda: new_scratch(self.feature_map, self.dtype))
        return Z


def open_stream(rows: RowSource, feature_map: FeatureMap, *, keep: bool | None = None) -> FeatureStream:
    """The features of some rows where these are: here, or on the workers of a cluster."""
    if rows.distributed:
        from bochner.statistics.dask import DaskRows, DistributedStream

        assert isinstance(rows, DaskRows)
        return DistributedStream(rows, feature_map)
    return FeatureStream(rows, feature_map, keep=keep)
