"""Column encoders: standardised numbers, one-hot categories, cyclic dates.

A column comes as `bochner.tables.reading` gives it. What is learned of it is a frozen dataclass of plain values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from typing import ClassVar, Self

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.errors import InvalidDataError
from bochner.tables.cells import CellError
from bochner.tables.dates import DateOrder
from bochner.tables.reading import Series, is_aware, read_column, read_dates

__all__ = ["CategoryColumn", "Column", "DateColumn", "NumberColumn", "Unseen", "level_order"]

_MISSING = "(missing)"
_OTHER = "(other)"
_EXAMPLES = 3
_LISTED = 1000


@dataclass(frozen=True)
class Unseen:
    """How many values training did not have, and a few of them; counts of parts of a column add up."""

    count: int = 0
    examples: tuple[str | None, ...] = ()

    def __add__(self, other: Unseen) -> Unseen:
        together = dict.fromkeys((*self.examples, *other.examples))
        return Unseen(self.count + other.count, tuple(together)[: _EXAMPLES + 1])

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Unseen:
        found = Counter(values)
        return cls(found.total(), tuple(found)[: _EXAMPLES + 1])


@dataclass(frozen=True)
class Column(ABC):
    """Encoder of one column, fitted to the training table."""

    name: str

    kind: ClassVar[str]

    def read(self, column: Array | Series, marks: Collection[str]) -> Array:
        """A column of another table as this one was; texts that are `marks` are missing."""
        return read_column(column, self.name, self.kind, marks)

    @property
    @abstractmethod
    def outputs(self) -> list[str]:
        """Names of the encoded columns."""

    @property
    def rare_share(self) -> float:
        """Share of the rows of training whose levels are rare, and share a column."""
        return 0.0

    @property
    def common(self) -> Collection[str | None]:
        """Levels that have a column of their own."""
        return ()

    @abstractmethod
    def write(self, values: Array, out: Array) -> None:
        """Write its numbers to `out`, of shape (rows, len(outputs))."""

    @abstractmethod
    def sentence(self) -> str:
        """Description of the encoding, in words."""

    @abstractmethod
    def unseen(self, values: Array) -> Unseen:
        """Categories and missing values that training did not have."""

    @abstractmethod
    def surprise(self, unseen: Unseen) -> str:
        """Such values, which there are, in words, and how they are encoded."""

    def is_consistent(self) -> bool:
        """Whether its lists are of one length each: those of a forged file need not be."""
        return True

    def to_dict(self) -> JsonDict:
        """Fitted state as plain data, with the kind of column."""
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
        with np.errstate(over="ignore", invalid="ignore"):
            mean, deviation = float(filled.mean()), float(filled.std())
        if not np.isfinite(deviation):
            largest = int(np.argmax(np.abs(filled)))
            raise CellError(
                f"Column {name!r} must hold numbers whose squares are finite. Got {filled[largest]:g} in",
                largest,
                ": correct it, leave it empty, or drop the column.",
            )
        # A deviation of 0, constant where present: missing or not is what it says.
        return cls(name, mean, deviation or 1.0, median, int(absent.sum()))

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

    def unseen(self, values: Array) -> Unseen:
        return Unseen(0 if self.n_missing else int(np.isnan(values).sum()))

    def surprise(self, unseen: Unseen) -> str:
        gaps = _counted(unseen.count, "missing value")
        return f"{gaps}, none in training: taken as the median {self.median:.4g}"


@dataclass(frozen=True)
class CategoryColumn(Column):
    """A category: one column of 0 and 1 per level; levels that are rare share one, missing is a level.

    A level that training did not have is the mean of the levels, by their `shares`: models take it as their mixture.
    `rare` lists the rare levels, unless they are more than 1,000: then new ones cannot be told from them.
    """

    levels: list[str | None]
    n_rare: int
    rare: list[str | None]
    shares: list[float] = field(default_factory=list)  # of the levels; files of earlier versions have none

    kind: ClassVar[str] = "category"

    @classmethod
    def learn(cls, name: str, values: Array, *, min_rows: int, max_levels: int) -> Self:
        counts = Counter(values.tolist())
        common = [level for level, rows in counts.most_common(max_levels) if rows >= min_rows]
        rare = sorted(counts.keys() - set(common), key=level_order)
        levels = sorted(common, key=level_order)
        shares = [counts[level] / len(values) for level in levels]
        return cls(name, levels, len(rare), rare if len(rare) <= _LISTED else [], shares)

    @property
    def common(self) -> Collection[str | None]:
        return set(self.levels)

    @property
    def rare_share(self) -> float:
        return 1 - sum(self.shares) if self.n_rare else 0.0

    @property
    def outputs(self) -> list[str]:
        shown = [_MISSING if level is None else level for level in self.levels]
        return [f"{self.name}={level}" for level in [*shown, *([_OTHER] if self.n_rare else [])]]

    def write(self, values: Array, out: Array) -> None:
        place = {level: at for at, level in enumerate(self.levels)}
        places = np.fromiter((place.get(value, len(place)) for value in values.tolist()), np.intp, len(values))
        out[:] = places[:, None] == np.arange(out.shape[1])
        if self._mixes:
            known = {*self.levels, *self.rare}
            new = np.fromiter((value not in known for value in values.tolist()), bool, len(values))
            out[new] = [*self.shares, self.rare_share][: out.shape[1]]

    @property
    def _mixes(self) -> bool:
        """Whether new levels are told from rare ones, and shares known: files of earlier versions have none."""
        return bool(self.shares) and self.n_rare <= len(self.rare)

    def sentence(self) -> str:
        rare = f", and one for {self.n_rare:,} rare level{'s' if self.n_rare > 1 else ''}" if self.n_rare else ""
        return f"{f'one column for each of {len(self.levels)} levels' if len(self.levels) > 1 else 'one level'}{rare}"

    def unseen(self, values: Array) -> Unseen:
        if self.n_rare > len(self.rare):
            return Unseen()
        known = {*self.levels, *self.rare}
        return Unseen.of(value for value in values.tolist() if value not in known)

    def surprise(self, unseen: Unseen) -> str:
        examples = ", ".join(_MISSING if level is None else repr(level) for level in unseen.examples[:_EXAMPLES])
        more = ", ..." if len(unseen.examples) > _EXAMPLES else ""
        fate = "the mean of the levels" if self._mixes else "the rare ones" if self.n_rare else "no level"
        return f"{_counted(unseen.count, 'value')} that training did not have ({examples}{more}): taken as {fate}"


def level_order(level: str | None) -> tuple[bool, str]:
    """Levels by name, missing last."""
    return level is None, level or ""


# Part of a date -> (period in its unit, or None where it is not cyclic). A year is a number, with its fraction.
_PARTS: dict[str, float | None] = {"year": None, "month": 12.0, "weekday": 7.0, "hour": 24.0}


_ORDERS: dict[str | None, str] = {
    None: "",
    "ymd": ", year first",
    "dmy": ", day first",
    "mdy": ", month first",
}


@dataclass(frozen=True)
class DateColumn(Column):
    """A date or time: the year with its fraction, standardised, and sine and cosine of month, weekday and hour.

    Parts that are constant in training are left out. Missing is the middle of every part, and a column says so.
    `order` is that of day, month and year in texts; `aware` says whether dates have a time zone: they are in UTC then.
    """

    parts: list[str]
    mean: float
    deviation: float
    n_missing: int
    order: DateOrder | None = None
    aware: bool = False

    kind: ClassVar[str] = "date"

    @classmethod
    def learn(cls, name: str, values: Array, *, order: DateOrder | None = None, aware: bool = False) -> Self:
        present = values[~np.isnat(values)]
        days = present.astype("datetime64[D]")
        within = list(_PARTS) if (days != days[0]).any() else ["hour"]  # times of one day have no year
        parts = [part for part in within if np.ptp(_date_part(part, present)) > 0]
        years = _date_part("year", present)
        n_missing = int(len(values) - len(present))
        return cls(name, parts, float(years.mean()), float(years.std()) or 1.0, n_missing, order, aware)

    def read(self, column: Array | Series, marks: Collection[str]) -> Array:
        values = read_dates(column, self.name, marks, self.order)
        if not np.isnat(values).all() and is_aware(column) != self.aware:
            before, now = ("a", "none") if self.aware else ("no", "one")
            raise InvalidDataError(
                f"Column {self.name!r} had {before} time zone in training and has {now} here: its hours would not be "
                "those of training. Write the dates as they were."
            )
        return values

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
        how = f"{', in UTC' if self.aware else ''}{_ORDERS[self.order]}"
        return f"date{how}: {', '.join(named)}{absent}"

    def unseen(self, values: Array) -> Unseen:
        return Unseen(0 if self.n_missing else int(np.isnat(values).sum()))

    def surprise(self, unseen: Unseen) -> str:
        return f"{_counted(unseen.count, 'missing date')}, none in training: taken as the middle of every part"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _date_part(part: str, values: Array) -> Array:
    """A part of dates, as numbers: NaN where the date is missing."""
    year = values.astype("datetime64[Y]")
    day = values.astype("datetime64[D]")
    absent = np.isnat(values)
    if part == "year":
        length = (year + np.timedelta64(1, "Y")).astype("datetime64[us]") - year.astype("datetime64[us]")
        number = year.astype(float) + 1970 + (values - year) / length
    elif part == "month":
        number = (values.astype("datetime64[M]") - year).astype(float)
    elif part == "weekday":
        number = (day.astype(float) + 3) % 7  # 1970-01-01 was a Thursday; Monday is 0
    else:
        number = (values - day) / np.timedelta64(1, "h")
    return np.where(absent, np.nan, number)
