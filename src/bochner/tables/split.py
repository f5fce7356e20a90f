"""Train and test split of a table: at random (stratified for classes), or by a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import train_test_split

from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.tables.named_columns import column_of_table
from bochner.tables.target import Target

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["held_out_by_column", "held_out_by_lot", "refuse_one_part", "says_test"]

_HELD_OUT = ("test", "true", "1", "1.0")


def held_out_by_column(table: pa.Table, name: str, path: str) -> Array:
    """Rows in which a column says test, true or 1."""
    chosen = says_test(column_of_table(table, name, path))
    refuse_one_part(int(chosen.sum()), len(chosen), name)
    return chosen


def says_test(column: pa.Array | pa.ChunkedArray) -> Array:
    """Where a column says test, true or 1."""
    return np.array([str(value).strip().lower() in _HELD_OUT for value in column.to_pylist()], dtype=bool)


def refuse_one_part(n_test: int, n_rows: int, name: str) -> None:
    """Refuse a split column that holds out all rows or none."""
    if n_test in (0, n_rows):
        raise InvalidDataError(
            f"The split column {name!r} must say test, true or 1 in the rows to hold out, and something else in the "
            f"others. It does so in {n_test:,} of {n_rows:,} rows."
        )


def held_out_by_lot(target: Target, share: float, seed: int) -> Array:
    """A random share of the rows; of every class alike, where each has two rows or more."""
    n = len(target.values)
    chosen = np.zeros(n, dtype=bool)
    if share == 0:
        return chosen
    if not 1 <= round(share * n) <= n - 1:
        raise InvalidDataError(
            f"--test-size {share:g} of {n} rows must leave rows to fit and rows to hold out. 0 holds out none."
        )
    _, test = train_test_split(np.arange(n), test_size=share, random_state=seed, stratify=_strata(target, share))
    chosen[test] = True
    return chosen


def _strata(target: Target, share: float) -> Array | None:
    if target.task == "regression":
        return None
    _, counts = np.unique(target.values, return_counts=True)
    held_out = share * len(target.values)
    possible = counts.min() >= 2 and min(held_out, len(target.values) - held_out) >= len(counts)
    return target.values if possible else None
