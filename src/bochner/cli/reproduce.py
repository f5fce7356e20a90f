"""`bochner reproduce`: the papers' experiments, run again."""

from __future__ import annotations

import time

import click

from bochner.cli.screen import Screen, screen_options, table

__all__ = ["reproduce"]


@click.command(short_help="Run the experiments of the papers again.")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="Show the experiments and stop.")
@click.option("--full", is_flag=True, help="The paper's own setting: minutes instead of seconds.")
@click.option("--out", default=".", metavar="FOLDER", show_default=True, help="Where NAME.png and NAME.json go.")
@screen_options
def reproduce(name: str | None, listed: bool, full: bool, out: str, as_json: bool, quiet: bool) -> None:
    """Run the experiment NAME of a paper, all of a paper, or all: a figure and its numbers.

    \b
    Examples:
      bochner reproduce --list
      bochner reproduce sutherland-schneider --out figures
      bochner reproduce li-honorio-counterexample --full
    """
    from bochner.reproduce import EXPERIMENTS, names, run

    screen = Screen(as_json=as_json, quiet=quiet)
    if listed:
        titles = {each: experiment.title for each, experiment in EXPERIMENTS.items()}
        screen.show({"experiments": titles}, table("", list(titles.items())))
        return
    if name is None:
        raise click.UsageError("Give the name of an experiment, or --list.")
    done = []
    with screen.progress() as progress, screen.noting_warnings():
        for each in names(name):
            progress.step(f"Running {each}")
            start = time.perf_counter()
            run(each, "full" if full else "quick", out)
            done.append({"experiment": each, "figure": f"{out}/{each}.png", "seconds": time.perf_counter() - start})
    lines = [(f"{each['figure']} and .json", f"{each['seconds']:.1f} s") for each in done]
    screen.show({"done": done}, table("", lines))
