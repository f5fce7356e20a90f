"""Figure 7: the entropy integral gamma' of Proposition 4, as printed and as it should be.

    gamma'(q) = int_0^(1/(sqrt2 q)) sqrt(2 log(4 sqrt2 / u)) du = 4 sqrt(pi) erfc(sqrt(c)) + sqrt(c) / q,
    c = 3 log 2 + log q,   q = ell / rho in [1, 2]: 1 for a sphere, 2 for a ball

The paper has 5/2 log 2 in the second square root, and the two values it prints, 1.541 and 0.803, are lower still than
its formula gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import quad
from scipy.special import erfc

from bochner._typing import Array
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_CURVES = {
    "corrected": ("corrected, 3 log 2", COLOURS["ours"], "-"),
    "printed": ("printed, (5/2) log 2", COLOURS["printed"], "--"),
}


def measure(n_ratios: int) -> Numbers:
    """Both curves, and the integral itself by quadrature."""
    ratio = np.linspace(1, 2, n_ratios)
    return {
        "ratio": ratio.tolist(),
        "printed": _closed_form(ratio, 2.5).tolist(),
        "corrected": _closed_form(ratio, 3.0).tolist(),
        "quadrature": [_quadrature(q) for q in ratio],
        "paper": {"1": 1.541, "2": 0.803},
    }


def _closed_form(ratio: Array, halvings: float) -> Array:
    """4 sqrt(pi) erfc(..) + (1/q) sqrt(halvings log 2 + log q); the paper has 5/2 for 3."""
    exact = np.sqrt(3 * np.log(2) + np.log(ratio))
    value: Array = 4 * np.sqrt(np.pi) * erfc(exact) + np.sqrt(halvings * np.log(2) + np.log(ratio)) / ratio
    return value


def _quadrature(ratio: float) -> float:
    upper = 1 / (np.sqrt(2) * ratio)
    return float(quad(lambda u: np.sqrt(2 * np.log(4 * np.sqrt(2) / u)), 0, upper)[0])


def draw(figure: Figure, numbers: Numbers) -> None:
    axes = figure.subplots()
    ratio, ends = numbers["ratio"], {name: f"{numbers[name][0]:.3f} to {numbers[name][-1]:.3f}" for name in _CURVES}
    for name, (label, colour, style) in _CURVES.items():
        axes.plot(ratio, numbers[name], color=colour, ls=style, label=f"{label}: {ends[name]}")
    axes.plot(ratio[::4], numbers["quadrature"][::4], "o", ms=4, color=COLOURS["truth"], label="by quadrature")
    values = list(numbers["paper"].values())
    axes.plot([1, 2], values, "x", color=COLOURS["phase"], label="values printed: {} and {}".format(*values))
    axes.set(xlabel="ℓ/ρ: diameter / radius of the region", ylabel="γ′", xlim=(0.98, 2.02), ylim=(0.7, 1.8))
    axes.set_title("Entropy integral of Proposition 4")
    legend_outside(figure, axes)


EXPERIMENT = Experiment(
    title="the entropy integral gamma' of Proposition 4, printed and corrected",
    measure=measure,
    draw=draw,
    quick={"n_ratios": 41},
    full={"n_ratios": 201},
    size=(9.0, 4.0),
)
