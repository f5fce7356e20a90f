"""Figure 2: the coefficients beta_d and beta'_d of Propositions 1 and 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside
from bochner.theory.uniform import beta, beta_phase

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]


def measure(largest_dimension: int) -> Numbers:
    """Both curves, their maxima, and the limits 64 and 96."""
    dimensions = range(1, largest_dimension + 1)
    curves = {"paired": [beta(d) for d in dimensions], "phase": [beta_phase(d) for d in dimensions]}
    return {
        "dimension": list(dimensions),
        **curves,
        "maximum": {
            name: {"dimension": 1 + int(np.argmax(values)), "value": max(values)} for name, values in curves.items()
        },
        "limit": {"paired": 64.0, "phase": 96.0},
        "paper": {"paired": {"dimension": 64, "value": 66.0}, "phase": {"dimension": 48, "value": 98.0}},
        "rahimi_recht": 256.0,
    }


def draw(figure: Figure, numbers: Numbers) -> None:
    axes = figure.subplots()
    labels = {"phase": r"$\beta'_d$, phase (Proposition 2)", "paired": r"$\beta_d$, paired (Proposition 1)"}
    for name, label in labels.items():
        peak = numbers["maximum"][name]
        axes.plot(numbers["dimension"], numbers[name], color=COLOURS[name], label=label)
        axes.plot(peak["dimension"], peak["value"], "o", color=COLOURS[name], ms=5)
        axes.annotate(
            f"{peak['value']:.0f} at d = {peak['dimension']}",
            (peak["dimension"], peak["value"]),
            xytext=(6, 6),
            textcoords="offset points",
            ha="left",
            color=COLOURS[name],
        )
    axes.axhline(numbers["rahimi_recht"], color=COLOURS["old"], ls="--", label="256 (Rahimi & Recht 2007)")
    axes.set(xlabel="input dimension d", ylabel="coefficient", xlim=(0, numbers["dimension"][-1]), ylim=(0, 270))
    axes.set_title("Coefficients of the uniform bounds")
    legend_outside(figure, axes)


EXPERIMENT = Experiment(
    title="coefficients beta_d and beta'_d of Propositions 1 and 2",
    measure=measure,
    draw=draw,
    quick={"largest_dimension": 200},
    full={"largest_dimension": 1000},
)
