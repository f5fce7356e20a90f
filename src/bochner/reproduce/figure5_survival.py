"""Figure 5: the survival function of the largest error on [-3, 3] at D = 500, with the bounds that hold.

Propositions 5 and 6 bound the excess over the mean; the mean enters as an upper confidence limit, not an estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np
from scipy.stats import t

from bochner._typing import Array
from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside
from bochner.reproduce.interval import Interval, draw_maps
from bochner.reproduce.tails import Tail, markov_tails
from bochner.theory import published
from bochner.theory.base import Embedding
from bochner.theory.expectation import Concentration
from bochner.theory.uniform import AnchoredCover

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_CURVES = {
    "printed 5, 6": ("Propositions 5, 6 as printed", COLOURS["printed"], ":"),
    "tight, printed": ("Propositions 1, 2 as printed", COLOURS["paired"], ":"),
    "tight": ("Propositions 1, 2, repaired", COLOURS["paired"], "--"),
    "anchored cover": ("anchored cover (ours)", COLOURS["ours"], "-"),
    "repaired 5, 6": ("Propositions 5, 6, repaired", COLOURS["old"], "-."),
}
_CONFIDENCE = 0.999


def measure(half_width: float, n_components: int, n_points: int, n_draws: int, seed: int) -> Numbers:
    """Simulated survival and every bound on a grid of eps, for both embeddings."""
    interval, eps = Interval(half_width, n_points), np.linspace(0.005, 0.8, 160)
    embeddings = {}
    for embedding in get_args(Embedding):
        suprema = np.array([interval.suprema(z)[0] for z in draw_maps(n_components, embedding, n_draws, seed)])
        margin = t.ppf(_CONFIDENCE, n_draws - 1) * suprema.std(ddof=1) / np.sqrt(n_draws)
        embeddings[embedding] = {
            "survival": np.mean(suprema >= eps[:, None], axis=1).tolist(),
            "mean": float(suprema.mean()),
            "mean_upper_limit": float(suprema.mean() + margin),
            "quantile_95": float(np.quantile(suprema, 0.95)),
            "bounds": _bounds(half_width, n_components, embedding, eps, float(suprema.mean() + margin)),
        }
    return {"eps": eps.tolist(), "confidence_of_mean": _CONFIDENCE, "n_components": n_components, **embeddings}


def _bounds(half_width: float, D: int, embedding: Embedding, eps: Array, mean: float) -> dict[str, list[float]]:
    kernel = Gaussian()
    cover = AnchoredCover(kernel=kernel, n_features=1, diameter=2 * half_width, embedding=embedding)
    around = Concentration(kernel=kernel, mean=mean, embedding=embedding)
    printed = published.SutherlandSchneiderProp5 if embedding == "paired" else published.SutherlandSchneiderProp6
    markov = markov_tails(half_width, D, embedding)
    tails: dict[str, Tail] = {
        "tight": markov["tight"],
        "tight, printed": markov["tight, printed"],
        "anchored cover": lambda e: cover.probability(e, n_components=D),
        "repaired 5, 6": lambda e: around.probability(e - mean, n_components=D) if e > mean else 1.0,
        "printed 5, 6": lambda e: printed(D=D, mean=mean, eps=e - mean).value() if e > mean else 1.0,
    }
    return {name: [min(1.0, tail(float(e))) for e in eps] for name, tail in tails.items()}


def draw(figure: Figure, numbers: Numbers) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for axes, embedding in zip(panels, ("paired", "phase")):
        own = numbers[embedding]
        for name, (label, colour, style) in _CURVES.items():
            axes.plot(numbers["eps"], own["bounds"][name], color=colour, ls=style, label=label)
        axes.step(numbers["eps"], own["survival"], where="post", color=COLOURS["truth"], lw=1.4, label="simulated")
        axes.set(yscale="log", ylim=(1e-4, 1.5), xlim=(0, 0.8), xlabel="ε", title=embedding)
    panels[0].set_ylabel(f"P(sup |s − k| ≥ ε),  D = {numbers['n_components']}")
    legend_outside(figure, panels[0])


EXPERIMENT = Experiment(
    title="survival function of the largest error on [-3, 3] at D = 500, with the corrected bounds",
    measure=measure,
    draw=draw,
    quick={"half_width": 3.0, "n_components": 500, "n_points": 241, "n_draws": 1000, "seed": 5},
    full={"half_width": 3.0, "n_components": 500, "n_points": 601, "n_draws": 10_000, "seed": 5},
    size=(10.0, 4.0),
)
