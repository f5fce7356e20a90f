"""Seconds of `hsic_test` at 100,000 rows of 3 and 2 columns, 999 resamples: of the clock and of the processor.

    python benchmarks/independence.py

`--small` takes 40,000 rows, and nothing is written.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from harness import write

import bochner as bo


def seconds(n: int, repeats: int) -> dict:
    """Medians over the repeats, after one run that compiles the loops."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    Y = np.c_[0.02 * X[:, 0] ** 2 + rng.standard_normal(n), rng.standard_normal(n)]
    bo.hsic_test(X[:40_000], Y[:40_000], rng=0)
    found = []
    for _ in range(repeats):
        clock, processor = time.perf_counter(), time.process_time()
        result = bo.hsic_test(X, Y, rng=0)
        found.append((time.perf_counter() - clock, time.process_time() - processor))
    clock, processor = np.median(found, axis=0)
    return {"rows": n, "n_components": result.n_components, "pvalue": result.pvalue, "resamples": 999,
            "seconds": float(clock), "cpu_seconds": float(processor), "repeats": repeats}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="40,000 rows; nothing is written")
    if parser.parse_args().small:
        print(seconds(40_000, 1))
    else:
        write("independence", seconds(100_000, 3))


if __name__ == "__main__":
    main()
