"""`bochner fit`: train a regressor or classifier on a table, with test score, certificate, cost and report."""

from __future__ import annotations

from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.roles import require_one_role
from bochner.cli.screen import Screen, screen_options

if TYPE_CHECKING:
    from bochner._typing import JsonDict
    from bochner.cli.learning import FitOptions

__all__ = ["fit"]

_OTHER_FILES = (".csv", ".tsv", ".gz", ".parquet", ".npy", ".npz", ".html", ".json", ".onnx", ".pkl", ".joblib")


@click.command(cls=options.TableCommand, short_help="Learn to predict a column of a table.")
@click.argument("table", type=click.Path())
@click.option("--target", required=True, metavar="COLUMN", help="What to predict.")
@click.option(
    "--task", type=click.Choice(["regression", "classification"]),
    help="Otherwise told from the target: texts, true and false, or at most 10 different whole numbers are classes.",
)  # fmt: skip
@click.option("--model-file", type=click.Path(), help="Where the model goes.  [default: TABLE.bochner]")
@click.option("--report", type=click.Path(), help="Where the report goes.  [default: TABLE.html]")
@click.option(
    "--test-size", type=options.Number(0, 1, max_open=True), default=0.2, show_default=True,
    help="Share of the rows that is held out to score the model; 0: none.",
)  # fmt: skip
@click.option("--split-column", metavar="COLUMN", help="Hold out the rows in which this column says test, true or 1.")
@click.option(
    "--kernel", type=click.Choice(["auto", *options.KERNELS]), metavar="NAME",
    help=f"How rows are compared: {', '.join(options.KERNELS)}; or auto: Gaussian or Matern, by the data.  "
    "[default: that of the library]",
)  # fmt: skip
@click.option(
    "-D", "--features-count", "features", type=options.WholeNumber(2), metavar="NUMBER",
    help="Random features.  [default: landmarks, as many as the data ask for; what --eps or the budget asks for]",
)  # fmt: skip
@click.option(
    "--length-scale", type=options.NumberOr("auto", "ard", "metric", "median"), default="auto", show_default=True,
    help="Distance at which rows stop being alike; ard: one for each input; metric: a matrix, from slopes.",
)  # fmt: skip
@click.option(
    "--alpha", type=options.NumberOr("auto", "gcv", "evidence", "loo", "cv"), default="auto", show_default=True,
    help="Penalty; auto: by predictions of rows that were left out.",
)  # fmt: skip
@click.option(
    "--loss", type=click.Choice(["quantile", "huber", "poisson"]),
    help="Of a regression: a quantile in place of the mean, one that outliers do not spoil, counts or rates.",
)  # fmt: skip
@click.option(
    "--quantile", type=options.Number(0, 1, min_open=True, max_open=True), default=[0.5], show_default="0.5",
    multiple=True, callback=options.one_value, help="Which one, with --loss quantile.",
)  # fmt: skip
@click.option("--weight", metavar="COLUMN", help="Weights of the rows; exposures of rates.")
@options.drop
@click.option("--id", "identifier", multiple=True, metavar="COLUMN", help="Names the rows: not an input.")
@options.categorical
@options.missing
@options.day_first
@click.option("--drop-missing-target", is_flag=True, help="Leave out rows without a target.")
@options.eps
@options.delta
@options.memory
@options.time
@options.force
@options.seed
@screen_options
def fit(as_json: bool, quiet: bool, **given: Any) -> None:
    """Learn to predict a column of TABLE from the others.

    Ends with the score on rows held out, a certificate that says how far the model is from the exact kernel machine,
    memory and time against the plan, and two files: the model and a report to open in a browser. The files of an
    earlier fit of the same table and target are replaced; others only if you name them, or with --force.

    TABLE is a file, or a folder or a quoted pattern of files. Numbers are standardised, categories get one column per
    level, dates become year, month, weekday and hour, and missing inputs are marked: all of it is stored with the
    model. What cannot be used is refused with a remedy.

    \b
    Examples:
      bochner fit houses.csv --target price
      bochner fit flights.parquet --target delayed --drop number --test-size 0.1
      bochner fit 'loads/2024-*.parquet' --target load -D 4096 --memory 2GB --json
      bochner fit census.csv --target income --missing '?' --missing unknown
      bochner fit delays.csv --target minutes --loss quantile --quantile 0.9
    """
    require_one_role(given)
    _settle_loss(given)
    _settle_numbers(given)
    _settle_files(given)
    _run(given, Screen(as_json=as_json, quiet=quiet))


