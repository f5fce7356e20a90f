"""Rudi & Rosasco's Figure 1, the map of regimes: the exponent of the number of features over (r, gamma).

M = n^exponent log n features are enough for the rate of exact kernel ridge: with plain sampling (Theorem 2), and with
features drawn by leverage (Theorem 3, alpha = gamma). Beside them where Nystroem centres need fewer, after the paper's
remark: n^(1/(2r + gamma)) uniform ones, n^(gamma/(2r + gamma)) by leverage.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bochner.reproduce.experiment import COLOURS, Experiment, Numbers
from bochner.theory.rates import NystroemComparison, RudiRosascoTheorem2, RudiRosascoTheorem3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_MAPS = {"plain": "plain sampling (Theorem 2)", "leverage": "by leverage (Theorem 3, α = γ)"}
# The corners that the paper's text speaks of: slow rates, a small space with a regular and with a rough target.
_NAMED = ((0.5, 1.0), (1.0, 0.0), (0.5, 0.0))


def measure(n_points: int) -> Numbers:
    """Exponents on a grid, rows by gamma and columns by r; the corners that the text names; Nystroem's beside them."""
    r, gamma = np.linspace(0.5, 1, n_points), np.linspace(0, 1, n_points)

    def over_grid(exponent: Callable[[float, float], float]) -> list[list[float]]:
        return [[round(exponent(a, c), 6) for a in r] for c in gamma]

    return {
        "r": r.tolist(),
        "gamma": gamma.tolist(),
        "features": {name: over_grid(partial(_exponent, name)) for name in _MAPS},
        "nystroem": {
            "uniform": over_grid(lambda a, c: NystroemComparison(r=a, gamma=c).uniform_centres),
            "leverage": over_grid(lambda a, c: NystroemComparison(r=a, gamma=c).leverage_centres),
        },
        "named": [
            {"r": r_, "gamma": gamma_, **{name: _exponent(name, r_, gamma_) for name in _MAPS}} for r_, gamma_ in _NAMED
        ],
    }


def _exponent(sampling: str, r: float, gamma: float) -> float:
    if sampling == "plain":
        return RudiRosascoTheorem2(r=r, gamma=gamma).features
    return RudiRosascoTheorem3(r=r, gamma=gamma, alpha=gamma).features


def draw(figure: Figure, numbers: Numbers) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    levels = np.arange(0, 1.01, 0.05)
    for axes, (name, title) in zip(panels, _MAPS.items(), strict=True):
        values = np.array(numbers["features"][name])
        shown = axes.contourf(numbers["r"], numbers["gamma"], values, levels=levels, cmap="viridis")
        lines = axes.contour(
            numbers["r"], numbers["gamma"], values, levels=np.arange(0.1, 1, 0.1), colors="white", linewidths=0.8
        )
        axes.clabel(lines, fmt="%.1f", fontsize=8)
        for place in numbers["named"]:
            axes.plot(place["r"], place["gamma"], "o", ms=7, mfc="white", mec=COLOURS["truth"], clip_on=False, zorder=3)
        axes.set(title=title, xlabel="r: regularity of the target")
        axes.grid(visible=False)
    panels[0].set_ylabel("γ: size of the kernel's space")
    figure.colorbar(shown, ax=panels, label="exponent e of M = n^e log n", ticks=np.arange(0, 1.01, 0.2))


EXPERIMENT = Experiment(
    title="the map of regimes: exponent of the number of features over (r, gamma), plain and by leverage",
    measure=measure,
    draw=draw,
    quick={"n_points": 21},
    full={"n_points": 51},
    size=(9.5, 4.2),
)
