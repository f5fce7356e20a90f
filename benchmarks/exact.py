"""The exact kernel machine on kin40k: products to the exact test error, time beside its parts, growth with the rows.

    python benchmarks/exact.py [call | many [rows]]

36,000 training rows of fold 5. First the whole call, scales learned; then, at its kernel and penalty, the test error
after every product beside that of the machine solved to 1e-6, and the time of the fit over that of one product and the
preconditioner; then time and memory at 5,000 to 40,000 rows, and 25,000 to 100,000 rows of 20 columns with a budget of
2 GB (`many` alone; results/exact_many.json). `call`: the whole call alone (results/exact_call.json). Times are wall and
CPU seconds.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from accuracy import table
from harness import write

import bochner as bo
from bochner.fitting.exact_iterative import kernel_problem
from bochner.fitting.exact_problem import ExactProblem
from bochner.fitting.left_out import LEFT_OUT_ROWS
from bochner.solvers import KernelSolver, LandmarkPreconditioner, SolverContext, kernel_budget
from bochner.statistics.kernel_product import KernelProduct

FOLD, CLOSE, TIGHT = 5, 1e-3, 1e-6
SIZES = (5_000, 10_000, 20_000, 40_000)


def timed(run):
    """What a call returns, and its wall and CPU seconds."""
    start, cpu = time.perf_counter(), time.process_time()
    found = run()
    return found, [time.perf_counter() - start, time.process_time() - cpu]


def peak_gigabytes():
    """Most memory of this process so far; `ru_maxrss` is that of the parent at least."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1e6


def whole_call(train, test):
    (X, y), (X_test, y_test) = train, test
    model, seconds = timed(lambda: bo.KernelRegressor(features="exact", random_state=0).fit(X, y))
    mean, (low, high) = model.predict(X_test, return_interval=0.9)
    record = {
        "kernel": repr(model.fitted_.tuning.kernel), "alpha": model.alpha_, "seconds_wall_cpu": seconds,
        "tuning_seconds": model.tuning_.seconds, "iterations": model.n_iter_,
        "residual": float(model.residuals_[-1, 0]),
        "ending": model.fitted_.solution.outcome, "rmse": float(np.sqrt(np.mean((mean - y_test) ** 2))),
        "covers": float(np.mean((low <= y_test) & (y_test <= high))),
    }  # fmt: skip
    return model, record


def to_the_exact_error(values, alpha, y, X_test, y_test):
    """Test error after every iteration, how many come within 1e-3 of the exact one, and the parts of the time."""
    dense = ExactProblem(values, y[:, None], np.ones(len(y)), True)
    budget = kernel_budget(len(y), X_test.shape[1], 2, 3000)
    problem, making = timed(lambda: kernel_problem(dense, budget, alpha, LEFT_OUT_ROWS, 0, chosen=False, single=True))
    _, factors = timed(lambda: LandmarkPreconditioner(problem.features, problem.roots, alpha, True))
    single = replace(problem.product, precision=np.dtype(np.float32), _counter=[0])
    single.times(problem.targets)
    _, product = timed(lambda: single.times(problem.targets))
    size, rmse = np.linalg.norm(problem.right[:, 0]), []

    def note(state):
        coef = problem.roots[:, :1] * state["x"][:, :1] * size
        offset = np.mean(y - state["image"][:, 0] * size)
        error = problem.product.cross_times(X_test, coef)[:, 0] + offset - y_test
        rmse.append(float(np.sqrt(np.mean(error**2))))

    _, solving = timed(lambda: KernelSolver().solve_all(problem, SolverContext()))
    exact = KernelSolver(TIGHT).solve_all(problem, SolverContext(on_iteration=note)).solution
    far = [i + 1 for i, error in enumerate(rmse) if abs(error / rmse[-1] - 1) > CLOSE]
    parts = product[1] + making[1] + factors[1]
    return {
        "alpha": alpha, "rmse_by_iteration": rmse, "exact_ending": exact.outcome, "exact_iterations": exact.n_iter,
        "iterations_to_1e-3": max(far, default=0) + 1,
        "float32_product_of_two_columns": product, "iterations": solving,
        "preconditioner": [a + b for a, b in zip(making, factors)],
        "fit_over_product_and_preconditioner": (making[1] + solving[1]) / parts,
        "fit_without_preconditioner_over_product": (solving[1] - factors[1]) / product[1],
    }  # fmt: skip


