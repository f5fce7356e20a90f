"""Target column of a table: regression or classification, class labels, and sample weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from bochner._magnitude import beyond, largest_number
from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.tables.cells import CellError
from bochner.tables.named_columns import column_of_table
from bochner.tables.reading import missing, read_column
from bochner.tables.texts import as_options, hint_of, is_number, look_alike, nearly, one_of_few, shortened

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RULE", "Target", "Task", "read_target", "read_weights", "refuse_missing", "refuse_weights", "target_of"]

Task: TypeAlias = Literal["regression", "classification"]

_FEW, _EXACT = 10, 2.0**53
RULE = f"texts, true and false, or at most {_FEW} different whole numbers are classes; other numbers are regression"


@dataclass(frozen=True)
class Target:
    """Values of the target, the task, and why it is this one."""

    name: str
    task: Task
    reason: str
    values: Array

    @property
    def classes(self) -> int:
        return len(np.unique(self.values))

    @property
    def labels(self) -> list[str]:
        """Labels of classes that are texts."""
        return np.unique(self.values).tolist() if self.values.dtype.kind == "U" else []

    @property
    def notes(self) -> list[str]:
        """What a person should look at: classes that are one by mistake, that are none, or that have one row."""
        same, alone = look_alike(self.labels), self._alone()
        hint = hint_of(self.labels) if len(self.labels) > _FEW else ""
        told = {
            f"Classes {same} of {self.name!r} differ only by capitals or blanks, and are taken as different.": same,
            f"The texts of {self.name!r} are taken as {len(self.labels):,} classes{hint}.": hint,
            f"Class {alone!r} of {self.name!r} has one row: it is learned or scored, not both.": alone,
        }
        return [note for note, reason in told.items() if reason]

    def _alone(self) -> str:
        """The first class of one row where others have more; empty if there is none."""
        if self.task != "classification":
            return ""
        labels, counts = np.unique(self.values, return_counts=True)
        return str(labels[counts == 1][0]) if (counts > 1).any() and (counts == 1).any() else ""

    def cast(self, values: Array) -> Array:
        """Other values of the same column, none missing, in the type of these."""
        return values.astype(str if self.labels else self.values.dtype)


def read_target(table: pa.Table, name: str, path: str, task: Task | None = None) -> Target:
    """The target column of a table without missing values in it.

    The task is told from the values (`RULE`) unless it is given. Labels keep their type: texts, numbers, booleans.
    """
    import narwhals as nw

    column = nw.from_native(column_of_table(table, name, path), series_only=True)
    values = read_column(column, name)
    refuse_missing(int(missing(values).sum()), len(values), name)
    _refuse_marks(name, values)
    _refuse_huge(name, values)
    return target_of(name, values, task, integer=column.dtype.is_integer(), boolean=column.dtype == nw.Boolean)


def target_of(
    name: str,
    values: Array,
    task: Task | None,
    *,
    integer: bool,
    boolean: bool,
    n_rows: int | None = None,
    more: bool = False,
) -> Target:
    """Target of its values, none missing; of a table in parts the different values, or some if there are `more`."""
    if values.dtype.kind == "M":
        raise InvalidDataError(
            f"The target {name!r} must be numbers or classes. Got dates: make them numbers, such as days since a date."
        )
    if np.all(values == values[0]):
        raise _constant(name, values[0])
    told, reason = _task(values, integer=integer, boolean=boolean, more=more)
    if task is None:
        task = told
    elif task != told:
        reason = f"as given; its values alone would say {told}"
    if task == "regression":
        if values.dtype.kind != "f":
            other = next((text for text in map(str, values) if not is_number(text)), str(values[0]))
            raise InvalidDataError(f"The target {name!r} must be numbers for regression. Got {shortened(other)}.")
        return Target(name, task, reason, values)
    return Target(name, task, reason, _classes(name, values, boolean, n_rows or len(values), more))


def _task(values: Array, *, integer: bool, boolean: bool, more: bool) -> tuple[Task, str]:
    if values.dtype.kind == "O":
        return "classification", "its values are texts"
    if boolean:
        return "classification", "its values are true and false"
    distinct = len(np.unique(values))
    if integer and distinct <= _FEW:
        return "classification", f"it has {distinct} different whole numbers"
    return "regression", f"it has {'more than ' if more else ''}{distinct:,} different numbers"


def _refuse_marks(name: str, values: Array) -> None:
    """Refuse a target of many different numbers in which a few texts, such as "unknown", are none."""
    marks = nearly(values, is_number) if values.dtype.kind == "O" else {}
    if marks:
        remedy = f"or leave such rows out ({as_options(marks)} --drop-missing-target)."
        raise one_of_few(f"The target {name!r} must be numbers", marks, remedy)


def _constant(name: str, value: object) -> InvalidDataError:
    large = isinstance(value, float) and abs(value) >= _EXACT
    hint = " (float64 cannot tell whole numbers beyond 2^53 apart: subtract a constant)" if large else ""
    return InvalidDataError(f"The target {name!r} must vary. Got {str(value)!r} in every row{hint}.")


def _refuse_huge(name: str, values: Array) -> None:
    """Refuse numbers whose squares cannot be added, with the first row of them."""
    limit = largest_number(np.dtype(float))
    for place in beyond(values, limit)[:1]:
        rule = f"The target {name!r} must not exceed {limit:.2g}. Got {values[place[0]]:.6g} in"
        raise CellError(rule, int(place[0]), ": leave it empty if it means a missing value, otherwise change the unit.")


def _classes(name: str, values: Array, boolean: bool, n_rows: int, more: bool) -> Array:
    labels = values.astype(str if values.dtype.kind == "O" or (values % 1).any() else bool if boolean else np.int64)
    distinct = len(np.unique(labels))
    if more or distinct > max(2, n_rows / 2):
        many = f"{'more than ' if more else ''}{distinct:,}"
        raise InvalidDataError(
            f"The target {name!r} must have classes that rows share. Got {many} in {n_rows:,} rows, such as "
            f"{shortened(str(labels[0]))}{_no_classes(labels)}."
        )
    return labels


def _no_classes(labels: Array) -> str:
    """What labels seem to be that hardly repeat."""
    if labels.dtype.kind == "i":
        return "; --task regression takes them as numbers"
    texts = [str(label) for label in labels]
    if all(re.fullmatch(r"[-+]?\d+,\d+", text) for text in texts):
        return ". They look like numbers with a decimal comma: write all columns with one, or with points"
    return hint_of(texts)


def refuse_missing(absent: int, n_rows: int, name: str) -> None:
    """Refuse rows without a target."""
    if absent == n_rows:
        raise InvalidDataError(f"The target {name!r} must have values. It is missing in all {n_rows:,} rows.")
    if absent:
        raise InvalidDataError(
            f"The target {name!r} must have a value in every row. It is missing in {absent:,} of {n_rows:,} rows: "
            "fill them, or leave these rows out with --drop-missing-target."
        )


def read_weights(table: pa.Table, name: str | None, path: str) -> Array | None:
    """Weights of the rows: numbers, not negative, not all zero."""
    import narwhals as nw

    if name is None:
        return None
    weights = read_column(nw.from_native(column_of_table(table, name, path), series_only=True), name)
    refuse_weights(weights, name)
    if not weights.any():
        raise InvalidDataError(f"The weights {name!r} must not all be zero.")
    return weights


def refuse_weights(weights: Array, name: str) -> None:
    """Refuse values that are no weights, with the first of them."""
    if weights.dtype.kind != "f":
        raise InvalidDataError(f"The weights {name!r} must be numbers. Got {shortened(str(weights[0]))}.")
    bad = np.flatnonzero(~(weights >= 0))
    if len(bad):
        got = "a missing value" if np.isnan(weights[bad[0]]) else f"{weights[bad[0]]:g}"
        raise CellError(
            f"The weights {name!r} must be numbers in every row, not negative. Got {got} in", int(bad[0]), "."
        )
