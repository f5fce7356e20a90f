"""The planner against what happens: peak memory and time of five fits, each in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys

from harness import write

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
y = np.sin(X[:, 0])
bo.KernelRegressor(bo.Gaussian(4.0), n_components=64, alpha="gcv").fit(X[:500], y[:500])

def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

before, start = resident(), time.perf_counter()
with open("/proc/self/clear_refs", "w") as reset:  # the peak starts anew here
    reset.write("5")
bo.KernelRegressor(bo.Gaussian(4.0), n_components=width, alpha="gcv", random_state=0).fit(X, y)
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


def main():
    write("planner", {"rows": [measure(setting) for setting in SETTINGS]})


if __name__ == "__main__":
    main()
