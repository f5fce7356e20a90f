"""`bochner test`: kernel two-sample test (MMD) between two tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.exits import ANSWER_IS_NO
from bochner.cli.roles import require_one_role
from bochner.cli.screen import Screen, screen_options, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bochner._typing import Array, JsonDict
    from bochner.comparison import KernelTestResult
    from bochner.tables import TableEncoder

__all__ = ["test"]


@click.command(short_help="Test whether two tables have the same distribution.")
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path())
@options.kernel
@click.option(
    "--length-scale", type=options.NumberOr("median", "aggregate", "fuse", "held_out"),
    default="aggregate", show_default=True,
    help="Scale of the differences looked for; aggregate: five scales in one test; fuse: ten scales of two kernels.",
)  # fmt: skip
@click.option(
    "--n-resamples", type=options.WholeNumber(19), default=999, show_default=True, help="Relabellings of the rows."
)
@click.option(
    "--fail-below", type=options.Number(0, 1), metavar="P",
    help="Exit with code 1 if the p-value is below P: for scripts that watch data.",
)  # fmt: skip
@click.option("--report", type=click.Path(), help="Write a page with the verdict and the columns that changed.")
@options.force
@options.drop
@options.categorical
@options.missing
@options.day_first
@options.seed
@screen_options
def test(as_json: bool, quiet: bool, **given: Any) -> None:
    """Do BEFORE and AFTER come from the same distribution? A p-value that is valid at any size.

    Columns are found by their names. Both tables are prepared together, as by `bochner fit`, so that every row is
    treated alike. The time is linear in the number of rows.

    \b
    Examples:
      bochner test january.csv february.csv
      bochner test old.csv new.csv --fail-below 0.001 || echo "changed"
      bochner test before.csv after.csv --drop timestamp --report change.html
    """
    from bochner import mmd_test
    from bochner.kernels.text import in_one_line
    from bochner.reporting import drift_report

    screen = Screen(as_json=as_json, quiet=quiet)
    require_one_role(given)
    _settle_page(given)
    with screen.progress() as progress, screen.noting_warnings():
        progress.step("Reading the tables")
        encoder, X, Y = _samples(given, screen)
        progress.step(f"Comparing {len(X):,} rows with {len(Y):,}")
        result = mmd_test(
            X,
            Y,
            kernel=given["kernel"],
            length_scale=given["length_scale"],
            n_resamples=given["n_resamples"],
            rng=given["seed"],
        )
    threshold = given["fail_below"]
    failed = threshold is not None and result.pvalue < threshold
    document = {
        "before": {"table": given["before"], "rows": len(X)},
        "after": {"table": given["after"], "rows": len(Y)},
        "preprocessing": encoder.describe(),
        "verdict": "",
        "columns_changed": _changed(encoder, result),
        "pvalue": result.pvalue,
        "statistic": result.statistic,
        "kernel": in_one_line(result.kernel),  # type: ignore[arg-type]  # no transformer was given
        "features": result.n_components,
        "resamples": len(result.null_distribution),
        "assumptions": result.assumptions,
        "fail_below": threshold,
        "failed": failed,
    }
    document["verdict"] = _verdict(document)
    written = [] if given["report"] is None else [given["report"]]
    if written:
        title = f"{Path(given['before']).name} and {Path(given['after']).name}"
        drift_report(document, result.null_distribution, title=title).save(written[0])
    screen.show(document, document["verdict"], "", table("", list(_lines(document))), written=written)
    if failed:
        raise click.exceptions.Exit(ANSWER_IS_NO)


def _settle_page(given: JsonDict) -> None:
    """Look at the place of the report before the work."""
    from bochner.cli import targets

    page = given["report"]
    targets.require_apart([page], [given["before"], given["after"]])
    targets.require_type(page, (".html", ".htm", ".json"), "The report")
    targets.require_writable(page)
    if page is not None and not given["force"]:
        targets.require_page(page)


def _samples(given: JsonDict, screen: Screen) -> tuple[TableEncoder, Array, Array]:
    """Both tables as arrays, prepared by one encoder that has seen the rows of both: so the p-value stays valid."""
    import pyarrow as pa

    from bochner.data import read_table
    from bochner.errors import InvalidDataError
    from bochner.tables import TableEncoder, encode_rows, unnamed_indices

    kinds = dict.fromkeys(given["categorical"], "category")
    tables = [read_table(given[name], kinds, given["missing"]) for name in ("before", "after")]
    names = _columns_of_both(given, [rows.column_names for rows in tables])
    for name in unnamed_indices(names, tables):
        screen.note(f"Column {name!r} is left out: an index without a name, as pandas writes it.")
        names.remove(name)
    try:
        both = pa.concat_tables([rows.select(names) for rows in tables], promote_options="permissive")
    except pa.ArrowTypeError as error:
        raise InvalidDataError(f"Both tables must have columns of the same kinds. {_first_line(error)}") from None
    for name, sample in zip(("before", "after"), tables):
        if sample.num_rows < 2:
            raise InvalidDataError(f"{given[name]!r} must have at least two rows to compare. Got {sample.num_rows}.")
    encoder = TableEncoder(**{name: given[name] for name in ("categorical", "missing", "day_first")})
    rows = encode_rows(encoder, both)
    return encoder, rows[: tables[0].num_rows], rows[tables[0].num_rows :]


def _columns_of_both(given: JsonDict, of_tables: list[list[str]]) -> list[str]:
    """Names of the columns that are compared, which both tables have."""
    from bochner.errors import InvalidDataError

    _require_known(given, [*of_tables[0], *of_tables[1]])
    first, second = ([name for name in names if name not in given["drop"]] for names in of_tables)
    if not first and not second:
        raise InvalidDataError("No column is left to compare: --drop leaves them all out.")
    different = sorted(set(first) ^ set(second))
    if different:
        raise InvalidDataError(
            f"Both tables must have the same columns. Only one has {', '.join(map(repr, different[:8]))}: --drop them."
        )
    return first


def _require_known(given: JsonDict, names: list[str]) -> None:
    """Refuse to leave out a column that is in neither table."""
    from bochner.tables.named_columns import no_column

    for name in given["drop"]:
        if name not in names:
            raise no_column(repr(given["before"]), name, list(dict.fromkeys(names)))


def _changed(encoder: TableEncoder, result: KernelTestResult) -> dict[str, float]:
    """Share of each column of the tables in the difference, largest first."""
    from bochner.tables.kinds import column_of

    shares = iter([] if result.contributions is None else result.contributions.tolist())
    names = [(column["name"], len(column_of(column).outputs)) for column in encoder.columns_]
    found = {name: sum(next(shares) for _ in range(width)) for name, width in names}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _verdict(found: JsonDict) -> str:
    """What was found, in a sentence."""
    from bochner.comparison.attribution import difference_in_words

    differ = found["pvalue"] <= 0.05 if found["fail_below"] is None else found["failed"]
    return difference_in_words(found["pvalue"], [*found["columns_changed"].items()], differ=differ, what="tables")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _lines(found: JsonDict) -> Iterator[tuple[str, str]]:
    yield "before", f"{found['before']['table']}: {found['before']['rows']:,} rows"
    yield "after", f"{found['after']['table']}: {found['after']['rows']:,} rows"
    for at, sentence in enumerate(found["preprocessing"]):
        yield "" if at else "inputs", sentence
    yield "p-value", f"{found['pvalue']:.4g}  ({_meaning(found)})"
    yield "statistic", f"{found['statistic']:.4g}, {found['resamples']:,} relabellings, {found['kernel']}"
    if found["fail_below"] is not None:
        yield "threshold", f"{'below' if found['failed'] else 'not below'} {found['fail_below']:g}"


def _meaning(found: JsonDict) -> str:
    if found["pvalue"] <= 1 / (1 + found["resamples"]):
        return "no relabelling of the rows gave a difference as large: the smallest value there is"
    return f"if nothing had changed, a difference as large would come in {100 * found['pvalue']:.3g} % of cases"
