"""Rudi & Rosasco, Section 4: excess risk, penalty and number of features against n, for spline kernels.

x is uniform on [0, 1], y = f*(x) + noise, the kernel is Lambda_{1/gamma}, f* = Lambda_{r/gamma + 1/2 + e}(., x0): the
capacity is gamma and f* = L^r g. Theorem 3 says that with lambda = c n^(-1/(2r + gamma)) and M = c' n^a log n features
the excess risk falls as n^(-2r/(2r + gamma)), as that of exact kernel ridge. Such an M suffices; nothing says that
fewer do not. Here c' = 1, and c = sigma^(2/(2r + gamma)) / 2 for noise of size sigma. Three kinds of features with the
same mean kernel:

    spline     Lambda_{1/(2 gamma)}(., w), w uniform: constant leverage, alpha = gamma
    plain      cosine and sine of a frequency drawn from the spectral measure mu_k = |k|^(-1/gamma): alpha = 1
    leverage   the same, drawn with probabilities mu_k / (mu_k + lambda) and weighted by mu_k + lambda: alpha = gamma

Given the rows and the features every risk is exact, the mean over the noise included: only the x and the features are
drawn. Kernel ridge is solved in the Fourier basis (`circle`). x0, e, the constants and the noise are ours: the paper's
text does not give them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.reproduce.circle import CircleRows, spline_coefficients, spline_eigenvalues, stacked
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside, readable_logarithms
from bochner.reproduce.slope import fitted_slope, power_law
from bochner.theory.rates import RudiRosascoTheorem3

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT", "Problem"]

_CENTRE, _SURPLUS = 0.5, 0.01  # x0 and e
_PENALTY_FACTOR = 0.5  # c
_PENALTIES = np.geomspace(1e-5, 10, 121)
_WIDTHS = {
    sampling: [round(2 ** (half / 2)) for half in range(2, 2 * largest + 1)]
    for sampling, largest in {"spline": 11, "plain": 14, "leverage": 10}.items()
}
_CURVES = {
    "kernel ridge": ("exact kernel ridge", COLOURS["truth"], "o"),
    "spline": ("spline features", COLOURS["ours"], "s"),
    "plain": ("Fourier features, plain", COLOURS["phase"], "^"),
    "leverage": ("Fourier features, by leverage", COLOURS["paired"], "D"),
}


@dataclass(frozen=True)
class Problem:
    """One pair (r, gamma): its truth, its kernel, and the kernels that features estimate."""

    r: float
    gamma: float
    noise: float
    n_waves: int

    @property
    def order(self) -> float:
        return 1 / self.gamma

    @property
    def target_order(self) -> float:
        return self.r / self.gamma + 0.5 + _SURPLUS

    @cached_property
    def truth(self) -> Array:
        return spline_coefficients(self.target_order, np.array([_CENTRE]), self.n_waves)[:, 0]

    @cached_property
    def eigenvalues(self) -> Array:
        return spline_eigenvalues(self.order, self.n_waves)

    def rate(self, sampling: str = "plain") -> RudiRosascoTheorem3:
        """The theorem's exponents."""
        return RudiRosascoTheorem3(r=self.r, gamma=self.gamma, alpha=1.0 if sampling == "plain" else self.gamma)

    def penalty(self, n: float) -> float:
        return float(_PENALTY_FACTOR * n ** -self.rate().penalty)

    def width(self, n: int, sampling: str) -> int:
        return int(np.ceil(n ** self.rate(sampling).features * np.log(n)))

    def estimated_kernel(self, sampling: str, width: int, penalty: float, rng: np.random.Generator) -> Array:
        """A of the kernel z(x).z(y) of `width` drawn features: a matrix, or a diagonal."""
        if sampling == "spline":
            B = spline_coefficients(self.order / 2, rng.random(width), self.n_waves)
            return B @ B.T / width
        eigenvalues = self.eigenvalues[: self.n_waves + 1]
        multiplicity = np.where(np.arange(self.n_waves + 1) > 0, 2.0, 1.0)  # k and -k
        weight = multiplicity * eigenvalues / (eigenvalues + penalty if sampling == "leverage" else 1.0)
        probability, pairs = weight / weight.sum(), max(1, width // 2)
        return stacked(eigenvalues * rng.multinomial(pairs, probability) / (pairs * probability))

    def observe(self, n: int, rng: np.random.Generator) -> dict[str, Array]:
        """Excess risks with one draw of n rows: of kernel ridge at the theorem's penalty and at all penalties, and of
        new features of every kind, of the theorem's width and of all widths.
        """
        rows, penalty = CircleRows.of(rng.random(n), self.n_waves), self.penalty(n)

        def risk(kernel: Array) -> float:
            return rows.risk(kernel, penalty, self.truth, self.noise)

        seen = {
            "kernel ridge": np.array([risk(self.eigenvalues)]),
            "path": rows.risk_path(self.eigenvalues, _PENALTIES, self.truth, self.noise),
        }
        for sampling, widths in _WIDTHS.items():
            tried = [self.width(n, sampling), *widths]
            seen[sampling] = np.array([risk(self.estimated_kernel(sampling, M, penalty, rng)) for M in tried])
        return seen


def measure(
    problems: Sequence[Sequence[float]],
    sizes: Sequence[int],
    n_draws: int,
    noise: float,
    n_waves: int,
    tolerance: float,
    seed: int,
) -> Numbers:
    """Risks, best penalties and smallest widths at every n, with fitted and predicted exponents."""
    studies = []
    for r, gamma in problems:
        problem = Problem(r, gamma, noise, n_waves)
        draws = [_draws(problem, n, n_draws, seed) for n in sizes]
        studies.append(
            {
                "r": r,
                "gamma": gamma,
                "risk": _risks(problem, sizes, draws),
                "penalty": _best_penalties(problem, sizes, draws),
                "features": _smallest_widths(problem, sizes, draws, tolerance),
            }
        )
    return {"n": list(sizes), "tolerance": tolerance, "problems": studies}


def _draws(problem: Problem, n: int, n_draws: int, seed: int) -> dict[str, Array]:
    """Results of `n_draws` independent draws, stacked, draws first."""
    seeds = np.random.SeedSequence([seed, round(1e6 * problem.r), n]).spawn(n_draws)
    seen = [problem.observe(n, np.random.default_rng(each)) for each in seeds]
    return {name: np.stack([each[name] for each in seen]) for name in seen[0]}


def _risks(problem: Problem, sizes: Sequence[int], draws: list[dict[str, Array]]) -> Numbers:
    """Mean excess risk at the theorem's penalty and widths."""
    curves = {}
    for name in _CURVES:
        risks = np.array([at_n[name][:, 0] for at_n in draws])
        curves[name] = {
            "mean": risks.mean(axis=1).tolist(),
            "standard_error": (risks.std(axis=1, ddof=1) / np.sqrt(risks.shape[1])).tolist(),
            "slope": fitted_slope(sizes, risks.mean(axis=1)),
        }
        if name in _WIDTHS:
            curves[name]["width"] = [problem.width(n, name) for n in sizes]
    return {"predicted": -problem.rate().risk, "curves": curves}


def _best_penalties(problem: Problem, sizes: Sequence[int], draws: list[dict[str, Array]]) -> Numbers:
    """The penalty of exact kernel ridge with the least mean excess risk."""
    means = [at_n["path"].mean(axis=0) for at_n in draws]
    best, least = [float(_PENALTIES[np.argmin(mean)]) for mean in means], [float(np.min(mean)) for mean in means]
    return {
        "predicted": -problem.rate().penalty,
        "best": best,
        "slope": fitted_slope(sizes, best),
        "risk": least,
        "risk_slope": fitted_slope(sizes, least),
    }


def _smallest_widths(
    problem: Problem, sizes: Sequence[int], draws: list[dict[str, Array]], tolerance: float
) -> dict[str, Numbers]:
    """The smallest width whose mean risk is within `tolerance` of that of exact kernel ridge, and stays there."""
    curves = {}
    for sampling, widths in _WIDTHS.items():
        needed = [
            _last_crossing(widths, at_n[sampling][:, 1:].mean(axis=0) / at_n["kernel ridge"].mean(), 1 + tolerance)
            for at_n in draws
        ]
        curves[sampling] = {
            "predicted": problem.rate(sampling).features,
            "smallest": needed,
            "slope": fitted_slope(sizes, needed),
        }
    return curves


def _last_crossing(widths: Sequence[int], ratios: Array, level: float) -> float:
    """Where the ratios last fall below the level, interpolated on logarithms; the last width if they never do."""
    above = np.flatnonzero(ratios > level)
    if len(above) == 0 or above[-1] + 1 == len(widths):
        return float(widths[0] if len(above) == 0 else widths[-1])
    i = above[-1]
    share = np.log(ratios[i] / level) / np.log(ratios[i] / ratios[i + 1])
    return float(widths[i] * (widths[i + 1] / widths[i]) ** share)


def draw(figure: Figure, numbers: Numbers) -> None:
    panels = figure.subplots(len(numbers["problems"]), 3, squeeze=False)
    for row, study in zip(panels, numbers["problems"]):
        _risk_panel(row[0], numbers["n"], study)
        _penalty_panel(row[1], numbers["n"], study["penalty"])
        _width_panel(row[2], numbers["n"], study["features"], numbers["tolerance"])
        for axes in row:
            axes.set(xscale="log", yscale="log", xlabel="rows n")
            readable_logarithms(axes)
    legend_outside(figure, panels[0][0], panels[0][2])


def _risk_panel(axes: Axes, sizes: Sequence[int], study: Numbers) -> None:
    risk = study["risk"]
    for name, (label, colour, marker) in _CURVES.items():
        mean = risk["curves"][name]["mean"]
        axes.plot(sizes, mean, marker, color=colour, ms=5, mfc="none", label=label)
    _guide(axes, sizes, risk["curves"]["kernel ridge"]["mean"], risk["predicted"], COLOURS["quiet"])
    fits = ", ".join(f"{risk['curves'][name]['slope']['estimate']:.2f}" for name in _CURVES)
    axes.set_title(
        f"r = {study['r']:g}, γ = {study['gamma']:g}: excess risk\nslopes {fits}; predicted {risk['predicted']:.3f}"
    )


def _penalty_panel(axes: Axes, sizes: Sequence[int], penalty: Numbers) -> None:
    axes.plot(sizes, penalty["best"], "o", color=COLOURS["truth"], ms=5, mfc="none")
    _guide(axes, sizes, penalty["best"], penalty["predicted"], COLOURS["quiet"])
    low, high = penalty["slope"]["interval"]
    axes.set_title(
        f"best penalty λ of kernel ridge\nslope [{low:.2f}, {high:.2f}]; predicted {penalty['predicted']:.3f}"
    )


def _width_panel(axes: Axes, sizes: Sequence[int], features: Numbers, tolerance: float) -> None:
    for name, own in features.items():
        _, colour, marker = _CURVES[name]
        axes.plot(sizes, own["smallest"], marker, color=colour, ms=5, mfc="none")
        _guide(axes, sizes, own["smallest"], own["predicted"], colour)
    fitted, predicted = (
        ", ".join(f"{value:.2f}" for value in values)
        for values in zip(*((own["slope"]["estimate"], own["predicted"]) for own in features.values()))
    )
    axes.set_title(f"fewest features within {tolerance:.0%} of kernel ridge\nslopes {fitted}; predicted {predicted}")


def _guide(axes: Axes, sizes: Sequence[int], values: Sequence[float], slope: float, colour: str) -> None:
    label = "predicted exponent" if colour == COLOURS["quiet"] else None
    axes.plot(sizes, power_law(sizes, values, slope), color=colour, ls="--", lw=1, label=label)


_PROBLEMS = ((11 / 16, 1 / 8), (7 / 8, 1 / 4))

EXPERIMENT = Experiment(
    title="excess risk, penalty and number of features against n for spline kernels, with the predicted exponents",
    measure=measure,
    draw=draw,
    quick={
        "problems": _PROBLEMS,
        "sizes": (500, 1000, 2000, 4500, 10_000),
        "n_draws": 10,
        "noise": 0.5,
        "n_waves": 64,
        "tolerance": 0.1,
        "seed": 8,
    },
    full={
        "problems": _PROBLEMS,
        "sizes": (500, 770, 1200, 1800, 2800, 4300, 6500, 10_000),
        "n_draws": 100,
        "noise": 0.5,
        "n_waves": 64,
        "tolerance": 0.1,
        "seed": 8,
    },
    size=(15.0, 7.0),
)
