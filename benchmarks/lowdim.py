"""Maps and time series on a grid of frequencies, beside random features, landmarks, trees and nearest neighbours.

    python benchmarks/lowdim.py [reference] [points] [rough] [slopes] [dask] [heaton] [etopo] [--quick]

reference: the mean beside the exact machine on 2,000 points, Matern 3/2, tolerance 1e-5.
points: random points in the square, Matern 3/2, tolerance 1e-5: seconds and test errors of grids and of random
features, each beside the smallest grid whose error, on other points, is not larger.
rough: steps of the solver for Matern 1/2 on 241^2 modes.
slopes: seconds of the pass and of the solution against the number of rows.
dask: predictions of a fit on a cluster less those of a local one.
heaton: the satellite temperature competition (Heaton et al. 2019), tuning included, its own split; GPBoost beside it
where GPBOOST_PYTHON names an interpreter that has it. Test errors of this split were seen four times while the method
was made.
etopo: world relief, 9.3 million rows, a tenth held out, streamed from Parquet; trees on 300,000 rows.
Every study keeps what others have written. Seconds are wall and CPU seconds of one run.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from accuracy import DATA
from harness import RESULTS, write
from scipy.stats import norm
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.neighbors import KNeighborsRegressor

import bochner as bo

QUICK = "--quick" in sys.argv
LEVEL, NOISE = 0.95, 0.05
BUSY = (
    "heaton and etopo on two quiet cores; the other studies beside other work: "
    "CPU seconds, the second of each pair, are to be compared"
)


def timed(run):
    """What a call returns, and its wall and CPU seconds."""
    start, cpu = time.perf_counter(), time.process_time()
    found = run()
    return found, [round(time.perf_counter() - start, 2), round(time.process_time() - cpu, 2)]


def points_of_square(n, seed=0):
    """Random points of the unit square, a function drawn from Matern 3/2 of scale 0.05, and it with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (n, 2))
    features = bo.GridFeatures(bo.Matern(0.05, nu=1.5), eps=1e-2).fit([[0.0, 0.0], [1.0, 1.0]])
    f = features.map_.response(X, np.random.default_rng(99).standard_normal((features.n_components_, 1)))[:, 0]
    return X, f, f + NOISE * rng.standard_normal(n)


def on_grid(scale, **given):
    kernel = bo.Matern(scale, nu=1.5)
    return bo.KernelRegressor(kernel, features="grid", random_state=0, **{"alpha": NOISE**2, **given})


def reference():
    X, _, y = points_of_square(2_000)
    new = points_of_square(2_000, 1)[0]
    features = bo.GridFeatures(bo.Matern(0.3, nu=1.5), eps=1e-5).fit(X)
    model = on_grid(0.3, n_components=features.n_components_, tol=1e-9, alpha=0.1).fit(X, y)
    exact = bo.KernelRegressor(bo.Matern(0.3, nu=1.5), features="exact", alpha=0.1).fit(X, y)
    return {
        "modes": features.n_components_,
        "kernel_error_bound": features.error_bound_,
        "largest_difference_of_means": float(np.max(np.abs(model.predict(new) - exact.predict(new)))),
    }


def points():
    """The fine grid, and random features beside the smallest grid that is as good on rows that tell nothing else."""
    n = 100_000 if QUICK else 1_000_000
    X, _, y = points_of_square(n)
    seen, f_seen, _ = points_of_square(20_000, 2)
    new, f, _ = points_of_square(20_000, 1)
    fine = bo.GridFeatures(bo.Matern(0.05, nu=1.5), eps=1e-5).fit([[0.0, 0.0], [1.0, 1.0]])
    found = {"rows": n, "kernel_error_bound": fine.error_bound_}
    tried = []
    for modes in (100, 200, 400, 800, 1_600, 3_000, fine.n_components_):
        model, seconds = timed(lambda modes=modes: on_grid(0.05, n_components=modes).fit(X, y))
        tried.append(
            {
                "modes": model.features_.n_components_,
                "seconds": seconds,
                "kernel_error_bound": model.features_.error_bound_,
                "iterations": model.n_iter_,
                "rmse_to_choose": rmse(model.predict(seen), f_seen),
                "rmse": rmse(model.predict(new), f),
            }
        )
        print(tried[-1], flush=True)
    pairs = []
    for width in (512, 1_024, 2_048):
        fourier = bo.KernelRegressor(
            bo.Matern(0.05, nu=1.5), features="fourier", n_components=width, alpha=NOISE**2, random_state=0
        )
        _, seconds = timed(lambda model=fourier: model.fit(X, y))
        least = rmse(fourier.predict(seen), f_seen)
        grid = next(each for each in tried if each["rmse_to_choose"] <= least)
        pairs.append(
            {
                "random_features": width,
                "seconds": seconds,
                "rmse": rmse(fourier.predict(new), f),
                "modes": grid["modes"],
                "rmse_of_grid": grid["rmse"],
                "seconds_of_grid": grid["seconds"],
                "times_faster": round(seconds[1] / grid["seconds"][1], 1),
            }
        )
        print(pairs[-1], flush=True)
    return {**found, "grids": tried, "at_no_larger_error": pairs}


