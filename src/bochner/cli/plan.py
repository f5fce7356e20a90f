"""`bochner plan`: features, memory and time of a fit, estimated before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.roles import require_one_role
from bochner.cli.screen import Screen, screen_options, table

if TYPE_CHECKING:
    from bochner._typing import JsonDict
    from bochner.planning import Plan

__all__ = ["plan"]


@click.command(cls=options.TableCommand, short_help="Features, memory and time that a fit would take.")
@click.argument("table", type=click.Path())
@click.option("--target", metavar="COLUMN", help="What would be predicted: not an input.")
@options.eps
@options.delta
@click.option(
    "-D", "--features-count", "features", type=options.WholeNumber(2), metavar="NUMBER", help="Random features."
)
@click.option(
    "--kernel", type=click.Choice(options.KERNELS), metavar="NAME",
    help=f"How rows are compared: {', '.join(options.KERNELS)}.  [default: that of the library]",
)  # fmt: skip
@options.memory
@options.time
@options.drop
@options.categorical
@options.missing
@options.day_first
@options.seed
@screen_options
def plan(as_json: bool, quiet: bool, **given: Any) -> None:
    """How many features, how much memory, how long: before a fit to TABLE.

    With --eps: as many features as the tightest theorem asks for. With a budget alone: as many as it allows. The
    certified error holds for the kernel, whatever is learned with it. With neither: the landmarks of the library's
    default, which `bochner fit` fits.

    \b
    Examples:
      bochner plan houses.csv --target price --eps 0.05
      bochner plan houses.csv --target price --memory 4GB --time 60
      bochner plan houses.csv --target price -D 2048 --json
    """
    from bochner import TableEncoder
    from bochner import plan as plan_fit
    from bochner.data import read_table
    from bochner.tables import column_of_table, encode_rows

    screen = Screen(as_json=as_json, quiet=quiet)
    require_one_role(given)
    options.require_one_width(given)
    with screen.progress() as progress, screen.noting_warnings():
        progress.step(f"Reading {given['table']}")
        rows = read_table(given["table"], dict.fromkeys(given["categorical"], "category"), given["missing"])
        if given["target"] is not None:
            column_of_table(rows, given["target"], given["table"])
        reading = {name: given[name] for name in ("drop", "categorical", "missing", "day_first")}
        encoder = TableEncoder(target=given["target"], **reading)
        X = encode_rows(encoder, rows)
        progress.step("Planning")
        wishes = (given[name] for name in ("features", "eps", "kernel", "memory", "time"))
        automatic = all(wish is None for wish in wishes)
        found = plan_fit(
            X,
            features="auto" if automatic else None,
            kernel=given["kernel"],
            n_components=given["features"],
            eps=given["eps"],
            delta=given["delta"],
            memory=given["memory"],
            time=given["time"],
            random_state=given["seed"],
        )
    for sentence in encoder.notes_:
        screen.note(sentence)
    verdict = f"{found.verdict()} {_next(given, found)}"
    screen.show(
        {"table": given["table"], "verdict": verdict, "preprocessing": encoder.describe(), **found.to_dict()},
        verdict,
        "",
        table("", [("" if at else "inputs", sentence) for at, sentence in enumerate(encoder.describe())]),
        "",
        str(found),
    )


def _next(given: JsonDict, found: Plan) -> str:
    """The command to run after the plan."""
    if found.warnings:
        return "Raise --memory or --time, or ask for less."
    asked = [(f"--target {given['target']}" if given["target"] else "--target COLUMN")]
    asked += [] if given["features"] is None else [f"-D {given['features']}"]
    asked += [] if given["eps"] is None else [f"--eps {given['eps']:g}"]
    return f"Run: bochner fit {given['table']} {' '.join(asked)}"
