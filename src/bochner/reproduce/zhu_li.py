"""Numbers of features for classification (Zhu Li, Table 1), measured: the paper has no experiment.

The claim (Table 1): with lambda = n^(-1/(2r)), so many features give the excess risk O(n^(-1/2)) of the exact machine,

    plain       n^(1/2r) times 1, log log n or log n,     sqrt(n) log n at r = 1 and polynomial decay
    leverage    1, log n log log n, or n^(1/(4 gamma r)) log n for eigenvalues k^(-2 gamma)

for losses that are Lipschitz, f_H = L^r g the best function of the kernel's space. Here everything in it is known. x is
uniform on G points of a circle (`circle_classifier`); the kernel has the eigenvalues A_k of its waves, scaled such that
k(x, x) = 1; a feature is the cosine and sine of one wave, drawn with probability A_k (plain) or A_k / (A_k + lambda) up
to a factor (leverage) and weighted to the same mean kernel. Logistic loss: P(y = 1 | x) = 1 / (1 + exp(-f_H)) makes
f_H the best of all functions. Hinge loss: P(y = 1 | x) is above 1/2 on one arc, below on another and 1/2 in the gaps
between; every f with f = 1 and f = -1 on the arcs that stays within [-1, 1] in the gaps is best, and some are smooth
enough for r = 1 (255 waves have them to an error that does not matter). Excess risks are exact given rows and features.

How many features are enough is asked in two ways: with which width is the excess risk above that of the exact machine,
in 90 % of the draws, at most

    strict    a tenth of the exact machine's mean excess risk at this n: nothing is lost
    rate      a tenth of its mean excess risk at the smallest n, times (n / smallest)^(-1/2): the rate of the theorem

Intervals are from a bootstrap of the draws (95 %, percentiles).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bochner._json import plain
from bochner._typing import Array
from bochner.reproduce.circle_classifier import Loss
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside, readable_logarithms
from bochner.reproduce.slope import fitted_slope, power_law
from bochner.reproduce.zhu_li_problem import GAMMA, WIDTHS, Problem, Spectrum
from bochner.theory.rates import corrected_plain_exponent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

Setting: TypeAlias = tuple[Spectrum, float, float]
"""Spectrum, regularity r, and lambda n^(1/(2r))."""

_SHARE, _LEVEL = 0.1, 0.9  # of the exact machine's risk; of the draws
_CURVES = {
    "exact": ("exact kernel machine", COLOURS["truth"], "o"),
    "plain": ("plain", COLOURS["phase"], "^"),
    "leverage": ("by leverage", COLOURS["paired"], "D"),
}


def measure(
    problems: Sequence[Setting], sizes: Sequence[int], n_draws: int, n_bootstraps: int, seed: int, loss: Loss
) -> Numbers:
    """Excess risks and smallest widths at every n, with fitted and claimed exponents."""
    studies = []
    for index, (spectrum, r, factor) in enumerate(problems):
        problem = Problem(loss, spectrum, r, factor)
        draws = [_draws(problem, n, n_draws, [seed, index, n]) for n in sizes]
        rng = np.random.default_rng([seed, index])
        again = [rng.integers(n_draws, size=(n_bootstraps, n_draws)) for _ in sizes]
        studies.append(
            {
                "spectrum": spectrum,
                "r": r,
                "penalty": [problem.penalty(n) for n in sizes],
                "effective_dimension": [problem.effective_dimension(problem.penalty(n)) for n in sizes],
                "risk": _risks(problem, sizes, draws, again),
                "features": {
                    sampling: {"claimed": _claimed(problem, sampling, sizes), **_needed(sizes, draws, again, sampling)}
                    for sampling in WIDTHS
                },
            }
        )
    return {
        "loss": loss,
        "n": list(sizes),
        "gamma": GAMMA,
        "share": _SHARE,
        "level": _LEVEL,
        "widths": WIDTHS,
        "problems": studies,
    }


def _draws(problem: Problem, n: int, n_draws: int, entropy: Sequence[int]) -> dict[str, Array]:
    """Results of independent draws, stacked, draws first."""
    seeds = np.random.SeedSequence(entropy).spawn(n_draws)
    seen = [problem.observe(n, np.random.default_rng(seed)) for seed in seeds]
    return {name: np.stack([each[name] for each in seen]) for name in seen[0]}


def _risks(problem: Problem, sizes: Sequence[int], draws: list[dict[str, Array]], again: list[Array]) -> Numbers:
    """Mean excess risk of the exact machine, and with the table's numbers of features."""
    curves = {}
    for name in _CURVES:
        risks = [at_n[name][:, 0] for at_n in draws]
        means = [float(each.mean()) for each in risks]
        resampled = np.array([each[index].mean(axis=1) for each, index in zip(risks, again, strict=True)])
        curves[name] = {
            "mean": means,
            "standard_error": [float(each.std(ddof=1) / np.sqrt(len(each))) for each in risks],
            "slope": _slope(sizes, means, resampled),
        }
        if name != "exact":
            curves[name]["width"] = [problem.width(n, name) for n in sizes]
    return {"claimed": -0.5, "curves": curves}