def _settle_loss(given: JsonDict) -> None:
    """A loss is one of regression, and a quantile needs its own."""
    if given["loss"] != "quantile" and options.was_given("quantile"):
        raise click.UsageError("--quantile is for --loss quantile.")
    if given["loss"] is not None and given["task"] == "classification":
        raise click.UsageError(f"--loss {given['loss']} is for regression, and --task says classification.")
    _settle_penalty(given["alpha"], given["loss"], given["task"])
    given["task"] = given["task"] if given["loss"] is None else "regression"


def _settle_penalty(alpha: float | str, loss: str | None, task: str | None) -> None:
    """Rules for the penalty are those of the loss; of a task that the target tells, they are looked at later."""
    if alpha in ("gcv", "evidence", "loo") and (loss is not None or task == "classification"):
        what = "a classification" if loss is None else f"--loss {loss}"
        raise click.UsageError(f"--alpha {alpha} is for squared errors. With {what}: auto, cv or a number.")
    if alpha == "cv" and loss is None and task == "regression":
        raise click.UsageError("--alpha cv is for classes and --loss. For squared errors: auto, gcv, evidence or loo.")


def _settle_numbers(given: JsonDict) -> None:
    """One option alone decides how many features there are, and one which rows are held out."""
    options.require_one_width(given)
    if given["split_column"] is not None and options.was_given("test_size"):
        raise click.UsageError("--split-column and --test-size both decide which rows are held out: give one of them.")


def _settle_files(given: JsonDict) -> None:
    """Names of the model and the report; what they would replace is looked at before the work."""
    from bochner.cli import targets

    stem, mark = _stem(given["table"]), targets.mark_of(given["table"], given["target"])
    model, page = given["model_file"] or f"{stem}.bochner", given["report"] or f"{stem}.html"
    targets.require_apart([model, page], [given["table"]])
    targets.require_type(page, (".html", ".htm", ".json"), "The report")
    targets.refuse_type(model, _OTHER_FILES, "The model")
    targets.require_writable(model, page)
    if not given["force"]:
        targets.require_model_file(model)
        targets.require_page(page)
    given["named"] = {name for name in ("model_file", "report") if given[name] is not None}
    given.update(model_file=model, report=page, mark=mark)


def _require_own_files(asked: FitOptions) -> None:
    """Refuse to replace the model or the report of another table or target by names that nobody gave."""
    from bochner.cli.targets import require_ours

    if not asked.force and "model_file" not in asked.named:
        require_ours(asked.model_file, asked.mark, "model of this table and target", "--model-file")
    if not asked.force and "report" not in asked.named:
        require_ours(asked.report, asked.mark, "report of this table and target", "--report")


def _stem(table: str) -> str:
    """The name of a table without its folder and its type: houses.v2 of data/houses.v2.csv.gz, loads of loads/*.csv."""
    place = Path(table)
    while has_magic(place.name):
        place = place.parent
    name = place.name.removesuffix(".gz")
    return (name if place.is_dir() else Path(name).stem).lstrip(".-") or "model"


def _run(given: JsonDict, screen: Screen) -> None:
    from bochner import config_context, report, save
    from bochner.cli import learning
    from bochner.cli.fit_summary import about, found, parts, scored_rows
    from bochner.cli.training import read_training_rows

    asked = learning.FitOptions(**given)
    with screen.progress() as progress, screen.noting_warnings():
        progress.step(f"Reading {asked.table}")
        rows = read_training_rows(asked)
        _settle_penalty(asked.alpha, asked.loss, rows.target.task)
        _require_own_files(asked)
        if rows.manner():
            screen.note(f"{asked.table} is {rows.manner()}.")
        with config_context(memory=rows.budget_left(asked.memory)):
            progress.step("Planning")
            with config_context(memory=rows.budget_left(asked.memory, reading=rows.read_bytes)):
                plan = learning.plan_for(asked, rows)
            progress.step(f"Fitting {rows.n_fit:,} rows")
            learned = learning.learn(asked, rows, plan, progress)
            progress.step("Certifying")
            certificate = learning.certify(learned, rows, asked.delta, progress, asked.loss)
            progress.step("Writing the model and the report")
            save(learned.pipeline, asked.model_file)
            page = report(
                learned.pipeline,
                asked.report,
                **scored_rows(rows.held_out),
                held_out=True,
                title=f"{asked.target} from {Path(asked.table).name}",
                plan=learning.bill(asked, plan, rows),
                extra=about(asked, rows, learned),
                certificate=certificate,
                delta=asked.delta,
            )
    for sentence in rows.notes():
        screen.note(sentence)
    document = found(asked, rows, learned, page.summary, certificate)
    document["cost"]["command_seconds"] = screen.seconds
    screen.show(document, *parts(document), written=[asked.model_file, asked.report])
