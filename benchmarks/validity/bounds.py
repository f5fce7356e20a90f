"""Every VALID or CORRECTED bound against simulation: the rate at which it fails is not above its delta.

Bounds are discovered (`bochner.theory.bounds`); each has its simulations in `tails()` or `bound_checks.CHECKS`, or a
reason why it has none in `REASONS`. A test fails for a bound that has neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import pdist

from bochner import theory
from bochner.kernels import Gaussian, Laplacian, Matern
from bochner.theory import (
    Bound,
    TailBound,
    downstream,
    expectation,
    finite_set,
    mean_square,
    orbit,
    orthogonal,
    pointwise,
    sketch,
    uniform,
)

from . import bound_checks, drawn_checks
from . import bound_draws as draws
from .bound_draws import GAUSSIAN, LINE, POINTS, UNIT, Draws
from .setting import Setting, stream

FAMILY = "bounds"
CHECKS = {**bound_checks.CHECKS, **drawn_checks.CHECKS}
DELTAS = (0.5, 0.1, 0.01)
REPEATS, PER_TASK = 100_000, 10_000
_FAR = (2.0, 1.5)
_SMOOTH = Matern(nu=2.5)
_TWO_SCALES = 0.75 * Gaussian(0.1) + 0.25 * Gaussian(100.0)  # cosines that are constant, or of variance 1/2

REASONS: dict[str, str] = {
    "sampled_distance.SampledDistance": "its two parts are simulated in tests/theory/test_sampled_distance.py",
    "distance.DistanceAtRows": "the largest of limits that `distance.RidgeDistance` checks at new rows, one by one",
    "generalization.ExcessRisk": (
        "it speaks of a minimiser under a constraint that a user does not know; its parts, the operator bound and "
        "the approximation error, are simulated"
    ),
    "orbit_risk.ExcessRisk": (
        "the best function with orbit features is defined over all |alpha| <= C p, which cannot be searched; the bound "
        "exceeds the loss at 0 at every size that can be simulated"
    ),
    "quadrature.EquispacedFrequencies": (
        "it holds without probability; tests/sampling/test_grid.py compares it with errors on fine grids of differences"
    ),
}


class Tail(NamedTuple):
    """A bound at a width, errors that it speaks of, and how many of them are drawn."""

    bound: TailBound
    width: int
    errors: Draws
    repeats: int = REPEATS


@cache
def tails() -> dict[str, Tail]:
    """Simulations of tail bounds by name; a setting is repeated for both embeddings where the bound has them."""
    found: dict[str, Tail] = {}
    for embedding in ("paired", "phase"):
        found.update({f"{name}, {embedding}": tail for name, tail in _tails_of(embedding).items()})
    return {**found, **_tails_of_pairs(), **_tails_of_one_kind()}


def _tails_of(embedding: Any) -> dict[str, Tail]:
    setting = {"kernel": GAUSSIAN, "embedding": embedding}
    pair, matern = draws.at_a_pair(GAUSSIAN, _FAR, 20, embedding), Matern(nu=1.5)
    points = draws.over_pairs(GAUSSIAN, POINTS, 50, embedding)
    square = draws.mean_square(GAUSSIAN, LINE[::4], 20, embedding)
    bracket = mean_square.bracket(GAUSSIAN, (LINE[::4, None] - LINE[::4]).reshape(-1, 1), embedding=embedding)
    mean = mean_square.ExactMean(bracket=bracket, **setting).mean(20)
    found = {
        "Hoeffding": Tail(pointwise.Hoeffding(**setting), 20, pair),
        "SubGaussian": Tail(pointwise.SubGaussian(**setting), 20, pair),
        "SubGaussian, two scales": Tail(
            pointwise.SubGaussian(kernel=_TWO_SCALES, embedding=embedding), 20,
            draws.at_a_pair(_TWO_SCALES, _FAR, 20, embedding),
        ),
        "UnionSubGaussian, Matern": Tail(
            finite_set.UnionSubGaussian(kernel=matern, n_points=4, embedding=embedding), 50,
            draws.over_pairs(matern, POINTS, 50, embedding),
        ),
        "Bernstein": Tail(pointwise.Bernstein(difference=_FAR, **setting), 20, pair),
        "Cramer": Tail(pointwise.Cramer(difference=_FAR, **setting), 20, pair),
        "Cramer, Matern": Tail(
            pointwise.Cramer(difference=(0.4, 0.3), kernel=2.0 * matern, embedding=embedding), 20,
            draws.at_a_pair(2.0 * matern, (0.4, 0.3), 20, embedding),
        ),
        "UnionHoeffding, Laplacian": Tail(
            finite_set.UnionHoeffding(kernel=Laplacian(2.0), n_points=4, embedding=embedding), 50,
            draws.over_pairs(Laplacian(2.0), POINTS, 50, embedding),
        ),
        "UnionSubGaussian": Tail(finite_set.UnionSubGaussian(n_points=4, **setting), 50, points),
        "DataAware": Tail(finite_set.DataAware(X=POINTS, **setting), 50, points),
        "DataAware, bernstein": Tail(finite_set.DataAware(X=POINTS, method="bernstein", **setting), 50, points),
        "MeanMapKernel": Tail(downstream.MeanMapKernel(**setting), 50, draws.mean_map(50, embedding)),
        "MMDSquared": Tail(downstream.MMDSquared(**setting), 50, draws.squared_mmd(50, embedding, False)),
        "MMDSquared, unbiased": Tail(
            downstream.MMDSquared(unbiased_sizes=(2, 2), **setting), 50, draws.squared_mmd(50, embedding, True)
        ),
        "HilbertNorm": Tail(
            mean_square.HilbertNorm(bracket=bracket, **setting), 20, lambda rng, size: np.sqrt(square(rng, size))
        ),
        "SquaredNormMcDiarmid": Tail(
            mean_square.SquaredNormMcDiarmid(**setting), 20, lambda rng, size: np.abs(square(rng, size) - mean)
        ),
        "FullOrbitHoeffding": Tail(
            orbit.FullOrbitHoeffding(n_points=4, **setting), 50, draws.orbit(50, embedding, None)
        ),
        "SampledOrbitHoeffding": Tail(
            orbit.SampledOrbitHoeffding(n_points=4, n_transforms=20, **setting), 50, draws.orbit(50, embedding, 20)
        ),
    }  # fmt: skip
    return {**found, **_tails_of_a_region(embedding)}


def _tails_of_a_region(embedding: Any) -> dict[str, Tail]:
    """Suprema over a grid: at most those over the interval, and themselves suprema of which concentration speaks."""
    line = draws.over_pairs(GAUSSIAN, LINE, 100, embedding)
    setting = {"kernel": GAUSSIAN, "embedding": embedding}
    region = {**setting, "n_features": 1, "diameter": 6.0}
    mean = _upper_mean(embedding)

    def excess(rng, size):
        return np.maximum(line(rng, size) - mean, 0.0)

    return {
        "AnchoredCover": Tail(uniform.AnchoredCover(**region), 100, line, 4000),
        "AnchoredCover, bernstein": Tail(uniform.AnchoredCover(tail="bernstein", **region), 100, line, 4000),
        "Concentration": Tail(expectation.Concentration(mean=mean, **setting), 100, excess, 4000),
        "McDiarmid": Tail(expectation.McDiarmid(**setting), 100, excess, 4000),
    }


def _pairs(points: np.ndarray) -> np.ndarray:
    """The differences of all pairs."""
    first, second = np.triu_indices(len(points), 1)
    differences: np.ndarray = points[first] - points[second]
    return differences


@cache
def _upper_mean(embedding: str) -> float:
    """An upper limit of the expected supremum: seven standard errors above the mean of 4,000 draws."""
    errors = draws.over_pairs(GAUSSIAN, LINE, 100, embedding)(np.random.default_rng(7), 4000)
    return float(errors.mean() + 7 * errors.std() / np.sqrt(len(errors)))


def _tails_of_pairs() -> dict[str, Tail]:
    """Bounds for the paired embedding alone."""
    pair = draws.at_a_pair(GAUSSIAN, _FAR, 20, "paired")
    line = draws.over_pairs(GAUSSIAN, LINE, 100, "paired")
    region: dict[str, Any] = {"kernel": GAUSSIAN, "n_features": 1, "diameter": 6.0}
    four, eight = np.full(4, 0.5), np.full(8, 1.0)
    return {
        "ChernoffKL": Tail(pointwise.ChernoffKL(kernel=GAUSSIAN, difference=_FAR), 20, pair),
        "SutherlandSchneiderProp1": Tail(uniform.SutherlandSchneiderProp1(**region), 100, line, 4000),
        "RahimiRecht": Tail(uniform.RahimiRecht(**region), 100, line, 4000),
        "LineSupremum": Tail(theory.line.LineSupremum(**region), 100, line, 20_000),
        "LineSupremum, Matern": Tail(
            theory.line.LineSupremum(kernel=_SMOOTH, n_features=1, diameter=6.0), 100,
            draws.over_pairs(_SMOOTH, LINE, 100, "paired"), 20_000,
        ),
        "SriperumbudurSzabo": Tail(uniform.SriperumbudurSzabo(**region), 100, line, 4000),
        "HSIC": Tail(downstream.HSIC(kernel=GAUSSIAN * GAUSSIAN), 10, draws.hsic(10)),
        "Chebyshev": Tail(
            orthogonal.Chebyshev(kernel=GAUSSIAN, difference=eight), 16, draws.orthogonal(8, eight), 4000
        ),
        "BlockHoeffding": Tail(
            orthogonal.BlockHoeffding(kernel=GAUSSIAN, n_features=4), 8, draws.orthogonal(4, four), 20_000
        ),
        "OrthogonalBlocks": Tail(
            orthogonal.OrthogonalBlocks(kernel=GAUSSIAN, difference=four), 24, draws.orthogonal(4, four, m=12), 20_000
        ),
        "OrthogonalBlocks, Matern": Tail(
            orthogonal.OrthogonalBlocks(kernel=_SMOOTH, difference=0.4 * four), 16,
            draws.orthogonal(4, 0.4 * four, m=8, kernel=_SMOOTH), 20_000,
        ),
        "OrthogonalPoints": Tail(
            orthogonal.OrthogonalPoints(kernel=GAUSSIAN, n_points=4, n_features=2, diameter=float(pdist(POINTS).max())),
            40, draws.orthogonal(2, _pairs(POINTS), m=20), 20_000,
        ),
    }  # fmt: skip


def _tails_of_one_kind() -> dict[str, Tail]:
    """Bounds for phases alone."""
    line = draws.over_pairs(GAUSSIAN, LINE, 100, "phase")
    region: dict[str, Any] = {"kernel": GAUSSIAN, "n_features": 1, "diameter": 6.0}
    sampled = orbit.SampledOrbit(kernel=GAUSSIAN, n_features=2, diameter=4.0, n_transforms=20)
    return {
        "SutherlandSchneiderProp2": Tail(uniform.SutherlandSchneiderProp2(**region), 100, line, 4000),
        "SampledOrbit": Tail(sampled, 50, draws.orbit(50, "phase", 20), 4000),
        "JohnsonLindenstrauss": Tail(sketch.JohnsonLindenstrauss(), 20, draws.sketched(UNIT[:1], 20)),
        "JohnsonLindenstrauss, points": Tail(sketch.JohnsonLindenstrauss(n_points=4), 20, draws.sketched(UNIT, 20)),
    }


@cache
def thresholds(name: str) -> list[float]:
    """What the bound says at every delta."""
    tail = tails()[name]
    return [tail.bound.error(tail.width, delta) for delta in DELTAS]


def settings() -> list[Setting]:
    promised = {f"delta = {delta:g}": delta for delta in DELTAS}
    found = [
        Setting(FAMILY, {"bound": _name(tail.bound), "simulation": name}, promised, tail.repeats, PER_TASK)
        for name, tail in tails().items()
    ]
    return found + [
        Setting(FAMILY, {"bound": bound, "simulation": name}, check.promised, check.repeats, check.per_task)
        for (bound, name), check in CHECKS.items()
    ]


def violations(options: Mapping[str, Any], repeats: range) -> list[int]:
    rng, name = stream(FAMILY, options, repeats.start), options["simulation"]
    if name not in tails():
        return CHECKS[options["bound"], name].count(rng, len(repeats))
    errors = tails()[name].errors(rng, len(repeats))
    return [int(np.sum(errors >= threshold)) for threshold in thresholds(name)]


def without_simulation() -> dict[str, str]:
    """Bounds of the library that are not simulated, with the reason; '' where there is none."""
    simulated = {setting.options["bound"] for setting in settings()}
    ours = [each for each in theory.bounds() if issubclass(each, Bound) and each.__module__.startswith("bochner.")]
    names = {each.describe()["name"] for each in ours}
    return {name: REASONS.get(name, "") for name in sorted(names - simulated)}


def _name(bound: Bound) -> str:
    name: str = type(bound).describe()["name"]
    return name
