"""Rudi & Rosasco's exponents at n of any size: the rows' second moments replaced by their mean.

With G = n I in the notation of `circle`, the mean risk of kernel ridge with a diagonal kernel A is a sum over waves,

    R(A) = sum_k (lambda / (A_k + lambda))^2 f_k^2 + sigma^2/n (A_k / (A_k + lambda))^2

and with M = 2 P drawn Fourier features A_k = mu_k c_k / (P p_k), where c_k is binomial: its mean is a sum as well.
Nothing is simulated, so n can be 10^16. This tells what slopes fitted from n = 500 to 10,000 (`rudi_rosasco`) mean:
with eigenvalues k^-8 the penalty then moves the cut-off from wave 1.8 to wave 2.4, and the best penalty and the number
of plain features follow whole waves, not powers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from bochner._typing import Array
from bochner.reproduce.circle import spline_coefficients, spline_eigenvalues
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside, readable_logarithms
from bochner.reproduce.rudi_rosasco import Problem
from bochner.reproduce.slope import fitted_slope

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT", "Limit"]

_FEW, _MOST = 100, 250  # counts up to a mean of 100 are summed one by one, up to 250; above, the normal law is used
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_STYLES = {"plain": ("Fourier features, plain", "phase"), "leverage": ("Fourier features, by leverage", "paired")}


@dataclass(frozen=True)
class Limit:
    """One pair (r, gamma) of `rudi_rosasco`, with the rows' second moments replaced by their mean."""

    problem: Problem

    @cached_property
    def eigenvalues(self) -> Array:
        """Eigenvalues of the waves 0 ... K."""
        return spline_eigenvalues(self.problem.order, self.problem.n_waves)[: self.problem.n_waves + 1]

    @cached_property
    def multiplicity(self) -> Array:
        return np.where(np.arange(self.problem.n_waves + 1) > 0, 2.0, 1.0)

    @cached_property
    def signal(self) -> Array:
        """f_k^2, cosine and sine together."""
        K = self.problem.n_waves
        squares = spline_coefficients(self.problem.target_order, np.array([0.0]), K)[:, 0] ** 2
        return np.append(squares[:1], squares[1 : K + 1] + squares[K + 1 :])

    def risk(self, A: Array, penalty: float, n: float) -> Array:
        """R, summed over waves; A has the waves last."""
        keep = A / (A + penalty)
        total: Array = np.sum(self._terms(keep, np.arange(len(self.signal)), n), axis=-1)
        return total

    def _terms(self, keep: Array, waves: Array, n: float) -> Array:
        noise = self.problem.noise**2 / n * self.multiplicity[waves]
        return (1 - keep) ** 2 * self.signal[waves] + noise * keep**2

    def best_penalty(self, n: float) -> tuple[float, float]:
        """The penalty of exact kernel ridge with the least risk, and that risk."""
        grid = np.geomspace(1e-3, 1e3, 301) * self.problem.penalty(n)
        risks = np.array([self.risk(self.eigenvalues, penalty, n) for penalty in grid])
        at = int(np.clip(np.argmin(risks), 1, len(grid) - 2))
        found = minimize_scalar(
            lambda log: float(self.risk(self.eigenvalues, np.exp(log), n)),
            bounds=tuple(np.log(grid[[at - 1, at + 1]])),
            method="bounded",
            options={"xatol": 1e-10},
        )
        return float(np.exp(found.x)), float(found.fun)

    def mean_risk(self, sampling: str, pairs: float, n: float) -> float:
        """E R over the draw of this many frequencies, at the theorem's penalty."""
        penalty = self.problem.penalty(n)
        weight = self.multiplicity * self.eigenvalues / (self.eigenvalues + penalty if sampling == "leverage" else 1.0)
        p = weight / weight.sum()
        mean = pairs * p
        few = np.flatnonzero(mean <= _FEW)
        many = np.flatnonzero(mean > _FEW)
        counts = np.arange(_MOST)[:, None]
        spread = np.sqrt(mean[many] * (1 - p[many]))
        near = np.maximum(mean[many] + spread * _NODES[:, None], 0.0)
        total = 0.0
        for waves, values, chances in (
            (few, counts, binom.pmf(counts, pairs, p[few])),
            (many, near, np.broadcast_to(_WEIGHTS[:, None] / _WEIGHTS.sum(), near.shape)),
        ):
            A = self.eigenvalues[waves] * values / mean[waves]
            total += float(np.sum(chances * self._terms(A / (A + penalty), waves, n)))
        return total

    def smallest_width(self, sampling: str, n: float, tolerance: float) -> float:
        """Features with which the mean risk is within the tolerance of that of exact kernel ridge, by bisection."""
        allowed = (1 + tolerance) * float(self.risk(self.eigenvalues, self.problem.penalty(n), n))
        low, high = 0.0, 60.0  # logarithms to base 2
        while high - low > 1e-3:
            middle = (low + high) / 2
            enough = self.mean_risk(sampling, float(np.ceil(2**middle)), n) <= allowed
            low, high = (low, middle) if enough else (middle, high)
        return float(2 * 2**high)


