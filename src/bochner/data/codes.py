"""Codes of digits: postcodes and account numbers such as 02134, which lose their zeros as numbers."""

from __future__ import annotations

import re
from csv import reader
from io import StringIO

__all__ = ["code_columns", "is_code"]

_CODE = re.compile(r"\s*0\d{2,}\s*")  # two digits, such as 07, are days, months and hours as well
_PERHAPS = re.compile(r"(?<![\d.:/+-])0\d{2}")
_FRACTION = re.compile(r"\s*[-+]?(?:\d*[.,]\d+|\d+(?:[.,]\d+)?[eE][-+]?\d+|[-+]\d+)\s*")


def is_code(text: str | None) -> bool:
    """Whether a text is three digits or more, the first a zero: nobody writes a number so."""
    return text is not None and _CODE.fullmatch(text) is not None


def code_columns(text: str, delimiter: str) -> list[str]:
    """Columns with codes and without fractions or signs, by the first rows of a table with a line of names."""
    if _PERHAPS.search(text) is None:  # nearly all tables
        return []
    rows = reader(StringIO(text), delimiter=delimiter)
    names = next(rows, [])
    cells = [set(column) for column in zip(*(row for row in rows if len(row) == len(names)))]
    return [
        name
        for name, found in zip(names, cells)
        if any(map(is_code, found)) and not any(map(_FRACTION.fullmatch, found))
    ]
