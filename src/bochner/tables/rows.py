"""Training and test rows of a table: inputs, targets and weights, and the encoded matrix of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.memory import MemoryBill, require_memory
from bochner.tables.encoder import TableEncoder
from bochner.tables.new_values import NewValues
from bochner.tables.target import Target

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SplitTable", "TableRows", "encode_rows", "split_rows"]

_LARGE = 2**24
"""Numbers in a table from which float32 is used: half the memory, and twice the speed."""


@dataclass(frozen=True)
class TableRows:
    """Some rows of a table: inputs as they stand in it (None if there are no rows), targets and weights."""

    inputs: pa.Table | None
    y: Array
    weight: Array | None

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class SplitTable:
    """Rows to fit and rows held out (`mask`), and how many rows without a target were left out before.

    `file_rows` are the numbers of the rows that were left in; None: all were.
    """

    target: Target
    fit: TableRows
    held_out: TableRows
    n_without_target: int
    mask: Array
    file_rows: Array | None = None

    def numbers(self, *, held_out: bool) -> Array:
        """Numbers, in the table as it was read, of the rows of one part."""
        chosen = np.flatnonzero(self.mask == held_out)
        return chosen if self.file_rows is None else self.file_rows[chosen]


def split_rows(
    table: pa.Table,
    target: Target,
    weight: Array | None,
    held_out: Array,
    *,
    n_without_target: int = 0,
    file_rows: Array | None = None,
) -> SplitTable:
    """The rows of a table in two parts; `held_out` is a mask."""

    def part(mask: Array) -> TableRows:
        inputs = table.filter(mask) if mask.any() else None
        return TableRows(inputs, target.values[mask], None if weight is None else weight[mask])

    return SplitTable(target, part(~held_out), part(held_out), n_without_target, held_out, file_rows)


def encode_rows(encoder: TableEncoder, table: pa.Table, y: Array | None = None) -> Array:
    """Fit the encoder and encode the rows: in float32 if they are many, and only if they fit in the memory budget."""
    out_of_fold = encoder.learn(table, y)
    shape = table.num_rows, len(encoder.get_feature_names_out())
    if shape[0] * shape[1] > _LARGE:
        encoder.set_params(dtype="float32")
    encoded = shape[0] * shape[1] * np.dtype(encoder.dtype).itemsize
    bill = MemoryBill({f"{shape[0]:,} rows of {shape[1]:,} encoded columns": encoded})
    require_memory(
        bill, "Leave columns out (--drop). In Python: give categories fewer levels, TableEncoder(max_levels=...)."
    )
    return encoder.encode(table, NewValues(), out_of_fold)
