"""Orbit features: what a transform costs, how few rows they need, and how well they read rotated digits.

cost       transforming images with r group elements, against the GEMM of an n x (r m) projection plus the trigonometric
           loop alone, with the same threads; building the matrices of 32 rotations
rows       error with 1,000 rows, and the rows plain features of the same width need for it
rotated    12,000 training and 50,000 test digits turned by any angle: plain, augmentation and orbit features of one
           width; errors at the penalty of GCV, seconds of the pass over the rows and of one solution
wide       the same at three times the width: products of features grow with its square, turning rows does not
polar      as rotated, of images on rings: rotations are cyclic shifts, and orbits are convolutions
widest     the best orbit features that some minutes buy: rotations with small shifts

python orbit.py [cost] [rows] [rotated] [wide] [polar] [widest]; without arguments all. BOCHNER_DATA is the data folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from harness import RESULTS, interleaved, once, write

import bochner as bo
from bochner._threads import run_in_threads
from bochner.features import _loops
from bochner.reproduce.orbit_problems import rotated_digits

os.environ.setdefault("BOCHNER_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))
SCALE = float(os.environ.get("ORBIT_SCALE", "1"))  # below 1: a trial run
TRAIN, TEST = int(12_000 * SCALE), int(50_000 * SCALE)
WIDTH, ROTATIONS, LENGTH = int(4096 * SCALE), 32, 4.0


def fourier(width, length=LENGTH):
    return bo.FourierFeatures(bo.Gaussian(length), n_components=width, random_state=0)


def cost():
    n, m, r = int(4000 * SCALE), 1024, 32
    X = np.random.default_rng(0).random((n, 784), dtype=np.float32)
    group = bo.groups.ImageRotations(n=r)
    start = time.perf_counter()
    group.elements()
    build = time.perf_counter() - start
    orbit = bo.OrbitFeatures(group, fourier(2 * m)).fit(X)
    omega_t = np.hstack([chunk.moved for chunk in orbit.map_._cast[X.dtype]])
    projection, out = np.zeros((n, r * m), dtype=np.float32), np.empty((n, 2 * m), dtype=np.float32)
    amplitude, weights = np.ones(m, dtype=np.float32), np.full(r, 1 / r, dtype=np.float32)

    def trigonometry():
        def work(rows, _):
            _loops.orbit_pairs(projection[rows], amplitude, weights, out[rows], 0, m)

        run_in_threads(work, [slice(i, i + 100) for i in range(0, n, 100)], state=lambda: None)

    contestants = {
        "orbit": lambda: orbit.transform(X),
        "gemm": lambda: np.matmul(X, omega_t, out=projection),
        "trigonometry": trigonometry,
    }
    seconds = interleaved(contestants, repeats=7)
    limit = seconds["gemm"] + seconds["trigonometry"]
    return {
        "n": n, "m": m, "r": r, "seconds": seconds, "times_limit": seconds["orbit"] / limit,
        "build_matrices_seconds": build,
    }  # fmt: skip


def one_vs_rest(y):
    return np.where(np.arange(10) == y[:, None], 1.0, -1.0)


def wrong(model, problem):
    return float(np.mean(model.predict(problem.X_test).argmax(axis=1) != problem.y_test))


def learner(features, alpha="gcv"):
    return bo.KernelRegressor(features=features, alpha=alpha)


def few_rows():
    problem = rotated_digits(TRAIN, min(TEST, 10_000), seed=1)
    width = WIDTH
    orbit = learner(bo.OrbitFeatures(bo.groups.ImageRotations(), fourier(width)))
    few = max(100, int(1000 * SCALE))
    orbit_error = wrong(orbit.fit(problem.X[:few], one_vs_rest(problem.y[:few])), problem)
    plain = {}
    for rows in (few, 2 * few, 5 * few, TRAIN):
        model = learner(fourier(width, 6.0)).fit(problem.X[:rows], one_vs_rest(problem.y[:rows]))
        plain[rows] = wrong(model, problem)
    enough = [rows for rows, error in plain.items() if error <= orbit_error]
    return {
        "n_components": width, "orbit_rows": few, "orbit_error": orbit_error, "plain_error": plain,
        "plain_rows_needed": min(enough) if enough else f"more than {TRAIN}",
    }  # fmt: skip


def trained(features, parts, T):
    """A model of all parts with the penalty of GCV, and the seconds of the pass and of one solution, by two clocks."""
    model, passes = learner(features), np.zeros(2)
    for X in parts:  # making the parts is not part of the work
        passes += both_clocks(lambda X=X: model.partial_fit(X, T))
    rule = replace(model.fitted_.rule, alpha=model.alpha_)
    model.fitted_ = replace(model.fitted_, rule=rule, found=None)
    wall, processor = passes + both_clocks(lambda: model.predict(X[:1]))
    return model, {"train_seconds": wall, "train_processor_seconds": processor}


def both_clocks(run):
    """Seconds of one run, and seconds of the processor, over all threads."""
    start = time.process_time()
    return np.array([once(run), time.process_time() - start])  # in this order


def rotated(width=WIDTH):
    return compared(rotated_digits(TRAIN, TEST, seed=1), bo.groups.ImageRotations(n=ROTATIONS), width)


def polar(width=WIDTH, angles=2 * ROTATIONS):
    """Rotated digits on rings, of which every second angle is a shift of the group."""
    problem = rotated_digits(TRAIN, TEST, seed=1)
    matrix = bo.groups.polar_samples((28, 28), angles).astype(np.float32)
    start = time.perf_counter()
    X = problem.X @ matrix.T
    seconds = time.perf_counter() - start
    rings = X.shape[1] // angles
    group = bo.groups.CyclicShifts(2, block_size=rings)
    moved = replace(problem, X=X, X_test=problem.X_test @ matrix.T)
    return {"angles": angles, "rings": rings, "resampling_seconds": seconds, **compared(moved, group, width)}


def compared(problem, group, width):
    """Plain features, orbit features, and augmentation by the same transformations."""
    T, transforms = one_vs_rest(problem.y), group.elements(problem.X.shape[1])
    results = {}
    for name, features, parts in (
        ("plain", fourier(width, 6.0), [problem.X]),
        ("orbit", bo.OrbitFeatures(group, fourier(width)), [problem.X]),
        ("augmentation", fourier(width, 6.0), (moved for _, moved in transforms.of(problem.X))),
    ):
        model, seconds = trained(features, parts, T)
        results[name] = {"error": wrong(model, problem), **seconds, "alpha": model.alpha_}
        print(name, results[name], flush=True)
    orbit, others = results["orbit"], results["augmentation"]
    return {
        "n_components": width, "n_transforms": ROTATIONS, "n_train": TRAIN, "n_test": TEST, "methods": results,
        "error_over_plain": orbit["error"] / results["plain"]["error"],
        "augmentation_time_over_orbit": others["train_seconds"] / orbit["train_seconds"],
        "augmentation_processor_time_over_orbit": others["train_processor_seconds"] / orbit["train_processor_seconds"],
    }  # fmt: skip


def widest():
    problem = rotated_digits(TRAIN, TEST, seed=1)
    group = bo.groups.Product([bo.groups.ImageTranslations(max_shift=1), bo.groups.ImageRotations(n=24)])
    start = time.perf_counter()
    model = learner(bo.OrbitFeatures(group, fourier(WIDTH, LENGTH))).fit(problem.X, one_vs_rest(problem.y))
    seconds = time.perf_counter() - start
    return {
        "n_components": WIDTH, "n_transforms": group.order(), "error": wrong(model, problem), "train_seconds": seconds,
        "total_seconds": time.perf_counter() - start,
    }  # fmt: skip


PARTS = {
    "cost": cost,
    "rows": few_rows,
    "rotated": rotated,
    "wide": lambda: rotated(3 * WIDTH),
    "polar": polar,
    "widest": widest,
}


def main():
    path = RESULTS / "orbit.json"
    record = json.loads(path.read_text()) if path.exists() else {}
    for name in sys.argv[1:] or PARTS:
        record[name] = PARTS[name]()
        write("orbit", record)


if __name__ == "__main__":
    main()
