"""What a column says of its rows: nothing, the number of the row, an identifier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bochner._typing import Array, MatrixLike
from bochner.tables.named_columns import NamedColumns
from bochner.tables.reading import Series, missing, read_column

__all__ = [
    "beyond_floats",
    "counts_rows",
    "is_unnamed_index",
    "number_remarks",
    "unnamed_indices",
    "without_information",
]

_UNNAMED = ("", "Unnamed: 0", "__index_level_0__")
_EXACT, _LARGEST = 2.0**53, 2.0**64  # float64 tells whole numbers below apart; no integer type holds larger ones


def without_information(values: Array) -> str | None:
    """Why a column can be left out, if it can: it has no value, or one."""
    absent = missing(values)
    if absent.all():
        return "no value"
    first = values[~absent][0]
    return "one value" if not absent.any() and bool((values == first).all()) else None


def counts_rows(values: Array) -> bool:
    """Consecutive whole numbers, each once, in order: the number of the row."""
    return len(values) > 2 and bool(np.all(np.diff(values) == 1))


def beyond_floats(raw: Array | Series, values: Array) -> bool:
    """Whole numbers that float64 rounds, and that differ from row to row before or are all alike after: identifiers."""
    if values.dtype.kind != "f" or np.any(values % 1 != 0):
        return False
    if not _EXACT <= np.nanmax(np.abs(values), initial=0.0) <= _LARGEST:
        return False
    distinct = len(np.unique(raw if isinstance(raw, np.ndarray) else raw.to_numpy()))
    return distinct > len(values) / 2 or len(np.unique(values)) == 1


def number_remarks(name: str, values: Array) -> list[str]:
    """What a person should look at in a column of numbers: it may mean something else."""
    found, absent = [], _stand_in(values)
    if absent is not None:
        rows = int((values == absent).sum())
        found.append(
            f"Column {name!r} has {absent:g} in {rows:,} rows, far from its other values. If it means a missing value, "
            f"say so: --missing={absent:g}. In Python: put NaN in its place."
        )
    if _days_as_numbers(values):
        example = f"{values[~np.isnan(values)][0]:.0f}"
        found.append(
            f"Column {name!r} seems to hold days as numbers, such as {example}. For month and weekday, write them as "
            "2020-01-31."
        )
    if counts_rows(values):
        found.append(f"Column {name!r} numbers the rows. If it says nothing about them, drop it.")
    return found


_STAND_INS = [sign * number for number in (99, 999, 9999, 99999, 999999) for sign in (-1, 1)]
_FAR = 2.0  # ranges of the other values


def _stand_in(values: Array) -> float | None:
    """The value, such as -999, that seems to stand for a missing one: it repeats, far outside all others; or None."""
    present = values[~np.isnan(values)]
    for value in _STAND_INS:
        others = present[present != value]
        if len(present) - len(others) < 2 or len(others) < 2:
            continue
        gap = max(others.min() - value, value - others.max())
        if gap > _FAR * np.ptp(others):
            return float(value)
    return None


def _days_as_numbers(values: Array) -> bool:
    """Whether all values are days written as 20200131, more than one."""
    present = values[~np.isnan(values)]
    year, month, day = present // 10000, present // 100 % 100, present % 100
    fits = (year >= 1900) & (year < 2100) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return bool(np.all(fits & (present % 1 == 0)))


def is_unnamed_index(name: str, values: Array) -> bool:
    """An index without a name, as pandas writes it: whole numbers, each once, in whatever order."""
    return name in _UNNAMED and values.dtype.kind in "iuf" and _numbers_rows(values)


def unnamed_indices(names: Iterable[str], tables: Sequence[MatrixLike]) -> list[str]:
    """Columns that are an index without a name in each of some tables."""
    return [
        name
        for name in names
        if name in _UNNAMED
        and all(is_unnamed_index(name, read_column(NamedColumns.of(rows).column(name), name)) for rows in tables)
    ]


def _numbers_rows(values: Array) -> bool:
    return bool(np.all(values % 1 == 0)) and len(np.unique(values)) == len(values)
