"""Command line of the study: python -m benchmarks.validity [--family NAME] [--quick] [--check]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .check import failures, load, missing
from .runner import FAMILIES, RESULTS, Journal, run

QUICK = 50


def main(arguments: list[str] | None = None) -> int:
    """Run the study, or with --check only look at its results; 1 if a promise is refuted or was not tested."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validity", description=__doc__)
    parser.add_argument("--family", action="append", choices=FAMILIES, help="only this family; may be repeated")
    parser.add_argument("--quick", action="store_true", help=f"a {QUICK}th of the repeats, results in results/quick")
    parser.add_argument("--check", action="store_true", help="run nothing, judge the results that are there")
    parser.add_argument("--restart", action="store_true", help="forget what an earlier run has finished")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--into", type=Path, default=None, help="folder of the results")
    chosen = parser.parse_args(arguments)
    if chosen.workers < 1:
        parser.error(f"--workers must be at least 1. Got {chosen.workers}.")
    families, quick = chosen.family or list(FAMILIES), QUICK if chosen.quick else 1
    folder = chosen.into or (RESULTS / "quick" if chosen.quick else RESULTS)
    if chosen.restart:
        for family in families:
            Journal.of(family, folder).forget()
    if not chosen.check:
        run(families, folder, quick=quick, workers=chosen.workers)
    records = load(folder, families)
    lines = failures(records) + (missing(records, families) if quick == 1 else [])
    print("\n".join([*lines, f"{len(records):,} promises, {len(lines)} refuted or not tested"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
