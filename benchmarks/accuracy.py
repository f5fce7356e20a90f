"""How accurate is one call with learned scales: the regression tables of the Gaussian-process field, with the peers.

Every data set is standardised on its training part, inputs and target; errors are of the standardised target. Ours is
one call with the same setting for all: Nystroem features with learned scales, and intervals from rows held out of the
fit. Beside it our default call, ours with random Fourier features, our median heuristic, xGPR, gradient-boosted trees,
Nystroem + ridge. Results are added to results/accuracy.json set by set. Run all of it, or name sets and studies:

    python benchmarks/accuracy.py kin40k protein
    python benchmarks/accuracy.py noise_columns tuning_cost
    python benchmarks/accuracy.py --folds 3 --width 4096 pol
    python benchmarks/accuracy.py pol --first-fold 1 --no-peers --skip ours "ours, fourier" "ours, median heuristic"
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
import pandas as pd
import peer_processes
from default_tables import DATA
from harness import RESULTS, once, write
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeCV
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner as bo

REQUIRED = {"kin40k": 0.105, "protein": 0.60, "pol": 0.17, "elevators": 0.395, "bike": 0.22}
OTHERS = ("california_housing", "diamonds", "gas", "blogfeedback", "heaton_satellite")
LEARNED = {"kernel": "auto", "length_scale": "ard", "alpha": "evidence"}
SETTING = LEARNED | {"features": "nystroem", "interval": "conformal"}
WIDTH, LEVEL = 8192, 0.9
WIDTHS = {"kin40k": 12_288, "heaton_satellite": 6144}
"""Widths that differ from the rest, for the limit of five minutes; targets without noise use every feature they get."""
PEERS = ("boosted trees", "Nystroem + ridge", "xGPR")


def table(name, fold):
    """(X, y) to train on and to test on, standardised, in float32."""
    frame = pd.read_parquet(DATA / f"{name}.parquet")
    X = frame.drop(columns=["target", "fold", "split"], errors="ignore").to_numpy(float)
    y = frame["target"].to_numpy(float)
    if "fold" in frame:
        test = frame["fold"].to_numpy() == fold
    elif "split" in frame:
        test = frame["split"].to_numpy() == 1
    else:
        test = np.random.default_rng(fold).permutation(len(frame)) < len(frame) // 10
    y = np.log1p(y) if name == "blogfeedback" else y  # as the source of the data advises
    X, y = (a - a[~test].mean(axis=0) for a in (X, y))
    spread = X[~test].std(axis=0)
    X, y = (X / np.where(spread > 0, spread, 1)).astype(np.float32), y / y[~test].std()
    return (X[~test], y[~test]), (X[test], y[test])


def ours(train, test, **setting):
    model = bo.KernelRegressor(random_state=0, **setting)
    start = time.perf_counter()
    model.fit(*train)
    mean, std, (low, high) = model.predict(test[0], return_std=True, return_interval=LEVEL)
    record = scored(test[1], mean, std, time.perf_counter() - start)
    record["interval_coverage"] = float(np.mean((low <= test[1]) & (test[1] <= high)))
    if model.tuning_ is not None:
        record["kernel"] = type(model.tuning_.kernel).__name__
        scales = model.tuning_.length_scale  # None: a metric
        record["length_scale"] = [] if scales is None else [float(f"{scale:.3g}") for scale in np.atleast_1d(scales)]
        record["tuning_seconds"] = model.tuning_.seconds
    return record | {"alpha": model.alpha_, "precision": str(model.precision_), "width": len(model.coef_)}


def trees(train, test):
    start = time.perf_counter()
    model = HistGradientBoostingRegressor(max_iter=1000, early_stopping=True, random_state=0).fit(*train)
    mean = model.predict(test[0])
    return {"rmse": rmse(mean, test[1]), "seconds": time.perf_counter() - start}


def nystroem(train, test, width=2048):
    start = time.perf_counter()
    scale = bo.tuning.median_length_scale(train[0], bo.Gaussian(), 0)
    model = make_pipeline(
        Nystroem(gamma=1 / (2 * scale**2), n_components=min(width, len(train[0])), random_state=0),
        RidgeCV(np.geomspace(1e-6, 1e2, 9)),
    ).fit(*train)
    return {"rmse": rmse(model.predict(test[0]), test[1]), "seconds": time.perf_counter() - start}


def xgpr(train, test):
    start = time.perf_counter()
    mean, std = peer_processes.xgpr(*train)(test[0])
    return scored(test[1], mean, std, time.perf_counter() - start)


def scored(y, mean, std, seconds):
    std = np.maximum(std, 1e-9)
    z = (y - mean) / std
    return {
        "rmse": rmse(mean, y), "negative_log_density": float(np.mean(0.5 * np.log(2 * np.pi * std**2) + z**2 / 2)),
        "coverage": float(np.mean(np.abs(z) < 1.6449)), "seconds": seconds,
    }  # fmt: skip


def rmse(mean, y):
    return float(np.sqrt(np.mean((mean - y) ** 2)))


def one_set(name, fold, width, left_out):
    train, test = table(name, fold)
    width = WIDTHS.get(name, WIDTH) if width is None else width
    setting = SETTING | {"n_components": width}
    fourier = LEARNED | {"sampling": "orthogonal", "n_components": WIDTH}
    median = {"length_scale": "median", "alpha": "evidence", "n_components": WIDTH}
    contestants = {
        "ours": lambda: ours(train, test, **setting),
        "ours, by default": lambda: ours(train, test),
        "ours, fourier": lambda: ours(train, test, **fourier),
        "ours, median heuristic": lambda: ours(train, test, **median),
        "boosted trees": lambda: trees(train, test),
        "Nystroem + ridge": lambda: nystroem(train, test),
        "xGPR": lambda: xgpr(train, test),
    }
    record = {"n": len(train[0]), "d": train[0].shape[1], "setting": setting, "required": REQUIRED.get(name)}
    for who, run in contestants.items():
        if who in left_out:
            continue
        try:
            record[who] = run()
        except Exception as error:  # a peer that fails is a line in the table
            if who.startswith("ours"):
                raise
            record[who] = {"failed": repr(error)}
        print(name, fold, who, record[who], flush=True)
    return record


def noise_columns(width, n_columns=10):
    """Pure noise beside the columns of kin40k: the scales it gets, and what it does to the error."""
    train, test = table("kin40k", 0)
    rng, setting = np.random.default_rng(0), SETTING | {"n_components": width or 4096}

    def with_noise(part):
        return np.hstack([part[0], rng.standard_normal((len(part[0]), n_columns)).astype(np.float32)]), part[1]

    clean, noisy = ours(train, test, **setting), ours(with_noise(train), with_noise(test), **setting)
    scales = np.array(noisy["length_scale"])
    return {
        "clean": clean, "noisy": noisy, "rise": noisy["rmse"] / clean["rmse"] - 1,
        "shortest_noise_scale": float(scales[-n_columns:].min()),
        "longest_signal_scale": float(scales[:-n_columns].max()),
    }  # fmt: skip


def tuning_cost(_, n=40_000, width=4096):
    """Learning the scales against one fit at given ones, n = 40,000, D = 4096, float32."""
    train, _ = table("protein", 0)
    X, y = train[0][:n], train[1][:n]
    record = {"n": len(X), "n_components": width}
    for features in (None, "nystroem"):
        common = {"features": features, "alpha": "evidence", "n_components": width, "random_state": 0}
        given = bo.KernelRegressor("matern", length_scale="median", **common).fit(X, y)
        fit = min(once(lambda given=given: given.fit(X, y)) for _ in range(3))
        record[f"{features or 'fourier'}, fit_seconds"] = fit
        for kernel, scale in (("gaussian", "auto"), ("gaussian", "ard"), ("auto", "ard")):
            model = bo.KernelRegressor(kernel, length_scale=scale, **common)
            record[f"{features or 'fourier'}, {kernel}, {scale}"] = model.fit(X, y).tuning_.seconds / fit
    return record


def classifiers(width, n=10_000):
    """Classifiers with learned scales against the median heuristic, on the standard test parts."""
    record = {"n": n, "n_components": width or 1024}
    for name in ("letter", "ijcnn1", "adult_a9a"):
        (X, y), test = table_data(name)
        rows = np.random.default_rng(0).permutation(len(X))[:n]
        for kernel, scale in (("gaussian", "median"), ("gaussian", "auto"), ("gaussian", "ard"), ("auto", "ard")):
            record[f"{name}, {kernel}, {scale}"] = classified(
                (X[rows], y[rows]), test, kernel=kernel, length_scale=scale, n_components=width or 1024, alpha=0.1
            )
            print(name, kernel, scale, record[f"{name}, {kernel}, {scale}"], flush=True)
    return record


def table_data(name):
    """Standardised rows and classes of the training and the test part of a table."""
    frame = pd.read_parquet(DATA / f"{name}.parquet")
    X, y = frame.drop(columns=["target", "split"]).to_numpy(np.float32), frame["target"].to_numpy()
    part = frame["split"].to_numpy()
    scaler = StandardScaler().fit(X[part == 0])
    return (scaler.transform(X[part == 0]), y[part == 0]), (scaler.transform(X[part == 1]), y[part == 1])


def classified(train, test, **setting):
    """Accuracy and log loss on new rows, seconds of the fit at the scales that were found, and of finding them."""
    model = bo.KernelClassifier(random_state=0, **setting)
    seconds = once(lambda: model.fit(*train))
    tuning = 0.0 if model.tuning_ is None else model.tuning_.seconds
    return {
        "accuracy": model.score(*test),
        "log_loss": log_loss(test[1], model.predict_proba(test[0]), labels=model.classes_),
        "fit_seconds": seconds - tuning, "tuning_over_fit": tuning / (seconds - tuning),
    }  # fmt: skip


STUDIES = {"classifiers": classifiers, "noise_columns": noise_columns, "tuning_cost": tuning_cost}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[*REQUIRED, *OTHERS, *STUDIES])
    parser.add_argument("--folds", type=int, default=1, help="how many folds")
    parser.add_argument("--width", type=int, default=None, help="features; 8192 unless told")
    parser.add_argument("--first-fold", type=int, default=0)
    parser.add_argument("--skip", nargs="*", default=[], help="contestants to leave out, such as 'ours, fourier'")
    parser.add_argument("--no-peers", action="store_true", help="ours only")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.names:
        if name in STUDIES:
            add(name, STUDIES[name](arguments.width))
            continue
        for fold in range(arguments.first_fold, arguments.first_fold + arguments.folds):
            left_out = [*arguments.skip, *(PEERS if arguments.no_peers else ())]
            add(f"{name}, fold {fold}", one_set(name, fold, arguments.width, left_out))


def add(key, record):
    """Put one result beside those that are there; contestants that were left out stay as they were."""
    path = RESULTS / "accuracy.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    write("accuracy", known | {key: known.get(key, {}) | record})


if __name__ == "__main__":
    main()
