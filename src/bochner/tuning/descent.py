"""Quasi-Newton descent (L-BFGS-B) of a tuning criterion over length scales, on rows in units of their spread."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.kernels import Stationary
from bochner.tuning.clock import Clock
from bochner.tuning.coordinates import Coordinates, FreeVariances, GivenRatio, Loss
from bochner.tuning.feature_evidence import Criterion, FeatureEvidence, evidence, gcv
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.kernel_leave_one_out import KernelLeaveOneOut
from bochner.tuning.median import MEDIAN_ROWS, median_length_scale
from bochner.tuning.narrow_map import NarrowMap
from bochner.tuning.parameters import EvidenceParameters
from bochner.tuning.result import Stage
from bochner.tuning.scale_prior import Posterior, ScalePrior

__all__ = ["LEAVE_ONE_OUT", "Descent", "Size", "TuningRows", "quasi_newton", "starts", "tuning_seed"]

LEAVE_ONE_OUT = "leave-one-out errors"
"""Criterion of `KernelLeaveOneOut`, for kernels of distance."""

_CRITERIA: dict[str, Criterion] = {"evidence": evidence, "gcv": gcv}
_COPIES = 6  # of the features or of the kernel matrix, in float64, that a gradient holds
_FEWEST_ROWS, _FEWEST_FREQUENCIES = 64, 16  # however small the memory budget is
_FAR_BETTER = 0.25  # of the criterion per row
_RESTS = 2  # iterations that gain next to nothing, and end a descent
_SPREAD_OF_STARTS = 0.5  # standard deviation of the perturbed starts, in the logarithm of a scale


@dataclass(frozen=True)
class TuningRows:
    """Rows in units of their columns' spread (one for all without ARD), targets of mean 0 and variance 1."""

    X: Array
    Y: Array
    weight: Array | None
    unit: Array
    per_feature: bool

    @classmethod
    def of(cls, X: Rows, Y: Array, sample_weight: Array | None, per_feature: bool) -> TuningRows:
        present = np.arange(X.shape[0]) if sample_weight is None else np.flatnonzero(sample_weight)
        rows = dense(X[present], float)
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
    """The sizes, with 1 in place of those that are 0 or not finite."""
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


@dataclass(frozen=True)
class Size:
    """Size of a descent: rows, frequencies (None: the kernel itself, which must be isotropic) and iterations.

    It begins at the best of its start and of all scales of the start times one of the factors.
    """

    rows: int
    frequencies: int | None
    iterations: int
    factors: tuple[float, ...] = ()

    @property
    def bytes(self) -> int:
        """Memory of the criterion and its gradient: copies of the features and their moments, or of the kernel."""
        if self.frequencies is None:
            return 8 * _COPIES * self.rows**2
        width = 2 * self.frequencies
        return 8 * (_COPIES * self.rows * width + 3 * width**2)

    def within(self, share: float) -> Size:
        """The size with fewer rows and frequencies, if it takes more than a share of the memory budget."""
        shrunk = np.sqrt(min(1.0, share * get_config().memory_budget() / self.bytes))
        frequencies = None if self.frequencies is None else max(_FEWEST_FREQUENCIES, int(shrunk * self.frequencies))
        return replace(self, rows=max(_FEWEST_ROWS, int(shrunk * self.rows)), frequencies=frequencies)


