"""Typed columns: a column of a frame or an array as float64, datetime64 or texts, with its missing values.

float64 for numbers (missing is NaN), datetime64 for dates (missing is NaT), objects for categories (texts, missing is
None).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import time
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bochner._typing import Array
from bochner.data import is_code
from bochner.errors import InvalidDataError
from bochner.tables.cells import CellError
from bochner.tables.dates import DateOrder, are_aware, date_order, parse_dates
from bochner.tables.texts import is_number, numbers_of, without_marks

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["Series", "is_aware", "missing", "read_column", "read_dates"]

Series: TypeAlias = "nw.Series[Any]"


def missing(values: Array) -> Array:
    """Which values of a column, as `read_column` gives it, are missing."""
    if values.dtype.kind == "O":
        return np.fromiter((value is None for value in values.tolist()), bool, len(values))
    absent: Array = np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)
    return absent


def read_column(column: Array | Series, name: str, kind: str | None = None, marks: Collection[str] = ()) -> Array:
    """A column of an array, or a narwhals series, as one array of its kind, or of the kind that is asked for.

    Texts that are `marks` are missing; if all others are numbers, the column is one of numbers.
    """
    values = column if isinstance(column, np.ndarray) else _from_series(column, name)
    values = _labels(values) if kind == "category" else _typed(values, name)
    if values.dtype.kind == "O":
        values = _understood(values, name, kind, marks)
    found = {"f": "number", "M": "date", "O": "category"}[values.dtype.kind]
    if kind is not None and found != kind and not missing(values).all():
        example = values[~missing(values)][0]
        raise InvalidDataError(f"Column {name!r} must hold a {kind}, as in training. Got a {found}: {str(example)!r}.")
    return values if kind is None or found == kind else _nothing(kind, len(values))


def _understood(values: Array, name: str, kind: str | None, marks: Collection[str]) -> Array:
    """Texts without marks of missing values, as numbers if that is what they must be, or what the marks stood among."""
    present = without_marks(values, marks)
    if kind != "number" and (kind is not None or not _lost_numbers(values, marks)):
        return present
    numbers = numbers_of(present)
    if numbers is not None:
        _refuse_infinite(numbers, name)
        return numbers
    if kind == "number":
        row = next(row for row, text in enumerate(present.tolist()) if text is not None and not is_number(text))
        raise CellError(f"Column {name!r} must hold a number, as in training. Got {present[row]!r} in", row, ".")
    return present


def _lost_numbers(values: Array, marks: Collection[str]) -> bool:
    """Whether marks stand among the texts, which may be all that keeps them from being numbers; codes never are."""
    texts = values.tolist()
    return any(text in marks for text in texts) and not any(map(is_code, texts))


def read_dates(column: Array | Series, name: str, marks: Collection[str], order: DateOrder | None) -> Array:
    """A column of dates, which may be texts: in the order of training, or in one that the texts tell."""
    values = column if isinstance(column, np.ndarray) else _from_series(column, name)
    if values.dtype.kind in "OU":
        texts = without_marks(_labels(values), marks).tolist()
        order = order or date_order(texts, name)
        if order is not None:
            return parse_dates(texts, name, order)
    return read_column(column, name, "date", marks)


def _typed(values: Array, name: str) -> Array:
    """Numbers as float64, dates as they are, anything else as texts."""
    if values.dtype.kind == "O":
        values = _numbers_in_objects(values)
    if values.dtype.kind == "M":
        return values
    if values.dtype.kind not in "biuf":
        return _labels(values)
    numbers = values.astype(float)
    _refuse_infinite(numbers, name)
    return numbers


def _from_series(series: Series, name: str) -> Array:
    import narwhals as nw

    kind = series.dtype
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if kind == nw.Boolean or kind.is_numeric():
        return _floats(series)
    if kind == nw.Datetime or _has_zone(series):
        return np.asarray(series.to_native(), dtype="datetime64[us]")  # in a time zone: UTC
    if kind == nw.Date:
        return np.asarray(series.cast(nw.Datetime("us")).to_numpy(), dtype="datetime64[us]")
    if kind == nw.Duration:
        return _floats(series.dt.total_microseconds()) / 1e6
    if kind == nw.Time:
        return _as_times(_objects(series))
    if kind in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return _objects(series)
    raise InvalidDataError(f"Column {name!r} must hold numbers, texts, dates or booleans. Got {kind}: drop it.")


def _floats(series: Series) -> Array:
    import narwhals as nw

    if series.dtype.is_integer() and not series.null_count():
        return np.asarray(series.to_numpy()).astype(float)  # Arrow refuses to round whole numbers beyond 2^53
    numbers = series if series.dtype.is_float() else series.cast(nw.Float64)  # NumPy widens floats
    return np.asarray(numbers.to_numpy(), dtype=float)


def _objects(series: Series) -> Array:
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def is_aware(column: Array | Series) -> bool:
    """Whether a column holds dates in a time zone, or texts that are such dates."""
    import narwhals as nw

    if isinstance(column, np.ndarray):
        return column.dtype.kind in "OU" and are_aware(_labels(column).tolist())
    if column.dtype in (nw.String, nw.Object):
        return are_aware(_labels(_objects(column)).tolist())
    return getattr(column.dtype, "time_zone", None) is not None or _has_zone(column)


def _has_zone(series: Series) -> bool:
    """Dates of pandas in a time zone; narwhals does not know one with an underscore, such as America/New_York."""
    return getattr(getattr(series.to_native(), "dtype", None), "tz", None) is not None


def _as_times(values: Array) -> Array:
    """Times of day, as dates of one day: only their hour varies."""
    day = np.datetime64("1970-01-01", "us")
    return np.array([np.datetime64("NaT", "us") if value is None else day + _since_midnight(value) for value in values])


def _since_midnight(value: time) -> np.timedelta64:
    seconds = 3600 * value.hour + 60 * value.minute + value.second
    return np.timedelta64(1_000_000 * seconds + value.microsecond, "us")


def _numbers_in_objects(values: Array) -> Array:
    """An object array of numbers only, as numbers; any other as it is."""
    if any(isinstance(value, (str, bytes)) for value in values.tolist()):
        return values
    try:
        return values.astype(float)
    except (TypeError, ValueError, OverflowError):  # 10**400 is a text
        return values


def _labels(values: Array) -> Array:
    labels = np.empty(len(values), dtype=object)
    labels[:] = [_label(value) for value in values.tolist()]
    return labels


def _label(value: object) -> str | None:
    """The text of a level: 3.0 is the level 3, since a column of whole numbers with gaps is read as floats."""
    if value is None or (np.isscalar(value) and value != value):  # arrays and lists are told by their texts
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _refuse_infinite(values: Array, name: str) -> None:
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        found = "an infinite value" if len(infinite) == 1 else f"{len(infinite):,} infinite values, the first"
        remedy = "leave it empty" if len(infinite) == 1 else "leave them empty"
        raise CellError(
            f"Column {name!r} must hold finite numbers. Got {found} in",
            int(infinite[0]),
            f": {remedy}, or drop the column.",
        )


def _nothing(kind: str, n_rows: int) -> Array:
    """A column of a kind in which every value is missing."""
    empty = {"number": np.full(n_rows, np.nan), "date": np.full(n_rows, "NaT", dtype="datetime64[us]")}
    return empty[kind] if kind in empty else np.full(n_rows, None, dtype=object)
