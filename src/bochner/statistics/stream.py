"""Features of all rows for an iterative solver, pass after pass: kept in memory if they fit, or computed anew."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config
from bochner.data.blocks import RowBlocks
from bochner.features.base import FeatureMap, apply_map, new_scratch, transform

__all__ = ["FeatureStream", "can_be_kept"]

_BLOCK_BYTES = 2**23  # of features: both products of a pass find the block in cache
_SHARE_OF_BUDGET = 0.5


def can_be_kept(size: int) -> bool:
    """Whether features of so many bytes stay in memory: up to half of the budget."""
    return size <= _SHARE_OF_BUDGET * get_config().memory_budget()


class FeatureStream:
    """The features Z (n, D) of some rows, for many passes.

    Parameters
    ----------
    blocks : RowBlocks
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

    def __init__(self, blocks: RowBlocks, feature_map: FeatureMap, *, keep: bool | None = None) -> None:
        self.blocks = blocks
        self.feature_map = feature_map
        self.n_passes = 0
        size = blocks.n_rows * self.width * self.dtype.itemsize
        self.kept = can_be_kept(size) if keep is None else keep
        self.features: Array | None = self._all_features() if self.kept else None
        self._slices = blocks.slices(int(np.clip(_BLOCK_BYTES // (self.width * self.dtype.itemsize), 32, 16384)))

    @property
    def n_rows(self) -> int:
        return self.blocks.n_rows

    @property
    def width(self) -> int:
        return self.feature_map.n_components

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.blocks.dtype

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
        total, lock = np.zeros((self.width, R.shape[1])), Lock()

        def add(Z: Array, rows: slice) -> None:
            own = R[rows].astype(self.dtype, copy=False)
            used = np.flatnonzero(own.any(axis=1))
            part = Z[used].T @ own[used] if 2 * len(used) < len(own) else Z.T @ own  # leave what is 0 unread
            with lock:
                np.add(total, part, out=total)

        self.for_each(add)
        return total

    def gather(self, rows: Array) -> Array:
        """Features of the rows of an index, in a new array."""
        if self.features is not None:
            return self.features[rows]
        return transform(self.feature_map, self.blocks.X[rows], self.dtype)

    def for_each(self, work: Callable[[Array, slice], None]) -> None:
        """Call `work(Z, rows)` on every block, in threads."""
        self.n_passes += 1
        run_in_threads(lambda rows, own: work(self._read(rows, own), rows), self._slices, state=self._scratch)

    def _all_features(self) -> Array:
        X = self.blocks.X
        return transform(self.feature_map, X if X.dtype == self.dtype else X.astype(self.dtype), self.dtype)

    def _scratch(self) -> tuple[Array, Array]:
        if self.features is not None:
            return np.empty((0, 0)), np.empty((0, 0))
        rows = self._slices[0].stop
        return np.empty((rows, self.width), dtype=self.dtype), new_scratch(self.feature_map, self.dtype)

    def _read(self, rows: slice, own: tuple[Array, Array]) -> Array:
        if self.features is not None:
            return self.features[rows]
        block = self.blocks.read(rows)
        Z = own[0][: block.n_rows]
        apply_map(self.feature_map, block.X, Z, own[1])
        return Z
