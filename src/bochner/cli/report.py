"""`bochner report`: HTML report of a saved model, with scores on a test table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.screen import Screen, screen_options

if TYPE_CHECKING:
    from bochner._typing import Array
    from bochner.reporting import Report
    from bochner.tables import Task

__all__ = ["report"]


@click.command(short_help="Write the report page of a model.")
@click.argument("models", metavar="MODEL [OTHER]...", nargs=-1, required=True, type=click.Path())
@click.option("--data", type=click.Path(), help="A table of rows to score the model on, with the target.")
@click.option("--target", metavar="COLUMN", help="The target in --data.  [default: that of the fit]")
@click.option("--output", "-o", type=click.Path(), help="The page.  [default: MODEL-report.html]")
@click.option("--title", help="Its heading.")
@options.force
@screen_options
def report(
    models: tuple[str, ...],
    data: str | None,
    target: str | None,
    output: str | None,
    title: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a report on MODEL: one HTML page that opens without a network. Of several models: which is better.

    \b
    Examples:
      bochner report houses.bochner
      bochner report houses.bochner --data test.csv -o houses-test.html
      bochner report houses.bochner wider.bochner --data test.csv
    """
    from bochner import report as write_report
    from bochner.cli.models import encoder_of, load_model
    from bochner.cli.targets import require_apart, require_ours, require_page, require_type, require_writable

    screen = Screen(as_json=as_json, quiet=quiet)
    model = models[0]
    ending = "report" if len(models) == 1 else "comparison"
    path = output or f"{Path(model).stem}-{ending}.html"
    require_apart([path], [*models, data])
    require_type(path, (".html", ".htm", ".json"), "The report")
    require_writable(path)
    if not force:
        require_page(path)
    with screen.progress() as progress, screen.noting_warnings():
        progress.step(f"Reading {model}")
        fitted = load_model(model)
        encoder = encoder_of(fitted)
        if len(models) > 1:
            page = _compared(models, data, target, title)
            page.save(path)
            screen.show({"report": path, "summary": page.summary}, page.summary["verdict"], path, written=[path])
            return
        mark = getattr(encoder, "origin_", None)
        if mark and output is None and not force:
            require_ours(path, mark, "report of this model", "-o")
        X, y = (None, None) if data is None else _scored_rows(fitted, data, target)
        progress.step("Writing the report")
        heading = title or f"Report on {Path(model).name}"
        page = write_report(fitted, path, X=X, y=y, title=heading, extra={"identity": mark} if mark else None)
    screen.show({"report": path, "summary": page.summary}, path, written=[path])


def _compared(models: tuple[str, ...], data: str | None, target: str | None, title: str | None) -> Report:
    """The report on several models, by their answers for the same rows."""
    from bochner.cli.models import load_model
    from bochner.errors import InvalidDataError
    from bochner.reporting import comparison_report

    if data is None:
        raise InvalidDataError("Models are compared on the same rows: give a table with the target (--data).")
    if len(set(models)) < len(models):
        raise InvalidDataError("Every model must be given once.")
    loaded = {path: load_model(path) for path in models}
    tasks = {hasattr(fitted, "classes_") for fitted in loaded.values()}
    if len(tasks) > 1:
        raise InvalidDataError("Models that are compared must all predict numbers, or all classes.")
    scored = {path: _scored_rows(fitted, data, target) for path, fitted in loaded.items()}
    answers = {path: loaded[path].predict(rows) for path, (rows, _) in scored.items()}
    return comparison_report(
        answers,
        next(iter(scored.values()))[1],
        task="classification" if tasks.pop() else "regression",
        title=title or " or ".join(Path(path).name for path in models),
        table=Path(data).name,
    )


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
