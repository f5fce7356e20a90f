"""Level of `mmd_test`: how often it rejects where both samples have one law, for every option.

The tests are the public calls themselves, on fresh rows each. Maps are narrow (64 columns) and have 99 resamples unless
a setting says otherwise: the level of a permutation test depends on neither, and with 99 resamples the levels 0.05 and
0.01 are attained exactly where there are no ties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import bochner as bo
from bochner.comparison.pool import GramPool
from bochner.comparison.resampling import Relabelling, p_value
from bochner.comparison.two_sample import _TIE

from .laws import LAWS
from .setting import Setting, stream

FAMILY = "two_sample"
LEVELS = {"level 0.05": 0.05, "level 0.01": 0.01}
SIZES = (50, 500, 5000)
_NARROW = {"n_components": 64, "n_resamples": 99}
_FIXED = {**_NARROW, "length_scale": 1.0}
_POOL_NULLS = 200  # nulls that share one matrix of the exact kernel

# What an option passes to mmd_test; functions where an object has to be made.
OPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "nothing set": dict,
    "default width": lambda: {"n_resamples": 99},
    "narrow": lambda: _NARROW,
    "fixed scale": lambda: _FIXED,
    "a scale per column": lambda: {**_NARROW, "length_scale": [0.5, 1.0, 2.0]},
    "aggregate": lambda: {**_NARROW, "length_scale": "aggregate"},
    "aggregate, own kernel, two factors": lambda: {
        **_NARROW, "kernel": bo.Matern(1.5), "length_scale": "aggregate", "factors": (0.5, 2.0)
    },
    "fuse": lambda: {**_NARROW, "length_scale": "fuse"},
    "held_out": lambda: {**_NARROW, "length_scale": "held_out"},
    "kernel laplacian": lambda: {**_FIXED, "kernel": "laplacian"},
    "kernel matern": lambda: {**_FIXED, "kernel": "matern"},
    "kernel cauchy": lambda: {**_FIXED, "kernel": "cauchy"},
    "kernel rational_quadratic": lambda: {**_FIXED, "kernel": "rational_quadratic"},
    "kernel 2 gaussian + matern": lambda: {**_NARROW, "kernel": 2.0 * bo.Gaussian(1.0) + bo.Matern(2.0)},
    "kernel gaussian * cauchy": lambda: {**_NARROW, "kernel": bo.Gaussian(2.0) * bo.Cauchy(2.0)},
    "embedding phase": lambda: {**_FIXED, "embedding": "phase"},
    "sampling orthogonal": lambda: {**_FIXED, "sampling": "orthogonal"},
    "sampling qmc": lambda: {**_FIXED, "sampling": "qmc"},
    "features orbit": lambda: {
        "n_resamples": 99,
        "features": bo.OrbitFeatures(bo.groups.SignFlips(), bo.FourierFeatures(n_components=64, random_state=0)),
    },
    "features nystroem": lambda: {"n_resamples": 99, "features": bo.NystroemFeatures(n_components=16, random_state=0)},
    "features leverage": lambda: {
        "n_resamples": 99,
        "features": bo.FourierFeatures(n_components=32, sampling=bo.Leverage(pilot_rows=64, pool_size=64)),
    },
    "estimator biased": lambda: {**_FIXED, "estimator": "biased"},
    "resampling wild": lambda: {**_FIXED, "resampling": "wild"},
    "resampling wild, rows in pairs": lambda: {**_FIXED, "resampling": "wild"},
    "19 resamples": lambda: {**_FIXED, "n_resamples": 19},
    "float32": lambda: _FIXED,
    "sparse": lambda: _FIXED,
    "unequal samples": lambda: _FIXED,
    "exact kernel": lambda: {"n_components": "exact", "length_scale": 1.0, "n_resamples": 99},
}  # fmt: skip


def settings() -> list[Setting]:
    return [*_of_defaults(), *_of_options()]


def _of_defaults() -> list[Setting]:
    """The defaults: as they are, and with narrow maps for all laws."""
    plain = [_setting("nothing set", "normal", 50, 4000), _setting("nothing set", "normal", 500, 2000)]
    wide = [_setting("default width", "normal", 5000, 2000)]
    narrow = [_setting("narrow", "normal", n, 10_000) for n in SIZES]
    laws = ("t, 2 degrees", "counts", "constant columns")
    return [
        *plain, *wide, *narrow, *(_setting("narrow", law, n, 2000) for law in laws for n in SIZES),
        _setting("narrow", "100 columns", 50, 2000), _setting("narrow", "rare events", 500, 2000),
    ]  # fmt: skip


def _of_options() -> list[Setting]:
    found = []
    for option in list(OPTIONS)[3:]:
        for n in SIZES:
            if option == "exact kernel" and n == 5000:
                found.append(_of_shared_kernel(n))
            else:
                found.append(_setting(option, "normal", n, 2000))
    return found


def _setting(option: str, law: str, n: int, repeats: int) -> Setting:
    options = {"option": option, "law": law, "n": n}
    promised = {"level 0.05": 0.05} if option == "19 resamples" else LEVELS
    return Setting(FAMILY, options, promised, repeats, 1000 if n == 50 else 250 if n == 500 else 100)


def _of_shared_kernel(n: int) -> Setting:
    """Exact kernel, many rows: the nulls of one batch share their pooled rows, and so the kernel matrix.

    Given the pooled rows, the labels are uniform under the null hypothesis; so labels drawn at random are independent
    nulls, of exactly the level promised.
    """
    options = {"option": "exact kernel", "law": "normal", "n": n, "m": n // 10, "n_resamples": 19, "shared rows": True}
    return Setting(FAMILY, options, {"level 0.05": 0.05}, 2000, _POOL_NULLS)


def violations(options: Mapping[str, Any], repeats: range) -> list[int]:
    if options.get("shared rows"):
        pvalues = shared_kernel_pvalues(options, repeats)
    else:
        pvalues = np.array([_pvalue(options, repeat) for repeat in repeats])
    levels = [0.05] if options["option"] == "19 resamples" or options.get("shared rows") else LEVELS.values()
    return [int(np.sum(pvalues <= level + 1e-12)) for level in levels]


def _pvalue(options: Mapping[str, Any], repeat: int) -> float:
    rng = stream(FAMILY, options, repeat)
    X, Y = samples(options["option"], options["law"], options["n"], rng)
    return bo.mmd_test(X, Y, rng=int(rng.integers(2**32)), **OPTIONS[options["option"]]()).pvalue


def samples(option: str, law: str, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two samples of one law, in the form that the option asks for."""
    draw = LAWS[law]
    if option == "unequal samples":
        return draw(rng, n), draw(rng, max(2, n // 10))
    X, Y = draw(rng, n), draw(rng, n)
    if option == "float32":
        return X.astype(np.float32), Y.astype(np.float32)
    if option == "sparse":
        return csr_matrix(np.where(X > 0, X, 0.0)), csr_matrix(np.where(Y > 0, Y, 0.0))
    if option == "resampling wild, rows in pairs":
        common = 2 * rng.standard_normal((n, 1))
        return X + common, Y + common
    return X, Y


def shared_kernel_pvalues(options: Mapping[str, Any], repeats: range) -> np.ndarray:
    """p-values of random labels of the same pooled rows, by the library's own pool and resampling."""
    tolerance = _TIE * (1 / options["n"] + 1 / options["m"])
    return np.array([p_value(values, tolerance) for values in shared_kernel_nulls(options, repeats)[2]])


def shared_kernel_nulls(options: Mapping[str, Any], repeats: range) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pooled rows, labels (nulls * (1 + B), n + m) and their squared MMD (nulls, 1 + B): one product for all."""
    rng = stream(FAMILY, options, repeats.start)
    n, m, B = options["n"], options["m"], options["n_resamples"]
    rows = LAWS[options["law"]](rng, n + m)
    pool = GramPool.of(rows[:n], rows[n:], bo.Gaussian(1.0))
    relabelling = Relabelling((n, m), "permutation", len(repeats) * (B + 1), int(rng.integers(2**32)))
    labels = next(relabelling.chunks(relabelling.n_resamples + 1))[1:]  # the first is as drawn
    values = pool._squared_mmd(*pool.measure(labels), "unbiased")
    return rows, labels, values.reshape(len(repeats), B + 1)
