"""Images: raw pixels by one call, pooled features of patches, a kernel on top of them, and an exact SVC beside.

    python benchmarks/images.py [mnist fashion_mnist] [--rows 5000] [--svc-rows 5000] [--full]

Settings are chosen on a part of the training rows that is not fitted to, never on test rows. `--full` takes all 60,000.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from harness import write
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import bochner as bo

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).parents[2] / "shared" / "data"))
SHAPE = (28, 28)
CHOICE_ROWS = 1000
"""Rows to fit, and rows to compare by, where settings are chosen."""

PATCHES = [{"pool": pool, "scale": scale} for pool, scale in product((3, 4), (0.4, 0.6))]
GAMMAS = (0.02, 0.04)
C = 5.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["mnist", "fashion_mnist"])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--svc-rows", type=int, default=5000)
    parser.add_argument("--width", type=int, default=4096, help="Landmarks of the kernel on top, beyond 10,000 rows.")
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()
    n = 60_000 if args.full else args.rows
    for name in args.names:
        found = one(name, n, min(n, args.svc_rows), args.width)
        write(f"images_{name}_full" if args.full else f"images_{name}", {"rows": n, **found})


def one(name, n, svc_rows, width):
    """Accuracy on the 10,000 test rows, and seconds, of every way."""
    (X, y), test = data(name)
    X, y = X[:n], y[:n]
    settings, tried = chosen_patches(X, y)
    gamma = chosen_gamma(X, y)
    few = slice(0, svc_rows)
    models = {
        "raw pixels, one call": (bo.KernelClassifier(random_state=0), slice(None)),
        "patches, linear": (bo.KernelClassifier(features=patches(settings), random_state=0), slice(None)),
        "patches, a kernel on top": (make_pipeline(patches(settings), on_top(n, width)), slice(None)),
        f"SVC, {svc_rows} rows": (SVC(C=C, gamma=gamma, cache_size=1000), few),
    }
    record = {"patches": settings, "tried": tried, "SVC": {"C": C, "gamma": gamma}}
    for label, (model, rows) in models.items():
        record[label] = timed(model, X[rows], y[rows], *test)
        print(name, label, record[label], flush=True)
    return record


def data(name):
    with np.load(DATA / f"{name}.npz") as file:
        rows = {part: file[f"x_{part}"].reshape(-1, 784).astype(np.float32) / 255 for part in ("train", "test")}
        return (rows["train"], file["y_train"]), (rows["test"], file["y_test"])


def patches(settings):
    base = bo.NystroemFeatures(bo.Gaussian(settings["scale"]), n_components=128, landmarks="kmeans")
    return bo.PatchFeatures(SHAPE, 5, base, pool=settings["pool"], random_state=0)


def on_top(n, width):
    """A Gaussian kernel of the median distance: exact for few rows, of landmarks for many."""
    few = {"features": "exact"} if n <= 10_000 else {"features": "nystroem", "n_components": width}
    return bo.KernelClassifier(bo.Gaussian(), length_scale="median", random_state=0, **few)


def timed(model, X, y, X_test, y_test):
    start = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    accuracy = float(model.score(X_test, y_test))
    return {"accuracy": accuracy, "fit_seconds": fitted - start, "score_seconds": time.perf_counter() - fitted}


def parts(n):
    """Rows to fit and rows to compare by: both of the training rows."""
    order = np.random.default_rng(0).permutation(n)
    size = min(CHOICE_ROWS, n // 2)
    return order[:size], order[-size:]


def chosen_patches(X, y):
    """The settings of the patches with the best kernel on top, and the accuracy of each."""
    fit, compare = parts(len(X))
    tried = []
    for settings in PATCHES:
        model = make_pipeline(patches(settings), on_top(len(fit), 0)).fit(X[fit], y[fit])
        tried.append({**settings, "accuracy": float(model.score(X[compare], y[compare]))})
    best = max(tried, key=lambda each: each["accuracy"])
    return {name: best[name] for name in ("pool", "scale")}, tried


def chosen_gamma(X, y):
    """The scale of the exact machine of raw pixels."""
    fit, compare = parts(len(X))
    return max(GAMMAS, key=lambda gamma: SVC(C=C, gamma=gamma).fit(X[fit], y[fit]).score(X[compare], y[compare]))


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bo.errors.ExtrapolationWarning)  # test pixels where training rows have none
        main()
