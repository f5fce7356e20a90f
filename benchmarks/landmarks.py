"""Landmark models by products against the direct fit, and pivoted against uniform landmarks.

    python benchmarks/landmarks.py [speed [rows landmarks] | choice [tables ...]]

`speed`: the 40,000 rows of kin40k, M = 8,192 landmarks, scales and penalty given: the direct fit (moments of all rows),
products (Falkon: no M x M moments), and what solver="auto" takes; errors on 2,000 rows kept aside, wall and CPU time.
`choice`: on tables, the mean residual variance k(x, x) - ||z(x)||^2 of rows kept aside for uniform and pivoted
landmarks of the same scales, the share of landmarks at which pivoted ones are as good as 1,024 uniform ones, and test
errors beside it. No choice of k rows leaves less of the trace of the kernel matrix than its eigenvalues beyond the
k-th: the share of 1,024 at which these are as small as what uniform landmarks leave of the same rows is the limit.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from accuracy import table
from harness import RESULTS, write

import bochner as bo

TABLES = ("protein", "pol", "elevators", "bike", "california_housing", "diamonds", "kin40k")
SIZES, UNIFORM, ROWS = (64, 128, 256, 384, 512, 614, 768, 1024), 1024, 10_000
ALPHA, SCALE = 1e-2, 3.0


def timed(run):
    start, cpu = time.perf_counter(), time.process_time()
    found = run()
    return found, [time.perf_counter() - start, time.process_time() - cpu]


def landmark_model(solver, width):
    kernel, given = bo.Matern(SCALE, nu=2.5), {"length_scale": SCALE, "alpha": ALPHA, "random_state": 0}
    return bo.KernelRegressor(kernel, features="nystroem", n_components=width, solver=solver, **given)


def speed(n, width):
    (X, y), (X_test, y_test) = table("kin40k", 0)
    X, y = np.vstack([X, X_test]), np.concatenate([y, y_test])  # 40,000 rows; errors on 2,000 of them
    (X, y), (X_test, y_test) = (X[: n - 2000], y[: n - 2000]), (X[n - 2000 : n], y[n - 2000 : n])
    records, solvers = {}, {"direct": "direct", "products": "iterative", "auto": "auto"}
    for solver in ("direct", "iterative"):
        landmark_model(solver, 200).set_params(alpha=1.0).fit(X[:1000], y[:1000])  # compiled code, float32 and float64
    for name, solver in solvers.items():
        model = landmark_model(solver, width)
        _, seconds = timed(lambda model=model: model.fit(X, y))
        error = float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)))
        taken = "iterative" if model.n_iter_ > 1 else "direct"
        records[name] = {"seconds_wall_cpu": seconds, "rmse": error, "solver": taken, "iterations": int(model.n_iter_)}
    direct, products = records["direct"], records["products"]
    return {
        "n": len(X), "landmarks": width, "fits": records,
        "direct_over_products": [a / b for a, b in zip(direct["seconds_wall_cpu"], products["seconds_wall_cpu"])],
        "error_over_direct": products["rmse"] / direct["rmse"],
    }  # fmt: skip


def residuals(kernel, X, others, rule, size):
    """Mean and largest residual variance of other rows."""
    features = bo.NystroemFeatures(kernel, n_components=size, landmarks=rule, random_state=0).fit(X)
    Z = features.transform(others.astype(float))
    left = np.maximum(1 - np.einsum("ij,ij->i", Z, Z), 0.0)
    return {"mean": float(left.mean()), "largest": float(left.max())}


def least_share(kernel, X):
    """Share of `UNIFORM` landmarks below which no choice leaves as little of the trace of K as uniform ones do.

    Eigenvalues by two steps of randomised subspace iteration: from below, so that the limit is a little too high.
    """
    features = bo.NystroemFeatures(kernel, n_components=UNIFORM, landmarks="uniform", random_state=0).fit(X)
    Z = features.transform(X.astype(float))
    left, K = len(X) - float(np.sum(Z**2)), kernel(X.astype(float)).astype(np.float32)
    Q = np.random.default_rng(0).standard_normal((len(X), UNIFORM + 64)).astype(np.float32)
    for _ in range(3):
        Q = np.linalg.qr(K @ Q)[0]
    values = np.linalg.eigvalsh(Q.T.astype(float) @ (K @ Q))[::-1]
    tail = len(X) - np.cumsum(values)
    return float(np.argmax(tail <= left) + 1) / UNIFORM


def test_error(kernel, train, test, rule):
    features = bo.NystroemFeatures(kernel, n_components=UNIFORM, landmarks=rule, random_state=0)
    model = bo.KernelRegressor(features=features, alpha="gcv", random_state=0).fit(*train)
    return float(np.sqrt(np.mean((model.predict(test[0]) - test[1]) ** 2)))


def compared(name):
    (X, y), (X_test, y_test) = table(name, 0)
    some = np.random.default_rng(0).permutation(len(X))[:ROWS]
    X, y = X[some], y[some]
    kernel = bo.Gaussian(np.sqrt(X.shape[1]))
    uniform = residuals(kernel, X, X_test, "uniform", UNIFORM)
    pivoted = {str(size): residuals(kernel, X, X_test, "pivoted", size) for size in SIZES}
    enough = [size for size in SIZES if pivoted[str(size)]["mean"] <= uniform["mean"]]
    rmse = {rule: test_error(kernel, (X, y), (X_test, y_test), rule) for rule in ("uniform", "pivoted")}
    share = enough[0] / UNIFORM if enough else None
    return {
        "uniform": uniform, "pivoted": pivoted, "rmse": rmse, "share_of_landmarks": share,
        "least_share": least_share(kernel, X),
    }  # fmt: skip


def choice(names):
    """Tables that are named, or those that results have not."""
    path = RESULTS / "landmarks_choice.json"
    known = json.loads(path.read_text())["tables"] if path.exists() else {}
    for name in names or [name for name in TABLES if name not in known]:
        known[name] = compared(name)
        good = [each for each, found in known.items() if (found["share_of_landmarks"] or 2) <= 0.6]
        write("landmarks_choice", {"landmarks": UNIFORM, "rows": ROWS, "tables": known, "as_good_with_0.6": good})


def main(arguments):
    what, rest = arguments[0] if arguments else "all", arguments[1:]
    if what in ("all", "speed"):
        write("landmarks_speed", speed(*([int(each) for each in rest] or (40_000, 8192))))
    if what in ("all", "choice"):
        choice(rest)


if __name__ == "__main__":
    main(sys.argv[1:])
