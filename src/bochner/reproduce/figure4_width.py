"""Figure 4: the expected largest error on [-3, 3] against the width D, with the integrals of the uniform bounds.

Slopes are those of a linear regression of log E sup |f| on log D, with Student's 95 % interval, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside, readable_logarithms
from bochner.reproduce.interval import Interval, draw_maps
from bochner.reproduce.slope import fitted_slope, power_law
from bochner.reproduce.tails import integral, markov_tails
from bochner.theory.base import Embedding
from bochner.theory.expectation import IntegratedCover

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_PAPER_SLOPES = {"paired": [-0.502, -0.496], "phase": [-0.503, -0.497]}
_CURVES = {
    "old": ("Rahimi & Recht (“old”)", COLOURS["old"], "-"),
    "loose": ("loose, repaired", COLOURS["light"], "-"),
    "loose, printed": ("loose, printed", COLOURS["light"], ":"),
    "tight": ("tight, repaired", COLOURS["paired"], "-"),
    "tight, printed": ("tight, printed", COLOURS["paired"], ":"),
    "anchored cover": ("anchored cover (ours)", COLOURS["ours"], "-"),
}


def measure(half_width: float, widths: Sequence[int], n_points: int, n_draws: int, seed: int) -> Numbers:
    """Simulated means, fitted slopes, and the integral of every bound at every width."""
    interval, embeddings = Interval(half_width, n_points), {}
    for embedding in get_args(Embedding):
        suprema = np.array([[interval.suprema(z)[0] for z in draw_maps(D, embedding, n_draws, seed)] for D in widths])
        embeddings[embedding] = {
            "mean": suprema.mean(axis=1).tolist(),
            "standard_error": (suprema.std(axis=1, ddof=1) / np.sqrt(n_draws)).tolist(),
            "slope": fitted_slope(widths, suprema.mean(axis=1)),
            "paper_slope_interval": _PAPER_SLOPES[embedding],
            "integrated": _integrated(half_width, widths, embedding),
        }
    return {"n_components": list(widths), **embeddings}


def _integrated(half_width: float, widths: Sequence[int], embedding: Embedding) -> dict[str, list[float]]:
    """Upper bounds on E sup |f|, by name, one for every width."""
    cover = IntegratedCover(kernel=Gaussian(), n_features=1, diameter=2 * half_width, embedding=embedding)
    curves = {"anchored cover": [cover.mean(D) for D in widths]}
    for D in widths:
        for name, tail in markov_tails(half_width, D, embedding).items():
            curves.setdefault(name, []).append(integral(tail, embedding))
    return curves


def draw(figure: Figure, numbers: Numbers) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for axes, embedding in zip(panels, ("paired", "phase")):
        _panel(axes, numbers["n_components"], numbers[embedding])
        low, high = numbers[embedding]["slope"]["interval"]
        paper_low, paper_high = numbers[embedding]["paper_slope_interval"]
        axes.set_title(f"{embedding}\nslope [{low:.3f}, {high:.3f}], paper [{paper_low:.3f}, {paper_high:.3f}]")
        readable_logarithms(axes)
    panels[0].set_ylabel("E sup |s − k| on [−3, 3]²")
    legend_outside(figure, panels[0])


def _panel(axes: Axes, widths: Sequence[int], numbers: Numbers) -> None:
    for name, (label, colour, style) in _CURVES.items():
        if name in numbers["integrated"]:
            axes.plot(widths, numbers["integrated"][name], color=colour, ls=style, label=label)
    axes.plot(widths, numbers["mean"], "o", color=COLOURS["truth"], ms=4, label="simulated")
    fitted = power_law(widths, numbers["mean"], numbers["slope"]["estimate"])
    axes.plot(widths, fitted, color=COLOURS["truth"], lw=1, label="fitted power of D")
    axes.set(xscale="log", yscale="log", xlabel="output width D")


EXPERIMENT = Experiment(
    title="expected largest error on [-3, 3] against the width, with integrated bounds and fitted slopes",
    measure=measure,
    draw=draw,
    quick={"half_width": 3.0, "widths": (50, 100, 200, 500, 1000, 2000), "n_points": 241, "n_draws": 300, "seed": 4},
    full={
        "half_width": 3.0,
        "widths": (50, *range(100, 1000, 100), *range(1000, 10_001, 1000)),
        "n_points": 601,
        "n_draws": 1000,
        "seed": 4,
    },
    size=(10.0, 4.4),
)
