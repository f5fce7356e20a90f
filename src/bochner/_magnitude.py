"""Limits of the size of numbers. A fit squares what it is given and adds the squares up: that must not overflow.

The usual cause of a number beyond the limit is a missing value that was written as one: the lowest float32 (-3.4e38) of
rasters, or 1e308.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bochner._typing import Array, FloatType
from bochner.errors import InvalidDataError

__all__ = ["beyond", "largest_number", "overflowed", "refuse_huge", "require_finite", "too_large"]

_LARGEST = 1e100
"""In float64: its square, times weights of that size and any number of rows, is still a number."""


def largest_number(dtype: FloatType, n_columns: int = 1) -> float:
    """The largest number of a column: 1e100, or in float32 what can be squared and added over the columns."""
    if np.dtype(dtype) != np.float32:
        return _LARGEST
    return float(np.sqrt(np.finfo(np.float32).max / (16 * max(1, n_columns))))


def beyond(numbers: Array, limit: float) -> Array:
    """Places of the numbers that are nan, infinite or larger than a limit; found without a temporary if there is none.

    Labels of classes need not be numbers: they have no size.
    """
    if numbers.size == 0 or numbers.dtype.kind not in "fiu":
        return np.empty((0, max(1, numbers.ndim)), dtype=int)
    if float(numbers.min()) >= -limit and float(numbers.max()) <= limit:  # a limit is none of half precision
        return np.empty((0, numbers.ndim), dtype=int)
    return np.argwhere(~(np.abs(numbers.astype(float)) <= limit))


def refuse_huge(numbers: Any, what: str, limit: float, names: Any = None) -> None:
    """Raise `too_large`, with row and column, if finite rows, targets or weights have a number beyond a limit."""
    sparse = hasattr(numbers, "indptr")
    entries = numbers.data if sparse else numbers
    for where in beyond(entries, limit)[:1]:
        place = _place(_entry(numbers, int(where[0])) if sparse else tuple(where), names)
        raise too_large(what, entries[tuple(where)], place, limit)


def too_large(what: str, value: Any, place: str, limit: float) -> InvalidDataError:
    """The error for a number beyond the limit, with what to do about it."""
    wider = "" if limit == _LARGEST else ", give float64 instead of float32"
    return InvalidDataError(
        f"{what} must not exceed {limit:.2g}. Got {value:.6g} in {place}. If it stands for a missing value, impute or "
        f"drop its row; otherwise change the unit{wider}."
    )


def require_finite(*values: float) -> None:
    """Raise `overflowed` if a number that a fit has arrived at is not finite: no iteration comes back from there."""
    if not np.all(np.isfinite(values)):
        raise overflowed()


def overflowed() -> InvalidDataError:
    """The error of a fit that has left the range of numbers."""
    return InvalidDataError(
        "The fit has arrived at numbers that are not finite. Look for huge or tiny rows, weights and penalties."
    )


def _entry(matrix: Any, number: int) -> tuple[int, ...]:
    """Row and column of a stored number of a sparse matrix."""
    stored = matrix.tocoo()
    return int(stored.row[number]), int(stored.col[number])


def _place(entry: tuple[int, ...], names: Any) -> str:
    row, *column = entry
    if not column:
        return f"row {row}"
    return f"row {row}, column {column[0] if names is None else repr(str(names[column[0]]))}"
