"""Texts of a column that are something else: marks of missing values, numbers, identifiers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import numpy as np

from bochner._typing import Array
from bochner.data import is_code
from bochner.tables.cells import CellError

__all__ = [
    "as_options",
    "one_of_few",
    "hardly_repeat",
    "hint_of",
    "is_number",
    "level_remarks",
    "look_alike",
    "mostly",
    "nearly",
    "numbers_of",
    "refuse_nearly",
    "shortened",
    "without_marks",
]

_AMOUNT = r"(?:\d{1,3}(?:[,' ]\d{3})+|\d+)(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?"
_WRITTEN = re.compile(rf"\(?[-+−]?[$€£¥]? ?(?:{_AMOUNT})(?: ?[%$€£¥]| [A-Za-z]{{1,3}})?\)?")
_WRITTEN_DATE = re.compile(
    r"(?:\d{1,4}[-/. ](?:\d{1,2}|[A-Za-z]{3,9})\.?[-/. ,]+\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}|\d{4}[-/.]\d{1,2})"
    r"(?:[T ,]+\d{1,2}:\d{2}.*)?"
)
_LONGEST = 40  # signs of a text that is shown as an example
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
        raise one_of_few(
            f"Column {name!r} must hold {what}",
            marks,
            f"say that it means a missing value ({as_options(marks)}), or take the column as categories "
            f"(--categorical {name!r}). In Python: TableEncoder(missing={list(marks)!r}).",
        )


def one_of_few(rule: str, marks: dict[str, int], remedy: str) -> CellError:
    """The error of a cell that breaks a rule which most rows keep: the first of a few texts."""
    mark, row = next(iter(marks.items()))
    return CellError(f"{rule}, as in most of its rows. Got {mark!r} in", row, f": correct it, {remedy}")


def as_options(marks: Collection[str]) -> str:
    """Options of the command line that take texts as missing values."""
    return " ".join(f"--missing {mark!r}" for mark in marks)


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
    example = shortened(present[0])
    what = f"texts that hardly repeat ({distinct:,} different ones in {len(present):,} rows, such as {example})"
    return what + hint_of(present)


def shortened(text: str) -> str:
    """A text in quotes, as an example: the beginning of a long one."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def hint_of(texts: Collection[str]) -> str:
    """What texts seem to be that are none of the numbers and dates that are understood; empty where nothing is seen.

    Numbers as people write them ("1,200", "$5", "7 %", "(3)"), but for some texts, or in quotes; dates in words.
    """
    if all(map(is_number, texts)):
        return "; they begin with zeros: if they are numbers, write them without" if any(map(is_code, texts)) else ""
    for looks_like, hint in _LOOKS.items():
        if all(map(looks_like, texts)):
            return hint
    return _hint_of_others(texts)


def _is_quoted_number(text: str) -> bool:
    return is_number(text.strip("'"))


_LOOKS: dict[Callable[[str], object], str] = {
    _WRITTEN.fullmatch: "; they look like numbers with separators of thousands or units, and plain numbers are needed",
    _WRITTEN_DATE.fullmatch: "; they look like dates: write all of them as 2020-01-31",
    _is_quoted_number: "; they look like numbers in single quotation marks: use double ones, or none",
}


def _hint_of_others(texts: Collection[str]) -> str:
    """That most texts are numbers, and what to do about the others."""
    others = list(dict.fromkeys(text for text in texts if not is_number(text)))
    if len(others) > _MOST_MARKS or sum(map(is_number, texts)) <= len(texts) / 2:
        return ""
    marks = " ".join(f"--missing {shortened(text)}" for text in others)
    return f"; most are numbers: if the others mean a missing value, say so ({marks})"


def look_alike(labels: Collection[str]) -> str:
    """The first labels that differ only by capitals or by blanks at their ends, in quotes; empty if there are none."""
    alike: dict[str, list[str]] = {}
    for label in labels:
        alike.setdefault(label.strip().casefold(), []).append(label)
    return next((" and ".join(map(repr, same[:3])) for same in alike.values() if len(same) > 1), "")


def mostly(name: str, values: Array, what: str, test: Callable[[str], bool]) -> list[str]:
    """That a category holds many different numbers or dates, and a few other texts in many rows."""
    present = [value for value in values.tolist() if value is not None]
    others = sorted({value for value in present if not test(value)})
    many = len(set(present)) - len(others) > _CODES and 2 * sum(map(test, present)) > len(present)
    if not many or not 0 < len(others) <= _MOST_MARKS:
        return []
    remedy = f"if the others mean a missing value, say so ({as_options(others)}), and it holds {what}"
    return [f"Column {name!r} is taken as categories, and most of its values are {what}: {remedy}."]


def level_remarks(name: str, values: Array) -> list[str]:
    """What a person should look at in the levels of a category."""
    same = look_alike(sorted({value for value in values.tolist() if value is not None}))
    told = f"Levels {same} of column {name!r} differ only by capitals or blanks, and are taken as different."
    return [told] if same else []
