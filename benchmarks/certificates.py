"""The a-posteriori certificates of a fitted KernelRegressor against the truth, over 200 draws of the frequencies.

n = 2000 training rows and D = 1000 features, on three data sets. For each draw: the true distance to exact kernel ridge
on the training rows (what `certify(X, y=y)` computes), the bound of `certify(X)`, which does not know the targets, and
the limit for new rows (95 % of them, delta = 0.05), whose failures are counted on rows that the certificate has not
seen. What does not change between draws is computed once. The data folder is BOCHNER_DATA.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
from harness import write
from scipy.sparse.linalg import eigsh
from scipy.stats import binomtest
from sklearn.preprocessing import StandardScaler

import bochner as bo
from bochner.theory.distance import AnyTargetDistance, NewRows
from bochner.tuning.median import median_length_scale

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
NAMES, N, WIDTH, DRAWS, DELTA = ("kin40k", "protein", "elevators"), 2000, 1000, 200, 0.05
PROBES, OTHERS = 500, 12_000


def load(name):
    table = pd.read_parquet(DATA / f"{name}.parquet").sample(frac=1, random_state=0)
    X = StandardScaler().fit_transform(table.drop(columns=["target", "fold"]).to_numpy(float))
    y = StandardScaler().fit_transform(table[["target"]].to_numpy(float))[:, 0]
    return X, y


def study(name):
    X, y = load(name)
    X, y = X[: N + OTHERS], y[: N + OTHERS]
    train, others = slice(0, N), slice(N, None)
    kernel = bo.Gaussian(median_length_scale(X[train], bo.Gaussian(), seed=0))
    K = kernel(X[train])
    alpha = bo.KernelRegressor(kernel, n_components=WIDTH, alpha="gcv", random_state=0).fit(X[train], y[train]).alpha_
    norm = np.linalg.norm(y[train] - y[train].mean())
    setting = {"exact": K, "approximate": K, "root": np.ones(N), "alpha": alpha, "intercept": True}
    exact = AnyTargetDistance(**setting, norms=np.array([norm]))
    inverse = exact._inverse(K)
    dual = inverse @ y[train]
    offset = np.mean(y[train] - K @ dual)
    predictions = [kernel(X[rows], X[train]) @ dual + offset for rows in (train, others)]

    def draw(seed):
        model = bo.KernelRegressor(kernel, n_components=WIDTH, alpha=alpha, random_state=seed).fit(X[train], y[train])
        Z = model.features_.transform(X[train])
        on_train, elsewhere = (
            values - model.predict(X[rows]) for values, rows in zip(predictions, (train, others), strict=True)
        )
        difference = alpha * (inverse - exact._inverse(Z @ Z.T))
        worst = abs(eigsh(difference, k=1, which="LM", tol=1e-8, return_eigenvectors=False)[0])
        # New rows for the certificate, and others to count its failures on, drawn anew for every map.
        elsewhere = np.random.default_rng(seed).permutation(elsewhere)
        limit = NewRows(difference=elsewhere[:PROBES]).certificate(0.95, DELTA).value
        failed = np.mean(np.abs(elsewhere[PROBES:]) > limit) > 0.05
        return np.sqrt(np.mean(on_train**2)), worst * norm / np.sqrt(N), failed

    true, bound, new_failed = map(np.array, zip(*(draw(seed) for seed in range(DRAWS)), strict=True))
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


def main():
    write("certificates", {"n": N, "n_components": WIDTH, "data": [study(name) for name in NAMES]})


if __name__ == "__main__":
    main()
