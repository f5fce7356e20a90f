"""The default classifier against an exact, tuned SVC on middle-sized and large tables: accuracy and time.

    python benchmarks/support_vectors.py [shuttle skin_nonskin letter ijcnn1 adult_a9a] [--fold 5] [--ours-only]

A fold is a random split of all rows of a table, with as many training rows as the usual split has (four fifths where
there is none). The grid of the SVC is searched on 6,000 training rows, a quarter of them held out; the best is fitted
to all, by scikit-learn and, where scikit-learn-intelex is installed, by that. Our seconds have everything. They are
compared with those of the SVC's last fit and predictions alone (`fit_and_predict`), and with its grid too
(`search_fit_and_predict`): both searches are in that. Seconds are of the clock, which count on a quiet machine, and of
the processor, over all threads. One result is written per fold.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn.svm
from default_tables import DATA
from harness import write
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner as bo

NAMES = ("shuttle", "skin_nonskin", "letter", "ijcnn1", "adult_a9a")
GRID_ROWS = 6000
GAMMAS, COSTS = (0.1, 0.3, 1.0, 3.0, 10.0), (1.0, 10.0, 100.0, 1000.0)
"""Times 1 / d of scaled columns."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--fold", type=int, default=5)
    parser.add_argument("--ours-only", action="store_true", help="Print ours, and write nothing.")
    args = parser.parse_args()
    measured(bo.KernelClassifier(random_state=0), *split("shuttle", args.fold))  # compiles
    for name in args.names:
        train, test = split(name, args.fold)
        ours = measured(bo.KernelClassifier(random_state=0), train, test)
        print(name, "ours", ours, flush=True)
        if not args.ours_only:
            add(f"support_vectors_{args.fold}", name, compared(ours, train, test))


def split(name, fold):
    """Training and test rows of a fold, in random order."""
    frame = pd.read_parquet(DATA / f"{name}.parquet")
    X = frame.drop(columns=["target", "split", "fold"], errors="ignore").to_numpy(float)
    n = np.count_nonzero(frame["split"] == 0) if "split" in frame else 4 * len(X) // 5
    order, y = np.random.default_rng(fold).permutation(len(X)), frame["target"].to_numpy()
    return (X[order[:n]], y[order[:n]]), (X[order[n:]], y[order[n:]])


def measured(model, train, test):
    """Accuracy on the test rows, seconds of fit and prediction, and what was fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = Stopwatch()
        model.fit(*train)
        found = {"fit": fit.seconds()}
        predict = Stopwatch()
        found |= {"accuracy": float(model.score(*test)), "predict": predict.seconds()}
    if hasattr(model, "tuning_"):
        found |= {
            "n_components": model.fitted_.feature_map.n_components, "kernel": repr(model.tuning_.kernel)[:200],
            "alpha": model.alpha_, "tuning_wall_seconds": model.tuning_.seconds,
        }  # fmt: skip
    return found


class Stopwatch:
    """Seconds since it was made, by the clock and of the processor."""

    def __init__(self):
        self._clock, self._processor = time.perf_counter(), time.process_time()

    def seconds(self):
        return {"clock": time.perf_counter() - self._clock, "processor": time.process_time() - self._processor}


def compared(ours, train, test):
    """Ours, and the SVC that its grid chose, beside it."""
    search = Stopwatch()
    settings, tried = chosen(*train)
    searched = search.seconds()
    found = {"n": len(train[0]), "d": train[0].shape[1], "n_test": len(test[0]), "ours": ours}
    for name, kind in machines().items():
        peer = {**measured(machine(settings, kind), train, test), "search": searched}
        peer["points_ahead"] = 100 * (ours["accuracy"] - peer["accuracy"])
        for measure in ("clock", "processor"):
            own, alone = (sum(each[part][measure] for part in ("fit", "predict")) for each in (ours, peer))
            peer[f"times_{measure}"] = {
                "fit_and_predict": own / alone, "search_fit_and_predict": own / (alone + searched[measure]),
            }  # fmt: skip
        found[name] = peer
        print(name, {key: value for key, value in peer.items() if key != "tried"}, flush=True)
    found["SVC"]["tried"] = tried
    return found


def machines():
    """SVC of scikit-learn, and that of scikit-learn-intelex where it is installed."""
    found = {"SVC": sklearn.svm.SVC}
    if find_spec("sklearnex"):
        found["intelex SVC"] = import_module("sklearnex.svm").SVC
    return found


def chosen(X, y):
    """Settings of the grid that are best on held-out rows of a part of the training rows, and all that were tried."""
    A, B, a, b = train_test_split(X[:GRID_ROWS], y[:GRID_ROWS], test_size=0.25, random_state=0)
    settings = [{"C": C, "gamma": gamma / X.shape[1]} for gamma, C in product(GAMMAS, COSTS)]
    tried = [{**each, "accuracy": float(machine(each).fit(A, a).score(B, b))} for each in settings]
    best = max(tried, key=lambda each: each["accuracy"])
    return {name: best[name] for name in ("C", "gamma")}, tried


def machine(settings, kind=sklearn.svm.SVC):
    return make_pipeline(StandardScaler(), kind(**settings, cache_size=500))


def add(result, name, record):
    """Write one table beside those that are there."""
    path = Path(__file__).parent / "results" / f"{result}.json"
    known = json.loads(path.read_text())["tables"] if path.exists() else {}
    write(result, {"tables": {**known, name: record}})


if __name__ == "__main__":
    main()
