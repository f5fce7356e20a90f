"""Peak memory of public calls under a budget, each in a fresh process.

    python -m benchmarks.budgets [--quick] [--resume] [parts of names]

At full size they are written to benchmarks/results/memory_calls.json and to the table of docs/memory.md: all of them,
or those with the names, in place of what was there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.budgets.calls import CALLS, FULL, QUICK
from benchmarks.budgets.measure import measure
from benchmarks.budgets.page import PAGE, written

RESULTS = Path(__file__).parents[1] / "results" / "memory_calls.json"
_MARK = "RESULT"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budgets", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of calls; all calls unless given")
    parser.add_argument("--quick", action="store_true", help="fewer rows and features, and a smaller budget")
    parser.add_argument("--resume", action="store_true", help="keep the calls that the results have")
    parser.add_argument("--here", metavar="NAME", action="append", help="measure these calls in this process")
    given = parser.parse_args()
    if given.here:
        for name in given.here:
            found = measure(CALLS[name], QUICK if given.quick else FULL)
            print(_MARK + json.dumps({**vars(found), "ratio": round(found.ratio, 3)}), flush=True)
        return
    chosen = [name for name in CALLS if not given.names or any(part in name for part in given.names)]
    keep = given.resume or given.names
    known: dict[str, dict[str, object]] = {}
    if keep and RESULTS.exists():
        known = {str(row["name"]): row for row in json.loads(RESULTS.read_text())["calls"]}
    for name in chosen:
        if given.resume and name in known:
            continue
        known |= {str(row["name"]): row for row in in_child([name], quick=given.quick)}
        if not given.quick:
            found = {"budget": FULL.memory, "calls": [known[each] for each in CALLS if each in known]}
            RESULTS.write_text(json.dumps(found, indent=2) + "\n")
            PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


def in_child(names: list[str], *, quick: bool) -> list[dict[str, object]]:
    """Measure some calls in one fresh process, and print a line for each."""
    options = [option for name in names for option in ("--here", name)] + (["--quick"] if quick else [])
    command = [sys.executable, "-m", "benchmarks.budgets", *options]
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    ran = subprocess.run(command, capture_output=True, text=True, env=env)
    found = [json.loads(line[len(_MARK) :]) for line in ran.stdout.splitlines() if line.startswith(_MARK)]
    for row in found:
        note = "  refused: " + row["refusal"].splitlines()[0] if row["refusal"] else ""
        print(f"{row['ratio']:7.2f}x {row['seconds']:6.1f} s  {row['name']}{note}", flush=True)
    if ran.returncode:
        raise RuntimeError(f"{names[len(found)]} failed:\n{ran.stderr[-3000:]}")
    return found


if __name__ == "__main__":
    main()
