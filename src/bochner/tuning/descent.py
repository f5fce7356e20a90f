"""A descent of a criterion over length scales, from a start, on rows in units of their spread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import issparse
from scipy.spatial.distance import pdist

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.kernels import Laplacian, Stationary
from bochner.kernels.base import Isotropic
from bochner.tuning.clock import Clock
from bochner.tuning.feature_evidence import Criterion, FeatureEvidence, evidence, gcv
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.narrow_map import NarrowMap
from bochner.tuning.result import Stage

__all__ = ["Descent", "Size", "TuningRows", "quasi_newton", "starts", "tuning_seed"]

_CRITERIA: dict[str, Criterion] = {"evidence": evidence, "gcv": gcv}
_MEDIAN_ROWS = 1000
_FAR_BETTER = 0.25  # of the criterion per row
_SPREAD_OF_STARTS = 0.5  # standard deviation of the perturbed starts, in the logarithm of a scale
_REACH = np.log([1e-2, 1e3])  # how far a scale may go from its start, down and up
_NOISE = np.log([1e-8, 10.0])  # bounds of the variances, in units of the target's
_SIGNAL = np.log([1e-3, 1e4])


@dataclass(frozen=True)
class TuningRows:
    """Rows in units of their columns' spread (one for all without ARD), targets of mean 0 and variance 1."""

    X: Array
    Y: Array
    weight: Array | None
    unit: Array
    per_feature: bool

    @classmethod
    def of(cls, X: Any, Y: Array, sample_weight: Array | None, per_feature: bool) -> TuningRows:
        present = np.arange(X.shape[0]) if sample_weight is None else np.flatnonzero(sample_weight)
        rows = np.asarray(X[present].toarray() if issparse(X) else X[present], dtype=float)
        weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=float)[present]
        targets = np.asarray(Y, dtype=float).reshape(X.shape[0], -1)[present]
        targets = targets - np.average(targets, axis=0, weights=weight)
        targets /= _positive(np.sqrt(np.average(targets**2, axis=0, weights=weight)))
        centred = rows - np.average(rows, axis=0, weights=weight)  # a large mean costs digits in the sines
        spread = np.sqrt(np.average(centred**2, axis=0, weights=weight))
        unit = _positive(spread) if per_feature else _positive(np.sqrt(np.mean(spread**2, keepdims=True)))
        return cls(centred / unit, targets, None if sample_weight is None else weight, unit, per_feature)

    @property
    def n_scales(self) -> int:
        return self.X.shape[1] if self.per_feature else 1


def _positive(size: Array) -> Array:
    """1 in place of what is 0 or not finite."""
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


@dataclass(frozen=True)
class Size:
    """How many rows, frequencies (None: the kernel itself, which must be isotropic) and iterations a descent has.

    It begins at the best of its start and of all scales of the start times one of the factors.
    """

    rows: int
    frequencies: int | None
    iterations: int
    factors: tuple[float, ...] = ()


