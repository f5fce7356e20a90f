"""HTML cards for notebooks: escaped text, with a style that takes its colours from the page around it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["card", "items", "table"]

# Ink is inherited and lines are translucent, so that a card is readable on light and dark pages alike.
_STYLE = """
.bochner-card { display: inline-block; max-width: 48rem; padding: .7rem 1rem; color: inherit;
  border: 1px solid rgb(128 128 128 / .45); border-radius: 8px; }
.bochner-card > strong { display: block; margin-bottom: .3rem; }
.bochner-card table { border-collapse: collapse; margin: .2rem 0; background: none; color: inherit; font: inherit; }
.bochner-card th, .bochner-card td { text-align: left; vertical-align: top; padding: .2rem .9rem .2rem 0;
  background: none; color: inherit; border: 0; border-bottom: 1px solid rgb(128 128 128 / .25); white-space: normal; }
.bochner-card th { font-weight: 600; }
.bochner-card ul { margin: .3rem 0; padding-left: 1.2rem; }
.bochner-card p { margin: .3rem 0; }
.bochner-card blockquote { margin: .3rem 0; padding-left: .7rem; border: 0; border-left: 4px solid #00865f;
  color: inherit; }
"""


def card(title: str, *parts: str) -> str:
    """A card; `title` is plain text, `parts` are HTML."""
    return f'<div class="bochner-card"><style>{_STYLE}</style><strong>{escape(title)}</strong>{"".join(parts)}</div>'


def table(rows: Iterable[Iterable[object]], head: Iterable[object] = ()) -> str:
    """A table of plain texts; the first cell of a row is its heading."""
    heading = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
    body = "".join(_row([escape(str(cell)) for cell in row]) for row in rows)
    return f"<table>{f'<tr>{heading}</tr>' if heading else ''}{body}</table>"


def items(texts: Iterable[object]) -> str:
    """A list of plain texts; nothing for none."""
    lines = "".join(f"<li>{escape(str(text))}</li>" for text in texts)
    return f"<ul>{lines}</ul>" if lines else ""


def _row(cells: list[str]) -> str:
    return f"<tr><th>{cells[0]}</th>{''.join(f'<td>{cell}</td>' for cell in cells[1:])}</tr>"
