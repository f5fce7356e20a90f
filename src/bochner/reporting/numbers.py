"""Formatting of numbers and of texts with numbers: significant digits, counts, percentages, durations, byte sizes."""

from __future__ import annotations

from bochner._duration import in_words
from bochner.memory import format_bytes

__all__ = ["count", "number", "percent", "seconds", "size"]


def number(value: float | None, digits: int = 3) -> str:
    """Three significant digits, with a separator of thousands."""
    if value is None:
        return "unknown"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        shown = f"{value:.{digits}g}"
        return f"{float(shown):,.0f}" if "e" in shown or abs(value) >= 10**digits else shown
    return f"{value:.{digits}g}".replace("e-0", "e-").replace("e+0", "e")


def count(value: float | None) -> str:
    """A whole number."""
    return "unknown" if value is None else f"{round(value):,}"


def percent(value: float | None, digits: int = 3) -> str:
    """A share as a percentage."""
    return "unknown" if value is None else f"{100 * value:.{digits}g} %"


def seconds(value: float | None) -> str:
    """A duration."""
    if value is None:
        return "unknown"
    if value >= 120:
        return f"{value / 60:.3g} min" if value < 7200 else f"{value / 3600:.3g} h"
    return in_words(value) if value >= 0.1 else f"{1000 * value:.2g} ms"


def size(value: float | None) -> str:
    """A size in bytes."""
    return "unknown" if value is None else format_bytes(value)
