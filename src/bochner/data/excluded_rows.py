"""A row source minus excluded rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bochner._typing import Array, FloatType
from bochner.data.source import Block, RowSource

__all__ = ["ExcludedRows"]


@dataclass(frozen=True)
class ExcludedRows(RowSource):
    """The rows of a source but for some of them; no more than a block is copied.

    Attributes
    ----------
    source : RowSource
    left_out : array of int
        Numbers of the rows to leave out, ascending.
    """

    source: RowSource
    left_out: Array

    @property
    def dtype(self) -> FloatType:  # type: ignore[override]
        return self.source.dtype

    @property
    def n_rows(self) -> int:
        return self.source.n_rows - len(self.left_out)

    @property
    def n_features(self) -> int:
        return self.source.n_features

    @property
    def n_targets(self) -> int:
        return self.source.n_targets

    @property
    def weighted(self) -> bool:
        return self.source.weighted

    def read(self, block_rows: int) -> Iterator[Block]:
        start = 0
        for block in self.source.blocks(block_rows):
            first, last = np.searchsorted(self.left_out, [block.start, block.start + block.n_rows])
            kept = np.delete(np.arange(block.n_rows), self.left_out[first:last] - block.start)
            weight = None if block.sample_weight is None else block.sample_weight[kept]
            if len(kept) > 0:
                yield Block(block.X[kept], block.Y[kept], weight, start, block.origin)
            start += len(kept)

    blocks = read  # the source has looked at them
