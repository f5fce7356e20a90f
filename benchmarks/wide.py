"""Ridge on wide maps: conjugate gradients against our direct solver and xGPR's, and a fit under a memory budget.

    python benchmarks/wide.py [speed | budget] [name=value ...]

`speed`: n = 100,000, d = 20, float32, D = 16,384, one penalty, ours iterative and direct, errors on rows kept aside; at
D = 8192 xGPR's conjugate gradients too, at the same penalty and tolerance. `budget`: n = 200,000, D = 32,768, with the
penalty by GCV, in a process of its own under a memory budget of 4 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from harness import write
from sklearn.exceptions import ConvergenceWarning

import bochner as bo

D_IN, SCALE = 20, 4.0
TOL = 1e-6


def problem(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D_IN)).astype(np.float32)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def ours(X, y, width, **parameters):
    setting = {"n_components": width, "alpha": "gcv", "random_state": 0} | parameters
    return bo.KernelRegressor(bo.Gaussian(SCALE), **setting).fit(X, y)


def xgpr(X, y, width, alpha):
    """xGPR's conjugate gradients with a preconditioner of its own choice; its penalty is lambda^2."""
    from xGPR import build_regression_dataset, xGPRegression

    model = xGPRegression(num_rffs=width, variance_rffs=16, kernel_choice="RBF", verbose=False, random_seed=0)
    dataset = build_regression_dataset(X, y, chunk_size=2000)
    model.set_hyperparams(np.log(np.array([np.sqrt(alpha), 1 / SCALE])), dataset)
    model.fit(dataset, mode="cg", tol=TOL, suppress_var=True)
    return model


def run(fit, test):
    """Seconds, validation error and, of ours, what the solver says of itself."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fit()
    record = {"seconds": time.perf_counter() - start, "error": float(np.mean((model.predict(test[0]) - test[1]) ** 2))}
    if getattr(model, "solver_", "") == "iterative":
        solution = model.fitted_.solution
        record |= {
            "iterations": model.n_iter_, "passes": solution.n_passes, "ending": solution.outcome,
            "residual": float(solution.residuals[-1, 0]), "condition": list(model.condition_),
            "preconditioner_rows": solution.rows, "dof": model.dof_,
        }  # fmt: skip
    return record


def speed(n=100_000, width=16384, peer_width=8192, alpha=1.0, repeats=1):
    train, test = problem(n), problem(10_000, seed=1)
    ours(train[0][:2000], train[1][:2000], 64, alpha=alpha, solver="iterative")  # compiles the loops
    rounds = []
    for _ in range(repeats):
        fits = {
            "iterative": run(lambda: ours(*train, width, alpha=alpha, solver="iterative", tol=TOL), test),
            "direct": run(lambda: ours(*train, width, alpha=alpha, solver="direct"), test),
            "iterative, peer's width": run(
                lambda: ours(*train, peer_width, alpha=alpha, solver="iterative", tol=TOL), test
            ),
        }
        try:
            import xGPR  # noqa: F401

            fits["xGPR CG"] = run(lambda: xgpr(*train, peer_width, alpha), test)
        except ImportError:
            pass
        rounds.append(fits)
    best = {name: min((fits[name] for fits in rounds), key=lambda fit: fit["seconds"]) for name in rounds[0]}
    peer = best.get("xGPR CG")
    write(
        "wide_speed",
        {
            "n": n, "d": D_IN, "n_components": width, "peer_n_components": peer_width, "alpha": alpha, "tol": TOL,
            "fits": best,
            "faster_than_direct": best["direct"]["seconds"] / best["iterative"]["seconds"],
            "relative_error_difference": best["iterative"]["error"] / best["direct"]["error"] - 1,
            "faster_than_xgpr": peer["seconds"] / best["iterative, peer's width"]["seconds"] if peer else None,
        },
    )  # fmt: skip


FIT = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[1])
import numpy as np, bochner as bo
from wide import D_IN, SCALE, ours, problem
n, width, memory, alpha = json.loads(sys.argv[2])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
X, y = problem(n)
test = problem(5000, seed=1)
ours(X[:2000], y[:2000], 64, alpha=1.0, solver="iterative")
before = peak()
bo.set_config(memory=memory)
start = time.perf_counter()
model = ours(X, y, width, alpha=alpha, tol=1e-4)
print(json.dumps({
    "solver": model.solver_, "seconds": time.perf_counter() - start, "peak_growth_bytes": peak() - before,
    "peak_bytes": peak(), "iterations": model.n_iter_, "passes": model.fitted_.solution.n_passes, "alpha": model.alpha_,
    "residual": float(model.residuals_[-1, 0]), "error": float(np.mean((model.predict(test[0]) - test[1]) ** 2)),
}))
"""


def budget(n=200_000, width=32768, memory="4GB", alpha="gcv"):
    arguments = [str(Path(__file__).parent), json.dumps([n, width, memory, alpha])]
    printed = subprocess.run([sys.executable, "-c", FIT, *arguments], capture_output=True, text=True, check=True)
    write(
        "wide_budget",
        {"n": n, "d": D_IN, "n_components": width, "memory": memory, **json.loads(printed.stdout.splitlines()[-1])},
    )


SECTIONS = {"speed": speed, "budget": budget}


def main():
    """Sections by name, all by default; name=value changes a size."""
    names = [argument for argument in sys.argv[1:] if "=" not in argument]
    given = dict(argument.split("=") for argument in sys.argv[1:] if "=" in argument)
    parameters = {name: _parsed(value) for name, value in given.items()}
    for name in names or SECTIONS:
        SECTIONS[name](**parameters)


def _parsed(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


if __name__ == "__main__":
    main()
