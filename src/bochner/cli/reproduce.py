"""`bochner reproduce`: experiments of the papers, run again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from bochner.cli.exits import DEFECT
from bochner.cli.screen import Screen, screen_options, table

if TYPE_CHECKING:
    from bochner.reproduce import Outcome

__all__ = ["reproduce"]


@click.command(short_help="Run the experiments of the papers again.")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="Show the experiments and stop.")
@click.option("--full", is_flag=True, help="The paper's own setting: minutes instead of seconds.")
@click.option("--out", default=".", metavar="FOLDER", show_default=True, help="Where NAME.png and NAME.json go.")
@screen_options
def reproduce(name: str | None, listed: bool, full: bool, out: str, as_json: bool, quiet: bool) -> None:
    """Run the experiment NAME of a paper, all of a paper, or all: a figure and its numbers.

    Of several, those whose data files are not in the folder BOCHNER_DATA are skipped with a note, and one that fails
    does not stop the others. What is finished is kept when you interrupt.

    \b
    Examples:
      bochner reproduce --list
      bochner reproduce sutherland-schneider --out figures
      bochner reproduce li-honorio-counterexample --full
    """
    from bochner.reproduce import EXPERIMENTS, outcomes

    screen = Screen(as_json=as_json, quiet=quiet)
    if listed:
        titles = {each: experiment.title for each, experiment in EXPERIMENTS.items()}
        screen.show({"experiments": titles}, table("", list(titles.items())))
        return
    if name is None:
        raise click.UsageError("Give the name of an experiment, or --list.")
    ended: list[Outcome] = []
    try:
        with screen.progress() as progress, screen.noting_warnings():
            progress.step(f"Running {name}")
            for outcome in outcomes(name, "full" if full else "quick", out):
                ended.append(outcome)
                progress.step(f"Running {name}: {len(ended)} ended, the last {outcome.experiment}")
                if outcome.status != "done":
                    sys.stderr.write(outcome.details)
                    screen.note(outcome.sentence)
    finally:  # also when interrupted: what is finished is kept, and told
        if ended:
            _show(screen, ended, out)
    if any(outcome.status == "failed" for outcome in ended):
        raise click.exceptions.Exit(DEFECT)


def _show(screen: Screen, ended: list[Outcome], folder: str) -> None:
    document: dict[str, list[dict[str, object]]] = {"done": [], "skipped": [], "failed": []}
    written, others = [], []
    for each in ended:
        about: dict[str, object] = {"experiment": each.experiment}
        if each.status == "done":
            about |= {"figure": f"{folder}/{each.experiment}.png", "seconds": each.seconds}
            written.append((f"{folder}/{each.experiment}.png and .json", f"{each.seconds:.1f} s"))
        else:
            about |= {"reason": each.reason}
            others.append((each.experiment, each.status))
        document[each.status].append(about)
    screen.show(document, table("", [*written, *others]))
