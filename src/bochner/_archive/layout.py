"""What writer and reader of an archive agree on."""

from __future__ import annotations

import re
from typing import Any

__all__ = [
    "CHUNK",
    "CONTAINER",
    "DEEPEST",
    "DTYPE",
    "FOLDER",
    "HEADER",
    "MOST_ARRAYS",
    "MOST_HEADER_BYTES",
    "NAME",
    "depth",
]

CONTAINER = 1
HEADER = "header.json"
FOLDER = "arrays/"
NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}", re.ASCII)
DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,6}", re.ASCII)

CHUNK = 2**20  # hashed, checked and written while it is in cache
MOST_HEADER_BYTES = 2**22  # JSON grows up to thirtyfold when parsed
MOST_ARRAYS = 4096
DEEPEST = 64


def depth(value: Any) -> int:
    """Levels of lists and dicts, without recursion."""
    levels, level = 0, [value]
    while level:
        nested = [each for each in level if isinstance(each, (dict, list, tuple))]
        level = [part for each in nested for part in (each.values() if isinstance(each, dict) else each)]
        levels += bool(nested)
    return levels