def one_size(n, kernel, alpha, X, y):
    """A fit in a process of its own, whose peak memory is that of this fit, and one float32 product."""
    model = bo.KernelRegressor(kernel, features="exact", alpha=alpha, solver="iterative", random_state=0)
    before = peak_gigabytes()
    _, seconds = timed(lambda: model.fit(X[:n], y[:n]))
    peak = peak_gigabytes()
    product = KernelProduct(kernel, X[:n].astype(float), precision=np.dtype(np.float32))
    products = [timed(lambda: product.times(y[:n, None]))[1] for _ in range(3)]
    return {
        "n": n, "seconds_wall_cpu": seconds, "iterations": model.n_iter_, "gigabytes_before": before,
        "peak_gigabytes": peak, "float32_product": [min(pair[i] for pair in products) for i in (0, 1)],
    }  # fmt: skip


def growth(kernel, alpha, X, y):
    records = []
    for n in SIZES:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            records.append(pool.submit(one_size, n, kernel, alpha, X, y).result())
    sizes = np.log([record["n"] for record in records])
    slopes = {
        name: float(np.polyfit(sizes, np.log([record[name][1] for record in records]), 1)[0])
        for name in ("seconds_wall_cpu", "float32_product")
    }
    return {"sizes": records, "slope_in_n_of_cpu": slopes}


def of_many(n):
    """The exact machine of n rows of 20 columns, scales and penalty given, within 2 GB."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + 2000, 20)).astype(np.float32)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(len(X))
    bo.set_config(memory="2GB")
    model = bo.KernelRegressor(bo.Gaussian(4.0), features="exact", alpha=1e-1, solver="iterative", random_state=0)
    before = peak_gigabytes()
    _, seconds = timed(lambda: model.fit(X[:n], y[:n]))
    error = float(np.sqrt(np.mean((model.predict(X[n:]) - y[n:]) ** 2)))
    peak = peak_gigabytes()
    return {
        "n": n, "d": 20, "seconds_wall_cpu": seconds, "iterations": model.n_iter_, "rmse": error,
        "residual": float(model.residuals_[-1, 0]), "ending": model.fitted_.solution.outcome,
        "gigabytes_before": before, "peak_gigabytes": peak,
    }  # fmt: skip


def many(n):
    """At n / 4, n / 2 and n rows, each in a process of its own; results are written after each."""
    records = []
    for rows in (n // 4, n // 2, n):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            records.append(pool.submit(of_many, rows).result())
        seconds, sizes = [record["seconds_wall_cpu"][1] for record in records], [record["n"] for record in records]
        slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0] if len(sizes) > 1 else None
        write("exact_many", {"budget": "2GB", "sizes": records, "slope_in_n_of_cpu": slope})


def main():
    train, test = table("kin40k", FOLD)
    X, y = np.vstack([train[0], test[0]]), np.concatenate([train[1], test[1]])
    model, call = whole_call(train, test)
    assert not model.tuning_.warped  # what follows has the kernel of plain columns
    kernel, alpha = model.fitted_.tuning.kernel, model.alpha_
    values = bo.KernelValues(kernel).fit(train[0].astype(float)).map_
    exact = to_the_exact_error(values, alpha, train[1], test[0].astype(float), test[1])
    found = {"data": "kin40k", "n": len(train[0]), "call": call, "exact": exact}
    write("exact", found)
    write("exact", {**found, "growth": growth(kernel, alpha, X, y)})


if __name__ == "__main__":
    if sys.argv[1:2] == ["call"]:
        rows = table("kin40k", FOLD)
        write("exact_call", {"data": "kin40k", "n": len(rows[0][0]), "call": whole_call(*rows)[1]})
    elif sys.argv[1:2] == ["many"]:
        many(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
    else:
        main()
        many(100_000)
