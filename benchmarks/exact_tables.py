"""Exact and automatic models against the best call of before, all included: scales, penalty, error bars.

    python benchmarks/exact_tables.py [--only exact,auto] [tables ...]

One fold of every table, standardised; errors over the standard deviation of the target. "before" is the call of
benchmarks/accuracy.py: 8,192 landmarks by moments (12,288 for kin40k), penalty by evidence, conformal intervals.
"exact" is features="exact"; "auto" the default call. Wall and CPU seconds of fit and error bars, in one run; compiled
code is ready before. Results are added to results/exact_tables.json, contestant by contestant: ratios of contestants
that were run on their own are those of processor seconds.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from accuracy import SETTING, WIDTH, WIDTHS, table
from harness import RESULTS, write

import bochner as bo

TABLES = ("kin40k", "protein", "pol", "elevators", "bike", "california_housing", "diamonds")
FOLD, LEVEL = 5, 0.9  # rules were looked at on fold 0


def record(model, train, test):
    start, cpu = time.perf_counter(), time.process_time()
    model.fit(*train)
    mean, _, (low, high) = model.predict(test[0], return_std=True, return_interval=LEVEL)
    return {
        "rmse": float(np.sqrt(np.mean((mean - test[1]) ** 2))),
        "covers": float(np.mean((low <= test[1]) & (test[1] <= high))),
        "seconds_wall_cpu": [time.perf_counter() - start, time.process_time() - cpu],
        "alpha": float(model.alpha_),
        "width": len(model.coef_),
    }


def compile_code(X, y):
    """Fits of few rows, so that no contestant pays for compiled code."""
    bo.KernelRegressor(features="exact", solver="iterative", random_state=0).fit(X, y)
    bo.KernelRegressor(n_components=200, random_state=0, **SETTING).fit(X, y)


def contestants(name):
    before = bo.KernelRegressor(n_components=WIDTHS.get(name, WIDTH), random_state=0, **SETTING)
    return {
        "exact": bo.KernelRegressor(features="exact", random_state=0),
        "auto": bo.KernelRegressor(random_state=0),
        "before": before,
    }


def compared(name, only):
    """Run contestants, and add each to what is known of the table."""
    train, test = table(name, FOLD)
    compile_code(train[0][:3000], train[1][:3000])
    for who, model in contestants(name).items():
        if who in only:
            found = record(model, train, test)
            print(name, who, found, flush=True)
            add(name, {"n": len(train[0]), "d": train[0].shape[1], who: found})


def add(name, found):
    path = RESULTS / "exact_tables.json"
    tables = json.loads(path.read_text())["tables"] if path.exists() else {}
    tables[name] = tables.get(name, {}) | found
    if "before" in tables[name] and ("exact" in tables[name] or "auto" in tables[name]):
        tables[name] |= against_before(tables[name])
    write("exact_tables", {"fold": FOLD, "tables": tables})


def against_before(found):
    """Ratios of error and time in one run, of the better one of ours."""
    best = min((who for who in ("exact", "auto") if who in found), key=lambda who: found[who]["rmse"])
    spent, seconds = (found[who]["seconds_wall_cpu"] for who in (best, "before"))
    return {
        "best": best,
        "error_over_before": found[best]["rmse"] / found["before"]["rmse"],
        "time_over_before": [a / b for a, b in zip(spent, seconds)],
    }


def main(arguments):
    only = arguments[1].split(",") if arguments[:1] == ["--only"] else ["exact", "auto", "before"]
    names = arguments[2:] if arguments[:1] == ["--only"] else arguments
    for name in names or TABLES:
        compared(name, only)


if __name__ == "__main__":
    main(sys.argv[1:])
