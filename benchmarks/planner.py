"""The planner against what happens, each in a fresh process: five fits of random features, and ten commands.

    python benchmarks/planner.py [fits | commands]

Of a fit, peak memory and time beside the bill and the plan. Of a command, the plan that `bochner fit` makes before it
fits, with tuning, beside the time and memory of its fit, and the whole time on the clock: start, reading, certificate
and report.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from harness import RESULTS, write

SETTINGS = [
    (50_000, 10, 1024, "float32"),
    (200_000, 20, 512, "float32"),
    (20_000, 50, 2048, "float64"),
    (100_000, 8, 2048, "float32"),
    (10_000, 200, 3072, "float32"),
]

FIT = """
import json, resource, sys, time
import numpy as np, bochner as bo
from bochner.config import get_config
from bochner.features import FourierShape
from bochner.planning import calibrate
from bochner.solvers import ridge_bill
from bochner.statistics import plan_pass

n, d, width, name = json.loads(sys.argv[1])
dtype = np.dtype(name)
model = calibrate(name)
shape = FourierShape(width, d)
cut = plan_pass(n, shape, 1, dtype)
bill = ridge_bill(cut, shape, n_targets=1, dtype=dtype).total
seconds = model.fit_seconds(n, d, width, cut.n_threads)
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d)).astype(dtype)
y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)  # without noise, sums are made again in float64
bo.KernelRegressor(bo.Gaussian(1.0), features="fourier", n_components=64, alpha="gcv").fit(X[:500], y[:500])

def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

before, start = resident(), time.perf_counter()
with open("/proc/self/clear_refs", "w") as reset:  # the peak starts anew here
    reset.write("5")
model = bo.KernelRegressor(bo.Gaussian(1.0), features="fourier", n_components=width, alpha="gcv", random_state=0)
model.fit(X, y)
took = time.perf_counter() - start
with open("/proc/self/status") as lines:
    peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
print(json.dumps({"bill": bill, "peak": peak - before, "predicted_seconds": seconds, "seconds": took}))
"""


def measure(setting):
    run = subprocess.run([sys.executable, "-c", FIT, json.dumps(setting)], capture_output=True, text=True, check=True)
    result = json.loads(run.stdout)
    n, d, width, dtype = setting
    return {
        "n": n, "d": d, "n_components": width, "dtype": dtype, **result,
        "memory_ratio": result["bill"] / result["peak"],
        "time_ratio": result["predicted_seconds"] / result["seconds"],
    }  # fmt: skip


COMMANDS = [  # rows, columns, classes (0: a regression), options
    (300, 5, 0, []),
    (1_500, 8, 0, []),
    (5_000, 10, 0, []),
    (10_000, 20, 0, []),
    (25_000, 8, 0, []),
    (100_000, 10, 0, ["-D", "2048"]),
    (40_000, 6, 0, ["-D", "1024", "--length-scale", "median", "--alpha", "gcv"]),
    (2_000, 6, 2, []),
    (6_000, 12, 6, []),
    (30_000, 10, 3, ["-D", "512"]),
]


def table(rows, columns, classes):
    """A smooth function of three columns with noise, or classes cut out of it."""
    rng = np.random.default_rng(rows)
    X = rng.standard_normal((rows, columns))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(rows)
    if classes:
        cuts = np.quantile(y, np.arange(1, classes) / classes)
        y = np.array([f"class {i}" for i in np.searchsorted(cuts, y)])
    return pd.DataFrame({**{f"x{i}": X[:, i] for i in range(columns)}, "y": y})


def command(setting, folder):
    """Planned and measured seconds and bytes of one `bochner fit`."""
    rows, columns, classes, options = setting
    path = folder / f"{rows}.csv"
    table(rows, columns, classes).to_csv(path, index=False)
    words = [sys.executable, "-m", "bochner", "fit", path.name, "--target", "y", "--json", *options]
    begin = time.perf_counter()
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, cwd=folder)
    clock, found = time.perf_counter() - begin, json.loads(run.stdout)
    plan, cost = found["plan"], found["cost"]
    return {
        "n": rows, "d": columns, "classes": classes, "options": " ".join(options),
        "features": found["model"]["features"],
        "planned_seconds": plan["seconds"], "seconds": cost["seconds"], "clock_seconds": clock,
        "planned_bytes": plan["memory"], "bytes": cost["memory"],
        "time_ratio": plan["seconds"] / cost["seconds"], "memory_ratio": plan["memory"] / cost["memory"],
    }  # fmt: skip


def commands():
    found = []
    with tempfile.TemporaryDirectory() as folder:
        command(COMMANDS[0], Path(folder))  # calibrates the machine, and compiles
        for setting in COMMANDS:
            found.append(command(setting, Path(folder)))
            print({key: round(v, 3) if isinstance(v, float) else v for key, v in found[-1].items()}, flush=True)
    return found


def main():
    wanted = sys.argv[1:] or ["fits", "commands"]
    known = json.loads((RESULTS / "planner.json").read_text())
    parts = {"fits": lambda: [measure(setting) for setting in SETTINGS], "commands": commands}
    write("planner", {name: run() if name in wanted else known.get(name) for name, run in parts.items()})


if __name__ == "__main__":
    main()