def _claimed(problem: Problem, sampling: str, sizes: Sequence[int]) -> Numbers:
    """The table's exponent; the slope that its count has over these n, logarithms included; and the corrected one."""
    n = np.array(sizes, dtype=float)
    row = problem.row(sampling)
    claimed = {
        "features": row.printed,
        "exponent": row.exponent(problem.r, GAMMA),
        "slope_with_logarithms": fitted_slope(n, problem.predicted(sampling, n))["estimate"],
    }
    if sampling == "plain":
        capacity = 1 / (2 * GAMMA) if problem.spectrum == "polynomial" else 0.0
        claimed["corrected_exponent"] = corrected_plain_exponent(problem.r, capacity)
    return claimed


def _needed(
    sizes: Sequence[int], draws: list[dict[str, Array]], again: list[Array], sampling: str
) -> dict[str, Numbers]:
    """The smallest width that is enough and stays so, strictly and at the theorem's rate; None if none is."""
    means = np.array([at_n["exact"].mean() for at_n in draws])
    allowed = {"strict": _SHARE * means, "rate": _SHARE * means[0] * (np.array(sizes) / sizes[0]) ** -0.5}
    lost = [at_n[sampling][:, 1:] - at_n["exact"] for at_n in draws]
    found = {}
    for name, limits in allowed.items():
        smallest = np.array([_crossing(WIDTHS[sampling], each[None], limit)[0] for each, limit in zip(lost, limits)])
        resampled = np.array([
            _crossing(WIDTHS[sampling], each[index], limit) for each, index, limit in zip(lost, again, limits)
        ])  # fmt: skip
        found[name] = {
            "smallest": plain(smallest),
            "interval": [plain(_limits(each)) for each in resampled],
            "slope": _slope(sizes, smallest, resampled),
        }
    return found


def _crossing(widths: Sequence[int], lost: Array, allowed: float) -> Array:
    """Where the 90 % quantile over draws last falls below what is allowed, one for each resample; nan if it does not.

    lost: (resamples, draws, widths). Interpolated on logarithms of the width.
    """
    quantile = np.quantile(lost, _LEVEL, axis=1) / allowed
    above, log_width = quantile > 1, np.log(widths)
    crossing = np.where(above[:, -1], np.nan, float(widths[0]))
    rows = np.flatnonzero(above.any(axis=1) & ~above[:, -1])
    last = len(widths) - 1 - np.argmax(above[rows, ::-1], axis=1)  # the last width that is not enough
    high, low = quantile[rows, last], quantile[rows, last + 1]
    # Nothing lost, or less than nothing, by the luck of a draw: counted as a thousandth of what is allowed.
    share = np.log(high) / np.log(high / np.maximum(low, 1e-3))
    crossing[rows] = np.exp(log_width[last] + share * (log_width[last + 1] - log_width[last]))
    return crossing


def _slope(sizes: Sequence[int], values: Iterable[float], resampled: Array) -> Numbers | None:
    """Slope on logarithms with its bootstrap interval; None where a width is missing."""
    logs = np.log(np.array(list(values), dtype=float))
    if not np.all(np.isfinite(logs)):
        return None
    centred = np.log(sizes) - np.mean(np.log(sizes))
    slopes = centred @ np.log(resampled) / (centred @ centred)
    return {"estimate": float(centred @ logs / (centred @ centred)), "interval": plain(_limits(slopes))}


