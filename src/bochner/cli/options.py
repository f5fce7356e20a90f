"""Shared command-line options and parameter types."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from bochner._typing import JsonDict

__all__ = [
    "KERNELS",
    "Number",
    "NumberOr",
    "Size",
    "TableCommand",
    "WholeNumber",
    "categorical",
    "day_first",
    "delta",
    "drop",
    "eps",
    "force",
    "kernel",
    "memory",
    "missing",
    "require_one_width",
    "seed",
    "time",
    "was_given",
]

KERNELS = ("gaussian", "laplacian", "matern", "cauchy", "rational_quadratic", "power_exponential")


class TableCommand(click.Command):
    """Command that takes one table: several files, which a shell makes of a pattern, are told how to be one."""

    allow_extra_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        super().parse_args(ctx, args)
        if ctx.args:
            more = f"{', '.join(ctx.args[:3])}{', ...' if ctx.args[3:] else ''}"
            raise click.UsageError(
                f"One table is taken. Got more: {more}. Files with the same columns are one table as a folder, or as a "
                "pattern in quotes: 'part-*.csv'.",
                ctx,
            )
        return ctx.args


def one_value(ctx: click.Context, param: click.Parameter, values: tuple[float, ...]) -> float:
    """The value of an option that may be given once only: the last of several would be taken without a word."""
    if len(values) != 1:
        name = param.opts[0]
        raise click.BadParameter(
            f"takes one number. Got {len(values)}: fit once for each, with another {name}.", ctx, param
        )
    return values[0]


def was_given(name: str) -> bool:
    """Whether the running command has a parameter from its user, not by default."""
    return click.get_current_context().get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def require_one_width(given: JsonDict) -> None:
    """Refuse two options that both decide the number of features."""
    if given["features"] is not None and given["eps"] is not None:
        raise click.UsageError("-D and --eps both decide the number of features: give one of them.")


def _range_in_words(kind: click.IntRange | click.FloatRange, what: str) -> str:
    closed = not (kind.min_open or kind.max_open)
    if closed and None not in (kind.min, kind.max):
        return f"{what} from {kind.min} to {kind.max}"
    low = "" if kind.min is None else f" {'above' if kind.min_open else 'of at least'} {kind.min}"
    high = "" if kind.max is None else f" {'below' if kind.max_open else 'up to'} {kind.max}"
    return f"{what}{low}{' and' if low and high else ''}{high}"


class Number(click.FloatRange):
    """A finite number in a range; the message of any other value says which."""

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        try:
            number = super().convert(cast("float", value), param, ctx)
        except click.BadParameter:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"must be {_range_in_words(self, 'a number')}. Got {value!r}.", param, ctx)
        return number


class WholeNumber(click.IntRange):
    """A whole number in a range; the message of any other value says which."""

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        try:
            return super().convert(cast("int", value), param, ctx)
        except click.BadParameter:
            self.fail(f"must be {_range_in_words(self, 'a whole number')}. Got {value!r}.", param, ctx)


class Size(click.ParamType):  # type: ignore[type-arg]
    """A size of memory, as it was written."""

    name = "size"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text, if it is a size."""
        from bochner.config import parse_bytes
        from bochner.errors import InvalidParameterError

        try:
            parse_bytes(value)
        except InvalidParameterError:
            self.fail(f"must be a size such as 4GB or 512MiB. Got {value!r}.", param, ctx)
        return str(value)


class NumberOr(click.ParamType):  # type: ignore[type-arg]
    """A positive number, or one of some words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.name = "|".join([*words, "number"])

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """How --help shows it."""
        return "|".join([*self.words, "NUMBER"])

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
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
eps = click.option(
    "--eps", type=Number(0, min_open=True), help="Largest error of the kernel that is allowed: decides -D."
)
time = click.option(
    "--time", type=Number(0, min_open=True), metavar="SECONDS", help="Time that the fit of a regression may take."
)
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
    "--delta", type=Number(0, 1, min_open=True, max_open=True), default=0.01, show_default=True,
    help="Probability with which a guarantee may fail.",
)  # fmt: skip
memory = click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    help="Memory that may be allocated, rows included, such as 4GB.  [default: 4/5 of what is free]",
)
seed = click.option("--seed", type=WholeNumber(0, 2**32 - 1), default=0, show_default=True, help="Of all draws.")
force = click.option("--force", is_flag=True, help="Replace files that are there already, whatever they hold.")
