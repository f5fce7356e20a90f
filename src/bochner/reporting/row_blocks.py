"""Blocks of the report about single rows and inputs: which inputs matter, errors by segment, the worst rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bochner._typing import JsonDict
from bochner.reporting.numbers import count, number, percent

__all__ = ["row_blocks"]

_SHOWN_INPUTS = 12


def row_blocks(part: JsonDict, *, regression: bool) -> Iterator[JsonDict]:
    """Blocks of a `diagnosis`."""
    if "missing" in part:
        yield {"kind": "note", "text": part["missing"]}
        return
    what, form = ("RMS error", number) if regression else ("share of wrong rows", percent)
    yield _inputs(part["importance"], what, form)
    if part["segments"]:
        yield _segments(part["segments"], what, form)
    if part["worst"]:
        rows = [
            [f"row {worst['row']:,}", _cell(worst["target"]), _cell(worst["prediction"])] for worst in part["worst"]
        ]
        yield {"kind": "table", "title": "The worst rows", "head": ["Row", "Target", "Prediction"], "rows": rows}


def _inputs(part: JsonDict, what: str, form: Callable[[float], str]) -> JsonDict:
    if "missing" in part:
        return {"kind": "note", "text": part["missing"]}
    shown = part["inputs"][:_SHOWN_INPUTS]
    losses = [max(0.0, entry["loss"]) for entry in shown]
    largest = max(losses) or 1.0
    return {
        "kind": "bars",
        "title": "Which inputs matter",
        "message": f"How much the {what} grows, from {form(part['base'])}, when one input is shuffled among "
        f"{count(part['n_rows'])} rows: what the model would lose without it. It does not say what causes what.",
        "head": ["Input", "Growth of the error"],
        "entries": [
            {"name": entry["name"], "share": loss / largest, "text": form(loss)} for entry, loss in zip(shown, losses)
        ],
    }


def _segments(segments: list[JsonDict], what: str, form: Callable[[float], str]) -> JsonDict:
    rows = [
        [f"{segment['name']}: {entry['label']}", count(entry["n_rows"]), form(entry["error"])]
        for segment in segments
        for entry in segment["parts"]
    ]
    return {"kind": "table", "title": "Where the errors are", "head": ["Rows with", "Rows", what], "rows": rows}


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else number(float(value), 4)
