"""`bochner predict`: predictions of a saved model for the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bochner.cli.screen import Screen, screen_options

if TYPE_CHECKING:
    from bochner._typing import JsonDict

__all__ = ["predict"]


@click.command(short_help="Predict the rows of a table with a model.")
@click.argument("model", type=click.Path())
@click.argument("table", type=click.Path())
@click.option("--output", "-o", type=click.Path(), help="A .csv or .parquet file.  [default: CSV on standard output]")
@click.option("--std", is_flag=True, help="Add the standard deviation of each prediction (regression).")
@click.option("--proba", is_flag=True, help="Add the probability of each class (classification).")
@click.option("--id", "identifier", multiple=True, metavar="COLUMN", help="Copy a column of TABLE before the rest.")
@screen_options
def predict(model: str, table: str, output: str | None, as_json: bool, quiet: bool, **wanted: Any) -> None:
    """Predict the rows of TABLE (- is standard input, as CSV) with MODEL, a file made by `bochner fit`.

    Columns are found by their names, in any order. Levels and gaps that training did not have are counted in a note.

    \b
    Examples:
      bochner predict houses.bochner new.csv
      bochner predict houses.bochner new.csv --std --id address -o predicted.parquet
      cat new.csv | bochner predict flights.bochner - --proba | head
    """
    from bochner.cli.models import inputs_of, load_model, read_inputs, without_columns
    from bochner.cli.output import write_columns
    from bochner.cli.targets import require_apart, require_writable
    from bochner.tables import column_of_table

    screen = Screen(as_json=as_json, quiet=quiet)
    require_apart([output], [model, table])
    require_writable(output)
    with screen.progress() as progress, screen.noting_warnings():
        progress.step(f"Reading {model} and {table}")
        fitted = load_model(model)
        rows = read_inputs(fitted, table)
        copied = {name: column_of_table(rows, name, table) for name in wanted["identifier"]}
        rows = without_columns(fitted, rows, wanted["identifier"])
        progress.step(f"Predicting {rows.num_rows:,} rows")
        inputs = inputs_of(fitted, rows, table)
        columns = copied | _predictions(fitted, inputs, std=wanted["std"], proba=wanted["proba"])
    if as_json:
        screen.show({"model": model, "table": table, "rows": rows.num_rows, "columns": columns})
    if output is not None or not as_json:
        write_columns(columns, output)


def _predictions(model: Any, inputs: Any, *, std: bool, proba: bool) -> JsonDict:
    """Columns of predictions."""
    from bochner.errors import InvalidDataError

    if std and hasattr(model, "classes_"):
        raise InvalidDataError("--std is for regression, and this model predicts classes. Use --proba.")
    if proba and not hasattr(model, "predict_proba"):
        raise InvalidDataError("--proba needs a model that predicts classes with probabilities. This one does not.")
    if std:
        mean, deviation = model.predict(inputs, return_std=True)
        return {"prediction": mean, "std": deviation}
    found = {"prediction": model.predict(inputs)}
    if proba:
        chances = model.predict_proba(inputs)
        found |= {f"probability_{label}": chances[:, at] for at, label in enumerate(model.classes_)}
    return found
