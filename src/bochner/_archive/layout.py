"""Layout of an archive: names, types, versions and limits that writer and reader share."""

from __future__ import annotations

import re
from typing import TypeAlias

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
    "Row",
    "depth",
]

Row: TypeAlias = list[str | list[int]]
"""Of the table of arrays: [dtype, shape, order, SHA-256]."""

CONTAINER = 1
HEADER = "header.json"
FOLDER = "arrays/"
NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}", re.ASCII)
DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,6}", re.ASCII)

CHUNK = 2**20  # hashed, checked and written while it is in cache
MOST_HEADER_BYTES = 2**22  # JSON grows up to thirtyfold when parsed
MOST_ARRAYS = 4096
DEEPEST = 64


def depth(value: object) -> int:
    """Levels of lists and dicts, without recursion."""
    levels: int = 0
    level: list[object] = [value]
    while level:
        nested = [each for each in level if isinstance(each, (dict, list, tuple))]
        level = [part for each in nested for part in (each.values() if isinstance(each, dict) else each)]
        levels += bool(nested)
    return levels
