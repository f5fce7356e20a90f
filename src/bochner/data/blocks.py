"""Blocks of rows. Nothing else knows where rows come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bochner._typing import Array

__all__ = ["Block", "RowBlocks"]


@dataclass(frozen=True)
class Block:
    """Some rows: X (b, d) dense or CSR, targets Y (b, k) in float64, weights (b,) in float64 or None.

    `start` is the number of the first of them.
    """

    X: Any
    Y: Array
    sample_weight: Array | None
    start: int

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])


@dataclass(frozen=True)
class RowBlocks:
    """Rows in memory or in a memory map, read block by block; nothing of the size of the data is copied.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, d)
    Y : array of shape (n,) or (n, k)
    sample_weight : array of shape (n,) or None
    dtype : float32 or float64
        The float type of the computation.
    """

    X: Any
    Y: Array
    sample_weight: Array | None
    dtype: np.dtype[Any]

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_targets(self) -> int:
        return 1 if self.Y.ndim == 1 else int(self.Y.shape[1])

    def slices(self, block_rows: int) -> list[slice]:
        """The blocks, as slices of rows."""
        return [slice(start, min(start + block_rows, self.n_rows)) for start in range(0, self.n_rows, block_rows)]

    def read(self, rows: slice) -> Block:
        """One block in the float type of the computation."""
        X = self.X[rows]
        X = X.astype(self.dtype, copy=False) if issparse(X) else np.asarray(X, dtype=self.dtype)
        Y = np.asarray(self.Y[rows], dtype=np.float64).reshape(X.shape[0], -1)
        weight = None if self.sample_weight is None else np.asarray(self.sample_weight[rows], dtype=np.float64)
        return Block(X, Y, weight, rows.start)
