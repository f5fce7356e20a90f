"""KernelClassifier against scikit-learn on real data: accuracy and time, the solvers' objectives, and memory.

Sections, each written to its own JSON: mnist, objective, memory, classes. Run all, or name some:

    python benchmarks/classifier.py mnist objective
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from harness import write
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import bochner as bo

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).parents[2] / "shared" / "data"))


def timed(model, train, test):
    """Accuracy on the test rows, and seconds of fit and of prediction."""
    start = time.perf_counter()
    model.fit(*train)
    fitted = time.perf_counter()
    accuracy = float(model.score(*test))
    return {
        "accuracy": accuracy, "fit_seconds": fitted - start, "predict_seconds": time.perf_counter() - fitted,
    }  # fmt: skip


# MNIST: ours, RBFSampler with two linear models at the same width, and an exact support vector machine.


def mnist(width=8192, length_scale=5.5, svc_rows=20_000):
    train, test = mnist_data()
    gamma = 1 / (2 * length_scale**2)
    sampler = RBFSampler(gamma=gamma, n_components=width, random_state=0)
    record = {"width": width, "gamma": gamma}
    record["ours"] = best_of(
        {
            f"squared_hinge, alpha={alpha}": bo.KernelClassifier(
                bo.Gaussian(length_scale), loss="squared_hinge", n_components=width, alpha=alpha, tol=1e-3,
                sampling="orthogonal", random_state=0,
            )
            for alpha in (1.0, 0.3)
        },
        train, test,
    )  # fmt: skip
    record["RBFSampler + LogisticRegression"] = best_of(
        {f"C={C}": make_pipeline(sampler, LogisticRegression(C=C, max_iter=1000)) for C in (1.0, 10.0)}, train, test
    )
    record["RBFSampler + LinearSVC"] = best_of(
        {f"C={C}": make_pipeline(sampler, LinearSVC(C=C)) for C in (1.0,)}, train, test
    )
    few = (train[0][:svc_rows], train[1][:svc_rows])
    half = (train[0][: svc_rows // 2], train[1][: svc_rows // 2])
    svc = {
        n: timed(SVC(C=5, gamma=gamma, cache_size=2000), rows, test)
        for n, rows in ((len(half[0]), half), (svc_rows, few))
    }
    slope = np.log2(svc[svc_rows]["fit_seconds"] / svc[svc_rows // 2]["fit_seconds"])
    scale = (len(train[0]) / svc_rows) ** slope
    record["SVC"] = {
        "measured": svc, "log2_growth": slope, "fit_seconds_extrapolated": svc[svc_rows]["fit_seconds"] * scale,
    }  # fmt: skip
    ours = record["ours"]["best"]["fit_seconds"]
    record["faster_than"] = {
        name: record[name]["best"]["fit_seconds"] / ours
        for name in ("RBFSampler + LogisticRegression", "RBFSampler + LinearSVC")
    } | {"SVC (extrapolated)": record["SVC"]["fit_seconds_extrapolated"] / ours}
    write("classifier_mnist", record)


def mnist_data():
    with np.load(DATA / "mnist.npz") as file:
        rows = {part: file[f"x_{part}"].reshape(-1, 784).astype(np.float32) / 255 for part in ("train", "test")}
        return (rows["train"], file["y_train"]), (rows["test"], file["y_test"])


def best_of(models, train, test):
    runs = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, model in models.items():
            runs[name] = timed(model, train, test)
            print(name, runs[name], flush=True)
    best = max(runs, key=lambda name: runs[name]["accuracy"])
    return {"runs": runs, "best": {"setting": best, **runs[best]}}


# The solvers: the objective they reach on the same features.


def objective(n_rows=10_000, width=512):
    (X, y), _ = mnist_data()
    X, y = X[:n_rows].astype(float), y[:n_rows].astype(int)
    rows = []
    for loss in ("logistic", "hinge", "squared_hinge"):
        for alpha in (1.0, 0.1):
            ours = bo.KernelClassifier(
                bo.Gaussian(5.5), loss=loss, n_components=width, alpha=alpha, random_state=0
            )  # fmt: skip
            start = time.perf_counter()
            ours.fit(X, y)
            seconds = time.perf_counter() - start
            Z = ours.features_.transform(X)
            peer = (
                LogisticRegression(C=1 / alpha, tol=1e-7, max_iter=10_000)
                if loss == "logistic"
                else LinearSVC(loss=loss, C=1 / alpha, tol=1e-4, max_iter=20_000, random_state=0)
            )
            start = time.perf_counter()
            peer.fit(Z, y)
            theirs = value(loss, Z, y, peer.coef_, peer.intercept_, alpha)
            rows.append(
                {
                    "loss": loss, "alpha": alpha, "objective": ours.objective_, "theirs": theirs,
                    "relative_difference": ours.objective_ / theirs - 1, "dual_gap": ours.dual_gap_,
                    "n_iter": ours.n_iter_, "seconds": seconds, "their_seconds": time.perf_counter() - start,
                }
            )  # fmt: skip
            print(rows[-1], flush=True)
    write("classifier_objective", {"n": n_rows, "n_components": width, "rows": rows})


def value(loss, Z, y, coef, intercept, alpha):
    scores = Z @ coef.T + intercept
    if loss == "logistic":
        losses = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]
        return float(losses.sum() + alpha / 2 * np.sum(coef**2))
    violation = np.maximum(0, 1 - np.where(y[:, None] == np.arange(scores.shape[1]), 1, -1) * scores)
    total = np.sum(violation**2 if loss == "squared_hinge" else violation)
    return float(total + alpha / 2 * (np.sum(coef**2) + np.sum(intercept**2)))


# Memory: a million rows from a memory map, in a fresh process, with the budget said.

FIT = """
import resource, sys, time, numpy as np, bochner as bo
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
X, y = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2], mmap_mode="r")
bo.KernelClassifier(bo.Gaussian(4.0), n_components=4, alpha=1.0).fit(np.array(X[:100]), np.array(y[:100]))
before, start = peak(), time.perf_counter()
bo.set_config(memory=sys.argv[4])
model = bo.KernelClassifier(bo.Gaussian(4.0), n_components=int(sys.argv[3]), alpha=1.0, random_state=0).fit(X, y)
print(peak() - before, time.perf_counter() - start, model.n_iter_, model.dual_gap_ / model.objective_)
"""


def memory(n=1_000_000, d=20, width=2048, budget="1.2GB"):
    with tempfile.TemporaryDirectory() as folder:
        X, y = Path(folder) / "X.npy", Path(folder) / "y.npy"
        mapped = np.lib.format.open_memmap(X, mode="w+", dtype=np.float32, shape=(n, d))
        rng = np.random.default_rng(0)
        for start in range(0, n, 100_000):
            mapped[start : start + 100_000] = rng.standard_normal((100_000, d))
        signal = np.sin(2 * mapped[:, 0]) + mapped[:, 1] * mapped[:, 2] + 0.5 * rng.standard_normal(n)
        np.save(y, (signal > 0).astype(np.int8))
        mapped.flush()
        command = [sys.executable, "-c", FIT, X, y, str(width), budget]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    peak, seconds, n_iter, gap = map(float, printed)
    write(
        "classifier_memory",
        {
            "n": n, "d": d, "n_components": width, "budget": budget, "peak_growth_bytes": int(peak),
            "seconds": seconds, "n_iter": int(n_iter), "relative_gap": gap,
        },
    )  # fmt: skip


# Many classes: 1,000 of them in one process with a memory budget, and ten beside.

MANY = """
import resource, sys, time
import numpy as np, bochner as bo

