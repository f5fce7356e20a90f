"""Level of `hsic_test`: how often it rejects where X and Y are independent, for every option.

The public calls themselves, with 8 pairs of frequencies and 99 resamples unless a setting says otherwise: the level
depends on neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import bochner as bo

from .laws import LAWS
from .setting import Setting, stream
from .two_sample import LEVELS, SIZES

FAMILY = "independence"
_NARROW = {"n_components": 16, "n_resamples": 99}
_FIXED = {**_NARROW, "length_scale": 1.0}

OPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "nothing set": dict,
    "narrow": lambda: _NARROW,
    "fixed scale": lambda: _FIXED,
    "a scale for each side": lambda: {**_NARROW, "length_scale": (0.5, "median")},
    "kernel laplacian": lambda: {**_FIXED, "kernel": "laplacian"},
    "kernel matern and cauchy": lambda: {**_FIXED, "kernel": ("matern", bo.Cauchy(2.0))},
    "own kernels": lambda: {**_NARROW, "kernel": (2.0 * bo.Gaussian(0.5), bo.Gaussian(1.0) + bo.Matern(2.0))},
    "2 components": lambda: {**_FIXED, "n_components": 2},
    "199 resamples": lambda: {**_FIXED, "n_resamples": 199},
    "float32": lambda: _FIXED,
}


def settings() -> list[Setting]:
    plain = [_setting("nothing set", "normal", 50, 2000)]
    defaults = [_setting("narrow", "normal", n, 10_000) for n in SIZES]
    tied = ("t, 2 degrees", "counts", "constant columns")
    laws = [_setting("narrow", law, n, 2000) for law in tied for n in SIZES]
    laws += [_setting("narrow", "100 columns", 50, 2000), _setting("narrow", "rare events", 500, 2000)]
    options = [_setting(option, "normal", n, 2000) for option in list(OPTIONS)[2:] for n in SIZES]
    return [*plain, *defaults, *laws, *options]


def _setting(option: str, law: str, n: int, repeats: int) -> Setting:
    options = {"option": option, "law": law, "n": n}
    return Setting(FAMILY, options, LEVELS, repeats, 1000 if n == 50 else 250 if n == 500 else 100)


def violations(options: Mapping[str, Any], repeats: range) -> list[int]:
    pvalues = np.array([_pvalue(options, repeat) for repeat in repeats])
    return [int(np.sum(pvalues <= level + 1e-12)) for level in LEVELS.values()]


def _pvalue(options: Mapping[str, Any], repeat: int) -> float:
    rng = stream(FAMILY, options, repeat)
    X, Y = LAWS[options["law"]](rng, options["n"]), LAWS["normal"](rng, options["n"])[:, :2]
    if options["law"] in ("counts", "rare events"):  # ties on both sides
        Y = LAWS[options["law"]](rng, options["n"])
    if options["option"] == "float32":
        X, Y = X.astype(np.float32), Y.astype(np.float32)
    return bo.hsic_test(X, Y, rng=int(rng.integers(2**32)), **OPTIONS[options["option"]]()).pvalue
