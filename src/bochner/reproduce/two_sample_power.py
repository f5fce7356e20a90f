"""The power of `mmd_test` against the exact-kernel test and energy distance, on alternatives of growing strength.

All tests see the same samples. The energy distance is the squared MMD with k(x, y) = -||x - y||, tested by the same
permutations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.spatial.distance import cdist

from bochner._typing import Array
from bochner.comparison import mmd_test
from bochner.comparison.pool import GramPool
from bochner.comparison.resampling import Relabelling, p_value
from bochner.kernels import Stationary
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ALTERNATIVES", "EXPERIMENT", "TESTS"]

_LEVEL = 0.05


def _covariance(rng: np.random.Generator, n: int, d: int, strength: float) -> Array:
    Y = rng.standard_normal((n, d))
    Y[:, 1] = strength * Y[:, 0] + np.sqrt(1 - strength**2) * Y[:, 1]
    return Y


def _mixture(rng: np.random.Generator, n: int, d: int, strength: float) -> Array:
    return np.where(rng.random((n, 1)) < strength, 0.5, 1.0) * rng.standard_normal((n, d))


def _tails(rng: np.random.Generator, n: int, d: int, strength: float) -> Array:
    """Student's t of unit variance with 2 + 1/strength degrees of freedom in the first coordinate."""
    freedom, Y = 2 + 1 / strength, rng.standard_normal((n, d))
    Y[:, 0] = rng.standard_t(freedom, n) * np.sqrt((freedom - 2) / freedom)
    return Y


# Each: the law of the second sample at a strength, and strengths for 2,000 rows of 10 columns. The first is N(0, I).
ALTERNATIVES: dict[str, tuple[Callable[..., Array], tuple[float, ...]]] = {
    "mean": (lambda rng, n, d, s: rng.standard_normal((n, d)) + s * np.eye(d)[0], (0.08, 0.12, 0.16)),
    "scale": (lambda rng, n, d, s: (1 + s) * rng.standard_normal((n, d)), (0.02, 0.04, 0.06)),
    "covariance": (_covariance, (0.2, 0.35, 0.5)),
    "mixture": (_mixture, (0.05, 0.1, 0.15)),
    "tails": (_tails, (0.5, 2.0, 10.0)),
}


def _energy(X: Array, Y: Array, n_resamples: int, seed: int) -> float:
    pool = GramPool.of(X, Y, cast(Stationary, _MinusDistance()))
    values = pool.squared_mmd(Relabelling(pool.n_blocks, "permutation", n_resamples, seed), "biased")
    return p_value(values, 1e-12)


class _MinusDistance:
    """-||x - y||: conditionally positive definite, which is enough where weights sum to 0."""

    variance = 0.0

    def __call__(self, X: Array, Y: Array) -> Array:
        return -cdist(X, Y)


def _mmd(**setting: Any) -> Callable[[Array, Array, int, int], float]:
    return lambda X, Y, n_resamples, seed: mmd_test(X, Y, n_resamples=n_resamples, rng=seed, **setting).pvalue


TESTS: dict[str, Callable[[Array, Array, int, int], float]] = {
    "features, median": _mmd(),
    "features, aggregated": _mmd(length_scale="aggregate"),
    "features, held out": _mmd(length_scale="held_out"),
    "exact kernel, median": _mmd(n_components="exact"),
    "energy distance": _energy,
}


def measure(
    n_rows: int, n_features: int, stretch: float, n_repeats: int, n_resamples: int, seed: int, tests: Sequence[str]
) -> Numbers:
    """Rejection rates of every test on every alternative; strengths are `stretch` times those for 2,000 rows."""
    curves = {}
    for name, (draw_second, strengths) in ALTERNATIVES.items():
        own: dict[str, list[float]] = {test: [] for test in tests}
        used = [
            min(stretch * strength, 0.95 if name in ("covariance", "mixture") else np.inf) for strength in strengths
        ]
        for strength in used:
            rejected = dict.fromkeys(tests, 0)
            for repeat in range(n_repeats):
                rng = np.random.default_rng([seed, repeat])
                X, Y = rng.standard_normal((n_rows, n_features)), draw_second(rng, n_rows, n_features, strength)
                for test in tests:
                    rejected[test] += TESTS[test](X, Y, n_resamples, repeat) <= _LEVEL
            for test in tests:
                own[test].append(rejected[test] / n_repeats)
        curves[name] = {"strength": used, "power": own}
    return {"level": _LEVEL, "n_repeats": n_repeats, "alternatives": curves}


def draw(figure: Figure, numbers: Numbers) -> None:
    styles = dict(zip(TESTS, (("paired", "o-"), ("ours", "s-"), ("light", "^-"), ("truth", "x--"), ("phase", "d:"))))
    panels = figure.subplots(1, len(numbers["alternatives"]), sharey=True)
    for axes, (name, curve) in zip(panels, numbers["alternatives"].items(), strict=True):
        for test, powers in curve["power"].items():
            colour, style = styles[test]
            axes.plot(curve["strength"], powers, style, ms=5, color=COLOURS[colour], label=test)
        axes.axhline(numbers["level"], color=COLOURS["quiet"], lw=0.8)
        axes.set(title=name, xlabel="strength", ylim=(-0.02, 1.02))
        axes.locator_params(axis="x", nbins=4)
    panels[0].set_ylabel("power at level 0.05")
    legend_outside(figure, panels[0])


EXPERIMENT = Experiment(
    title="power of the two-sample test against the exact kernel and energy distance",
    measure=measure,
    draw=draw,
    quick={
        "n_rows": 200, "n_features": 10, "stretch": 3.0, "n_repeats": 20, "n_resamples": 39, "seed": 1,
        "tests": tuple(TESTS),
    },
    full={
        "n_rows": 2000, "n_features": 10, "stretch": 1.0, "n_repeats": 300, "n_resamples": 199, "seed": 1,
        "tests": tuple(TESTS),
    },
    size=(13.5, 3.6),
)  # fmt: skip
