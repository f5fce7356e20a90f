"""Li & Honorio's Theorem 1 also fails with more frequencies than dimensions: gradient descent finds the error.

minimise s(u) = mean_i cos(omega_i . u) over ||u|| <= R by projected gradient steps, d = 100, m = 200, R = 6
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside
from bochner.theory.published import li_honorio_thm1

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_EPS = 0.66


def measure(n_features: int, n_frequencies: int, radius: float, n_steps: int, n_draws: int, seed: int) -> Numbers:
    """The largest |s - k| met on the way, its spread over draws, and what the theorem claims of the errors reached."""
    rng = np.random.default_rng(seed)
    paths = np.array(
        [
            _descend(rng.standard_normal((n_frequencies, n_features)), rng.standard_normal(n_features), radius, n_steps)
            for _ in range(n_draws)
        ]
    )
    reached, eps = paths[:, -1], np.linspace(0.3, 0.9, 121)
    return {
        "errors": {
            name: np.quantile(paths, share, axis=0).tolist()
            for name, share in (("min", 0), ("median", 0.5), ("max", 1))
        },
        "reached": {"min": float(reached.min()), "mean": float(reached.mean()), "max": float(reached.max())},
        "eps": _EPS,
        "draws_above_eps": int(np.sum(reached >= _EPS)),
        "n_draws": n_draws,
        "claimed_at_eps": li_honorio_thm1(n_frequencies, radius, _EPS),
        "claimed": {
            "eps": eps.tolist(),
            "probability": [min(1.0, li_honorio_thm1(n_frequencies, radius, float(e))) for e in eps],
        },
    }


def _descend(omega: Array, start: Array, radius: float, n_steps: int) -> Array:
    """The largest |s - k| met in 0, 1, ..., n_steps unit steps from a point of norm 2.5 in a random direction."""
    kernel, u = Gaussian(), start / np.linalg.norm(start) * 2.5
    errors = []
    for _ in range(n_steps + 1):
        angles = omega @ u
        errors.append(abs(np.cos(angles).mean() - kernel.at(u)))
        u = u + omega.T @ np.sin(angles) / len(omega)
        u = u * min(1.0, radius / np.linalg.norm(u))
    return np.maximum.accumulate(errors)


def draw(figure: Figure, numbers: Numbers) -> None:
    path, claim = figure.subplots(1, 2)
    errors = numbers["errors"]
    path.plot(errors["median"], color=COLOURS["paired"], label=f"median of {numbers['n_draws']} draws")
    steps = range(len(errors["min"]))
    path.fill_between(steps, errors["min"], errors["max"], color=COLOURS["paired"], alpha=0.2, lw=0, label="all draws")
    path.axhline(numbers["eps"], color=COLOURS["truth"], ls=":", label=f"ε = {numbers['eps']:g}")
    path.set(xlabel="gradient step", ylabel="largest |s − k| so far", ylim=(0, 0.85), title="error found")
    claim.plot(
        numbers["claimed"]["eps"],
        numbers["claimed"]["probability"],
        color=COLOURS["phase"],
        ls="--",
        label="claimed at most",
    )
    share = numbers["draws_above_eps"] / numbers["n_draws"]
    claim.plot(numbers["eps"], share, "o", color=COLOURS["paired"], label="found in this share of draws")
    claim.axvline(numbers["eps"], color=COLOURS["truth"], ls=":")
    claim.set(yscale="log", xlabel="ε", ylabel="P(sup |s − k| ≥ ε)", ylim=(1e-7, 3), title="Theorem 1's claim")
    legend_outside(figure, path, claim)


EXPERIMENT = Experiment(
    title="Theorem 1 refuted with more frequencies than dimensions, by gradient descent",
    measure=measure,
    draw=draw,
    quick={"n_features": 100, "n_frequencies": 200, "radius": 6.0, "n_steps": 400, "n_draws": 10, "seed": 1},
    full={"n_features": 100, "n_frequencies": 200, "radius": 6.0, "n_steps": 400, "n_draws": 200, "seed": 1},
    size=(10.0, 3.8),
)
