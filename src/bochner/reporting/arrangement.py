"""Arrangement of the blocks of a section: full-width ones, and two columns of about the same height between them."""

from __future__ import annotations

from itertools import product

from bochner._typing import JsonDict

__all__ = ["arranged"]

_FULL = ("facts", "note", "calculator")
_CLASSES_OF_A_COLUMN = 6  # of a confusion matrix: with more it would be cut off
_MOST_TRIED = 12  # blocks of which all divisions are tried; more are given to the shorter column one after the other


def arranged(blocks: list[JsonDict]) -> list[JsonDict]:
    """Rows of a section: `{"blocks": [block]}` over the full width, or `{"columns": [left, right]}`.

    A block in a column is `(place, block)`: on a narrow screen, blocks come in the order in which they were given. One
    that has no neighbour gets the full width.
    """
    rows: list[JsonDict] = []
    run: list[tuple[int, JsonDict]] = []
    for place, block in enumerate(blocks):
        if _is_full(block):
            rows += _columns(run)
            run = []
            rows.append({"blocks": [(place, block)]})
        else:
            run.append((place, block))
    return rows + _columns(run)


def _columns(run: list[tuple[int, JsonDict]]) -> list[JsonDict]:
    if len(run) < 2:
        return [{"blocks": run}] if run else []
    sides = _sides([_height(block) for _, block in run])
    return [{"columns": [[each for each, own in zip(run, sides) if own == side] for side in (0, 1)]}]


def _sides(heights: list[float]) -> tuple[int, ...]:
    """The column of each block, the first in the left one, so that both are about as high."""
    if len(heights) <= _MOST_TRIED:
        tried = ((0, *rest) for rest in product((1, 0), repeat=len(heights) - 1))
        return min(tried, key=lambda sides: abs(_excess(heights, sides)))
    sides: list[int] = []
    for _ in heights:
        sides.append(int(_excess(heights[: len(sides)], tuple(sides)) > 0))
    return tuple(sides)


def _excess(heights: list[float], sides: tuple[int, ...]) -> float:
    return sum(height if side == 0 else -height for height, side in zip(heights, sides))


def _is_full(block: JsonDict) -> bool:
    wide_table = block["kind"] == "table" and block["rows"] and len(block["rows"][0]) > 3
    wide_table = wide_table or (block["kind"] == "matrix" and len(block["rows"]) > _CLASSES_OF_A_COLUMN)
    return block["kind"] in _FULL or bool(wide_table) or "full" in block or "closed" in block


def _height(block: JsonDict) -> float:
    """Height in a column, in lines of text, about."""
    kind = block["kind"]
    if kind == "table":
        return 4.0 + sum(map(_lines, block["rows"]))
    if kind == "matrix":
        return 8.0 + 1.6 * len(block["rows"])
    if kind in ("bars", "list"):
        return 6.0 + 1.3 * len(block["entries"])
    return 19.0  # a figure, a certificate


def _lines(row: list[str]) -> float:
    """Lines that a row of a table takes."""
    return 1.3 + sum(len(cell) for cell in row[1:]) // 55