def rough():
    """Steps of the solver for Matern 1/2 on 241^2 modes, to 1e-6, at penalties from a tenth of k(0) downwards."""
    from bochner.data import ArrayRows
    from bochner.solvers import PenaltyRule, SolverContext, ToeplitzSolver
    from bochner.statistics import FourierReduction, add_fourier_sums

    n = 20_000 if QUICK else 100_000
    X, _, y = points_of_square(n)
    features = bo.GridFeatures(bo.Matern(0.1, nu=0.5), eps=1e-6, max_components=241**2, strict=False).fit(X)
    reduction = FourierReduction(features.map_.grid, np.zeros(1), np.ones(1))
    sums = add_fourier_sums(reduction.empty(), ArrayRows(X, y, None, X.dtype))
    found = []
    for alpha in (1.0, 0.1, 0.01, 0.001):
        solver = ToeplitzSolver(max_iter=1_000)
        run = partial(solver.solve_alone, (features.map_, sums), PenaltyRule(alpha, None, True), SolverContext())
        solution, seconds = timed(run)
        found.append({"alpha": alpha, "iterations": solution.iterations, "cpu_seconds": seconds[1]})
        print(found[-1], flush=True)
    return {"rows": n, "modes": list(features.map_.grid.shape), "solutions": found}


def slopes():
    """Passes and solutions at growing numbers of rows, and the slope of log seconds against log rows."""
    from bochner.data import ArrayRows
    from bochner.solvers import PenaltyRule, SolverContext, ToeplitzSolver
    from bochner.statistics import FourierReduction, add_fourier_sums

    sizes = (20_000, 80_000, 320_000) if QUICK else (100_000, 400_000, 1_600_000)
    features = bo.GridFeatures(bo.Matern(0.1, nu=1.5), eps=1e-3).fit([[0.0, 0.0], [1.0, 1.0]])
    passes, solves = [], []
    for n in sizes:
        X, _, y = points_of_square(n)
        reduction = FourierReduction(features.map_.grid, np.zeros(1), np.ones(1))
        rows = ArrayRows(X, y, None, X.dtype)
        sums, seconds = timed(partial(add_fourier_sums, reduction.empty(), rows))
        passes.append(seconds[1])
        rule = PenaltyRule(n / 1e6, None, True)  # the same condition number for all
        run = partial(ToeplitzSolver().solve_alone, (features.map_, sums), rule, SolverContext())
        solves.append(timed(run)[1][1])

    def slope(seconds):
        return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])

    return {
        "rows": sizes,
        "modes": features.n_components_,
        "cpu_seconds_of_passes": passes,
        "cpu_seconds_of_solutions": solves,
        "slope_of_passes": slope(passes),
        "slope_of_solutions": slope(solves),
    }


def dask():
    import dask.array as da
    from distributed import Client

    X, _, y = points_of_square(60_000)
    given = {"n_components": 5_000, "tol": 1e-10}
    local = on_grid(0.2, **given).fit(X, y).predict(X[:2_000])
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
        lazy = da.from_array(X, chunks=(11_000, 2)), da.from_array(y, chunks=11_000)
        cluster = np.asarray(on_grid(0.2, **given).fit(*lazy).predict(X[:2_000]))
    return {"largest_difference": float(np.max(np.abs(cluster - local)))}


def rmse(found, truth):
    return float(np.sqrt(np.mean((found - truth) ** 2)))


def scores(mean, std, interval, truth):
    """Of a predictive law: errors, CRPS of the normal law, interval score and coverage."""
    z, (low, high) = (truth - mean) / std, interval
    crps = std * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    outside = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    return {
        "rmse_over_std": rmse(mean, truth) / float(truth.std()),
        "rmse": rmse(mean, truth),
        "mae": float(np.mean(np.abs(mean - truth))),
        "crps": float(np.mean(crps)),
        "interval_score": float(np.mean(high - low + 2 / (1 - LEVEL) * outside)),
        "coverage": float(np.mean((low <= truth) & (truth <= high))),
    }


