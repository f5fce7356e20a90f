"""Features of all rows for an iterative solver, pass after pass: kept in memory if they fit, or recomputed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config
from bochner.data.blocks import Block, RowBlocks
from bochner.features.base import FeatureMap, apply_map, new_scratch

__all__ = ["FeatureStream"]

_BLOCK_BYTES = 2**25
_SHARE_OF_BUDGET = 0.5


class FeatureStream:
    """The features of some rows, for many passes.

    Parameters
    ----------
    blocks : RowBlocks
    feature_map : FeatureMap
    keep : bool or None, default=None
        Keep the features of all rows (n x D numbers); None: if they take at most half of the memory budget.

    Attributes
    ----------
    kept : bool
    n_passes : int
        Passes over the features so far.
    """

    def __init__(self, blocks: RowBlocks, feature_map: FeatureMap, *, keep: bool | None = None) -> None:
        self.blocks = blocks
        self.feature_map = feature_map
        self.n_passes = 0
        D, item = feature_map.n_components, blocks.dtype.itemsize
        size = blocks.n_rows * D * item
        self.kept = size <= _SHARE_OF_BUDGET * get_config().memory_budget() if keep is None else keep
        rows = int(np.clip(_BLOCK_BYTES // (D * item), 16, 16384))
        self._slices = blocks.slices(rows)
        self._features: Array | None = None

    def total(self, work: Callable[[Array, Block, slice], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Sums over all blocks of the tuples `work(Z, block, rows)`; blocks are handled in threads."""
        lock, sums = Lock(), list[Any]()

        def handle(rows: slice, scratch: tuple[Array, Array]) -> None:
            parts = work(*self._read(rows, scratch), rows)
            with lock:
                sums[:] = [a + b for a, b in zip(sums, parts, strict=True)] if sums else parts

        self.n_passes += 1
        self._prepare()
        run_in_threads(handle, self._slices, state=self._scratch)
        return tuple(sums)

    def __iter__(self) -> Iterator[tuple[Array, Block, slice]]:
        """Blocks in their order, on this thread."""
        self.n_passes += 1
        self._prepare()
        scratch = self._scratch()
        for rows in self._slices:
            yield (*self._read(rows, scratch), rows)

    def _prepare(self) -> None:
        """Compute the features once, if they are kept."""
        if not self.kept or self._features is not None:
            return
        features = np.empty((self.blocks.n_rows, self.feature_map.n_components), dtype=self.blocks.dtype)

        def fill(rows: slice, scratch: Array) -> None:
            apply_map(self.feature_map, self.blocks.read(rows).X, features[rows], scratch)

        run_in_threads(fill, self._slices, state=lambda: new_scratch(self.feature_map, self.blocks.dtype))
        self._features = features

    def _scratch(self) -> tuple[Array, Array]:
        if self.kept:
            return np.empty((0, 0)), np.empty((0, 0))
        rows = self._slices[0].stop - self._slices[0].start
        Z = np.empty((rows, self.feature_map.n_components), dtype=self.blocks.dtype)
        return Z, new_scratch(self.feature_map, self.blocks.dtype)

    def _read(self, rows: slice, scratch: tuple[Array, Array]) -> tuple[Array, Block]:
        block = self.blocks.read(rows)
        if self._features is not None:
            return self._features[rows], block
        Z = scratch[0][: block.n_rows]
        apply_map(self.feature_map, block.X, Z, scratch[1])
        return Z, block
