"""Rendering of report pages: the Jinja2 template with style and script inlined."""

from __future__ import annotations

from importlib.resources import files

from bochner._typing import JsonDict
from bochner.errors import MissingExtraError
from bochner.reporting.arrangement import arranged
from bochner.reporting.sections import sections

__all__ = ["render", "render_page"]


def render(summary: JsonDict) -> str:
    """The summary of a model as one HTML page."""
    model = summary["model"]
    fitted = f", fitted to {model['rows']:,} rows of {model['columns']:,} columns" if model["rows"] else ""
    kind = "held-out rows" if summary["rows_held_out"] else "rows"
    seen = f", looked at with {summary['held_out_rows']:,} {kind}" if summary["held_out_rows"] else ""
    return render_page(summary, sections(summary), f"{model['name']}{fitted}{seen}")


def render_page(summary: JsonDict, parts: list[JsonDict], about: str) -> str:
    """Sections as one HTML page, with the numbers behind them; `about` says what the page is about."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise MissingExtraError("jinja2", "report") from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False, "allow_nan": False}
    template = environment.from_string(_text("page.html"))
    shown = [{**part, "rows": arranged(_without_repeats(part))} for part in parts]
    page = template.render(
        summary=summary, sections=shown, about=about, style=_text("style.css"), script=_text("script.js")
    )
    return page.strip() + "\n"


def _without_repeats(part: JsonDict) -> list[JsonDict]:
    """Blocks of a section without the notes that say what its answer says."""
    return [block for block in part["blocks"] if block["kind"] != "note" or block["text"] not in part["answer"]]


def _text(name: str) -> str:
    return files("bochner.reporting").joinpath("page", name).read_text(encoding="utf-8")
