"""The a-posteriori certificates of a fitted KernelRegressor against the truth, over 200 draws of the frequencies.

n = 2000 training rows and D = 1000 features, on three data sets. For each draw: the true distance to exact kernel ridge
on the training rows, the bound that does not know the targets, and the limit for new rows (95 % of them, delta = 0.05),
whose failures are counted on rows that the certificate has not seen. The data folder is BOCHNER_DATA.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
from harness import write
from scipy.stats import binomtest
from sklearn.preprocessing import StandardScaler

import bochner as bo
from bochner.planning import median_length_scale
from bochner.theory.a_posteriori import NewRows, RidgeDistance

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
NAMES, N, WIDTH, DRAWS, DELTA = ("kin40k", "protein", "elevators"), 2000, 1000, 200, 0.05


def load(name):
    table = pd.read_parquet(DATA / f"{name}.parquet").sample(frac=1, random_state=0)
    X = StandardScaler().fit_transform(table.drop(columns=["target", "fold"]).to_numpy(float))
    y = StandardScaler().fit_transform(table[["target"]].to_numpy(float))[:, 0]
    return X, y


def study(name):
    X, y = load(name)
    train, probe, fresh = slice(0, N), slice(N, N + 500), slice(N + 500, N + 4500)
    kernel = bo.Gaussian(median_length_scale(X[train], bo.Gaussian(), seed=0))
    K = kernel(X[train])
    reference = bo.KernelRegressor(kernel, n_components=WIDTH, random_state=0).fit(X[train], y[train])
    alpha, norm = reference.alpha_, np.linalg.norm(y[train] - y[train].mean())
    rows = [draw(seed, kernel, K, X, y, alpha, norm, train, probe, fresh) for seed in range(DRAWS)]
    true, bound, new_failed = map(np.array, zip(*rows, strict=True))
    failures = int(np.sum(new_failed))
    return {
        "name": name, "alpha": alpha, "draws": DRAWS,
        "contained": float(np.mean(bound >= true)),
        "median_true": float(np.median(true)),
        "median_bound_over_true": float(np.median(bound / true)),
        "new_rows_failures": failures,
        "new_rows_failure_rate_upper_limit": binomtest(failures, DRAWS).proportion_ci(0.99, method="exact").high,
        "delta": DELTA,
    }  # fmt: skip


def draw(seed, kernel, K, X, y, alpha, norm, train, probe, fresh):
    model = bo.KernelRegressor(kernel, n_components=WIDTH, alpha=alpha, random_state=seed).fit(X[train], y[train])
    Z = model.features_.transform(X[train])
    distance = RidgeDistance(exact=K, approximate=Z @ Z.T, alpha=alpha, intercept=True)
    dual, offset = distance.exact_dual(y[train][:, None])
    exact = lambda rows: (kernel(X[rows], X[train]) @ dual + offset)[:, 0]  # noqa: E731
    true = np.sqrt(np.mean((model.predict(X[train]) - exact(train)) ** 2))
    limit = NewRows(difference=exact(probe) - model.predict(X[probe])).certificate(0.95, DELTA).value
    exceeded = np.mean(np.abs(exact(fresh) - model.predict(X[fresh])) > limit)
    return true, distance.for_every_target(np.array([norm])).value, exceeded > 0.05


def main():
    write("certificates", {"n": N, "n_components": WIDTH, "data": [study(name) for name in NAMES]})


if __name__ == "__main__":
    main()
