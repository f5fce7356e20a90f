"""Command line of the chaos suite: python -m benchmarks.chaos [--quick] [--parts NAME ...] [--check]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .page import write_page
from .runner import PARTS, RESULTS, Journal, load, run, so_far

QUICK = 0.05


def main(arguments: list[str] | None = None) -> int:
    """Run the parts, write JSON and page; 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="only these")
    parser.add_argument("--only", nargs="+", default=[], help="rows of the parts, such as exact; others stay")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:.0%} of the attacks, results in results/quick")
    parser.add_argument("--share", type=float, default=None, help="share of the attacks, such as 0.2")
    parser.add_argument("--check", action="store_true", help="run nothing, judge the results that are there")
    parser.add_argument("--so-far", action="store_true", help="run nothing, write what an interrupted run has finished")
    parser.add_argument("--restart", action="store_true", help="forget what an earlier run has finished")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--into", type=Path, default=None, help="folder of the results")
    asked = parser.parse_args(arguments)
    share = asked.share if asked.share is not None else QUICK if asked.quick else 1.0
    if asked.workers < 1 or share <= 0:
        parser.error(f"--workers and --share must be positive. Got {asked.workers} and {share}.")
    folder = asked.into or (RESULTS / "quick" if asked.quick else RESULTS)
    if asked.restart:
        for part in asked.parts:
            Journal(folder / f"chaos_{part}.journal").forget()
    if asked.check or asked.so_far:
        found = so_far(asked.parts, folder) if asked.so_far else load(folder)
    else:
        found = run(asked.parts, folder, share=share, workers=asked.workers, only=asked.only)
    if folder == RESULTS and not asked.check:
        write_page(found)
    failed = {f"{part}, {name}": row for part, each in found["parts"].items() for name, row in each["rows"].items()
              if row["failed"]}  # fmt: skip
    for name, row in failed.items():
        print(f"{name}: {row['failed']:,} of {row['tried']:,} did not hold", *row["failures"][:5], sep="\n  ")
    tried = sum(row["tried"] for each in found["parts"].values() for row in each["rows"].values())
    print(f"{tried:,} attacks, {sum(row['failed'] for row in failed.values()):,} after which a promise did not hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
