"""`bochner plan`: features, memory and time of a fit, estimated before it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.roles import require_one_role
from bochner.cli.screen import Screen, Verbatim, screen_options, table

if TYPE_CHECKING:
    from bochner._typing import JsonDict

__all__ = ["plan"]


_OPTIONS = {
    "-D": "features",
    "--eps": "eps",
    "--kernel": "kernel",
    "--memory": "memory",
    "--time": "time",
    "--drop": "drop",
    "--categorical": "categorical",
    "--missing": "missing",
    "--delta": "delta",
    "--seed": "seed",
}
"""Options with a value that a fit has as well."""


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
            features="auto" if automatic else "fourier",
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
    command = None if found.warnings else _command(given)
    verdict = f"{found.verdict()} " + ("Raise --memory or --time, or ask for less." if command is None else "Run:")
    screen.show(
        {
            "table": given["table"],
            "verdict": found.verdict(),
            "command": command,
            "preprocessing": encoder.describe(),
            **found.to_dict(),
        },
        verdict,
        *([] if command is None else [Verbatim(command)]),
        "",
        table("", [("" if at else "inputs", sentence) for at, sentence in enumerate(encoder.describe())]),
        "",
        str(found),
    )


def _command(given: JsonDict) -> str:
    """The command that fits what was planned, as it is typed in a shell."""
    words = ["bochner", "fit", given["table"], "--target", given["target"] or "COLUMN"]
    usual = {param.name: param.default for param in plan.params}
    for option, name in _OPTIONS.items():
        value = given[name]
        values = value if isinstance(value, tuple) else () if value is None or value == usual[name] else (value,)
        words += [word for each in values for word in (option, f"{each:g}" if isinstance(each, float) else f"{each}")]
    if given["day_first"] is not None:
        words.append("--day-first" if given["day_first"] else "--month-first")
    return shlex.join(words)
