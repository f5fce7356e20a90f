"""Texts of a column that are something else: marks of missing values, numbers, identifiers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import numpy as np

from bochner._typing import Array
from bochner.tables.cells import CellError

__all__ = ["hardly_repeat", "is_number", "nearly", "numbers_of", "refuse_nearly", "without_marks", "written_numbers"]

_WRITTEN = re.compile(r"[-+]?[$€£¥]? ?(?:\d{1,3}(?:[,' ]\d{3})+|\d+)(?:\.\d+)?(?: ?[%$€£¥]| [A-Za-z]{1,3})?")
_CODES, _MOST_MARKS, _MARKED = 20, 5, 0.1


def without_marks(values: Array, marks: Collection[str]) -> Array:
    """Texts in which the marks of missing values are missing."""
    if not marks:
        return values
    return np.array([None if value in marks else value for value in values.tolist()], dtype=object)


def numbers_of(values: Array) -> Array | None:
    """Texts as numbers, missing as NaN; None if one is no number."""
    try:
        return np.array([np.nan if value is None else float(value) for value in values.tolist()], dtype=float)
    except ValueError:
        return None


def refuse_nearly(values: Array, name: str, what: str, test: Callable[[str], bool]) -> None:
    """Refuse a column of many different numbers or dates in which a few texts, such as "unknown", are none."""
    marks = nearly(values, test)
    if marks:
        mark, row = next(iter(marks.items()))
        options = " ".join(f"--missing {mark!r}" for mark in marks)
        raise CellError(
            f"Column {name!r} must hold {what}, as in most of its rows. Got {mark!r} in",
            row,
            f": correct it, say that it means a missing value ({options}), or take the column as categories "
            f"(--categorical {name!r}). In Python: TableEncoder(missing={list(marks)!r}).",
        )


def nearly(values: Array, test: Callable[[str], bool]) -> dict[str, int]:
    """The few texts that fail a test which many different others pass, with their first rows; empty if there are none.

    Few are at most five different ones and a tenth of the rows; many are more than 20, so that codes stay categories.
    """
    rows: dict[str, list[int]] = {}
    for row, value in enumerate(values.tolist()):
        if value is not None:
            rows.setdefault(value, []).append(row)
    failed = {value: places for value, places in rows.items() if not test(value)}
    n_failed, n_present = (sum(map(len, found.values())) for found in (failed, rows))
    few = len(failed) <= _MOST_MARKS and n_failed <= _MARKED * n_present
    return {value: places[0] for value, places in failed.items()} if few and len(rows) > _CODES else {}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def hardly_repeat(values: Array) -> str | None:
    """What identifiers and free texts have in common: more different values than rows that repeat one; None if not."""
    present = [value for value in values.tolist() if value is not None]
    distinct = len(set(present))
    if distinct <= len(present) / 2 or distinct <= 2:
        return None
    what = f"texts that hardly repeat ({distinct:,} different ones in {len(present):,} rows, such as {present[0]!r})"
    return what + written_numbers(present)


def written_numbers(texts: Collection[str]) -> str:
    """A hint where all texts are numbers as people write them ("1,200", "$5", "7 %"); empty where one is not."""
    if all(map(is_number, texts)) or not all(_WRITTEN.fullmatch(text) for text in texts):
        return ""
    return "; they look like numbers with separators of thousands or units, and plain numbers are needed"
