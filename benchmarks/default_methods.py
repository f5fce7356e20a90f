"""Methods of the defaults benchmark: ours by default, our own rules, and scikit-learn's machines on scaled columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import bochner as bo

Fit = Callable[[np.ndarray, np.ndarray], BaseEstimator]
HELD_OUT = 0.25
GRID_ROWS = 2000
"""Rows of which a grid of a regression is searched, a quarter of them held out; the best is then fitted to all."""


def fitted(make: Callable[[], BaseEstimator], most: int | None = None) -> Fit:
    """Fit one model, to the first `most` rows: they are in random order."""
    return lambda X, y: make().fit(X[:most], y[:most])


def best_of(candidates: Callable[[int], Sequence[BaseEstimator]], most: int, grid_rows: int | None = None) -> Fit:
    """Fit the candidate that is best on a held-out quarter of the rows to all rows, `most` at most."""

    def fit(X: np.ndarray, y: np.ndarray) -> BaseEstimator:
        X, y = X[:most], y[:most]
        held, models = held_out(len(X[:grid_rows])), candidates(X.shape[1])
        A, b = X[:grid_rows], y[:grid_rows]
        scores = [model.fit(A[~held], b[~held]).score(A[held], b[held]) for model in models]
        return models[int(np.argmax(scores))].fit(X, y)

    return fit


def held_out(n: int) -> np.ndarray:
    """Mask of a quarter of n rows."""
    return np.random.default_rng(0).permutation(n) < HELD_OUT * n


def scaled(model: BaseEstimator) -> BaseEstimator:
    return make_pipeline(StandardScaler(), model)


def scaled_target(model: BaseEstimator) -> BaseEstimator:
    return TransformedTargetRegressor(scaled(model), transformer=StandardScaler())


def kernel_ridges(d: int) -> list[BaseEstimator]:
    grid = product((0.03 / d, 0.1 / d, 0.3 / d, 1 / d), (1e-4, 1e-2, 1.0))
    return [scaled_target(KernelRidge(kernel="rbf", gamma=gamma, alpha=alpha)) for gamma, alpha in grid]


def support_regressions(_: int) -> list[BaseEstimator]:
    grid = product((1.0, 10.0, 100.0), (0.01, 0.1))
    return [scaled_target(SVR(C=C, epsilon=eps, cache_size=1000, max_iter=1_000_000)) for C, eps in grid]


def support_classifiers(_: int) -> list[BaseEstimator]:
    return [scaled(SVC(C=C, cache_size=1000)) for C in (1.0, 10.0, 100.0)]


def gaussian_process(X: np.ndarray, y: np.ndarray) -> BaseEstimator:
    """One length scale, a signal and a noise variance, by marginal likelihood, on 1,000 rows."""
    kernel = ConstantKernel() * RBF(np.sqrt(X.shape[1])) + WhiteKernel(0.1)
    model = scaled(GaussianProcessRegressor(kernel, normalize_y=True, random_state=0))
    return model.fit(X[:1000], y[:1000])


def own_rules() -> dict[str, Fit]:
    """Our three penalty rules with our two scale rules, on random features."""

    def rule(alpha: str, scale: str) -> Fit:
        return fitted(lambda: bo.KernelRegressor(features="fourier", alpha=alpha, length_scale=scale, random_state=0))

    pairs = product(("gcv", "loo", "evidence"), ("auto", "ard"))
    return {f"own_{alpha}_{scale}": rule(alpha, scale) for alpha, scale in pairs}


METHODS: dict[str, dict[str, Fit]] = {
    "regression": {
        "ours": fitted(lambda: bo.KernelRegressor(random_state=0)),
        "trees": fitted(lambda: HistGradientBoostingRegressor(random_state=0)),
        "kernel_ridge": best_of(kernel_ridges, 8000, GRID_ROWS),
        "svr": best_of(support_regressions, 4000, GRID_ROWS),
        "gp": gaussian_process,
        "linear": fitted(lambda: scaled(RidgeCV(np.geomspace(1e-4, 1e4, 17)))),
        **own_rules(),
    },
    "classification": {
        "ours": fitted(lambda: bo.KernelClassifier(random_state=0)),
        "trees": fitted(lambda: HistGradientBoostingClassifier(random_state=0)),
        "svc": best_of(support_classifiers, 8000),
        "linear": fitted(lambda: scaled(LogisticRegression(max_iter=1000))),
    },
}
SCALED = frozenset({"kernel_ridge", "svr", "svc", "gp", "linear"})
"""Methods that scale the columns themselves: raw and standardised rows are one to them, and run once."""
