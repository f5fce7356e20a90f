"""The kinds of column that a table has, and the numbers that each becomes.

A column is read as one array: float64 for numbers (missing is NaN), datetime64 for dates (missing is NaT), or objects
for categories (texts, missing is None). What is learned of it is a frozen dataclass of plain values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import time
from typing import Any, ClassVar, Self

import numpy as np

from bochner._typing import Array
from bochner.errors import InvalidDataError

__all__ = ["CategoryColumn", "Column", "DateColumn", "NumberColumn", "column_of", "missing", "read_column"]

_MISSING = "(missing)"
_OTHER = "(other)"
_EXAMPLES = 3
_LISTED = 1000


@dataclass(frozen=True)
class Column(ABC):
    """A column as it was in training."""

    name: str

    kind: ClassVar[str]

    @property
    @abstractmethod
    def outputs(self) -> list[str]:
        """Names of the columns that it becomes."""

    @abstractmethod
    def write(self, values: Array, out: Array) -> None:
        """Write its numbers to `out`, of shape (rows, len(outputs))."""

    @abstractmethod
    def sentence(self) -> str:
        """What is done with it, in words."""

    def surprise(self, values: Array) -> str | None:
        """What these values have that training did not, and what becomes of it; None where there is nothing."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the kind."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class NumberColumn(Column):
    """A number, standardised: (x - mean) / deviation; missing is the median, and a column of 0 and 1 says so."""

    mean: float
    deviation: float
    median: float
    n_missing: int

    kind: ClassVar[str] = "number"

    @classmethod
    def learn(cls, name: str, values: Array) -> Self:
        absent = np.isnan(values)
        present = values[~absent]
        median = float(np.median(present))
        filled = np.where(absent, median, values)
        deviation = float(filled.std()) or 1.0  # constant where present: missing or not is what it says
        return cls(name, float(filled.mean()), deviation, median, int(absent.sum()))

    @property
    def outputs(self) -> list[str]:
        return [self.name, f"{self.name} is missing"] if self.n_missing else [self.name]

    def write(self, values: Array, out: Array) -> None:
        absent = np.isnan(values)
        out[:, 0] = (np.where(absent, self.median, values) - self.mean) / self.deviation
        if self.n_missing:
            out[:, 1] = absent

    def sentence(self) -> str:
        if not self.n_missing:
            return "standardised"
        gaps = _counted(self.n_missing, "missing value")
        return f"standardised; {gaps} at the median {self.median:.4g}, marked by a column"

    def surprise(self, values: Array) -> str | None:
        absent = 0 if self.n_missing else int(np.isnan(values).sum())
        gaps = _counted(absent, "missing value")
        return f"{gaps}, none in training: taken as the median {self.median:.4g}" if absent else None


@dataclass(frozen=True)
class CategoryColumn(Column):
    """A category: one column of 0 and 1 per level; levels that are rare share one, missing is a level.

    A level that training did not have is a rare one; without rare ones in training it has no column, only zeros.
    `rare` lists the rare levels, unless they are more than 1,000.
    """

    levels: list[str | None]
    n_rare: int
    rare: list[str | None]

    kind: ClassVar[str] = "category"

    @classmethod
    def learn(cls, name: str, values: Array, *, min_rows: int, max_levels: int) -> Self:
        counts = Counter(values.tolist())
        common = [level for level, rows in counts.most_common(max_levels) if rows >= min_rows]
        rare = sorted(counts.keys() - set(common), key=_order)
        return cls(name, sorted(common, key=_order), len(rare), rare if len(rare) <= _LISTED else [])

    @property
    def outputs(self) -> list[str]:
        shown = [_MISSING if level is None else level for level in self.levels]
        return [f"{self.name}={level}" for level in [*shown, *([_OTHER] if self.n_rare else [])]]

    def write(self, values: Array, out: Array) -> None:
        place = {level: at for at, level in enumerate(self.levels)}
        places = np.fromiter((place.get(value, len(place)) for value in values.tolist()), np.intp, len(values))
        out[:] = places[:, None] == np.arange(out.shape[1])

    def sentence(self) -> str:
        rare = f", and one for {self.n_rare:,} rare levels" if self.n_rare else ""
        return f"one column for each of {len(self.levels)} levels{rare}"

    def surprise(self, values: Array) -> str | None:
        if self.n_rare > len(self.rare):
            return None  # so many that they are not listed: new ones cannot be told from them
        known = {*self.levels, *self.rare}
        unseen = Counter(value for value in values.tolist() if value not in known)
        if not unseen:
            return None
        examples = ", ".join(_MISSING if level is None else repr(level) for level in list(unseen)[:_EXAMPLES])
        more = ", ..." if len(unseen) > _EXAMPLES else ""
        fate = "the rare ones" if self.n_rare else "no level"
        return f"{_counted(unseen.total(), 'value')} that training did not have ({examples}{more}): taken as {fate}"


