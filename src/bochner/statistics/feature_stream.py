"""Features of all rows for an iterative solver, pass after pass: kept in memory if they fit, or computed anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array, FloatType
from bochner.config import get_config
from bochner.data import Block, RowSource
from bochner.engines import engine_of
from bochner.engines.base import Total
from bochner.features.base import FeatureMap, apply_map, new_scratch, transform
from bochner.statistics.feature_reduction import (
    Adjoint,
    FeatureRows,
    Forward,
    NormalProduct,
    StreamReduction,
    stream_cut,
)

__all__ = ["KEPT_FEATURES", "FeatureStream", "can_be_kept"]

Found = TypeVar("Found")

KEPT_FEATURES = "features of all rows"
"""Their name on a memory bill."""

_WRITTEN_BYTES = 2**24  # of features that are kept: threads then rarely fault on the same huge page
_COPIED_ROWS = 256
_SHARE_OF_BUDGET = 0.5


def can_be_kept(size: int) -> bool:
    """Whether features of so many bytes stay in memory: up to half of the budget."""
    return size <= _SHARE_OF_BUDGET * get_config().memory_budget()


class FeatureStream:
    """The features Z (n, D) of some rows, for many passes, wherever the rows are.

    Parameters
    ----------
    rows : RowSource
    feature_map : FeatureMap
    keep : bool or None, default=None
        Keep the features of all rows (n x D numbers) if they are worked on in this process; None: if they take at most
        half of the memory budget.
    dtype : dtype, default=None
        Float type of the features; None: that of the rows.

    Attributes
    ----------
    kept : bool
    features : array of shape (n, D) or None
        The features, if they are kept.
    n_passes : int
        Passes over the features so far.
    """

    def __init__(
        self, rows: RowSource, feature_map: FeatureMap, *, keep: bool | None = None, dtype: FloatType | None = None
    ) -> None:
        self.rows = rows
        self.feature_map = feature_map
        self.dtype = rows.dtype if dtype is None else dtype
        self.n_passes = 0
        self._engine = engine_of(rows)
        self._shipped = self._engine.ship(feature_map)
        self.block_rows = stream_cut(self.width, self.dtype).block_rows
        size = rows.n_rows * self.width * self.dtype.itemsize
        self.kept = self._engine.in_process and (can_be_kept(size) if keep is None else keep)
        self.features: Array | None = self._all_features() if self.kept else None
        if not self.kept:
            self._engine.hold(rows)

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows

    @property
    def width(self) -> int:
        return self.feature_map.n_components

    def forward(self, W: Array) -> Array:
        """Z W, shape (n, t), in float64."""
        found = self._reduce(Forward(self._shipped, self.dtype, W.astype(self.dtype)))
        return np.concatenate(found).astype(float) if found else np.empty((0, W.shape[1]))

    def adjoint(self, R: Array) -> Array:
        """Z'R, shape (D, t), summed over blocks in float64."""
        return self._reduce(Adjoint(self._shipped, self.dtype, R))

    def normal_product(self, V: Array, shift: Array, weight: Array | None) -> tuple[Array, Array]:
        """Z'(s T), shape (D, c), and the sums of s T, with T = Z V - shift."""
        c = V.shape[1]
        if c > 1 and c % 4:  # BLAS takes longer for two or three columns than for four
            spare = -c % 4
            V, shift = np.pad(V, ((0, 0), (0, spare))), np.pad(shift, (0, spare))
        product = NormalProduct(self._shipped, self.dtype, V.astype(self.dtype), shift, weight)
        total, of_moved = self._reduce(product)
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

    def for_each(self, work: Callable[[Array, slice], Found], finish: Callable[[Found], object] | None = None) -> None:
        """Call `work(Z, rows)` on every block, in threads, and `finish` with what it returned, in order of the rows.

        Fallback for work that cannot be sent to a cluster: its features are fetched, and the work is done here.
        """
        if self._engine.in_process:
            self._in_threads(work, finish)
            return
        for Z, rows in self._fetched():
            found = work(Z, rows)
            if finish is not None:
                finish(found)

    def _fetched(self) -> Iterator[tuple[Array, slice]]:
        self.n_passes += 1
        start = 0
        for blocks in self._engine.parts(self.rows, FeatureRows(self._shipped, self.dtype)):
            for Z in blocks:
                yield Z, slice(start, start + len(Z))
                start += len(Z)

    def _reduce(self, reduction: StreamReduction[Total, Found]) -> Total:
        if self.features is None:
            self.n_passes += 1
            return self._engine.reduce(self.rows, reduction, reduction.empty())
        total = reduction.empty()

        def add(part: Found) -> None:
            nonlocal total
            total = reduction.add(total, part)

        self._in_threads(reduction.of, add)
        return total

    def _in_threads(self, work: Callable[[Array, slice], Found], finish: Callable[[Found], object] | None) -> None:
        self.n_passes += 1
        kept = self.features
        if kept is not None:
            slices = [slice(i, min(i + self.block_rows, len(kept))) for i in range(0, len(kept), self.block_rows)]
            run_in_threads(lambda rows, _: work(kept[rows], rows), slices, state=lambda: None, finish=finish)
            return

        def state() -> tuple[Array, Array]:
            Z = np.empty((self.block_rows, self.width), dtype=self.dtype)
            return Z, new_scratch(self.feature_map, self.dtype)

        def handle(block: Block, own: tuple[Array, Array]) -> Found:
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