@dataclass(frozen=True)
class Descent:
    """A quasi-Newton descent (L-BFGS-B) of the criterion from a start."""

    data: TuningRows
    kernel: Stationary
    start: Array
    seed: int
    criterion: str
    penalty: float | None
    clock: Clock

    def run(self, size: Size) -> Stage:
        surface = self._surface(size)
        free = surface if self.penalty is None else _Tied(surface, np.log(self.penalty))
        start, first = self._first(free, size)
        scales = [(log_scale + _REACH[0], log_scale + _REACH[1]) for log_scale in start[: len(self.start) - 2]]
        bounds = [*scales, tuple(_NOISE), tuple(_SIGNAL)][: len(start)]
        end, losses = quasi_newton(free, start, first, bounds, self.clock, iterations=size.iterations)
        theta = end if self.penalty is None else np.append(end, end[-1] - np.log(self.penalty))
        frequencies = len(surface.omega) if isinstance(surface, FeatureEvidence) else None
        return Stage(self.kernel, len(surface.Y), frequencies, losses, theta)

    def _first(self, loss: Any, size: Size) -> tuple[Array, float]:
        """The start, or the first of some shorter scales that is far better: at too long ones, all is noise."""
        starts = [self.start if self.penalty is None else self.start[:-1]]
        for factor in size.factors:
            shorter = starts[0].copy()
            shorter[: len(self.start) - 2] += np.log(factor)
            starts.append(shorter)
        losses = np.nan_to_num([loss(start)[0] for start in starts], nan=np.inf, posinf=np.inf)
        best = int(np.flatnonzero(losses <= np.min(losses) + _FAR_BETTER)[0])
        return starts[best], float(losses[best])

    def _surface(self, size: Size) -> FeatureEvidence | KernelEvidence:
        data, d = self.data, self.data.X.shape[1]
        rows = slice(0, size.rows)
        weight = None if data.weight is None else data.weight[rows]
        if size.frequencies is None and isinstance(self.kernel, Isotropic):
            return KernelEvidence(data.X[rows], data.Y[rows], weight, self.kernel.with_length_scale(1.0))
        n = len(data.Y[rows]) if weight is None else int(np.sum(weight))  # a weight of 2 is a row given twice
        m = int(np.clip(n // 2, 16, size.frequencies))
        omega = NarrowMap.draw(self.kernel, m, d, tuning_seed(self.seed)).omega
        return FeatureEvidence(data.X[rows], data.Y[rows], weight, omega, _CRITERIA[self.criterion])


@dataclass(frozen=True)
class _Tied:
    """The criterion with signal variance = noise variance / alpha, for an alpha that is given."""

    surface: FeatureEvidence | KernelEvidence
    log_alpha: float

    def __call__(self, theta: Array) -> tuple[float, Array]:
        value, slope = self.surface(np.append(theta, theta[-1] - self.log_alpha))
        return value, np.append(slope[:-2], slope[-2] + slope[-1])


def quasi_newton(
    criterion: Callable[[Array], tuple[float, Array]],
    start: Array,
    first: float,
    bounds: list[tuple[float, float]],
    clock: Clock,
    *,
    iterations: int,
    smallest_gain: float = 1e-6,
) -> tuple[Array, tuple[float, ...]]:
    """L-BFGS-B within bounds, from a start where the criterion is `first`, until the clock says so.

    Returns where it ended, and the criterion at the start and after every iteration.
    """
    losses = [first]

    def record(intermediate_result: Any) -> None:
        losses.append(float(intermediate_result.fun))
        if clock.is_over():
            raise StopIteration

    options = {"maxiter": iterations, "maxcor": 20, "ftol": smallest_gain}
    found = minimize(criterion, start, jac=True, method="L-BFGS-B", bounds=bounds, callback=record, options=options)
    return found.x, tuple(losses)


def tuning_seed(seed: int) -> int:
    """The seed of the frequencies of a search, for a model of seed `seed`."""
    return int(generator(seed, Purpose.TUNING).integers(2**32))


def starts(data: TuningRows, kernel: Stationary, seed: int, n: int) -> list[Array]:
    """The median heuristic, then perturbations of it."""
    rows = np.unique(data.X[:_MEDIAN_ROWS], axis=0)
    metric = "cityblock" if isinstance(kernel, Laplacian) else "euclidean"
    median = float(np.median(pdist(rows, metric=metric))) if len(rows) > 1 else 1.0
    first = np.append(np.full(data.n_scales, np.log(_positive(np.array(median)))), [np.log(0.1), 0.0])
    rng = generator(seed, Purpose.STARTS)
    moves = _SPREAD_OF_STARTS * rng.standard_normal((n, data.n_scales))
    moves[0] = 0
    moves[1:] -= _SPREAD_OF_STARTS  # shorter: too long a scale sees noise where the function varies, and stays there
    return [first + np.append(move, [0.0, 0.0]) for move in moves]
