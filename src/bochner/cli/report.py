"""`bochner report`: HTML report of a saved model, with scores on a test table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bochner.cli import options
from bochner.cli.screen import Screen, screen_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bochner._typing import Array, MatrixLike
    from bochner.cli.models import Model
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
    screen = Screen(as_json=as_json, quiet=quiet)
    if target is not None and data is None:
        raise click.UsageError("--target is the target in --data: give both, or neither.")
    ending = "report" if len(models) == 1 else "comparison"
    path = output or f"{Path(models[0]).stem}-{ending}.html"
    _settle_page(path, [*models, data], force=force)
    with screen.progress() as progress, screen.noting_warnings():
        progress.step(f"Reading {', '.join(models)}")
        if len(models) > 1:
            page = _compared(models, data, target, title)
            page.save(path)
        else:
            page = _written(models[0], path, data, target, title, replace=force or output is not None)
    verdict = [page.summary["verdict"]] if len(models) > 1 else []
    screen.show({"report": path, "summary": page.summary}, *verdict, path, written=[path])


def _settle_page(path: str, inputs: list[str | None], *, force: bool) -> None:
    """Look at the place of the page before the work."""
    from bochner.cli.targets import require_apart, require_page, require_type, require_writable

    require_apart([path], inputs)
    require_type(path, (".html", ".htm", ".json"), "The report")
    require_writable(path)
    if not force:
        require_page(path)


def _written(
    model: str, path: str, data: str | None, target: str | None, title: str | None, *, replace: bool
) -> Report:
    """The report on one model."""
    from bochner import report as write_report
    from bochner.cli.models import encoder_of, load_model
    from bochner.cli.targets import require_ours

    fitted = load_model(model)
    mark = getattr(encoder_of(fitted), "origin_", None)
    if mark and not replace:
        require_ours(path, mark, "report of this model", "-o")
    X, y = (None, None) if data is None else _scored_rows(fitted, data, target)
    heading = title or f"Report on {Path(model).name}"
    return write_report(fitted, path, X=X, y=y, title=heading, extra={"identity": mark} if mark else None)


def _compared(models: tuple[str, ...], data: str | None, target: str | None, title: str | None) -> Report:
    """The report on several models, by their answers for the same rows."""
    from bochner.cli.models import load_model
    from bochner.errors import InvalidDataError
    from bochner.reporting import comparison_report

    loaded = {path: load_model(path) for path in models}
    if data is None or len(loaded) < len(models):
        raise InvalidDataError("To compare models, give different files, and a table with the target (--data).")
    answers = {path: _answers(fitted, data, target) for path, fitted in loaded.items()}
    return comparison_report(
        {path: predicted for path, (predicted, _) in answers.items()},
        answers[models[0]][1],
        task=_task_of_all(loaded.values()),
        title=title or " or ".join(models),
        table=Path(data).name,
        quantile=_quantile_of_all(loaded.values()),
    )


def _quantile_of_all(models: Iterable[object]) -> float | None:
    """The quantile that all models predict, None for means."""
    from bochner.errors import InvalidDataError
    from bochner.reporting.view import ModelView

    found = {ModelView.of(fitted).quantiles for fitted in models}
    if len(found) > 1 or len(max(found)) > 1:
        raise InvalidDataError("Models to compare must all predict the mean, or all one and the same quantile.")
    return next(iter(max(found)), None)


def _task_of_all(models: Iterable[object]) -> Task:
    """The task that all models have."""
    from bochner.errors import InvalidDataError

    classify = {hasattr(fitted, "classes_") for fitted in models}
    if len(classify) > 1:
        raise InvalidDataError("Models to compare must all predict numbers, or all classes.")
    return "classification" if classify == {True} else "regression"


def _answers(fitted: Model, data: str, target: str | None) -> tuple[Array, Array]:
    """Predictions of a model for the rows of a table, and their targets."""
    rows, y = _scored_rows(fitted, data, target)
    return fitted.predict(rows), y


def _scored_rows(fitted: Model, data: str, target: str | None) -> tuple[MatrixLike, Array]:
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
