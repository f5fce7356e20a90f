"""Durations in words."""

from __future__ import annotations

__all__ = ["in_words"]

_UNITS = ((86400.0, "days", 172800.0), (3600.0, "h", 5400.0), (60.0, "min", 90.0), (1.0, "s", 0.0))


def in_words(seconds: float) -> str:
    """A duration with two digits in the unit that people would take: 0.9 s, 18 s, 3 min, 2.5 h, 4 days.

    Examples
    --------
    >>> [in_words(seconds) for seconds in (0.013, 1.84, 18.2, 180.0, 1234.0, 7300.0, 4e5)]
    ['0.01 s', '1.8 s', '18 s', '3 min', '21 min', '2 h', '4.6 days']
    """
    size, unit = next((size, unit) for size, unit, least in _UNITS if seconds >= least)
    amount = seconds / size
    if seconds < 0.1:
        return f"{max(seconds, 0.01):.2f} s"
    return f"{amount:.2g} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
