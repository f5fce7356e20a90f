"""Li & Honorio's Theorem 1 against the truth: with m <= d frequencies the uniform error exceeds 1.

For m <= d the difference u = pinv(Omega) (pi, ..., pi) has cos(omega_i . u) = -1 for all i, so |s - k| > 1 there, and
||u||^2 = pi^2 m / chi2 with d - m + 1 degrees of freedom. Hence, with R the largest ||x - y||,

    P(sup |s - k| >= 1) >= P(chi2_{d-m+1} >= pi^2 m / R^2),   claimed: <= 3 (R/1)^(2/3) m^(-1/3) exp(-m/12)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside
from bochner.theory.lower import impossibility_lower_bound, violating_difference
from bochner.theory.published import li_honorio_thm1

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]


def measure(dimensions: Sequence[int], radius: float, n_ratios: int, n_draws: int, seed: int) -> Numbers:
    """For each d: claim and exact lower bound at every m <= d, and simulated violations at `n_ratios` of them."""
    rng, curves = np.random.default_rng(seed), []
    for d in dimensions:
        counts = range(1, d + 1)
        simulated = np.unique(np.linspace(0.1, 0.7, n_ratios) * d).astype(int)
        curves.append(
            {
                "n_features": d,
                "n_frequencies": list(counts),
                "claimed": [min(1.0, li_honorio_thm1(m, radius, 1.0)) for m in counts],
                "lower_bound": [impossibility_lower_bound(m, d, radius) for m in counts],
                "simulated_n_frequencies": simulated.tolist(),
                "simulated": [_violations(int(m), d, radius, n_draws, rng) / n_draws for m in simulated],
            }
        )
    return {"radius": radius, "eps": 1.0, "n_draws": n_draws, "curves": curves}


def _violations(m: int, d: int, radius: float, n_draws: int, rng: np.random.Generator) -> int:
    """Draws in which the construction lies within the radius and the error there, evaluated, is at least 1."""
    kernel, count = Gaussian(), 0
    for _ in range(n_draws):
        omega = rng.standard_normal((m, d))
        u = violating_difference(omega)
        error = abs(np.cos(omega @ u).mean() - kernel.at(u))
        count += bool(np.linalg.norm(u) <= radius and error >= 1 - 1e-9)
    return count


def draw(figure: Figure, numbers: Numbers) -> None:
    axes = figure.subplots()
    colours = (COLOURS["paired"], COLOURS["phase"], COLOURS["ours"])
    for curve, colour in zip(numbers["curves"], colours * len(numbers["curves"])):
        d, ratio = curve["n_features"], np.array(curve["n_frequencies"]) / curve["n_features"]
        axes.plot(ratio, curve["lower_bound"], color=colour, label=f"truth at least, d = {d}")
        axes.plot(
            np.array(curve["simulated_n_frequencies"]) / d,
            curve["simulated"],
            "o",
            ms=4,
            color=colour,
            label=f"simulated, d = {d}",
        )
        axes.plot(ratio, curve["claimed"], color=colour, ls="--", label=f"claimed at most, d = {d}")
    axes.set(xlabel="frequencies / dimensions, m/d", ylabel="P(sup |s − k| ≥ 1)")
    axes.set(yscale="log", ylim=(1e-8, 3), xlim=(0, 0.7))
    axes.set_title(f"Li & Honorio, Theorem 1, ‖x − y‖ ≤ {numbers['radius']:g} length scales")
    legend_outside(figure, axes)


EXPERIMENT = Experiment(
    title="Theorem 1 claimed against true probabilities, m frequencies in d >= m dimensions",
    measure=measure,
    draw=draw,
    quick={"dimensions": (100, 400), "radius": 3.0, "n_ratios": 7, "n_draws": 40, "seed": 0},
    full={"dimensions": (100, 400), "radius": 3.0, "n_ratios": 13, "n_draws": 1000, "seed": 0},
)