def _order(level: str | None) -> tuple[bool, str]:
    """Levels by name, missing last."""
    return level is None, level or ""


# Part of a date -> (period in its unit, or None where it is not cyclic). A year is a number, with its fraction.
_PARTS: dict[str, float | None] = {"year": None, "month": 12.0, "weekday": 7.0, "hour": 24.0}


@dataclass(frozen=True)
class DateColumn(Column):
    """A date or time: the year with its fraction, standardised, and sine and cosine of month, weekday and hour.

    Parts that are constant in training are left out. Missing is the middle of every part, and a column says so.
    """

    parts: list[str]
    mean: float
    deviation: float
    n_missing: int

    kind: ClassVar[str] = "date"

    @classmethod
    def learn(cls, name: str, values: Array) -> Self:
        present = values[~np.isnat(values)]
        days = present.astype("datetime64[D]")
        within = list(_PARTS) if (days != days[0]).any() else ["hour"]  # times of one day have no year
        parts = [part for part in within if np.ptp(_date_part(part, present)) > 0]
        years = _date_part("year", present)
        return cls(name, parts, float(years.mean()), float(years.std()) or 1.0, int(len(values) - len(present)))

    @property
    def outputs(self) -> list[str]:
        cyclic = [f"{self.name} {part} {wave}" for part in self.parts if _PARTS[part] for wave in ("sin", "cos")]
        absent = [f"{self.name} is missing"] if self.n_missing else []
        return [*([f"{self.name} year"] if "year" in self.parts else []), *cyclic, *absent]

    def write(self, values: Array, out: Array) -> None:
        absent = np.isnat(values)
        at = 0
        for part in self.parts:
            number, period = _date_part(part, values), _PARTS[part]
            if period is None:
                out[:, at] = (number - self.mean) / self.deviation
                at += 1
            else:
                angle = 2 * np.pi * number / period
                out[:, at], out[:, at + 1] = np.sin(angle), np.cos(angle)
                at += 2
        out[absent] = 0
        if self.n_missing:
            out[:, at] = absent

    def sentence(self) -> str:
        absent = f"; {_counted(self.n_missing, 'missing value')} marked by a column" if self.n_missing else ""
        named = [f"{part} (sine and cosine)" if _PARTS[part] else part for part in self.parts]
        return f"date: {', '.join(named)}{absent}"

    def surprise(self, values: Array) -> str | None:
        absent = 0 if self.n_missing else int(np.isnat(values).sum())
        gaps = _counted(absent, "missing date")
        return f"{gaps}, none in training: taken as the middle of every part" if absent else None


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def column_of(state: dict[str, Any]) -> Column:
    """The column behind its plain values."""
    kinds: dict[str, type[Column]] = {kind.kind: kind for kind in (NumberColumn, CategoryColumn, DateColumn)}
    return kinds[state["kind"]](**{name: value for name, value in state.items() if name != "kind"})


