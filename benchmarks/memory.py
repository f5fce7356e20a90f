"""Peak memory of a fit on a memory map of a million rows, and the cost of importing. Each in a fresh process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from harness import write

N, D_IN, WIDTH = 1_000_000, 20, 4096

FIT = """
import resource, sys, numpy as np, bochner as bo
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
X, y = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2], mmap_mode="r")
bo.KernelRegressor(bo.Gaussian(4.0), n_components=2, alpha=1.0).fit(np.array(X[:10]), np.array(y[:10]))
before = peak()
bo.KernelRegressor(bo.Gaussian(4.0), n_components=int(sys.argv[3]), alpha="gcv", random_state=0).fit(X, y)
print(peak() - before)
"""


def fit_memory():
    with tempfile.TemporaryDirectory() as folder:
        X, y = Path(folder) / "X.npy", Path(folder) / "y.npy"
        mapped = np.lib.format.open_memmap(X, mode="w+", dtype=np.float32, shape=(N, D_IN))
        rng = np.random.default_rng(0)
        for start in range(0, N, 100_000):
            mapped[start : start + 100_000] = rng.standard_normal((100_000, D_IN))
        np.save(y, np.sin(mapped[:, 0]))
        mapped.flush()
        printed = subprocess.run(
            [sys.executable, "-c", FIT, X, y, str(WIDTH)], capture_output=True, text=True, check=True
        )
    return int(printed.stdout)


def import_seconds(module, repeats=9):
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(repeats)
    ]
    return float(np.median(runs))


def main():
    seconds = {module: import_seconds(module) for module in ("bochner", "sklearn")}
    write(
        "memory",
        {
            "n": N, "d": D_IN, "n_components": WIDTH, "peak_growth_bytes": fit_memory(), "import_seconds": seconds,
            "import_ratio": seconds["bochner"] / seconds["sklearn"],
        },
    )  # fmt: skip


if __name__ == "__main__":
    main()
