"""`bochner predict`: predictions of a saved model for the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.screen import Screen, screen_options

if TYPE_CHECKING:
    from bochner.cli.predicting import Predictor

__all__ = ["predict"]


@click.command(cls=options.TableCommand, short_help="Predict the rows of a table with a model.")
@click.argument("model", type=click.Path())
@click.argument("table", type=click.Path())
@click.option("--output", "-o", type=click.Path(), help="A .csv or .parquet file.  [default: CSV on standard output]")
@click.option("--std", is_flag=True, help="Add the standard deviation of each prediction (regression).")
@click.option("--proba", is_flag=True, help="Add the probability of each class (classification).")
@click.option("--id", "identifier", multiple=True, metavar="COLUMN", help="Copy a column of TABLE before the rest.")
@options.memory
@screen_options
def predict(
    model: str, table: str, output: str | None, memory: str | None, as_json: bool, quiet: bool, **wanted: Any
) -> None:
    """Predict the rows of TABLE (- is standard input, as CSV) with MODEL, a file made by `bochner fit`.

    Columns are found by their names, in any order. Levels and gaps that training did not have are counted in a note. A
    CSV or Parquet file that is large for the memory is read, and its predictions are written, in pieces.

    \b
    Examples:
      bochner predict houses.bochner new.csv
      bochner predict houses.bochner new.csv --std --id address -o out.parquet
      cat new.csv | bochner predict flights.bochner - --proba | head
    """
    from bochner import config_context
    from bochner.cli.exits import OverBudgetError
    from bochner.cli.models import load_model
    from bochner.cli.output import n_rows, writing
    from bochner.cli.predicting import Predictor
    from bochner.cli.targets import require_apart, require_type, require_writable

    screen = Screen(as_json=as_json, quiet=quiet)
    require_apart([output], [model, table])
    require_type(output, (".csv", ".parquet", ".pq"), "The output")
    require_writable(output)
    with screen.progress() as progress, screen.noting_warnings(), config_context(memory=memory):
        progress.step(f"Reading {model} and {table}")
        predictor = Predictor(load_model(model), table, **wanted)
        if as_json and predictor.streams:
            raise OverBudgetError(f"{table!r} is too large for one JSON document: write a file (-o), without --json.")
        pieces = predictor.pieces()
        if not predictor.streams:  # all of them first: then a failure leaves no part of a table on standard output
            progress.step("Predicting")
            pieces = iter([*pieces])
            _tell(screen, predictor)
        if as_json:
            (columns,) = pieces
            pieces = iter([columns])
            screen.show({"model": model, "table": table, "rows": n_rows(columns), "columns": columns})
        if output is not None or not as_json:
            with writing(output) as write:
                rows = 0
                for columns in pieces:
                    write(columns)
                    rows += n_rows(columns)
                    progress.step(f"Predicting: {rows:,} rows so far")
    if predictor.streams:
        _tell(screen, predictor)


def _tell(screen: Screen, predictor: Predictor) -> None:
    """Notes of what the rows have that training did not have."""
    for sentence in predictor.seen.sentences():
        screen.note(sentence)