def missing(values: Array) -> Array:
    """Which values of a column, as `read_column` gives it, are missing."""
    if values.dtype.kind == "O":
        return np.fromiter((value is None for value in values.tolist()), bool, len(values))
    absent: Array = np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)
    return absent


def read_column(column: Any, name: str, kind: str | None = None) -> Array:
    """A column of an array, or a narwhals series, as one array of its kind, or of the kind that is asked for."""
    values = column if isinstance(column, np.ndarray) else _from_series(column, name)
    if values.dtype.kind == "O" and kind != "category":
        values = _numbers_in_objects(values)
    if values.dtype.kind in "biuf" and kind != "category":
        values = values.astype(float)
        _refuse_infinite(values, name)
    elif values.dtype.kind != "M" or kind == "category":
        values = _labels(values)
    found = {"f": "number", "M": "date", "O": "category"}[values.dtype.kind]
    if kind is not None and found != kind and not missing(values).all():
        example = values[~missing(values)][0]
        raise InvalidDataError(f"Column {name!r} must hold a {kind}, as in training. Got a {found}: {str(example)!r}.")
    return values if kind is None or found == kind else _nothing(kind, len(values))


def _from_series(series: Any, name: str) -> Array:
    import narwhals as nw

    kind = series.dtype
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if kind == nw.Boolean or kind.is_numeric():
        numbers = series if kind == nw.Float64 else series.cast(nw.Float64)
        return np.asarray(numbers.to_numpy(), dtype=float)
    if kind == nw.Datetime or _has_zone(series):
        return np.asarray(series.to_native(), dtype="datetime64[us]")  # in a time zone: UTC
    if kind == nw.Date:
        return np.asarray(series.cast(nw.Datetime("us")).to_numpy(), dtype="datetime64[us]")
    if kind == nw.Duration:
        return np.asarray(series.dt.total_microseconds().cast(nw.Float64).to_numpy(), dtype=float) / 1e6
    if kind in (nw.String, nw.Categorical, nw.Enum, nw.Object, nw.Time):
        values = np.empty(len(series), dtype=object)
        values[:] = series.to_list()
        return _as_times(values) if kind == nw.Time else values
    raise InvalidDataError(f"Column {name!r} must hold numbers, texts, dates or booleans. Got {kind}: drop it.")


def _has_zone(series: Any) -> bool:
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
    except (TypeError, ValueError):
        return values


def _labels(values: Array) -> Array:
    labels = np.empty(len(values), dtype=object)
    labels[:] = [_label(value) for value in values.tolist()]
    return labels


def _label(value: Any) -> str | None:
    """The text of a level: 3.0 is the level 3, since a column of whole numbers with gaps is read as floats."""
    if value is None or value != value:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _refuse_infinite(values: Array, name: str) -> None:
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise InvalidDataError(
            f"Column {name!r} must hold finite numbers. Got {len(infinite):,} infinite values, the first in row "
            f"{infinite[0] + 1:,}: leave them empty, or drop the column."
        )


def _nothing(kind: str, n_rows: int) -> Array:
    """A column of a kind in which every value is missing."""
    empty = {"number": np.full(n_rows, np.nan), "date": np.full(n_rows, "NaT", dtype="datetime64[us]")}
    return empty[kind] if kind in empty else np.full(n_rows, None, dtype=object)


def _date_part(part: str, values: Array) -> Array:
    """A part of dates, as numbers: NaN where the date is missing."""
    year = values.astype("datetime64[Y]")
    day = values.astype("datetime64[D]")
    absent = np.isnat(values)
    if part == "year":
        length = (year + 1).astype("datetime64[us]") - year.astype("datetime64[us]")
        number = year.astype(float) + 1970 + (values - year) / length
    elif part == "month":
        number = (values.astype("datetime64[M]") - year).astype(float)
    elif part == "weekday":
        number = (day.astype(float) + 3) % 7  # 1970-01-01 was a Thursday; Monday is 0
    else:
        number = (values - day) / np.timedelta64(1, "h")
    return np.where(absent, np.nan, number)