def _limits(values: Array) -> Array:
    """95 % limits of resampled values; a width that was not found is larger than all that were."""
    limits: Array = np.quantile(np.where(np.isnan(values), np.inf, values), [0.025, 0.975], method="nearest")
    return limits


def draw(figure: Figure, numbers: Numbers) -> None:
    panels = figure.subplots(len(numbers["problems"]), 3, squeeze=False)
    for row, study in zip(panels, numbers["problems"], strict=True):
        _risk_panel(row[0], numbers, study)
        for axes, kind in zip(row[1:], ("strict", "rate"), strict=True):
            _width_panel(axes, numbers["n"], study, kind)
        for axes in row:
            axes.set(xscale="log", yscale="log")
            readable_logarithms(axes)
    for axes in panels[-1]:
        axes.set_xlabel("rows n")
    legend_outside(figure, panels[0][0], panels[0][1])


def _risk_panel(axes: Axes, numbers: Numbers, study: Numbers) -> None:
    n, curves = numbers["n"], study["risk"]["curves"]
    for name, (label, colour, marker) in _CURVES.items():
        axes.plot(n, curves[name]["mean"], marker, color=colour, ms=5, mfc="none", label=label)
    guide = power_law(n, curves["exact"]["mean"], study["risk"]["claimed"])
    axes.plot(n, guide, color=COLOURS["quiet"], ls=":", lw=1.2, label="rate n^(−1/2)")
    slopes = ", ".join(f"{curves[name]['slope']['estimate']:.2f}" for name in _CURVES)
    axes.set_title(f"{study['spectrum']}, r = {study['r']:g}: excess risk\nslopes {slopes}")


def _width_panel(axes: Axes, n: Sequence[int], study: Numbers, kind: str) -> None:
    slopes = []
    for name, own in study["features"].items():
        _, colour, marker = _CURVES[name]
        smallest = np.array(own[kind]["smallest"], dtype=float)
        limits = np.array(own[kind]["interval"], dtype=float)
        errors = np.abs(limits.T - smallest)
        axes.errorbar(n, smallest, yerr=errors, fmt=marker, color=colour, ms=5, mfc="none", lw=1)
        claimed = own["claimed"]
        if np.isfinite(smallest).any():
            known = np.isfinite(smallest)
            guide = power_law(np.array(n)[known], smallest[known], claimed["slope_with_logarithms"])
            axes.plot(np.array(n)[known], guide, color=colour, ls="--", lw=1, label=f"claimed growth, {name}")
        slope = own[kind]["slope"]
        fitted = "none" if slope is None else f"{slope['estimate']:.2f}"
        slopes.append(f"{fitted} ({claimed['slope_with_logarithms']:.2f})")
    title = "nothing lost" if kind == "strict" else "rate n^(−1/2) kept"
    axes.set_title(f"fewest features, {title}\nslopes (claimed) {slopes[0]}, {slopes[1]}")


_SIZES = tuple(250 * 2**j for j in range(7))
_QUICK = {"sizes": (250, 1000, 4000), "n_draws": 8, "n_bootstraps": 100, "seed": 9}


def _experiment(loss: Loss, problems: tuple[Setting, ...], height: float, **full: object) -> Experiment:
    return Experiment(
        title=f"{loss} loss: excess risk and fewest features against n, plain and by leverage, beside Table 1",
        measure=partial(measure, loss=loss),
        draw=draw,
        quick={"problems": problems, **_QUICK},
        full={"problems": problems, **_QUICK, "n_bootstraps": 1000, **full},
        size=(13.0, height),
    )


# (spectrum, r, lambda n^(1/(2r))): the last near the best for the exact machine at n = 2,000.
EXPERIMENTS = {
    "zhu-li-logistic": _experiment(
        "logistic",
        (("finite rank", 1.0, 0.01), ("exponential", 1.0, 0.01), ("polynomial", 1.0, 0.03), ("polynomial", 0.5, 1.0)),
        11.0,
        sizes=_SIZES,
        n_draws=100,
    ),
    "zhu-li-hinge": _experiment(
        "hinge",
        (("polynomial", 1.0, 0.03),),
        3.6,
        sizes=_SIZES,
        n_draws=100,
    ),
}
