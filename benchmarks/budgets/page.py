"""The table of docs/memory.md: peak memory of every public call over its budget, from the measured results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["PAGE", "table", "written"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "memory.md"
_MARK = "<!-- made by python -m benchmarks.budgets -->\n"


def table(found: dict[str, Any]) -> str:
    """One line for every call."""
    lines = [
        f"Budget {found['budget'] / 1e6:.0f} MB, {len(found['calls'])} calls:\n",
        "| call | peak over budget |",
        "| --- | --- |",
    ]
    lines += [f"| `{row['name']}` | {_shown(row)} |" for row in found["calls"]]
    return "\n".join(lines) + "\n"


def _shown(row: dict[str, Any]) -> str:
    return "refused with its bill" if row["refusal"] else f"{row['ratio']:.2f}"


def written(text: str, found: dict[str, Any]) -> str:
    """The page with the table of these results at its end."""
    return f"{text.split(_MARK)[0]}{_MARK}\n{table(found)}"
