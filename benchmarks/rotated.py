"""Rotated digits by patches on rings: a kernel over cyclic shifts of their features does not see rotations.

choose     settings by 1,000 training rows to fit and 2,000 others of the training rows to compare
few        1,000 training rows, 50,000 test rows
full       12,000 training rows, 50,000 test rows

    python benchmarks/rotated.py [choose] [few] [full]

The digits, and their angles, are those of `orbit.py`. Seconds are of the processor, over all threads.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from harness import RESULTS, write
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner.reproduce.orbit_problems import rotated_digits

os.environ.setdefault("BOCHNER_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))
SETTINGS = {"pool": (3, 16), "width": 64, "scale": 0.7}
"""Points of pooling, landmarks of patches, and the length scale on top in units of the median distance."""
OTHERS = (
    {"pool": (4, 16)},
    {"pool": (3, 24)},
    {"width": 128},
    {"scale": 0.5},
    {"scale": 1.0},
)
"""Changes of one setting that are compared with it."""


def model_of(X, *, pool, width, scale, landmarks):
    base = bo.NystroemFeatures(bo.Gaussian(0.5), n_components=width, landmarks="kmeans")
    patches = bo.PatchFeatures((28, 28), 5, base, pool=pool, grid="polar", random_state=0).fit(X[:1000])
    median = np.median(pairwise_distances(patches.transform(X[:500])))
    shifts = bo.groups.CyclicShifts(block_size=patches.block_size_)
    on_top = bo.NystroemFeatures(bo.Gaussian(scale * float(median)), n_components=landmarks, group=shifts)
    return make_pipeline(patches, bo.KernelClassifier(features=on_top, random_state=0))


def measured(settings, train, test, landmarks):
    start = time.process_time()
    model = model_of(train[0], **settings, landmarks=landmarks).fit(*train)
    fitted = time.process_time()
    error = 1 - float(model.score(*test))
    found = {"error": error, "fit_seconds": fitted - start, "predict_seconds": time.process_time() - fitted}
    return {**settings, "landmarks": landmarks, "n_train": len(train[0]), "n_test": len(test[0]), **found}


def choose(problem):
    fit, compare = slice(0, 1000), slice(-2000, None)
    tried = []
    for change in ({}, *OTHERS):
        parts = (problem.X[fit], problem.y[fit]), (problem.X[compare], problem.y[compare])
        tried.append(measured({**SETTINGS, **change}, *parts, landmarks=1000))
        print(tried[-1], flush=True)
    return tried


def rows(problem, n, landmarks):
    return measured(SETTINGS, (problem.X[:n], problem.y[:n]), (problem.X_test, problem.y_test), landmarks)


PARTS = {
    "choose": choose,
    "few": lambda problem: rows(problem, 1000, 1000),
    "full": lambda problem: rows(problem, 12_000, 4096),
}


def main():
    warnings.simplefilter("ignore")
    problem = rotated_digits(12_000, 50_000, seed=1)
    path = RESULTS / "rotated.json"
    record = json.loads(path.read_text()) if path.exists() else {}
    for name in sys.argv[1:] or PARTS:
        record[name] = PARTS[name](problem)
        write("rotated", record)


if __name__ == "__main__":
    main()
