"""One fit of the peers benchmark in a process of its own: `python peer_methods.py rows.npz method task out.npz`.

Runs in the environment of the method: ours, or that of the peers, which has no bochner. Methods take columns as their
authors recommend: standardised for kernels and linear models, as they are for trees. Draws of a search space are
compared on a fifth of the rows, and the best is kept as it was fitted to the others (xRFM, which wants validation rows
in any case) or fitted again to all (LightGBM). Methods with native categories see codes of levels and missing values as
they are; all others see the columns that `TableEncoder` makes of a mixed table. Seconds are of the processor, over all
threads: other work on the machine changes them little.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from peer_processes import gpboost, process, svgp, xgpr

DRAWS = 16
LEVEL = 0.9
VALIDATION = 0.2
Predict = Callable[[np.ndarray], np.ndarray]
Fit = Callable[[np.ndarray, np.ndarray, str], Predict]


class Own:
    """Predictions of ours, with intervals for regression."""

    def __init__(self, model):
        self.model = model

    def __call__(self, X):
        return self.model.predict(X)

    def interval(self, X):
        return self.model.predict(X, return_interval=LEVEL)[1]


def ours(**parameters) -> Fit:
    def fit(X, y, task):
        import bochner as bo

        if task == "regression":
            return Own(bo.KernelRegressor(random_state=0, **parameters).fit(X, y))
        return bo.KernelClassifier(random_state=0, **parameters).fit(X, y).predict

    return fit


def scaled(make: Callable[[str], object]) -> Fit:
    """A scikit-learn model on standardised columns, and for regression a standardised target."""

    def fit(X, y, task):
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        model = make_pipeline(StandardScaler(), make(task))
        if task == "regression":
            model = TransformedTargetRegressor(model, transformer=StandardScaler())
        return model.fit(X, y).predict

    return fit


def trees(X, y, task, categorical=None):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return model(random_state=0, categorical_features=categorical).fit(X, y).predict


def lightgbm(X, y, task, **parameters):
    from lightgbm import LGBMClassifier, LGBMRegressor

    model = LGBMRegressor if task == "regression" else LGBMClassifier
    cores = len(os.sched_getaffinity(0))
    return model(random_state=0, n_jobs=cores, verbose=-1, **parameters).fit(X, y).predict


def catboost(X, y, task, categorical=()):
    """CatBoost by default; levels are texts to it."""
    from catboost import CatBoostClassifier, CatBoostRegressor

    def table(rows):
        if not len(categorical):
            return rows
        found = rows.astype(object)
        found[:, categorical] = np.char.mod("%g", rows[:, categorical].astype(float))
        return found

    model = CatBoostRegressor if task == "regression" else CatBoostClassifier
    machine = model(
        random_seed=0, verbose=False, allow_writing_files=False, cat_features=list(categorical),
        thread_count=len(os.sched_getaffinity(0)),
    ).fit(table(X), y)  # fmt: skip
    return lambda rows: np.asarray(machine.predict(table(rows))).reshape(len(rows))


def lightgbm_draws(X, y, task):
    """Draws of rate, leaves, rows of a leaf and shares of rows and columns; the best is fitted to all rows."""
    rng, (train, held) = np.random.default_rng(0), parts(len(X))

    def draw():
        return {
            "learning_rate": float(np.exp(rng.uniform(np.log(0.01), np.log(0.3)))),
            "n_estimators": int(rng.integers(100, 1000)),
            "num_leaves": int(np.exp(rng.uniform(np.log(8), np.log(256)))),
            "min_child_samples": int(np.exp(rng.uniform(np.log(2), np.log(100)))),
            "subsample": float(rng.uniform(0.5, 1)),
            "subsample_freq": 1,
            "colsample_bytree": float(rng.uniform(0.5, 1)),
        }

    draws = [{}, *(draw() for _ in range(DRAWS - 1))]
    losses = [loss(task, y[held], lightgbm(X[train], y[train], task, **each)(X[held])) for each in draws]
    return lightgbm(X, y, task, **draws[int(np.argmin(losses))])


def support(task):
    """scikit-learn-intelex's machines, which are faster than scikit-learn's."""
    from sklearnex.svm import SVC, SVR

    return SVR(C=10.0, cache_size=1000) if task == "regression" else SVC(C=10.0, cache_size=1000)


def kernel_ridge(task):
    from sklearn.kernel_ridge import KernelRidge

    return KernelRidge(kernel="rbf", alpha=0.01)


def linear(task):
    from sklearn.linear_model import LogisticRegression, RidgeCV

    return RidgeCV(np.logspace(-4, 4, 9)) if task == "regression" else LogisticRegression(max_iter=1000)


def xrfm(X, y, task, model=None, reg=1e-3, iters=5):
    """xRFM on standardised columns; a fifth of the rows, which it wants for validation, is not fitted."""
    return xrfm_on(*_standardised(X, y, task), task, model, reg, iters)[0]


def xrfm_draws(X, y, task):
    """Draws of kernel exponent, bandwidth, penalty and whether the metric is diagonal, in ranges of ours."""
    rng, prepared = np.random.default_rng(0), _standardised(X, y, task)

    def draw():
        model = {
            "kernel": "l2",
            "bandwidth": float(np.exp(rng.uniform(np.log(1), np.log(200)))),
            "exponent": float(rng.uniform(0.7, 1.4)),
            "diag": bool(rng.integers(2)),
            "bandwidth_mode": ("constant", "adaptive")[int(rng.integers(2))],
        }
        return model, float(np.exp(rng.uniform(np.log(1e-6), np.log(10))))

    found = [xrfm_on(*prepared, task, None, 1e-3, 5)]
    found += [xrfm_on(*prepared, task, *draw(), 5) for _ in range(DRAWS - 1)]
    return min(found, key=lambda each: each[1])[0]


def xrfm_on(inputs, X, y, X_held, y_held, task, model, reg, iters) -> tuple[Predict, float]:
    """A model, and its loss on the validation rows; its own defaults if there are no parameters."""
    import torch
    from xrfm import xRFM

    chosen = None if model is None else {"model": model, "fit": {"reg": reg, "iters": iters, "early_stop_rfm": True}}
    metric = "mse" if task == "regression" else "brier"
    machine = xRFM(rfm_params=chosen, device=torch.device("cpu"), tuning_metric=metric, verbose=False)
    machine.fit(X, y, X_held, y_held)

    def predict(rows):
        found = np.asarray(machine.predict(inputs(rows)))
        return found.reshape(len(rows), -1)[:, 0] if found.ndim > 1 and found.shape[1] == 1 else found

    held = np.asarray(machine.predict(X_held)).reshape(len(y_held), -1)[:, 0]
    centre, spread = inputs.target
    answer = (lambda rows: centre + spread * predict(rows)) if task == "regression" else predict
    return answer, loss(task, np.asarray(y_held).reshape(-1), held)


class Inputs:
    """Standardised columns in float32, and mean and spread of the target."""

    def __init__(self, X, y, task):
        self.mean, self.spread = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
        self.target = (float(y.mean()), float(y.std()) or 1.0) if task == "regression" else (0.0, 1.0)

    def __call__(self, X):
        return ((X - self.mean) / self.spread).astype(np.float32)


def _standardised(X, y, task):
    inputs, (train, held) = Inputs(X, y, task), parts(len(X))
    centre, spread = inputs.target
    targets = ((y - centre) / spread).astype(np.float32) if task == "regression" else y
    return inputs, inputs(X[train]), targets[train], inputs(X[held]), targets[held]


def parts(n):
    """Rows to fit and rows to compare, at random."""
    order = np.random.default_rng(0).permutation(n)
    return order[int(VALIDATION * n) :], order[: int(VALIDATION * n)]


def loss(task, y, predicted):
    return float(np.mean((predicted - y) ** 2) if task == "regression" else np.mean(predicted != y))


METHODS: dict[str, Fit] = {
    "ours": ours(),
    "own_exact": ours(features="exact"),
    "own_metric": ours(features="exact", length_scale="metric"),
    "xrfm": xrfm,
    "xrfm_draws": xrfm_draws,
    "trees": trees,
    "lightgbm": lightgbm,
    "lightgbm_draws": lightgbm_draws,
    "catboost": catboost,
    "trees_native": trees,
    "catboost_native": catboost,
    "svgp": process(svgp),
    "xgpr": process(xgpr),
    "gpboost": process(gpboost),
    "svm": scaled(support),
    "kernel_ridge": scaled(kernel_ridge),
    "linear": scaled(linear),
}
OURS = ("ours", "own_exact", "own_metric")
REGRESSION_ONLY = ("svgp", "xgpr", "gpboost", "kernel_ridge")
NATIVE = ("trees_native", "catboost_native")
"""Run on tables with categories alone."""


def warm_up(fit: Fit, task: str) -> None:
    """One small fit: loading and compiling is not part of the time."""
    X = np.random.default_rng(0).standard_normal((400, 3))
    fit(X, X[:, 0] if task == "regression" else (X[:, 0] > 0).astype(int), task)(X[:10])


def main() -> None:
    source, method, task, target = sys.argv[1:]
    rows, fit = np.load(source), METHODS[method]
    X, y, X_test = rows["X"], rows["y"], rows["X_test"]
    warm_up(fit, task)
    if method in NATIVE:
        X, X_test = rows["native"], rows["native_test"]
        fit = partial(fit, categorical=rows["categorical"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    predict = fit(X, y, task)
    fitted = time.process_time()
    predicted = np.asarray(predict(X_test))
    done, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    intervals = np.array(predict.interval(X_test)) if hasattr(predict, "interval") else np.empty((2, 0))
    np.savez(
        target, predicted=predicted, seconds=[fitted - start, done - fitted], memory=1024 * (peak - before),
        intervals=intervals,
    )  # fmt: skip


if __name__ == "__main__":
    main()
