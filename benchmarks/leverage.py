"""Leverage-weighted frequencies against plain ones: features for one spectral error, test error for one time.

For each data set the kernel, its scale and lambda are those of exact kernel ridge with the smallest generalised
cross-validation error on 1,000 rows. Then

- spectral: Delta = max |eig((K + n lambda)^-1 (K^ + n lambda)) - 1| on 600 rows that the sampler has not seen, mean
  over draws, at a grid of widths; and, for every width of plain sampling, the width at which leverage has its Delta;
- risk: `KernelRegressor` on up to 20,000 rows with the penalty by GCV: median test error and seconds of the fit, pilot
  included, at a grid of widths; and, for every fit with leverage, that of the best plain map within its width or time.

The JSON is written after each data set; names as arguments run only those. The data folder is BOCHNER_DATA.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from harness import write
from scipy.linalg import eigh
from sklearn.preprocessing import StandardScaler

import bochner as bo
from bochner.theory.a_posteriori import SpectralCloseness
from bochner.tuning.median import median_length_scale

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
NAMES = ("heaton_satellite", "kin40k", "california_housing", "airfoil", "protein", "skin_nonskin")
CHOICE, ROWS, DRAWS = 1000, 600, 3
WIDTHS = (128, 256, 512, 1024, 2048)
TRAIN, TEST, SEEDS, FIT_WIDTHS = 20_000, 4000, 3, (128, 256, 512, 1024, 2048)
FACTORS, PENALTIES = (0.125, 0.25, 0.5, 1.0), np.geomspace(1e-6, 1e-1, 21)
SAMPLERS = {
    "plain": lambda lam: "monte_carlo",
    "leverage": lambda lam: bo.Leverage(),
    "leverage at lambda": lambda lam: bo.Leverage(penalty=lam),
}


def load(name):
    table = pd.read_parquet(DATA / f"{name}.parquet").sample(frac=1, random_state=0)
    X = StandardScaler().fit_transform(table.drop(columns=["target", "fold", "split"], errors="ignore").to_numpy(float))
    return X, StandardScaler().fit_transform(table[["target"]].to_numpy(float))[:, 0]


def chosen(X, y):
    """GCV, lambda and kernel of the best exact kernel ridge."""
    best, n = (np.inf, 0.0, bo.Gaussian()), len(X)
    for kernel in (bo.Gaussian(), bo.Matern(nu=1.5), bo.Laplacian()):
        median = median_length_scale(X, kernel, 0)
        for factor in FACTORS:
            candidate = kernel.with_length_scale(median * factor)
            values, vectors = eigh(candidate(X))
            rotated = (vectors.T @ (y - y.mean())) ** 2
            for lam in PENALTIES:
                left = n * lam / (np.maximum(values, 0) + n * lam)
                gcv = n * np.sum(left**2 * rotated) / np.sum(left) ** 2
                best = min(best, (float(gcv), float(lam), candidate), key=lambda found: found[0])
    return best


def spectral(X, rows, kernel, lam):
    """Mean Delta of every sampler and width; and how many features leverage needs for the Delta of plain sampling."""
    K, alpha = kernel(rows), len(rows) * lam

    def delta(sampling, width, seed):
        features = bo.FourierFeatures(
            kernel, n_components=width, sampling=sampling, alpha="gcv", random_state=seed
        ).fit(X)
        Z = features.transform(rows)
        return SpectralCloseness(exact=K, approximate=Z @ Z.T, alpha=alpha).certificate().value

    deltas = {
        name: [float(np.mean([delta(make(lam), width, seed) for seed in range(DRAWS)])) for width in WIDTHS]
        for name, make in SAMPLERS.items()
    }
    return {"widths": WIDTHS, "delta": deltas, "features_over_plain_at_equal_delta": ratios(deltas)}


def ratios(deltas):
    """Width of every sampler at the Delta of plain sampling, over the width of plain sampling."""
    return {
        name: [width_at(values, target, width) for width, target in zip(WIDTHS, deltas["plain"])]
        for name, values in deltas.items()
        if name != "plain"
    }


def width_at(values, target, width):
    """Where Delta, which falls, is the target: linear in the logarithms; None where the narrowest map is below it."""
    if target > values[0]:
        return None
    return float(np.exp(np.interp(-np.log(target), -np.log(values), np.log(WIDTHS)))) / width


def risk(X, y, X_test, y_test, kernel):
    """Test error and seconds along the widths, and the error of plain sampling at the seconds of leverage."""

    def fit(sampling, width, seed):
        start = time.perf_counter()
        model = bo.KernelRegressor(kernel, n_components=width, sampling=sampling, alpha="gcv", random_state=seed).fit(
            X, y
        )
        seconds = time.perf_counter() - start
        return seconds, float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)))

    table, widths = {}, [width for width in FIT_WIDTHS if width <= len(X) / 2]
    for width in widths:
        runs = {"plain": [], "leverage": []}
        for seed in range(SEEDS):  # in turn, so that a slow spell meets both alike
            runs["plain"].append(fit("monte_carlo", width, seed))
            runs["leverage"].append(fit(bo.Leverage(), width, seed))
        for name, values in runs.items():
            seconds, errors = np.array(values).T
            table.setdefault(name, []).append([float(np.median(seconds)), float(np.median(errors))])
    times, errors = np.array(table["plain"]).T
    return {
        "rows": len(X),
        "plain": [list(row) for row in zip(widths, times.tolist(), errors.tolist())],
        "table": against_best(widths, table["leverage"], times, errors),
    }


def against_best(widths, leverage, times, errors):
    """Every fit with leverage beside the best plain map of at most its width, and the best within its seconds.

    The best, not the equal: on some data the error of plain sampling grows again with the width, where GCV chooses too
    small a penalty, and that is no merit of leverage. None beyond the seconds of the widest plain map.
    """
    best = np.minimum.accumulate(errors)
    return [
        {
            "n_components": width, "seconds": seconds, "leverage": error, "plain_within_width": float(best[i]),
            "plain_within_seconds": None
            if seconds > times[-1]
            else float(np.interp(np.log(seconds), np.log(times), best)),
        }
        for i, (width, (seconds, error)) in enumerate(zip(widths, leverage))
    ]  # fmt: skip


def study(name):
    X, y = load(name)
    n_test = min(TEST, len(X) // 5)
    X, y, X_test, y_test = X[n_test:], y[n_test:], X[:n_test], y[:n_test]
    gcv, lam, kernel = chosen(X[:CHOICE], y[:CHOICE])
    X, y = X[:TRAIN], y[:TRAIN]
    return {
        "name": name, "d": X.shape[1], "kernel": repr(kernel), "lambda": lam, "gcv": gcv,
        "effective_dimension": float(bo.theory.effective_dimension(X[:CHOICE], kernel=kernel, penalty=lam)),
        "spectral": spectral(X, np.unique(X_test[:ROWS], axis=0), kernel, lam),
        "risk": risk(X, y, X_test, y_test, kernel),
    }  # fmt: skip


def main():
    data = []
    for name in sys.argv[1:] or NAMES:
        data.append(study(name))
        write("leverage", {"draws": DRAWS, "seeds": SEEDS, "data": data})


if __name__ == "__main__":
    main()
