"""`bochner report`: HTML report of a saved model, with scores on a test table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.screen import Screen, screen_options

if TYPE_CHECKING:
    from bochner._typing import Array
    from bochner.tables import Task

__all__ = ["report"]


@click.command(short_help="Write the report page of a model.")
@click.argument("model", type=click.Path())
@click.option("--data", type=click.Path(), help="A table of rows to score the model on, with the target.")
@click.option("--target", metavar="COLUMN", help="The target in --data.  [default: that of the fit]")
@click.option("--output", "-o", type=click.Path(), help="The page.  [default: MODEL-report.html]")
@click.option("--title", help="Its heading.")
@options.force
@screen_options
def report(
    model: str,
    data: str | None,
    target: str | None,
    output: str | None,
    title: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a report on MODEL: one HTML page that opens without a network.

    \b
    Examples:
      bochner report houses.bochner
      bochner report houses.bochner --data test.csv -o houses-test.html
    """
    from bochner import report as write_report
    from bochner.cli.models import encoder_of, load_model
    from bochner.cli.targets import require_apart, require_ours, require_page, require_type, require_writable

    screen = Screen(as_json=as_json, quiet=quiet)
    path = output or f"{Path(model).stem}-report.html"
    require_type(path, (".html", ".htm", ".json"), "The report")
    require_apart([path], [model, data])
    require_writable(path)
    if not force:
        require_page(path)
    with screen.progress() as progress, screen.noting_warnings():
        progress.step(f"Reading {model}")
        fitted = load_model(model)
        encoder = encoder_of(fitted)
        mark = getattr(encoder, "origin_", None)
        if mark and output is None and not force:
            require_ours(path, mark, "report of this model", "-o")
        X, y = (None, None) if data is None else _scored_rows(fitted, data, target)
        progress.step("Writing the report")
        heading = title or f"Report on {Path(model).name}"
        page = write_report(fitted, path, X=X, y=y, title=heading, extra={"identity": mark} if mark else None)
    screen.show({"report": path, "summary": page.summary}, path, written=[path])


def _scored_rows(fitted: Any, data: str, target: str | None) -> tuple[Any, Array]:
    """The rows of a table as inputs of the model, and their targets."""
    from bochner.cli.models import encoder_of, inputs_of, read_inputs
    from bochner.errors import InvalidDataError
    from bochner.tables import read_target

    encoder = encoder_of(fitted)
    name = target or (encoder.target if encoder else None)
    if name is None:
        raise InvalidDataError("This model does not know its target: give --target.")
    rows = read_inputs(fitted, data)
    task: Task = "classification" if hasattr(fitted, "classes_") else "regression"
    y = read_target(rows, name, data, task).values
    return inputs_of(fitted, rows.drop_columns([name]), data), y
