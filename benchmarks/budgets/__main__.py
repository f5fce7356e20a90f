"""Peak memory of every public call under a budget, each in a fresh process: python -m benchmarks.budgets [--quick] [part of a name]."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

from benchmarks.budgets.calls import CALLS, FULL, QUICK
from benchmarks.budgets.measure import measure


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budgets", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of calls; all calls unless given")
    parser.add_argument("--quick", action="store_true", help="smaller rows and budget")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        found = measure(CALLS[given.one], QUICK if given.quick else FULL)
        print("RESULT" + json.dumps({**vars(found), "ratio": found.ratio}))
        return
    chosen = [name for name in CALLS if not given.names or any(part in name for part in given.names)]
    for name in chosen:
        command = [sys.executable, "-m", "benchmarks.budgets", "--one", name, *(["--quick"] if given.quick else [])]
        env = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
        ran = subprocess.run(command, capture_output=True, text=True, env=env)
        line = next((line[6:] for line in ran.stdout.splitlines() if line.startswith("RESULT")), None)
        if line is None:
            print(f"  FAILED {ran.returncode}  {name}\n{ran.stderr[-1500:]}", flush=True)
            continue
        found = json.loads(line)
        note = "  refused: " + found["refusal"].splitlines()[0] if found["refusal"] else ""
        print(f"{found['ratio']:7.2f}x {found['seconds']:6.1f} s  {name}{note}", flush=True)


if __name__ == "__main__":
    main()
