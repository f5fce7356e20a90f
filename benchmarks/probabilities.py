"""Probabilities of classes: log loss, calibration error and accuracy of every loss beside CalibratedClassifierCV(SVC).

    python benchmarks/probabilities.py [letter ijcnn1 adult_a9a shuttle] [--rows 300 3000] [--folds 0 1 2]

Rows are drawn anew in every fold, with up to 4,000 others to test. The SVC has scaled columns, its C and gamma by the
grid of `support_vectors.py` on three quarters of the training rows, and the calibration of scikit-learn: a sigmoid and
isotonic regression over five folds. Ours have their defaults, and the penalty that they choose.

The calibration error is the mean distance of confidence and accuracy over ten bins of the largest probability, weighted
by rows. Log losses have probabilities no smaller than 1e-6.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import product

import numpy as np
import pandas as pd
from default_tables import DATA
from harness import write
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import bochner as bo

NAMES = ("letter", "ijcnn1", "adult_a9a", "shuttle")
TEST_ROWS = 4000
GAMMAS, COSTS = (0.1, 0.3, 1.0, 3.0), (1.0, 10.0, 100.0)
"""Times 1 / d of scaled columns."""
LEAST = 1e-6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--rows", type=int, nargs="*", default=(300, 3000))
    parser.add_argument("--folds", type=int, nargs="*", default=(0, 1, 2))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    runs = []
    for name, n, fold in product(args.names, args.rows, args.folds):
        train, test = split(name, n, fold)
        for label, model in models(*train).items():
            runs.append({"data": name, "n": n, "fold": fold, "model": label, **measured(model, train, test)})
        write("probabilities", {"runs": runs, "means": means(runs)})


def split(name, n, fold):
    """Training rows, of which every class has five at least, and test rows of the same classes."""
    frame = pd.read_parquet(DATA / f"{name}.parquet")
    X = frame.drop(columns=["target", "split", "fold"], errors="ignore").to_numpy(float)
    y, order = frame["target"].to_numpy(), np.random.default_rng(fold).permutation(len(X))
    known, counts = np.unique(y[order[:n]], return_counts=True)
    kept = np.isin(y[order], known[counts >= 5])
    few, others = order[:n][kept[:n]], order[n:][kept[n:]][:TEST_ROWS]
    return (X[few], y[few]), (X[others], y[others])


def models(X, y):
    def ours(**settings):
        return bo.KernelClassifier(random_state=0, **settings)

    svc = tuned(X, y)
    return {
        "ours": ours(),
        "ours, logistic": ours(loss="logistic"),
        "ours, squared hinge": ours(loss="squared_hinge", probability=True),
        "ours, hinge": ours(loss="hinge", probability=True),
        "SVC, sigmoid": CalibratedClassifierCV(svc, method="sigmoid"),
        "SVC, isotonic": CalibratedClassifierCV(svc, method="isotonic"),
    }


def tuned(X, y):
    """The SVC of the grid with the best accuracy on a quarter of the training rows."""
    A, B, a, b = train_test_split(X, y, test_size=0.25, random_state=0)

    def machine(gamma, C):
        return make_pipeline(StandardScaler(), SVC(C=C, gamma=gamma / X.shape[1]))

    return machine(*max(product(GAMMAS, COSTS), key=lambda each: machine(*each).fit(A, a).score(B, b)))


def measured(model, train, test):
    start = time.process_time()
    probability = model.fit(*train).predict_proba(test[0])
    seconds = time.process_time() - start
    return {**judged(probability, np.searchsorted(model.classes_, test[1])), "processor_seconds": seconds}


def judged(probability, labels):
    """Log loss, calibration error and accuracy of probabilities (n, classes) of labels 0, 1, ..."""
    own = probability[np.arange(len(labels)), labels]
    confidence, right = probability.max(axis=1), probability.argmax(axis=1) == labels
    bins = np.minimum((10 * confidence).astype(int), 9)
    gaps = [abs(np.sum(confidence[bins == each] - right[bins == each])) for each in range(10)]
    return {
        "log_loss": float(-np.mean(np.log(np.maximum(own, LEAST)))),
        "calibration_error": float(sum(gaps) / len(labels)),
        "accuracy": float(right.mean()),
    }  # fmt: skip


def means(runs):
    """Means over the folds of every table, size and model."""
    frame = pd.DataFrame(runs).drop(columns="fold")
    return frame.groupby(["data", "n", "model"], as_index=False).mean().to_dict("records")


if __name__ == "__main__":
    main()