def heaton():
    data = pd.read_parquet(DATA / "heaton_satellite.parquet")
    X, y, test = data[["lon", "lat"]].to_numpy(float), data["target"].to_numpy(float), data["split"].to_numpy() == 1
    train, new, truth = X[~test], X[test], y[test]
    model, seconds = timed(lambda: bo.KernelRegressor(features="grid", random_state=0).fit(train, y[~test]))
    predicted, predict_seconds = timed(lambda: model.predict(new, return_std=True, return_interval=LEVEL))
    grid = {
        "fit_seconds": seconds,
        "predict_seconds": predict_seconds,
        "kernel": str(model.features_.kernel_),
        "modes": list(model.features_.map_.grid.shape),
        "kernel_error_bound": model.features_.error_bound_,
        "iterations": model.n_iter_,
        **scores(*predicted, truth),
    }
    low, high = model.predict(new, return_interval=0.9)[1]
    grid["coverage_of_90_percent"] = float(np.mean((low <= truth) & (truth <= high)))
    print(grid, flush=True)
    landmarks = bo.KernelRegressor(features="nystroem", n_components=2_000, random_state=0)
    return {"grid": grid, **gpboost(truth), **peers(train, y[~test], new, truth, nystroem=landmarks)}


def gpboost(truth):
    """GPBoost in the interpreter that GPBOOST_PYTHON names (`lowdim_gpboost.py`); nothing without one."""
    other = os.environ.get("GPBOOST_PYTHON")
    if other is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path, script = Path(folder) / "found.json", Path(__file__).parent / "lowdim_gpboost.py"
        subprocess.run([other, script, DATA / "heaton_satellite.parquet", path], check=True)
        found = json.loads(path.read_text())
    mean, std = np.array(found.pop("mean")), np.array(found.pop("std"))
    half = norm.ppf(0.5 + LEVEL / 2) * std
    return {"gpboost": {**found, **scores(mean, std, (mean - half, mean + half), truth)}}


def peers(X, y, new, truth, most=300_000, **others):
    """Fits of others in the same run: trees on at most so many rows."""
    found = {}
    neighbours, trees = KNeighborsRegressor(4, weights="distance"), HistGradientBoostingRegressor(max_iter=300)
    models = {"neighbours": neighbours, "trees": trees}
    for name, model in {**models, **others}.items():
        some = slice(None) if name != "trees" else np.random.default_rng(0).permutation(len(y))[:most]
        _, seconds = timed(lambda model=model, some=some: model.fit(X[some], y[some]))
        predicted, predict_seconds = timed(lambda model=model: model.predict(new))
        error = rmse(predicted, truth)
        found[name] = {
            "rows": len(y[some]),
            "fit_seconds": seconds,
            "predict_seconds": predict_seconds,
            "rmse": error,
            "rmse_over_std": error / float(truth.std()),
        }
    return found


def etopo():
    z = pd.read_parquet(DATA / "etopo5.parquet")["target"].to_numpy(float)
    latitude, longitude = np.meshgrid(-90 + np.arange(2161) / 12, np.arange(4320) / 12, indexing="ij")
    X = np.column_stack([longitude.ravel(), latitude.ravel()])
    if QUICK:
        some = np.flatnonzero((X[:, 0] < 60) & (np.abs(X[:, 1] - 40) < 20))
        X, z = X[some], z[some]
    test = np.random.default_rng(0).random(len(z)) < 0.1
    modes = 200_000 if QUICK else 5_000_000
    model = bo.KernelRegressor(features="grid", n_components=modes, tol=3e-5, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "relief.parquet"
        frame = pd.DataFrame(X[~test], columns=["longitude", "latitude"]).assign(z=z[~test])
        frame.to_parquet(path, row_group_size=2**20)
        del frame
        _, seconds = timed(lambda: model.fit(bo.scan_parquet(path, target="z")))
    new = pd.DataFrame(X[test], columns=["longitude", "latitude"])
    predicted, predict_seconds = timed(lambda: model.predict(new))
    grid = {
        "fit_seconds": seconds,
        "predict_seconds": predict_seconds,
        "rmse": rmse(predicted, z[test]),
        "kernel": str(model.features_.kernel_),
        "modes": list(model.features_.map_.grid.shape),
        "kernel_error_bound": model.features_.error_bound_,
        "alpha": model.alpha_,
        "iterations": model.n_iter_,
        "peak_memory_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }
    print(grid, flush=True)
    return {"rows": int(np.sum(~test)), "grid": grid, **peers(X[~test], z[~test], X[test], z[test])}


STUDIES = {each.__name__: each for each in (reference, points, rough, slopes, dask, heaton, etopo)}


def main():
    asked = [name for name in sys.argv[1:] if name in STUDIES] or list(STUDIES)
    path = RESULTS / "lowdim.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    for name in asked:
        known |= {name: {**STUDIES[name](), "quick": QUICK}, "note": BUSY}
        write("lowdim", known)


if __name__ == "__main__":
    main()