def measure(
    problems: Sequence[Sequence[float]], decades: Sequence[float], noise: float, n_waves: int, tolerance: float
) -> Numbers:
    """Best penalty, its risk and smallest widths for n = 10^decades, with slopes from each n to the next."""
    n, studies = [10.0**decade for decade in decades], []
    for r, gamma in problems:
        limit = Limit(Problem(r, gamma, noise, n_waves))
        penalties, risks = zip(*(limit.best_penalty(each) for each in n), strict=True)
        studies.append(
            {
                "r": r,
                "gamma": gamma,
                "penalty": _curve(n, penalties, -limit.problem.rate().penalty),
                "risk": _curve(n, risks, -limit.problem.rate().risk),
                "features": {
                    sampling: _curve(
                        n,
                        [limit.smallest_width(sampling, each, tolerance) for each in n],
                        limit.problem.rate(sampling).features,
                    )
                    for sampling in _STYLES
                },
            }
        )
    return {"n": n, "tolerance": tolerance, "problems": studies}


def _curve(n: Sequence[float], values: Sequence[float], predicted: float) -> Numbers:
    """The values, the slopes between neighbours, and the slope over the upper half of the decades."""
    half = len(n) // 2
    return {
        "values": list(values),
        "local_slopes": (np.diff(np.log(values)) / np.diff(np.log(n))).tolist(),
        "slope_of_the_upper_half": fitted_slope(n[half:], values[half:])["estimate"],
        "predicted": predicted,
    }


def draw(figure: Figure, numbers: Numbers) -> None:
    panels = figure.subplots(1, 2 * len(numbers["problems"]), squeeze=False)[0]
    between = np.sqrt(np.array(numbers["n"][1:]) * numbers["n"][:-1])
    for pair, study in zip(panels.reshape(-1, 2), numbers["problems"], strict=True):
        words = f"r = {study['r']:g}, γ = {study['gamma']:g}"
        for axes, curves in (
            (pair[0], {"best penalty λ": (study["penalty"], "truth"), "its risk": (study["risk"], "ours")}),
            (pair[1], {label: (study["features"][name], colour) for name, (label, colour) in _STYLES.items()}),
        ):
            for label, (curve, colour) in curves.items():
                axes.plot(between, curve["local_slopes"], "o-", ms=4, lw=1.2, color=COLOURS[colour], label=label)
                axes.axhline(curve["predicted"], color=COLOURS[colour], ls="--", lw=1)
            axes.axvspan(500, 10_000, color="#eeeeee", zorder=0)
            axes.set(xscale="log", xlabel="rows n")
            readable_logarithms(axes)
        pair[0].set_title(f"{words}: local exponents\nof the best penalty and its risk")
        pair[1].set_title(f"of the fewest features\nwithin {numbers['tolerance']:.0%} of kernel ridge")
    for axes in panels:
        axes.axhline(np.nan, color=COLOURS["quiet"], ls="--", lw=1, label="exponent of the theorem")
    legend_outside(figure, *panels[:2])


_PROBLEMS = ((11 / 16, 1 / 8), (7 / 8, 1 / 4))
_SHARED = {"problems": _PROBLEMS, "noise": 0.5, "tolerance": 0.1}

EXPERIMENT = Experiment(
    title="local exponents of penalty, risk and number of features for n up to 10^16, rows replaced by their mean",
    measure=measure,
    draw=draw,
    quick={**_SHARED, "decades": (3.0, 4.0, 5.0, 6.0), "n_waves": 200},
    full={**_SHARED, "decades": tuple(2.5 + 0.5 * j for j in range(28)), "n_waves": 1000},
    size=(14.5, 3.8),
)
