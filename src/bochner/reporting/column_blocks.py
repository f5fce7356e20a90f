"""Blocks of the report page about columns: what shuffling costs, shares in the slopes, length scales."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bochner._typing import JsonDict
from bochner.reporting.numbers import count, number, percent

__all__ = ["growth_of_error", "length_scales", "shares_of_slopes"]

_SHOWN_BARS = 30
_SHOWN_INPUTS = 12
_SMALL = 0.001  # shares that are not told from none


def growth_of_error(part: JsonDict, what: str, form: Callable[[float], str]) -> JsonDict:
    """Permutation importance: growth of the error when one input is shuffled among the rows."""
    shown = part["inputs"][:_SHOWN_INPUTS]
    largest = max(shown[0]["loss"], 1e-300)
    return {
        "kind": "bars",
        "title": "Which inputs matter",
        "message": f"How much the {what} grows, from {form(part['base'])}, when one input is shuffled among "
        f"{count(part['n_rows'])} rows: what the model would lose without it. It does not say what causes what.",
        "head": ["Input", "Growth of the error"],
        "entries": [
            {"name": entry["name"], "share": max(0.0, entry["loss"]) / largest, "text": form(max(0.0, entry["loss"]))}
            for entry in shown
        ],
    }


def shares_of_slopes(part: JsonDict) -> Iterator[JsonDict]:
    """Shares of the columns in the squared gradients, and the directions along which predictions change."""
    names, shares, deviations = part["names"][:_SHOWN_BARS], part["shares"], part["standard_deviations"]
    bars = [f" ± {percent(each, 2)}" for each in deviations] if deviations else [""] * len(shares)
    yield {
        "kind": "bars",
        "title": "Along which columns predictions change",
        "message": "Share of each column in the squared slopes of predictions, columns in units of their spreads.",
        "entries": [
            {"name": name, "text": percent(share) + bar if share >= _SMALL else "< 0.1 %", "share": share / shares[0]}
            for name, share, bar in zip(names, shares, bars)
        ],
        "head": ["Column", "Share"],
    }
    rows = [
        [percent(each["share"]), ", ".join(f"{p['weight']:+.2f} {p['name']}" for p in each["parts"])]
        for each in part["directions"]
    ]
    yield {"kind": "table", "title": "Along which directions they change", "head": ["Share", "Along"], "rows": rows}


def length_scales(part: JsonDict) -> JsonDict:
    """Length scales per column; the shorter the scale, the longer the bar: the model looks closer there."""
    names, scales = part["names"][:_SHOWN_BARS], part["length_scales"][:_SHOWN_BARS]
    left = len(part["names"]) - len(names)
    return {
        "kind": "bars",
        "title": "How closely the kernel looks at each column",
        "message": "A short length scale, a long bar: small changes of that column can change the prediction."
        + (f" {count(left)} columns with longer scales are not shown." if left else ""),
        "entries": [{"name": n, "text": number(s), "share": scales[0] / s} for n, s in zip(names, scales)],
        "head": ["Column", "Length scale"],
    }
