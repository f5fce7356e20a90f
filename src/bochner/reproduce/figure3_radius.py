"""Figure 3: the expected largest error over [-b, b] as b grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside
from bochner.reproduce.interval import Interval, draw_maps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_HALF_WIDTH = 5.0
_WIDTH_COLOURS = (COLOURS["truth"], COLOURS["paired"], COLOURS["phase"], COLOURS["light"])


def measure(widths: Sequence[int], n_points: int, n_draws: int, n_radii: int, seed: int) -> Numbers:
    """Mean of sup |f| over [-b, b]^2, and its standard error, for every b and width."""
    interval, radii = Interval(_HALF_WIDTH, n_points), np.linspace(0, _HALF_WIDTH, n_radii + 1)[1:]
    curves = []
    for n_components in widths:
        for embedding in ("paired", "phase"):
            suprema = np.array([interval.suprema(z, radii) for z in draw_maps(n_components, embedding, n_draws, seed)])
            curves.append(
                {
                    "n_components": n_components,
                    "embedding": embedding,
                    "mean": suprema.mean(axis=0).tolist(),
                    "standard_error": (suprema.std(axis=0, ddof=1) / np.sqrt(n_draws)).tolist(),
                }
            )
    return {"half_width": radii.tolist(), "curves": curves}


def draw(figure: Figure, numbers: Numbers) -> None:
    axes = figure.subplots()
    widths = sorted({curve["n_components"] for curve in numbers["curves"]})
    colour = dict(zip(widths, _WIDTH_COLOURS * len(widths)))
    for curve in numbers["curves"]:
        n_components, embedding = curve["n_components"], curve["embedding"]
        mean, error = np.array(curve["mean"]), 2 * np.array(curve["standard_error"])
        style = "-" if embedding == "paired" else "--"
        label = f"D = {n_components}, {embedding}"
        axes.plot(numbers["half_width"], mean, ls=style, color=colour[n_components], label=label)
        axes.fill_between(
            numbers["half_width"], mean - error, mean + error, color=colour[n_components], alpha=0.2, lw=0
        )
    axes.set(xlabel="half-width b of the interval / length scale", ylabel="expected largest error", xlim=(0, 5))
    axes.set_ylim(bottom=0)
    axes.set_title("E sup |s − k| over [−b, b]²; bands: two standard errors")
    legend_outside(figure, axes)


EXPERIMENT = Experiment(
    title="expected largest error against the half-width of the interval",
    measure=measure,
    draw=draw,
    quick={"widths": (50, 100, 500, 1000), "n_points": 401, "n_draws": 200, "n_radii": 50, "seed": 3},
    full={"widths": (50, 100, 500, 1000), "n_points": 1000, "n_draws": 1000, "n_radii": 100, "seed": 3},
)
