"""Row source of arrays, memory maps and sparse matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.data.source import Block, RowSource

__all__ = ["ArrayRows", "sampled_index"]


@dataclass(frozen=True)
class ArrayRows(RowSource):
    """Rows in memory or in a memory map, read block by block; nothing of the size of the data is copied.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, d)
    Y : array of shape (n,) or (n, t)
    sample_weight : array of shape (n,) or None
    dtype : float32 or float64
        The float type of the computation.
    """

    X: Any
    Y: Array
    sample_weight: Array | None
    dtype: np.dtype[Any]

    in_memory: ClassVar[bool] = True  # type: ignore[misc]

    @classmethod
    def sampled(cls, rows: RowSource, size: int, seed: int) -> ArrayRows:
        """Rows of positive weight, drawn at random from another source, with targets and weights."""
        Y, weight = rows.targets()
        index = sampled_index(rows.n_rows, weight, size, seed)
        return cls(rows.take(index), Y[index], None if weight is None else weight[index], rows.dtype)

    @property
    def arrays(self) -> ArrayRows:  # they are
        return self

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_targets(self) -> int:
        return 1 if self.Y.ndim == 1 else int(self.Y.shape[1])

    @property
    def weighted(self) -> bool:
        return self.sample_weight is not None

    def read(self, block_rows: int) -> Iterator[Block]:
        for start in range(0, self.n_rows, block_rows):
            yield self._block(slice(start, min(start + block_rows, self.n_rows)))

    blocks = read  # these rows have been looked at when they were handed over

    # Rows in memory are indexed: no pass, as in the base class.
    def take(self, index: Array) -> Any:
        return self._cast(self.X[index])

    def targets(self) -> tuple[Array, Array | None]:
        Y = np.asarray(self.Y, dtype=np.float64).reshape(self.n_rows, -1)
        return Y, None if self.sample_weight is None else np.asarray(self.sample_weight, dtype=np.float64)

    def _block(self, rows: slice) -> Block:
        X = self._cast(self.X[rows])
        Y = np.asarray(self.Y[rows], dtype=np.float64).reshape(X.shape[0], -1)
        weight = None if self.sample_weight is None else np.asarray(self.sample_weight[rows], dtype=np.float64)
        return Block(X, Y, weight, rows.start)

    def _cast(self, X: Rows) -> Rows:
        return X.astype(self.dtype, copy=False) if issparse(X) else np.asarray(X, dtype=self.dtype)


def sampled_index(n_rows: int, weight: Array | None, size: int, seed: int) -> Array:
    """Numbers of at most `size` rows of positive weight, drawn at random, ascending."""
    present = np.arange(n_rows) if weight is None else np.flatnonzero(weight)
    if len(present) > size:
        present = np.sort(generator(seed, Purpose.LEFT_OUT).choice(present, size=size, replace=False))
    return present
