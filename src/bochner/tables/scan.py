"""Scans of mixed tables: a random sample to learn columns from, and their rows encoded piece by piece."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from joblib import hash as object_hash

from bochner._random import Purpose, generator
from bochner._typing import Array, JsonDict, MatrixLike
from bochner.config import get_config
from bochner.data import Block, RowSource, TableSource
from bochner.data.pieces import PieceSource
from bochner.errors import InvalidDataError, TableWarning
from bochner.memory import MemoryBill, require_memory
from bochner.tables.cells import rows_counted
from bochner.tables.new_values import NewValues
from bochner.tables.reservoir import Reservoir, rows_to_keep

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EncodedScan", "Encoder", "sample_of", "scan_of"]

_SEED = 0  # the same sample of the same rows every time


class Encoder(Protocol):
    """A fitted encoder of tables (`TableEncoder`)."""

    dtype: str

    def encode(self, X: MatrixLike, seen: NewValues) -> Array: ...

    def get_feature_names_out(self) -> Array: ...


def scan_of(X: MatrixLike | RowSource) -> TableSource | None:
    """The scan that a user handed over in place of a table in memory, or None; scans without names are refused."""
    as_table = getattr(type(X), "as_table", None)  # of the class: a frame has its columns as attributes
    return None if as_table is None else as_table(X)


def sample_of(scan: TableSource) -> tuple[pa.Table, Array]:
    """A random sample of the rows of a scan by one pass, in their order, and their numbers; all of them if few."""
    budget = get_config().memory_budget()
    require_memory(MemoryBill({"reading the table": scan.read_bytes}), "Raise the memory budget.")
    kept, n_rows = None, 0
    for _, rows in scan.tables():
        if kept is None and rows.num_rows:
            kept = Reservoir(rows_to_keep(rows, budget), generator(_SEED, Purpose.SUBSAMPLE))
        if kept is not None:
            kept.offer(rows, np.arange(n_rows, n_rows + rows.num_rows))
        n_rows += rows.num_rows
    if kept is None:
        raise InvalidDataError("The table must have rows and columns. Got a scan without rows.")
    drawn, numbers = kept.drawn()
    order = np.argsort(numbers)
    return drawn.take(order), numbers[order]


class EncodedScan(PieceSource):
    """The rows of a scanned table, encoded; targets and weights are those of the scan.

    What the rows have that those of the encoder did not have is said in a `TableWarning` after the first pass.

    Parameters
    ----------
    scan : TableSource
    encoder : Encoder
    """

    def __init__(self, scan: TableSource, encoder: Encoder) -> None:
        self.scan, self.encoder = scan, encoder
        names = [str(name) for name in encoder.get_feature_names_out()]
        shape = replace(scan.shape, n_features=len(names), dtype=np.dtype(encoder.dtype), feature_names=names)
        row_bytes = 8 * (2 * len(scan.layout.columns) + len(names) + shape.n_targets)
        super().__init__(shape, scan.known_rows, row_bytes=row_bytes)
        self.read_bytes += scan.read_bytes
        self._told = False

    def fingerprint(self) -> JsonDict:
        return {**self.scan.fingerprint(), **super().fingerprint(), "encoder": object_hash(self.encoder)}

    def _pieces(self) -> Iterator[Block]:
        seen, start = NewValues(), 0

        def features(rows: pa.Table) -> Array:
            with rows_counted(np.arange(start, start + rows.num_rows)):
                return self.encoder.encode(rows, seen)

        for piece in self.scan.encoded_pieces(features, self.piece_rows):
            yield piece
            start += piece.n_rows
        if not self._told:
            self._told = True
            for sentence in seen.sentences():
                warnings.warn(sentence, TableWarning, stacklevel=2)

    def _count_rows(self) -> int:
        return self.scan.n_rows
