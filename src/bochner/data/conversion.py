"""Cells of a CSV file that are not what their column must hold: Arrow's message in the words of a user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bochner.errors import InvalidDataError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CellTypeError", "converting"]

_CONVERSION = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to (.+?): invalid value '(.*)'")
_KINDS = {"double": "a number", "int64": "a whole number", "bool": "true or false"}


class CellTypeError(InvalidDataError):
    """A cell is not of the type of its column; `column` is the number of the column in the file."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


@contextmanager
def converting(names: Sequence[str], header_lines: int = 1) -> Iterator[None]:
    """Arrow's error of a cell that cannot be converted becomes one with the names of column and remedy."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowInvalid as failure:
        error = _explained(failure, names, header_lines)
        if error is None:
            raise
        raise error from failure


def _explained(failure: pa.ArrowInvalid, names: Sequence[str], header_lines: int) -> CellTypeError | None:
    found = _CONVERSION.search(str(failure))
    if found is None or int(found[1]) >= len(names):
        return None
    at, line, kind, cell = int(found[1]), found[2], found[3], found[4]
    where = "" if line is None else f" in row {int(line) - header_lines:,}"
    rule = _KINDS.get(kind, "a date" if kind.startswith(("timestamp", "date", "time")) else kind)
    return CellTypeError(
        f"Column {names[at]!r} must hold {rule}. Got {cell!r}{where}: correct it, or say that it means a missing value "
        f"(--missing {cell!r} in `bochner fit`).",
        at,
    )
