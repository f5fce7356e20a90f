"""Shared command-line options and parameter types."""

from __future__ import annotations

from typing import Any

import click

__all__ = [
    "KERNELS",
    "NumberOr",
    "categorical",
    "day_first",
    "delta",
    "drop",
    "force",
    "kernel",
    "memory",
    "missing",
    "seed",
]

KERNELS = ("gaussian", "laplacian", "matern", "cauchy", "rational_quadratic", "power_exponential")


class NumberOr(click.ParamType):  # type: ignore[type-arg]
    """A positive number, or one of some words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.name = "|".join([*words, "number"])

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """How --help shows it."""
        return "|".join([*self.words, "NUMBER"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        """The word, or the number."""
        if value in self.words:
            return str(value)
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not 0 < number < float("inf"):
            self.fail(f"{value!r} is not a positive number nor one of {', '.join(self.words)}.", param, ctx)
        return number


kernel = click.option(
    "--kernel", type=click.Choice(KERNELS), metavar="NAME", default="gaussian", show_default=True,
    help=f"How rows are compared: {', '.join(KERNELS)}.",
)  # fmt: skip
drop = click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out. Can be repeated.")
categorical = click.option(
    "--categorical", multiple=True, metavar="COLUMN", help="Take a column of numbers as categories. Can be repeated."
)
missing = click.option(
    "--missing", multiple=True, metavar="TEXT",
    help="A text that means a missing value, such as '?', '-' or unknown. Can be repeated.  "
    "[always: the empty one, NA, NaN, NULL]",
)  # fmt: skip
day_first = click.option(
    "--day-first/--month-first", default=None, help="How dates such as 01/02/2020 are meant, where no row tells."
)
delta = click.option(
    "--delta", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.01, show_default=True,
    help="Probability with which a guarantee may fail.",
)  # fmt: skip
memory = click.option(
    "--memory",
    metavar="SIZE",
    help="Memory that may be allocated, rows included, such as 4GB.  [default: 4/5 of what is free]",
)
seed = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of all draws.")
force = click.option("--force", is_flag=True, help="Replace files that are there already, whatever they hold.")
