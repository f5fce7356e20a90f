"""Rechunking: pieces of any size to blocks of one size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.sparse import vstack as stack_sparse

from bochner.data.source import Block

__all__ = ["rechunked", "stacked"]


def rechunked(pieces: Iterable[Block], block_rows: int) -> Iterator[Block]:
    """The rows of the pieces in blocks of exactly `block_rows`, the last one shorter.

    Blocks depend on the rows and `block_rows` alone, not on how the rows came in pieces. The origin of a block is that
    of its first row. What lies within one piece is a view of it.
    """
    held: list[Block] = []
    start, missing = 0, block_rows
    for piece in pieces:
        used = 0
        while piece.n_rows - used >= missing:
            held.append(_rows(piece, used, used + missing))
            used += missing
            yield _joined(held, start)
            held, start, missing = [], start + block_rows, block_rows
        if used < piece.n_rows:
            held.append(_rows(piece, used, piece.n_rows))
            missing -= piece.n_rows - used
    if held:
        yield _joined(held, start)


def stacked(parts: Sequence[Any]) -> Any:
    """Arrays or sparse matrices on top of each other; a single one as it is."""
    if len(parts) == 1:
        return parts[0]
    return stack_sparse(parts).tocsr() if issparse(parts[0]) else np.concatenate(parts)


def _rows(piece: Block, start: int, stop: int) -> Block:
    if start == 0 and stop == piece.n_rows:
        return piece
    rows = slice(start, stop)
    weight = None if piece.sample_weight is None else piece.sample_weight[rows]
    return Block(piece.X[rows], piece.Y[rows], weight, 0, piece.origin)


def _joined(parts: list[Block], start: int) -> Block:
    weights = [part.sample_weight for part in parts if part.sample_weight is not None]
    X, Y = stacked([part.X for part in parts]), stacked([part.Y for part in parts])
    return Block(X, Y, stacked(weights) if weights else None, start, parts[0].origin)
