"""Figure 1: variance per dimension of the two embeddings, and the kernel; with simulated variances beside the curves.

paired:  D Var s = (1 - exp(-r^2))^2,     phase:  D Var s = 1 + exp(-2 r^2)/2 - exp(-r^2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.features import FourierMap
from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside
from bochner.reproduce.interval import draw_maps
from bochner.theory.moments import variance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]


def measure(n_frequencies: int, seed: int) -> Numbers:
    """Exact curves on [0, 3] and the sample variance of one frequency's contribution at seven distances."""
    kernel, radius = Gaussian(), np.linspace(0, 3, 121)
    simulated_radius = np.linspace(0, 3, 7)
    (paired,) = draw_maps(2 * n_frequencies, "paired", 1, seed)
    (phase,) = draw_maps(n_frequencies, "phase", 1, seed)
    return {
        "radius": radius.tolist(),
        "kernel": kernel.profile(radius).tolist(),
        "paired": (2 * variance(kernel, radius[:, None], n_components=2)).tolist(),
        "phase": variance(kernel, radius[:, None], n_components=1, embedding="phase").tolist(),
        "simulated_radius": simulated_radius.tolist(),
        "simulated_paired": [2 * _summands(paired, r).var() for r in simulated_radius],
        "simulated_phase": [_summands(phase, r).var() for r in simulated_radius],
    }


def _summands(feature_map: FourierMap, r: float) -> Array:
    """Each frequency's contribution to s(r/2, -r/2)."""
    omega = feature_map.omega[:, 0]
    noise = np.cos(2 * feature_map.phase) if len(feature_map.phase) else 0.0
    contribution: Array = np.cos(omega * r) + noise
    return contribution


def draw(figure: Figure, numbers: Numbers) -> None:
    axes = figure.subplots()
    for name, label in (("phase", "phase: cos with a shift"), ("paired", "paired: cos and sin")):
        axes.plot(numbers["radius"], numbers[name], color=COLOURS[name], label=label)
        axes.plot(
            numbers["simulated_radius"],
            numbers[f"simulated_{name}"],
            "o",
            ms=4,
            clip_on=False,
            color=COLOURS[name],
            label=f"{name}, simulated",
        )
    axes.plot(numbers["radius"], numbers["kernel"], color=COLOURS["ours"], ls="--", label="the kernel itself")
    axes.set(xlabel="distance / length scale", ylabel="D × variance", xlim=(0, 3.03), ylim=(0, 1.1))
    axes.set_title("Variance of z(x)·z(y) per output dimension, Gaussian kernel")
    legend_outside(figure, axes)


EXPERIMENT = Experiment(
    title="variance per dimension of the paired and the phase embedding",
    measure=measure,
    draw=draw,
    quick={"n_frequencies": 20_000, "seed": 0},
    full={"n_frequencies": 1_000_000, "seed": 0},
)
