"""Command line: `python -m bochner.reproduce NAME [--full] [--out FOLDER]`, or `--list`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from bochner.errors import BochnerError
from bochner.reproduce import EXPERIMENTS, names, run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bochner.reproduce", description="Recompute the papers' figures.")
    parser.add_argument("name", nargs="?", help="an experiment, a paper, or 'all'")
    parser.add_argument("--full", action="store_true", help="the paper's own setting: minutes instead of seconds")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="where NAME.png and NAME.json go")
    parser.add_argument("--list", action="store_true", help="show the experiments and stop")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(f"{name:34} {experiment.title}" for name, experiment in EXPERIMENTS.items()))
        return 0
    if options.name is None:
        parser.error("give the name of an experiment, or --list")
    try:
        _run_all(options.name, full=options.full, folder=options.out)
    except BochnerError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _run_all(name: str, *, full: bool, folder: str) -> None:
    for each in names(name):
        start = time.perf_counter()
        run(each, "full" if full else "quick", folder)
        print(f"{folder}/{each}.png and .json  ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    sys.exit(main())
