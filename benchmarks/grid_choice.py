"""When a grid of frequencies pays: one to three columns, smooth and rough targets, beside the default without a grid.

    python benchmarks/grid_choice.py [--rows 2000 10000 ...] [--seed 0] [--only NAME ...]

Every table is fitted with features="grid" and by the default call as if finufft were not installed (the exact machine,
or landmarks). Errors are those of 2,000 rows that neither has seen, relative to their deviation; coverage is that of
90 % intervals. Seed 0 chose the rule of `bochner.estimators.grid_choice`; other seeds report. Fits that are there are
kept. CPU seconds, fit and prediction with intervals.
"""

from __future__ import annotations

import argparse
import json
import time
from unittest.mock import patch

import numpy as np
import pandas as pd
from accuracy import DATA
from harness import RESULTS, write

import bochner as bo

TEST = 2_000


def wave(d):
    """A smooth function of d columns with noise of a tenth of its deviation."""

    def make(n, rng):
        X = rng.uniform(0, 1, (n, d))
        f = np.sin(12 * X[:, 0]) + np.cos(9 * X.sum(axis=1)) + X[:, -1] ** 2
        return X, f + 0.1 * f.std() * rng.standard_normal(n)

    return make


def walk(d):
    """A rough function (Matern 1/2) of d columns with noise of a tenth of its deviation."""

    def make(n, rng):
        X = rng.uniform(0, 1, (n, d))
        features = bo.FourierFeatures(bo.Matern(0.2, nu=0.5), n_components=4_000, random_state=0).fit(X)
        f = features.transform(X) @ np.random.default_rng(1).standard_normal(features.n_components_)
        return X, f + 0.1 * f.std() * rng.standard_normal(n)

    return make


def gaps(n, rng):
    """A series of equal steps with two gaps: slow and fast oscillations, an autoregressive part and noise."""
    t = np.arange(int(1.25 * n), dtype=float)
    kept = np.sort(rng.permutation(np.flatnonzero((t % (len(t) // 2)) > 0.1 * len(t)))[:n])
    slow = np.cumsum(rng.standard_normal(len(t))) * 0.05
    y = np.sin(t / 50) + 0.5 * np.sin(t / 7) + slow + 0.2 * rng.standard_normal(len(t))
    return t[kept, None], y[kept]


def satellite(n, rng):
    """Training pixels of the satellite temperatures."""
    data = pd.read_parquet(DATA / "heaton_satellite.parquet")
    data = data[data["split"] == 0].iloc[rng.permutation(105_569)[:n]]
    return data[["lon", "lat"]].to_numpy(float), data["target"].to_numpy(float)


def relief(n, rng, sphere=False):
    """World relief at random points of the sphere, as longitude and latitude or as points in space."""
    z = pd.read_parquet(DATA / "etopo5.parquet")["target"].to_numpy(float).reshape(2161, 4320)
    latitude = np.degrees(np.arcsin(rng.uniform(-1, 1, n)))
    i, j = np.round((latitude + 90) * 12).astype(int), rng.integers(0, 4320, n)
    X = np.column_stack([j / 12, -90 + i / 12])
    return (bo.SphereColumns().fit_transform(X) if sphere else X), z[i, j]


TABLES = {
    "smooth, d = 1": wave(1),
    "rough, d = 1": walk(1),
    "series with gaps": gaps,
    "smooth, d = 2": wave(2),
    "rough, d = 2": walk(2),
    "satellite": satellite,
    "relief": relief,
    "smooth, d = 3": wave(3),
    "rough, d = 3": walk(3),
    "relief on the sphere": lambda n, rng: relief(n, rng, sphere=True),
}


def fitted(features, X, y, new, truth):
    """Errors, coverage and CPU seconds of a fit."""
    model = bo.KernelRegressor(features=features, random_state=0)
    with patch("bochner.estimators.grid_choice.has_nufft", lambda: False):
        start = time.process_time()
        model.fit(X, y)
        fit = time.process_time() - start
        mean, (low, high) = model.predict(new, return_interval=0.9)
    return {
        "error": float(np.sqrt(np.mean((mean - truth) ** 2)) / truth.std()),
        "coverage": float(np.mean((low <= truth) & (truth <= high))),
        "width": float(np.mean(high - low) / truth.std()),
        "fit_cpu_seconds": round(fit, 2),
        "cpu_seconds": round(time.process_time() - start, 2),
        "features": type(model.features_).__name__,
        "n_components": int(np.atleast_2d(model.coef_).shape[1]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000, 10_000, 40_000])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=list(TABLES), choices=TABLES)
    asked = parser.parse_args()
    path = RESULTS / "grid_choice.json"
    cells = json.loads(path.read_text())["cells"] if path.exists() else []
    done = {(each["table"], each["rows"], each["seed"]) for each in cells}
    for n in asked.rows:
        for name in asked.only:
            if (name, n, asked.seed) in done:
                continue
            rng = np.random.default_rng([asked.seed, n])
            X, y = TABLES[name](n + TEST, rng)
            order = rng.permutation(len(y))
            new, rest = order[:TEST], order[TEST:]
            found = {way: fitted(way, X[rest], y[rest], X[new], y[new]) for way in ("auto", "grid")}
            cells.append({"table": name, "d": X.shape[1], "rows": len(rest), "seed": asked.seed, **found})
            write("grid_choice", {"cells": cells})
            one, other = found["auto"], found["grid"]
            print(
                f"{name:22} {n:7,}  error {one['error']:.4f} {other['error']:.4f}  "
                f"seconds {one['cpu_seconds']:.1f} {other['cpu_seconds']:.1f}  "
                f"coverage {one['coverage']:.3f} {other['coverage']:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
