"""Command line: `python -m bochner.reproduce NAME [--full] [--out FOLDER]`, or `--list`.

Exit status: 0 done (what was skipped for want of data files included), 2 wrong usage or bad input, 70 an experiment of
several failed, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from bochner.errors import BochnerError
from bochner.reproduce import EXPERIMENTS, Outcome, outcomes

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
        return _tell(outcomes(options.name, "full" if options.full else "quick", options.out), options.out)
    except (BochnerError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


def _tell(ended: Iterator[Outcome], folder: str) -> int:
    """A line for every experiment as it ends, and a last one if some did not run."""
    counts = {"done": 0, "skipped": 0, "failed": 0}
    try:
        for outcome in ended:
            counts[outcome.status] += 1
            _tell_one(outcome, folder)
    except KeyboardInterrupt:
        print(f"Interrupted. {counts['done']} finished, kept in {folder}.", file=sys.stderr)
        return 130
    if counts["skipped"] or counts["failed"]:
        print(", ".join(f"{count} {status}" for status, count in counts.items()), file=sys.stderr)
    return 70 if counts["failed"] else 0


def _tell_one(outcome: Outcome, folder: str) -> None:
    if outcome.status == "done":
        print(f"{folder}/{outcome.experiment}.png and .json  ({outcome.seconds:.1f} s)", flush=True)
    else:
        print(f"{outcome.details}{outcome.sentence}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
