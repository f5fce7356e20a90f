"""Errors of single cells of a table, which know their row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bochner._typing import Array
from bochner.errors import InvalidDataError

__all__ = ["CellError", "rows_counted"]


class CellError(InvalidDataError):
    """A cell breaks a rule: "{before} row 401{after}".

    Parameters
    ----------
    before, after : str
    row : int
        Number of the row, from 0, among the rows that were looked at. Who has picked them knows more (`rows_counted`).
    """

    def __init__(self, before: str, row: int, after: str) -> None:
        super().__init__(f"{before} row {row + 1:,}{after}")
        self.before, self.row, self.after = before, row, after


@contextmanager
def rows_counted(numbers: Array) -> Iterator[None]:
    """Errors of cells name the rows of the whole table, whose numbers are given for those that are looked at."""
    try:
        yield
    except CellError as error:
        raise CellError(error.before, int(numbers[error.row]), error.after) from None
