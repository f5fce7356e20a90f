"""First pass over a table that is not read into memory: target, number of rows, held-out rows, a sample.

One pass, and one more for every column of a CSV file whose type its first megabytes did not tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import TableFile
from bochner.errors import InvalidDataError
from bochner.tables.cells import rows_counted
from bochner.tables.named_columns import no_column
from bochner.tables.reading import missing, read_column
from bochner.tables.reservoir import Reservoir
from bochner.tables.rows import TableRows
from bochner.tables.split import refuse_one_part, says_test
from bochner.tables.target import Target, Task, refuse_missing, refuse_weights, target_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnRoles", "Survey", "column_values", "survey"]

_MOST_VALUES = 1000  # different values of a target that are told apart
_HELD_OUT_SHARE = 0.4  # of the rows that are kept: the others are for the encoder


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of a table that are no inputs, and what they say of rows."""

    target: str
    weight: str | None = None
    split: str | None = None
    drop_missing_target: bool = False

    @property
    def named(self) -> list[str]:
        return [name for name in (self.target, self.weight, self.split) if name is not None]

    def with_target(self, rows: pa.Table) -> Array:
        """Which rows are used: those with a target, if the others are to be left out."""
        if not self.drop_missing_target:
            return np.ones(rows.num_rows, dtype=bool)
        return rows[self.target].is_valid().to_numpy()

    def held_out(self, rows: pa.Table) -> Array:
        """Which rows the split column holds out."""
        return np.zeros(rows.num_rows, dtype=bool) if self.split is None else says_test(rows[self.split])


@dataclass(frozen=True)
class Survey:
    """What one pass has told of a table.

    Attributes
    ----------
    target : Target
        Its values are the different ones.
    n_fit, n_test, n_without_target : int
        Rows to fit, rows to hold out and rows that are left out.
    sample : Arrow table
        Rows to fit, drawn at random.
    sample_rows : array of int
        Their numbers in the table.
    held_out : TableRows
        Rows to score the model on, drawn from those that are held out.
    test_rows : array of int
        Their numbers in the table.
    left_out : array of int
        Numbers of the rows of the file that were drawn to be held out, ascending; those of a split column are not
        listed.
    """

    target: Target
    n_fit: int
    n_test: int
    n_without_target: int
    sample: pa.Table
    sample_rows: Array
    held_out: TableRows
    test_rows: Array
    left_out: Array


def survey(
    file: TableFile, roles: ColumnRoles, *, task: Task | None, test_size: float, n_kept: int, seed: int
) -> Survey:
    """Read a table once; at most `n_kept` rows of it are kept."""
    absent = [name for name in roles.named if name not in file.schema.names]
    if absent:
        raise no_column(repr(file.path), absent[0], file.schema.names)
    while True:
        try:
            return _Pass(file, roles, n_kept, seed).survey(task, test_size)
        except InvalidDataError as failure:
            file.settle(failure)


class _Pass:
    """The sums of one pass."""

    def __init__(self, file: TableFile, roles: ColumnRoles, n_kept: int, seed: int) -> None:
        self.file, self.roles = file, roles
        self.n_held_out = int(_HELD_OUT_SHARE * n_kept)
        rng = generator(seed, Purpose.HELD_OUT)
        self.training = Reservoir(n_kept if roles.split is None else n_kept - self.n_held_out, rng)
        self.test = Reservoir(self.n_held_out, rng)
        self.n_rows, self.n_without, self.weights = 0, 0, 0.0
        self.values: set[object] = set()

    def survey(self, task: Task | None, test_size: float) -> Survey:
        for origin, rows in self.file.tables():
            self._add(rows, origin)
        if not self.n_rows:
            raise InvalidDataError(f"{self.file.path!r} has columns, and no rows.")
        target = self._target(task)
        if self.roles.weight is not None and not self.weights:
            raise InvalidDataError(f"The weights {self.roles.weight!r} must not all be zero.")
        kept, numbers = self.training.drawn()
        n_used = self.n_rows - (self.n_without if self.roles.drop_missing_target else 0)
        if self.roles.split is not None:
            refuse_one_part(self.test.n_offered, n_used, self.roles.split)
            (test, test_rows), n_test, left_out = self.test.drawn(), self.test.n_offered, np.empty(0, dtype=np.int64)
        else:
            n_test = min(round(test_size * n_used), self.n_held_out, len(numbers) - 1)
            test, kept, test_rows, numbers = kept[:n_test], kept[n_test:], numbers[:n_test], numbers[n_test:]
            left_out = np.sort(test_rows)
        return Survey(
            target,
            n_used - n_test,
            n_test,
            self.n_without if self.roles.drop_missing_target else 0,
            kept,
            numbers,
            _rows(test, target, self.roles),
            test_rows,
            left_out,
        )

    def _add(self, rows: pa.Table, origin: str) -> None:
        numbers = np.arange(self.n_rows, self.n_rows + rows.num_rows)
        self.n_rows += rows.num_rows
        with rows_counted(numbers):
            self._look_at_target(rows)
            used = self.roles.with_target(rows)
            if self.roles.weight is not None:
                self._look_at_weights(rows, used)
        test = self.roles.held_out(rows)
        for mask, reservoir in ((used & ~test, self.training), (used & test, self.test)):
            if mask.any():
                reservoir.offer(rows.filter(mask), numbers[mask])

    def _look_at_target(self, rows: pa.Table) -> None:
        values = column_values(rows, self.roles.target)
        absent = missing(values)
        self.n_without += int(absent.sum())
        if len(self.values) <= _MOST_VALUES:
            self.values.update(np.unique(values[~absent]).tolist())

    def _look_at_weights(self, rows: pa.Table, used: Array) -> None:
        assert self.roles.weight is not None
        weights = column_values(rows, self.roles.weight)
        with rows_counted(np.flatnonzero(used)):
            refuse_weights(weights[used], self.roles.weight)
        self.weights += float(weights[used].sum())

    def _target(self, task: Task | None) -> Target:
        import pyarrow as pa

        name = self.roles.target
        if not self.roles.drop_missing_target or self.n_without == self.n_rows:
            refuse_missing(self.n_without, self.n_rows, name)
        kind = self.file.schema.field(name).type
        more = len(self.values) > _MOST_VALUES
        found = sorted(self.values)[:_MOST_VALUES] if more else sorted(self.values)  # type: ignore[type-var]
        values = np.array(found, dtype=object if type(found[0]) is str else None)
        return target_of(
            name,
            values,
            task,
            integer=pa.types.is_integer(kind),
            boolean=pa.types.is_boolean(kind),
            n_rows=self.n_rows,
            more=more,
        )


def column_values(rows: pa.Table, name: str) -> Array:
    """A column of a batch as `read_column` gives it."""
    import narwhals as nw

    return read_column(nw.from_native(rows[name], series_only=True), name)


def _rows(table: pa.Table, target: Target, roles: ColumnRoles) -> TableRows:
    """Held-out rows, with targets of the type that predictions have."""
    if not table.num_rows:
        return TableRows(None, np.empty(0), None)
    y = target.cast(column_values(table, target.name))
    weight = None if roles.weight is None else column_values(table, roles.weight)
    return TableRows(table, y, weight)
