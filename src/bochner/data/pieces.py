"""Row sources of variable-size pieces: prefetched, rechunked to blocks, counted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np

from bochner._typing import JsonDict
from bochner.data.prefetch import prefetched
from bochner.data.rechunk import rechunked
from bochner.data.shape import Shape
from bochner.data.source import Block, RowSource, checked_block
from bochner.errors import InvalidDataError

__all__ = ["PieceSource"]

_PIECE_BYTES = 2**24  # at most, of one piece: a thousand rows of a thousand columns, so that columns are worth a call
_PIECE_ROWS = 2**15
_AHEAD = 2
_PIECES_HELD = _AHEAD + 3  # the queue, one being read, one being cut, one whose last rows are still in use


class PieceSource(RowSource):
    """Rows that come in pieces of any size.

    A kind of storage is one subclass: `_pieces`, and `_count_rows` where there is a cheaper way to count than a pass.

    Parameters
    ----------
    shape : Shape
    n_rows : int or None
        Rows, if that is known.
    row_bytes : int
        Bytes of a row, as it is handed on and as it is stored.
    most_rows : int
        Rows of a piece, at most.

    Attributes
    ----------
    piece_rows : int
        Rows of a piece: some megabytes.
    n_passes : int
        Passes begun so far, those that only count rows included.
    """

    def __init__(self, shape: Shape, n_rows: int | None, *, row_bytes: int, most_rows: int = _PIECE_ROWS) -> None:
        self.shape = shape
        self.dtype = shape.dtype
        self.target_dtype = shape.target_dtype
        self.feature_names = shape.feature_names
        self.piece_rows = int(np.clip(_PIECE_BYTES // row_bytes, 1, most_rows))
        rows_held = _PIECES_HELD * self.piece_rows
        self.read_bytes = row_bytes * (rows_held if n_rows is None else min(rows_held, n_rows))
        self.n_passes = 0
        self._stated_rows = self._n_rows = n_rows

    @abstractmethod
    def _pieces(self) -> Iterator[Block]:
        """All rows, in order. Where a piece starts is worked out by the caller."""

    def _count_rows(self) -> int:
        """Number of rows by one more pass; asked for only if neither the storage nor a pass has told it."""
        self.n_passes += 1
        return sum(piece.n_rows for piece in self._pieces())

    @property
    def n_rows(self) -> int:
        if self._n_rows is None:
            self._n_rows = self._count_rows()
        return self._n_rows

    @property
    def known_rows(self) -> int | None:
        return self._n_rows

    @property
    def n_features(self) -> int:
        return self.shape.n_features

    @property
    def n_targets(self) -> int:
        return self.shape.n_targets

    @property
    def weighted(self) -> bool:
        return self.shape.weighted

    def read(self, block_rows: int) -> Iterator[Block]:
        return self._cut(self._numbered_pieces(), block_rows)

    def blocks(self, block_rows: int) -> Iterator[Block]:
        # Pieces are looked at, not blocks: in the thread that reads, and each has one origin.
        return self._cut((checked_block(piece, self.feature_names) for piece in self._numbered_pieces()), block_rows)

    def fingerprint(self) -> JsonDict:
        return {"n_rows": self._stated_rows, **self._description()}

    def _numbered_pieces(self) -> Iterator[Block]:
        start = 0
        for piece in self._pieces():
            yield replace(piece, start=start)
            start += piece.n_rows
            self._compare(start, at_end=False)  # what was sized by n_rows must not overflow
        self._compare(start, at_end=True)
        self._n_rows = start

    def _cut(self, pieces: Iterator[Block], block_rows: int) -> Generator[Block, None, None]:
        self.n_passes += 1
        with closing(prefetched(pieces, _AHEAD)) as ahead:
            yield from rechunked(ahead, block_rows)

    def _compare(self, seen: int, *, at_end: bool) -> None:
        expected = self._n_rows
        if expected is not None and (seen > expected or (at_end and seen < expected)):
            many = f"{seen}" if at_end else f"at least {seen}"
            raise InvalidDataError(f"The number of rows must be {expected}, as stated or found before. Got {many}.")
