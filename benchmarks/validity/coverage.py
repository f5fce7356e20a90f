"""Coverage of prediction intervals of `KernelRegressor`: how often a new target falls outside.

Conformal intervals promise their coverage for every law and every model, over held-out and new rows together: each
repeat fits a model and looks at one new row. Normal intervals are a statement of the model: they are reported where the
model is right (a function of the kernel's own feature space, normal noise of known size) and where it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import bochner as bo

from .setting import Setting, stream

FAMILY = "coverage"
LEVELS = (0.5, 0.8, 0.9, 0.95)
_PROMISED = {f"outside the {level:.0%} interval": 1 - level for level in LEVELS}

NOISE: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "normal": lambda rng, x: 0.3 * rng.standard_normal(len(x)),
    "t, 2 degrees": lambda rng, x: 0.3 * rng.standard_t(2, len(x)),
    "Cauchy": lambda rng, x: 0.3 * rng.standard_cauchy(len(x)),
    "grows with x": lambda rng, x: np.abs(x) * rng.standard_normal(len(x)),
    "skewed": lambda rng, x: rng.exponential(0.5, len(x)),
    "whole numbers": lambda rng, x: rng.poisson(1.0, len(x)).astype(float),
    "none": lambda rng, x: np.zeros(len(x)),
}
MODELS: dict[str, Callable[[], dict[str, Any]]] = {
    "nothing set": dict,
    "fixed": lambda: {"kernel": bo.Gaussian(1.0), "n_components": 32, "alpha": 1.0},
    "wrong scale": lambda: {"kernel": bo.Gaussian(0.01), "n_components": 32, "alpha": 1e-3},
    "penalty by gcv": lambda: {"kernel": bo.Gaussian(1.0), "n_components": 32, "alpha": "gcv"},
    "landmarks": lambda: {"features": bo.NystroemFeatures(bo.Gaussian(1.0), n_components=16), "alpha": 1.0},
    "two targets": lambda: {"kernel": bo.Gaussian(1.0), "n_components": 32, "alpha": 1.0},
    "float32": lambda: {"kernel": bo.Gaussian(1.0), "n_components": 32, "alpha": 1.0},
}


def settings() -> list[Setting]:
    laws = [_setting("conformal", "fixed", noise, n) for noise in NOISE for n in (40, 100)]
    laws += [_setting("conformal", "fixed", noise, 500) for noise in ("normal", "t, 2 degrees")]
    models = [
        _setting("conformal", model, noise, n)
        for model in ("wrong scale", "landmarks", "two targets", "float32")
        for noise in ("normal", "t, 2 degrees")
        for n in (40,)
    ]
    tuned = [_setting("conformal", "penalty by gcv", "t, 2 degrees", 60, 1000)]
    defaults = [_setting("conformal", "nothing set", "t, 2 degrees", 60, 300)]
    normal = [_setting("normal", "of the kernel", "normal", n, 2000) for n in (40, 200)]
    misused = [_setting("normal", "fixed", noise, 100, 2000) for noise in ("normal", "t, 2 degrees", "grows with x")]
    return [*laws, *models, *tuned, *defaults, *normal, *misused]


def _setting(interval: str, model: str, noise: str, n: int, repeats: int = 2000) -> Setting:
    options = {"interval": interval, "model": model, "noise": noise, "n": n}
    per_task = 50 if model == "nothing set" else 500
    return Setting(FAMILY, options, _PROMISED, repeats, per_task, exact=interval == "conformal")


def violations(options: Mapping[str, Any], repeats: range) -> list[int]:
    outside = [_outside(options, stream(FAMILY, options, repeat)) for repeat in repeats]
    return [int(count) for count in np.sum(outside, axis=0)]


def _outside(options: Mapping[str, Any], rng: np.random.Generator) -> list[bool]:
    """For every level, whether the target of one new row is outside its interval."""
    if options["model"] == "of the kernel":
        X, y, setting = _gaussian_process(options["n"] + 1, rng)
    else:
        X, y, setting = _regression(options, rng)
    model = bo.KernelRegressor(interval=options["interval"], random_state=int(rng.integers(2**32)), **setting)
    model.fit(X[:-1], y[:-1])
    found = []
    for level in LEVELS:
        low, high = model.predict(X[-1:], return_interval=level)[1]
        found.append(bool(np.ravel(y[-1])[0] < np.ravel(low)[0] or np.ravel(y[-1])[0] > np.ravel(high)[0]))
    return found


def _regression(options: Mapping[str, Any], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    x = rng.standard_normal(options["n"] + 1)
    y = np.sin(2 * x) + NOISE[options["noise"]](rng, x)
    X = np.column_stack([x, rng.standard_normal(len(x))])
    if options["model"] == "two targets":
        y = np.column_stack([y, -y])
    if options["model"] == "float32":
        X, y = X.astype(np.float32), y.astype(np.float32)
    return X, y, MODELS[options["model"]]()


def _gaussian_process(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Targets from the Gaussian process of the kernel with noise of variance 0.1: what normal intervals assume."""
    kernel, noise = bo.Gaussian(1.0), 0.1
    X = rng.standard_normal((n, 1))
    factor = np.linalg.cholesky(kernel(X) + noise * np.eye(n))
    y = factor @ rng.standard_normal(n)
    return X, y, {"kernel": kernel, "n_components": 256, "alpha": noise, "fit_intercept": False}
