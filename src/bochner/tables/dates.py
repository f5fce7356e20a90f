"""Dates written as texts: 15/01/2020, 01/15/2020 12:00 AM, 2020-01-15T10:00:00+02:00.

All texts of a column have one order of day, month and year. It is told from the values (only one order gives dates), by
the point as a separator (15.01.2020 is day first everywhere), or given; where it cannot be told, it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal, TypeAlias

import numpy as np

from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.tables.cells import CellError

__all__ = ["DateOrder", "are_aware", "date_order", "is_date", "on_calendar", "parse_dates"]

DateOrder: TypeAlias = Literal["ymd", "dmy", "mdy"]

_DATE = re.compile(
    r"\s*(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})"
    r"(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s*([AaPp][Mm])?\s*(Z|[+-]\d{2}:?\d{2})?)?\s*"
)
_PLACES: dict[DateOrder, tuple[int, int, int]] = {"ymd": (0, 1, 2), "dmy": (2, 1, 0), "mdy": (2, 0, 1)}


def date_order(texts: Sequence[str | None], name: str, day_first: bool | None = None) -> DateOrder | None:
    """The order in which every text that is not missing is a date; None: there is none.

    Raises `InvalidDataError` where both day and month may come first, and `day_first` does not say which.
    """
    present = list(dict.fromkeys(text for text in texts if text is not None))
    if not present or not all(map(is_date, present)):
        return None
    found = [_DATE.fullmatch(text) for text in present]
    possible = [order for order in _PLACES if not np.isnat(_dates(found, order)).any()]
    if len(possible) < 2:
        return possible[0] if possible else None
    return _day_or_month_first(present, name, day_first)


def _day_or_month_first(texts: list[str], name: str, day_first: bool | None) -> DateOrder:
    """The order of dates in which both may come first: as given, or day first by points."""
    if day_first is None and any("." in text.split()[0] for text in texts):
        day_first = True
    if day_first is None:
        raise InvalidDataError(
            f"Column {name!r} holds dates such as {texts[0]!r}, in which day and month cannot be told apart: give "
            "--day-first or --month-first. In Python: TableEncoder(day_first=True) or False."
        )
    return "dmy" if day_first else "mdy"


def parse_dates(texts: Sequence[str | None], name: str, order: DateOrder) -> Array:
    """Texts in a known order as datetime64 (missing is NaT), in UTC if they have a time zone."""
    present = [row for row, text in enumerate(texts) if text is not None]
    found = [_DATE.fullmatch(str(texts[row])) for row in present]
    for row, match in zip(present, found):
        if match is None:
            raise _no_date(name, texts[row], row)
    _refuse_mixed_zones(name, present, found)
    values = np.full(len(texts), "NaT", dtype="datetime64[us]")
    values[present] = _dates(found, order)
    wrong = np.flatnonzero(np.isnat(values[present]))
    if len(wrong):
        row = present[wrong[0]]
        raise _no_date(name, texts[row], row)
    return values


def is_date(text: str) -> bool:
    """Whether a text looks like a date, in whatever order."""
    return _DATE.fullmatch(text) is not None


def on_calendar(text: str) -> bool:
    """Whether a text is a date that exists in some order: not 0000-00-00, nor 2020-02-30."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    parts = [int(match[at]) for at in (1, 3, 4)]
    return any(_exists(parts[year], parts[month], parts[day]) for year, month, day in _PLACES.values())


def _exists(year: int, month: int, day: int) -> bool:
    try:
        return date(year, month, day).year >= 1000
    except ValueError:
        return False


def are_aware(texts: Sequence[str | None]) -> bool:
    """Whether texts that are dates have a time zone."""
    first = next((text for text in texts if text is not None), "")
    match = _DATE.fullmatch(first)
    return match is not None and match[10] is not None


def _no_date(name: str, text: str | None, row: int) -> CellError:
    return CellError(f"Column {name!r} must hold dates, as in its other rows. Got {text!r} in", row, ".")


def _refuse_mixed_zones(name: str, rows: list[int], found: list[re.Match[str] | None]) -> None:
    zoned = [match is not None and match[10] is not None for match in found]
    if len(set(zoned)) == 2:
        odd = rows[zoned.index(not zoned[0])]
        what = "has none" if zoned[0] else "has one"
        raise CellError(f"Column {name!r} must have a time zone in all dates or in none. It {what} in", odd, ".")


def _dates(found: Sequence[re.Match[str] | None], order: DateOrder) -> Array:
    """Parts of matches in an order as datetime64; NaT where they are no date."""
    groups = [match.groups() for match in found if match is not None]
    numbers = np.array([[int(group[at]) for at in (0, 2, 3)] for group in groups], dtype=np.int64)
    year, month, day = (numbers[:, place] for place in _PLACES[order])
    valid = (year >= 1000) & (year <= 9999) & (month >= 1) & (month <= 12)
    first = (np.where(valid, year, 1970) - 1970).astype("datetime64[Y]").astype("datetime64[M]")
    months = first + np.where(valid, month - 1, 0).astype("timedelta64[M]")
    days = months.astype("datetime64[D]")
    length = ((months + np.timedelta64(1, "M")).astype("datetime64[D]") - days).astype(np.int64)
    valid &= (day >= 1) & (day <= length)
    clock = np.array([_since_midnight(group[4:]) for group in groups], dtype=np.int64)
    dates = (days + (day - 1).astype("timedelta64[D]")).astype("datetime64[us]") + clock.astype("timedelta64[us]")
    return np.where(valid & (clock != _NO_TIME), dates, np.datetime64("NaT", "us"))


_NO_TIME = -(2**62)


def _since_midnight(parts: Sequence[str | None]) -> int:
    """Microseconds since midnight UTC, or of the place without a zone; `_NO_TIME` if there is no such time."""
    hours, minutes, seconds, fraction, half, zone = parts
    if hours is None:
        return 0
    hour, minute, second = _hour(int(hours), half), int(minutes or 0), int(seconds or 0)
    if hour > 23 or minute > 59 or second > 59:
        return _NO_TIME
    whole = 3600 * hour + 60 * minute + second - _offset(zone)
    return 1_000_000 * whole + round(1e6 * float(fraction or 0))


def _hour(hour: int, half: str | None) -> int:
    """The hour from 0 to 23 of a clock of 24 or twice 12 hours; 24 or more if there is none."""
    if half is None:
        return hour
    return hour % 12 + (12 if half.lower() == "pm" else 0) if 1 <= hour <= 12 else 24


def _offset(zone: str | None) -> int:
    """Seconds ahead of UTC."""
    if zone is None or zone == "Z":
        return 0
    digits = zone[1:].replace(":", "")
    return (-1 if zone[0] == "-" else 1) * (3600 * int(digits[:2]) + 60 * int(digits[2:]))
