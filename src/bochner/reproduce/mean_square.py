"""The mean squared error on [-3, 3] is exactly V/D: the constants 0.66 and 0.83 of Section 4.1, simulated and exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside, readable_logarithms
from bochner.reproduce.interval import Interval, draw_maps
from bochner.theory.base import Embedding
from bochner.theory.mean_square import interval_bracket

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_PAPER = {"paired": 0.66, "phase": 0.83}


def measure(half_width: float, widths: Sequence[int], n_points: int, n_draws: int, seed: int) -> Numbers:
    """D times the mean squared error at every width, and pooled over the widths."""
    interval, embeddings = Interval(half_width, n_points), {}
    for embedding in get_args(Embedding):
        scaled = np.array(
            [[D * interval.mean_square(z) for z in draw_maps(D, embedding, n_draws, seed)] for D in widths]
        )
        embeddings[embedding] = {
            "simulated": scaled.mean(axis=1).tolist(),
            "standard_error": (scaled.std(axis=1, ddof=1) / np.sqrt(n_draws)).tolist(),
            "pooled": float(scaled.mean()),
            "pooled_standard_error": float(scaled.std(ddof=1) / np.sqrt(scaled.size)),
            "exact": interval_bracket(Gaussian(), half_width, embedding=embedding),
            "paper": _PAPER[embedding],
        }
    return {"n_components": list(widths), **embeddings}


def draw(figure: Figure, numbers: Numbers) -> None:
    axes = figure.subplots()
    for embedding in ("phase", "paired"):
        own, colour = numbers[embedding], COLOURS[embedding]
        axes.axhline(own["exact"], color=colour, label=f"{embedding}, exact: {own['exact']:.4f} (paper {own['paper']})")
        axes.errorbar(
            numbers["n_components"],
            own["simulated"],
            yerr=2 * np.array(own["standard_error"]),
            fmt="o",
            ms=4,
            capsize=2,
            lw=1,
            color=colour,
            label=f"{embedding}, simulated: {own['pooled']:.3f} ± {2 * own['pooled_standard_error']:.3f}",
        )
    axes.set(xscale="log", xlabel="output width D", ylabel="D × mean squared error", ylim=(0.5, 1.0))
    axes.set_title("Mean squared error on [−3, 3]²; bars: two standard errors")
    readable_logarithms(axes)
    legend_outside(figure, axes)


EXPERIMENT = Experiment(
    title="the mean squared error on [-3, 3] is 0.66/D (paired) and 0.83/D (phase)",
    measure=measure,
    draw=draw,
    quick={"half_width": 3.0, "widths": (50, 100, 200, 500, 1000, 2000), "n_points": 241, "n_draws": 400, "seed": 6},
    full={
        "half_width": 3.0,
        "widths": (50, *range(100, 1000, 100), *range(1000, 10_001, 1000)),
        "n_points": 601,
        "n_draws": 1000,
        "seed": 6,
    },
)
