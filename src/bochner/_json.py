"""Plain JSON data: arrays, records and results flattened to dicts, lists, texts, finite numbers, booleans and None."""

from __future__ import annotations

import math
from dataclasses import asdict, is_dataclass
from typing import Any

__all__ = ["plain"]

_CONVERTERS = ("tolist", "to_pylist", "to_dict")  # NumPy, Arrow, our own results


def plain(value: Any) -> Any:
    """JSON-compatible value: numbers that are not finite become None, anything unknown its text."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return _converted(value)


def _converted(value: Any) -> Any:
    for name in _CONVERTERS:
        convert = getattr(value, name, None)
        if callable(convert):
            return plain(convert())
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    return str(value)