n, d, width, n_classes = map(int, sys.argv[1:5])
bo.set_config(memory=sys.argv[5])
rng = np.random.default_rng(0)
centres, y = 0.5 * rng.standard_normal((n_classes, d)), np.arange(n) % n_classes
X, new = ((centres[labels] + rng.standard_normal((len(labels), d))).astype(np.float32) for labels in (y, y[:5000]))
bo.KernelClassifier(bo.Gaussian(8.0), n_components=64, random_state=0).fit(X[:500], y[:500] % 5)  # compiles
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, processor = time.perf_counter(), time.process_time()
model = bo.KernelClassifier(bo.Gaussian(8.0), n_components=width, random_state=0).fit(X, y)
seconds, processor = time.perf_counter() - start, time.process_time() - processor
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(seconds, processor, 1024 * peak, 1024 * (peak - before), model.score(new, y[:5000]))
"""


def classes(n=100_000, d=64, width=2048, budget="3GB"):
    found = {}
    for n_classes in (10, 1000):
        command = [sys.executable, "-W", "ignore", "-c", MANY, *map(str, (n, d, width, n_classes)), budget]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        names = ("seconds", "processor_seconds", "peak_bytes", "peak_growth_bytes", "accuracy")
        found[n_classes] = dict(zip(names, map(float, printed)))
        found[n_classes]["processor_ns_per_class_row_feature"] = (
            1e9 * found[n_classes]["processor_seconds"] / (n * width * n_classes)
        )
    ratio = found[1000]["processor_ns_per_class_row_feature"] / found[10]["processor_ns_per_class_row_feature"]
    write(
        "classifier_classes",
        {"n": n, "d": d, "n_components": width, "budget": budget, **found, "per_class_flop_beside_ten": ratio},
    )


if __name__ == "__main__":
    sections = {"mnist": mnist, "objective": objective, "memory": memory, "classes": classes}
    for section in sys.argv[1:] or sections:
        sections[section]()
