"""HTML page of a report summary: Jinja2 with autoescaping, style and script inlined."""

from __future__ import annotations

from importlib.resources import files

from bochner._typing import JsonDict
from bochner.errors import MissingExtraError
from bochner.reporting.sections import sections

__all__ = ["render"]


def render(summary: JsonDict) -> str:
    """The page of a summary. Every text in it is escaped; drawings escape their own."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise MissingExtraError("jinja2", "report") from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False, "allow_nan": False}
    template = environment.from_string(_text("page.html"))
    page = template.render(
        summary=summary, sections=sections(summary), style=_text("style.css"), script=_text("script.js")
    )
    return page.strip() + "\n"


def _text(name: str) -> str:
    return files("bochner.reporting").joinpath("page", name).read_text(encoding="utf-8")
