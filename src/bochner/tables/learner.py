"""Kinds of the columns of a table: numbers, categories and dates are learned, others are left out with a reason."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

from bochner._typing import Array
from bochner.data import is_code
from bochner.errors import TableWarning
from bochner.tables.columns import CategoryColumn, Column, DateColumn, NumberColumn
from bochner.tables.dates import date_order, on_calendar, parse_dates
from bochner.tables.information import beyond_floats, is_unnamed_index, number_remarks, without_information
from bochner.tables.reading import Series, is_aware, read_column
from bochner.tables.texts import hardly_repeat, is_number, level_remarks, mostly, numbers_of, refuse_nearly

__all__ = ["ColumnLearner", "refuse_marks"]


@dataclass
class ColumnLearner:
    """Learns the columns of a table one by one, by the parameters of `TableEncoder`.

    Attributes
    ----------
    columns : list of Column
    dropped : dict
        Columns without information, and why.
    notes : list of str
    """

    categorical: Sequence[str]
    min_rows: int
    max_levels: int
    missing: Sequence[str]
    day_first: bool | None
    columns: list[Column] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def learn(self, name: str, raw: Array | Series) -> None:
        """Add a column, or the reason why it is left out."""
        values = read_column(raw, name, "category" if name in self.categorical else None, self.missing)
        reason = without_information(values)
        if beyond_floats(raw, values):
            self._leave_out(name, "whole numbers beyond 2^53, which floats cannot tell apart: an identifier")
        elif reason:
            self.dropped[name] = reason
        elif values.dtype.kind == "O" and name not in self.categorical:
            self._learn_texts(name, raw, values)
        elif values.dtype.kind == "O":
            self._keep(self._category(name, values))
        elif values.dtype.kind == "M":
            self._keep(DateColumn.learn(name, values, aware=is_aware(raw)))
        else:
            self._learn_numbers(name, values)

    def _learn_numbers(self, name: str, values: Array) -> None:
        if is_unnamed_index(name, values):
            self._leave_out(name, "an index without a name, as pandas writes it")
            return
        self._keep(NumberColumn.learn(name, values))
        self.notes += number_remarks(name, values)

    def _learn_texts(self, name: str, raw: Array | Series, values: Array) -> None:
        """Texts are dates, or categories; identifiers and free texts are left out."""
        texts = values.tolist()
        order = date_order(texts, name, self.day_first)
        if order is not None:
            self._keep(DateColumn.learn(name, parse_dates(texts, name, order), order=order, aware=is_aware(raw)))
            return
        refuse_marks(name, values)
        reason = hardly_repeat(values)
        numbers = numbers_of(values) if reason else None
        if numbers is not None and not any(map(is_code, texts)):
            self._keep(NumberColumn.learn(name, numbers))  # texts by a cell that is none, in rows not seen here
        elif reason:
            self._leave_out(
                name,
                reason,
                f"--categorical {name!r} takes them as categories. In Python: TableEncoder(categorical=[{name!r}])",
            )
        else:
            self.notes += mostly(name, values, "numbers", is_number) + mostly(name, values, "dates", on_calendar)
            self._keep(self._category(name, values))

    def _category(self, name: str, values: Array) -> CategoryColumn:
        self.notes += level_remarks(name, values)
        return CategoryColumn.learn(name, values, min_rows=self.min_rows, max_levels=self.max_levels)

    def _keep(self, column: Column) -> None:
        self.columns.append(column)

    def _leave_out(self, name: str, reason: str, remedy: str = "") -> None:
        """Leave a column out, and say so."""
        self.dropped[name] = reason
        sentence = f"Column {name!r} is left out: {reason}.{f' {remedy}.' if remedy else ''}"
        self.notes.append(sentence)
        warnings.warn(sentence, TableWarning, stacklevel=2)


def refuse_marks(name: str, values: Array) -> None:
    """Refuse a few texts among numbers or dates; among codes they may be codes themselves."""
    if not any(map(is_code, values.tolist())):
        refuse_nearly(values, name, "numbers", is_number)
    refuse_nearly(values, name, "dates", on_calendar)
