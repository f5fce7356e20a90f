"""Checksums of rows in their order: whether the rows of a checkpoint are those at hand."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from bochner.data import READ_ROWS, Block, RowSource
from bochner.engines import Cut, Reduction, engine_of

__all__ = ["block_checksum", "rows_checksum"]


def rows_checksum(rows: RowSource) -> str:
    """A checksum of all rows in their order, for a fit whose state does not tell which rows are in it: one pass.

    Unlike `RowIdentity` it depends on the order of the rows, as an iterative fit does.
    """
    checksums = engine_of(rows).reduce(rows, _Checksums(), [])
    return f"{crc32(repr(checksums).encode()):08x}"


class _Checksums(Reduction[list[int], int]):
    """Checksums of consecutive blocks."""

    def cut(self, n_rows: int) -> Cut:
        return Cut(READ_ROWS)

    def empty(self) -> list[int]:
        return []

    def scratch(self, block_rows: int) -> None:
        return None

    def part(self, block: Block, scratch: None) -> int:
        return block_checksum(block)

    def add(self, total: list[int], part: int) -> list[int]:
        return [*total, part]

    def merge(self, total: list[int], other: list[int]) -> list[int]:
        return [*total, *other]


def block_checksum(block: Block) -> int:
    """CRC-32 of a block's numbers, and of labels that are texts."""
    X = block.X
    parts = (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)
    total = 0
    for part in (*parts, block.Y, block.sample_weight):
        if part is not None:
            total = crc32(_bytes_of(part), total)
    return total


def _bytes_of(part: Any) -> Any:
    array = np.ascontiguousarray(part).reshape(-1)
    return repr(array.tolist()).encode() if array.dtype.hasobject else array.view(np.uint8).data
