"""The command group `bochner`: all commands and their order in --help."""

from __future__ import annotations

from pathlib import Path

import click

from bochner import __version__
from bochner.cli.bounds import bounds
from bochner.cli.demo import demo
from bochner.cli.fit import fit
from bochner.cli.plan import plan
from bochner.cli.predict import predict
from bochner.cli.report import report
from bochner.cli.reproduce import reproduce
from bochner.cli.test import test

__all__ = ["app"]


class _InOrder(click.Group):
    """Command group that lists commands in the order of use, not of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the arguments; a table in its place is told what may be done with it."""
        if args[0] not in self.commands and Path(args[0]).exists():
            fit = f"to learn from it, bochner fit {args[0]} --target COLUMN"
            raise click.UsageError(f"{args[0]!r} is a file, and a command comes first: {fit}.", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="bochner")
def app() -> None:
    """Kernel learning at scale, with guarantees.

    \b
    Examples:
      bochner fit houses.csv --target price                learn from a table
      bochner predict houses.bochner new.csv > out.csv     predict new rows
      bochner plan houses.csv --target price --eps 0.05    what would a fit take?
      bochner test january.csv february.csv                have the data changed?

    Tables are CSV, TSV (also .gz), Parquet, .npy or .npz files, with a name for each column. Every command has
    --help, with examples.
    """


for command in (fit, predict, plan, test, bounds, report, reproduce, demo):
    app.add_command(command)
