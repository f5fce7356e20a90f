"""Messages of Arrow's CSV reader in words for the owner of the file, with what to look for."""

from __future__ import annotations

import re

__all__ = ["csv_failure"]

_CELLS = re.compile(r"CSV parse error: Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


def csv_failure(message: str) -> str:
    """What is wrong with the text of a table; other messages as they are."""
    if "Empty CSV file" in message:
        return "it has no rows. Its first line must have the names of the columns, and the rows follow it."
    found = _CELLS.match(message)
    if found is None:
        return message
    line, expected, got, text = int(found[1]), int(found[2]), int(found[3]), found[4]
    told = f"line {line:,} has {got:,} cell{'' if got == 1 else 's'}, and the line of names {expected:,}: {text}"
    return f"{told} ({_hint(line, expected, got, text)})"


def _hint(line: int, expected: int, got: int, text: str) -> str:
    if text.count('"') % 2:
        return "a quotation mark is not closed"
    if line == 2 and got > expected:
        return "the first line must have the names of the columns, and nothing may come before it"
    if got > expected:
        return "a text with a separator in it needs quotation marks around it"
    return "every line must have as many cells as there are names"
