"""Figure 6: mean absolute error of the MMD against the width D, for two fixed samples.

N(0, I) in two dimensions against 0.95 N(0, I) + 0.05 N(0, I/4), 1,000 rows each, Gaussian kernel of length scale 1,
biased estimator. Exponents are those of a linear regression of log error on log D, with Student's 95 % interval. Beside
the error of the MMD, which the paper shows, stand that of its square, which the theory bounds, and the bound on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

from bochner._typing import Array
from bochner.comparison import KernelFeatures, MeanMap, mmd
from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, readable_logarithms
from bochner.reproduce.slope import fitted_slope
from bochner.theory.base import Embedding
from bochner.theory.downstream import MMDSquared

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT", "paper_samples"]

_PAPER_SLOPES = {"paired": [-0.515, -0.468], "phase": [-0.520, -0.486]}
_DELTA = 0.05


def paper_samples(n_rows: int, rng: np.random.Generator, d: int = 2) -> tuple[Array, Array]:
    """A sample of N(0, I) and one of 0.95 N(0, I) + 0.05 N(0, I/4)."""
    narrow = np.where(rng.random((n_rows, 1)) < 0.05, 0.5, 1.0)
    return rng.standard_normal((n_rows, d)), narrow * rng.standard_normal((n_rows, d))


def measure(n_rows: int, widths: Sequence[int], n_draws: int, seed: int) -> Numbers:
    """Mean absolute errors of the MMD and of its square, fitted exponents, and the bound on the square."""
    X, Y = paper_samples(n_rows, np.random.default_rng(seed))
    kernel = Gaussian()
    exact = mmd(X, Y, kernel=kernel, n_components="exact", estimator="biased")
    embeddings = {}
    for embedding in get_args(Embedding):
        squares = np.array([_draws(X, Y, D, embedding, n_draws, seed) for D in widths])
        errors = np.abs(np.sqrt(squares) - exact.value)
        bound = MMDSquared(kernel=kernel, embedding=embedding)
        embeddings[embedding] = {
            "mean_error": errors.mean(axis=1).tolist(),
            "standard_error": (errors.std(axis=1, ddof=1) / np.sqrt(n_draws)).tolist(),
            "mean_error_squared": np.abs(squares - exact.squared).mean(axis=1).tolist(),
            "largest_error_squared": np.abs(squares - exact.squared).max(axis=1).tolist(),
            "slope": fitted_slope(np.array(widths), errors.mean(axis=1)),
            "paper_slope_interval": _PAPER_SLOPES[embedding],
            "bound_squared": [bound.error(D, _DELTA) for D in widths],
        }
    return {"n_components": list(widths), "exact": exact.value, "delta": _DELTA, **embeddings}


def _draws(X: Array, Y: Array, n_components: int, embedding: Embedding, n_draws: int, seed: int) -> list[float]:
    """The squared MMD with fresh frequencies, many times; no two widths or embeddings share a draw."""
    entropy = np.random.SeedSequence([seed, n_components, int(embedding == "phase")])
    values = []
    for own in entropy.generate_state(n_draws):
        features = KernelFeatures.draw(
            Gaussian(), X.shape[1], n_components, embedding=embedding, sampling="monte_carlo", seed=int(own)
        )
        empty = MeanMap.empty(features)
        values.append(mmd(empty.update(X), empty.update(Y), estimator="biased").squared)
    return values


def draw(figure: Figure, numbers: Numbers) -> None:
    root, square = figure.subplots(1, 2)
    widths = numbers["n_components"]
    for embedding in get_args(Embedding):
        own, colour = numbers[embedding], COLOURS[embedding]
        low, high = own["slope"]["interval"]
        paper_low, paper_high = own["paper_slope_interval"]
        label = f"{embedding}: exponent [{low:.3f}, {high:.3f}]\npaper [{paper_low:.3f}, {paper_high:.3f}]"
        root.plot(widths, own["mean_error"], "o-", ms=4, color=colour, label=label)
        square.plot(widths, own["mean_error_squared"], "o-", ms=4, color=colour, label=f"{embedding}, mean")
        square.plot(widths, own["bound_squared"], "--", color=colour, label=f"{embedding}, bound")
    root.set(ylabel="mean absolute error", title="MMD, as in the paper")
    square.set(title=f"MMD², with its bound (δ = {numbers['delta']:g})")
    for axes in (root, square):
        axes.set(xscale="log", yscale="log", xlabel="output width D")
        axes.legend()
        readable_logarithms(axes)


EXPERIMENT = Experiment(
    title="mean absolute error of the biased MMD against the width, with fitted exponents",
    measure=measure,
    draw=draw,
    quick={"n_rows": 1000, "widths": (50, 100, 200, 500, 1000, 2000), "n_draws": 100, "seed": 6},
    full={
        "n_rows": 1000,
        "widths": (50, *range(100, 1000, 100), *range(1000, 10_001, 1000)),
        "n_draws": 100,
        "seed": 6,
    },
    size=(10.0, 4.4),
)
