"""What a column says of its rows: nothing, the number of the row, an identifier."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.tables.reading import Series, missing

__all__ = ["beyond_floats", "counts_rows", "numbers_rows", "without_information"]

_EXACT = 2.0**53  # whole numbers below it are told apart by float64


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
    if values.dtype.kind != "f" or not np.nanmax(np.abs(values), initial=0.0) >= _EXACT or np.any(values % 1 != 0):
        return False
    distinct = len(np.unique(raw if isinstance(raw, np.ndarray) else raw.to_numpy()))
    return distinct > len(values) / 2 or len(np.unique(values)) == 1


def numbers_rows(values: Array) -> bool:
    """Whole numbers, each once, in whatever order: an index of rows, or of a sample of them."""
    return bool(np.all(values % 1 == 0)) and len(np.unique(values)) == len(values)