@dataclass(frozen=True)
class Descent:
    """A quasi-Newton descent (L-BFGS-B) of the criterion, and of a prior beside it if there is one, from a start.

    It also ends after two iterations in a row that have gained at most `settled`.
    """

    data: TuningRows
    kernel: Stationary
    start: EvidenceParameters
    seed: int
    criterion: str
    penalty: float | None
    clock: Clock
    prior: ScalePrior | None = None
    settled: float = 0.0

    def run(self, size: Size) -> Stage:
        surface = self._surface(size)
        total = float(len(surface.Y) if surface.weight is None else np.sum(surface.weight))
        criterion = surface if self.prior is None else Posterior(surface, self.prior, total)
        loss = FreeVariances(criterion) if self.penalty is None else GivenRatio(criterion, np.log(self.penalty))
        start, first = self._first(loss, size)
        end, losses = quasi_newton(
            loss,
            loss.vector(start),
            first,
            loss.bounds(start),
            self.clock,
            iterations=size.iterations,
            settled=self.settled,
        )
        return Stage(self.kernel, len(surface.Y), surface.n_frequencies, losses, loss.parameters(end).to_vector())

    def _first(self, loss: Coordinates, size: Size) -> tuple[EvidenceParameters, float]:
        """The start, or the first of some shorter scales that is far better: at too long ones, all is noise."""
        starts = [self.start, *(self.start.stretched(np.log(factor)) for factor in size.factors)]
        losses = np.nan_to_num([loss(loss.vector(start))[0] for start in starts], nan=np.inf, posinf=np.inf)
        best = int(np.flatnonzero(losses <= np.min(losses) + _FAR_BETTER)[0])
        return starts[best], float(losses[best])

    def _surface(self, size: Size) -> FeatureEvidence | KernelEvidence | KernelLeaveOneOut:
        data, d = self.data, self.data.X.shape[1]
        rows = slice(0, size.rows)
        weight = None if data.weight is None else data.weight[rows]
        if size.frequencies is None and KernelEvidence.is_for(self.kernel):
            surface = KernelLeaveOneOut if self.criterion == LEAVE_ONE_OUT else KernelEvidence
            return surface(data.X[rows], data.Y[rows], weight, self.kernel.with_length_scale(1.0))
        n = len(data.Y[rows]) if weight is None else int(np.sum(weight))  # a weight of 2 is a row given twice
        m = int(np.clip(n // 2, 16, size.frequencies))
        omega = NarrowMap.draw(self.kernel, m, d, tuning_seed(self.seed)).omega
        return FeatureEvidence(data.X[rows], data.Y[rows], weight, omega, _CRITERIA[self.criterion])


def quasi_newton(
    criterion: Loss,
    start: Array,
    first: float,
    bounds: list[tuple[float, float]],
    clock: Clock,
    *,
    iterations: int,
    smallest_gain: float = 1e-6,
    settled: float = 0.0,
) -> tuple[Array, tuple[float, ...]]:
    """L-BFGS-B within bounds, from a start where the criterion is `first`, until the clock says so.

    One small step may follow from a first guess of the curvature; two that gain at most `settled` each end it.
    Returns where it ended, and the criterion at the start and after every iteration.
    """
    losses = [first]

    def record(intermediate_result: OptimizeResult) -> None:
        losses.append(float(intermediate_result.fun))
        if clock.is_over() or (len(losses) > _RESTS and losses[-1 - _RESTS] - losses[-1] < _RESTS * settled):
            raise StopIteration

    options = {"maxiter": iterations, "maxcor": 20, "ftol": smallest_gain}
    found = minimize(criterion, start, jac=True, method="L-BFGS-B", bounds=bounds, callback=record, options=options)
    return found.x, tuple(losses)


def tuning_seed(seed: int) -> int:
    """The seed of the frequencies of a search, for a model of seed `seed`."""
    return int(generator(seed, Purpose.TUNING).integers(2**32))


def starts(data: TuningRows, kernel: Stationary, seed: int, n: int) -> list[EvidenceParameters]:
    """The median heuristic, then perturbations of it."""
    median = median_length_scale(data.X[:MEDIAN_ROWS], kernel, seed)  # rows are in random order: the first are a sample
    first = EvidenceParameters(np.full(data.n_scales, np.log(_positive(np.array(median)))), np.log(0.1), 0.0)
    rng = generator(seed, Purpose.STARTS)
    moves = _SPREAD_OF_STARTS * rng.standard_normal((n, data.n_scales))
    moves[0] = 0
    moves[1:] -= _SPREAD_OF_STARTS  # shorter: too long a scale sees noise where the function varies, and stays there
    return [first.stretched(move) for move in moves]
