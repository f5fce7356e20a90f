"""Length scales by evidence: on few rows and a narrow map from many starts, then refined on more of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import issparse
from scipy.spatial.distance import pdist

from bochner._random import Stream, generator
from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.kernels import Gaussian, Laplacian, Matern, Stationary
from bochner.planning.tuning.choice import best_kernel
from bochner.planning.tuning.clock import Clock
from bochner.planning.tuning.narrow_map import NarrowMap
from bochner.planning.tuning.surface import Criterion, Surface, evidence, gcv

__all__ = ["TUNING_ROWS", "Stage", "Tuning", "candidate_kernels", "tune"]

_CRITERIA: dict[str, Criterion] = {"evidence": evidence, "gcv": gcv}
TUNING_ROWS = 4000
_SEARCH = {False: (1000, 128, 15), True: (2000, 256, 25)}  # rows, frequencies, iterations; by whether per feature
_REFINEMENT = {False: (TUNING_ROWS, 512, 6), True: (TUNING_ROWS, 512, 12)}
_REFINEMENT_SHARE = 1.0  # of the work of the final fit: what the refinement may cost at most
_MEDIAN_ROWS = 1000
_SPREAD_OF_STARTS = 0.5  # standard deviation of the perturbed starts, in the logarithm of a scale
_REACH = np.log([1e-2, 1e3])  # how far a scale may go from its start, down and up
_NOISE = np.log([1e-8, 10.0])  # bounds of the variances, in units of the target's
_SIGNAL = np.log([1e-3, 1e4])
_DIGITS = 3  # more are not known, and rounding differences must not show


@dataclass(frozen=True)
class Stage:
    """One descent: its kernel, its size, and the criterion after every iteration (per row, lower is better).

    Attributes
    ----------
    kernel : Stationary
        Of length scale 1.
    n_rows, n_frequencies : int
    losses : tuple of float
    theta : array
        Where it ended: log scales (in units of the columns' spread), log noise, log signal; for the held-out log loss,
        log scales and the logarithm of alpha / n.
    """

    kernel: Stationary
    n_rows: int
    n_frequencies: int
    losses: tuple[float, ...]
    theta: Array

    @property
    def loss(self) -> float:
        return self.losses[-1]


@dataclass(frozen=True)
class Tuning:
    """A kernel whose scales were learned, and how.

    Attributes
    ----------
    kernel : Stationary
        With its length scales, rounded to three digits.
    length_scale : float or array of shape (n_features,)
    noise_variance, signal_variance : float or None
        As the narrow map saw them, in units of the variance of the target. The fit estimates them again at full width.
        None for a classifier.
    log_evidence : float or None
        Per row, at the last stage, for a target of variance 1; None for other criteria.
    criterion : {"evidence", "gcv", "held-out log loss"}
    stages : tuple of Stage
        Every descent: all kernels and starts first, then the refinements of the best.
    n_rows, n_frequencies : int
        Of the last stage.
    n_restarts : int
    seconds : float
    held_out_loss : float or None
        Of a classifier: mean log loss of rows that no descent held out, by a model of others.
    """

    kernel: Stationary
    length_scale: float | Array
    noise_variance: float | None
    signal_variance: float | None
    log_evidence: float | None
    criterion: str
    stages: tuple[Stage, ...]
    n_rows: int
    n_frequencies: int
    n_restarts: int
    seconds: float
    held_out_loss: float | None = None


def candidate_kernels() -> list[Stationary]:
    """The kernels that kernel="auto" chooses from, from rough to smooth."""
    return [Matern(nu=0.5), Matern(nu=1.5), Matern(nu=2.5), Gaussian()]


def tune(
    X: Any,
    Y: Array,
    kernels: list[Stationary],
    *,
    per_feature: bool,
    seed: int,
    sample_weight: Array | None = None,
    width: int = 4096,
    n_samples: int | None = None,
    criterion: str = "evidence",
    penalty: float | None = None,
    n_restarts: int | None = None,
    time_budget: float | None = None,
) -> Tuning:
    """Learn the scales of the best of some kernels from rows in memory.

    The frequencies come from a seed of their own, drawn from `seed`: those of the final map stay independent of
    everything that was tuned.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        A subsample of the rows, in random order; a part serves the search, all of them the refinement.
    Y : array of shape (n, k)
    kernels : list of Stationary
        Candidates with a length scale; the best by the criterion is kept.
    per_feature : bool
        One scale per feature (ARD) or one for all.
    seed : int
    sample_weight : array of shape (n,), default=None
    width, n_samples : int
        Size of the final fit, against which the refinements are weighed. None: as many rows as given.
    criterion : {"evidence", "gcv"}, default="evidence"
    penalty : float, default=None
        The alpha of the final fit, if it is given: the ratio of noise and signal variance, which is then not learned.
    n_restarts : int, default=None
        Starts per kernel: the median heuristic, and perturbations of it. None: two, or one if there are many kernels.
    time_budget : float, default=None
        Seconds after which no new iteration begins. Without one the result depends on the seed alone.

    Returns
    -------
    tuning : Tuning
    """
    clock = Clock(time_budget)
    n_restarts = n_restarts or (2 if len(kernels) == 1 else 1)
    data = _Data.of(X, Y, sample_weight, per_feature)
    search = [
        _Descent(data, kernel, start, seed, criterion, penalty, clock)
        for kernel in kernels
        for start in _starts(data, kernel, seed, n_restarts)
    ]
    stages: list[Stage | None] = [None] * len(search)

    def descend(i: int, _: None) -> None:
        stages[i] = search[i].run(*_SEARCH[per_feature])

    run_in_threads(descend, range(len(search)), state=lambda: None)
    done = [stage for stage in stages if stage is not None]
    best, factor = _choose(data, kernels, done, n_restarts)
    last = done[best]
    last.theta[:-2] += np.log(factor)
    if _can_refine(data, n_samples or len(data.Y), width) and not clock.is_over():
        last = replace(search[best], start=last.theta).run(*_REFINEMENT[per_feature])
        done.append(last)
    return _tuning(data, last, done, criterion, n_restarts, clock)


def _choose(data: _Data, kernels: list[Stationary], stages: list[Stage], n_restarts: int) -> tuple[int, float]:
    """The best stage and a factor for its scales: the best start of each kernel, then the best kernel."""
    losses = np.array([stage.loss for stage in stages]).reshape(len(kernels), n_restarts)
    starts = n_restarts * np.arange(len(kernels)) + np.argmin(losses, axis=1)
    if len(kernels) == 1:
        return int(starts[0]), 1.0
    learned = [stages[i].kernel.with_length_scale(np.exp(_broadcast(stages[i].theta[:-2], data))) for i in starts]
    kernel, factor = best_kernel(learned, data.X, data.Y)
    return int(starts[kernel]), factor


def _broadcast(log_scales: Array, data: _Data) -> Array:
    return np.broadcast_to(log_scales, data.X.shape[1])


@dataclass(frozen=True)
class _Data:
    """Rows in units of their columns' spread (one for all without ARD), targets of mean 0 and variance 1."""

    X: Array
    Y: Array
    weight: Array | None
    unit: Array
    per_feature: bool

    @classmethod
    def of(cls, X: Any, Y: Array, sample_weight: Array | None, per_feature: bool) -> _Data:
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
class _Descent:
    """A quasi-Newton descent (L-BFGS-B) of the criterion from a start."""

    data: _Data
    kernel: Stationary
    start: Array
    seed: int
    criterion: str
    penalty: float | None
    clock: Clock

    def run(self, n_rows: int, n_frequencies: int, iterations: int) -> Stage:
        surface = self._surface(n_rows, n_frequencies)
        free = surface if self.penalty is None else _Tied(surface, np.log(self.penalty))
        start = self.start if self.penalty is None else self.start[:-1]
        losses = [free(start)[0]]

        def record(intermediate_result: Any) -> None:
            losses.append(float(intermediate_result.fun))
            if self.clock.is_over():
                raise StopIteration

        scales = [(start + _REACH[0], start + _REACH[1]) for start in self.start[:-2]]
        found = minimize(
            free,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[*scales, tuple(_NOISE), tuple(_SIGNAL)][: len(start)],
            callback=record,
            options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-6},
        )
        theta = found.x if self.penalty is None else np.append(found.x, found.x[-1] - np.log(self.penalty))
        return Stage(self.kernel, len(surface.Y), len(surface.omega), tuple(losses), theta)

    def _surface(self, n_rows: int, n_frequencies: int) -> Surface:
        data, d = self.data, self.data.X.shape[1]
        rows = slice(0, n_rows)
        weight = None if data.weight is None else data.weight[rows]
        n = len(data.Y[rows]) if weight is None else int(np.sum(weight))  # a weight of 2 is a row given twice
        m = int(np.clip(n // 2, 16, n_frequencies))
        omega = NarrowMap.draw(self.kernel, m, d, tuning_seed(self.seed)).omega
        return Surface(data.X[rows], data.Y[rows], weight, omega, _CRITERIA[self.criterion])


@dataclass(frozen=True)
class _Tied:
    """The criterion with signal variance = noise variance / alpha, for an alpha that is given."""

    surface: Surface
    log_alpha: float

    def __call__(self, theta: Array) -> tuple[float, Array]:
        value, slope = self.surface(np.append(theta, theta[-1] - self.log_alpha))
        return value, np.append(slope[:-2], slope[-2] + slope[-1])


def tuning_seed(seed: int) -> int:
    """The seed of the frequencies of a search, for a model of seed `seed`."""
    return int(generator(seed, Stream.TUNING).integers(2**32))


def _starts(data: _Data, kernel: Stationary, seed: int, n: int) -> list[Array]:
    """The median heuristic, then perturbations of it."""
    rows = np.unique(data.X[:_MEDIAN_ROWS], axis=0)
    metric = "cityblock" if isinstance(kernel, Laplacian) else "euclidean"
    median = float(np.median(pdist(rows, metric=metric))) if len(rows) > 1 else 1.0
    first = np.append(np.full(data.n_scales, np.log(_positive(np.array(median)))), [np.log(0.1), 0.0])
    rng = generator(seed, Stream.STARTS)
    moves = _SPREAD_OF_STARTS * rng.standard_normal((n, data.n_scales))
    moves[0] = 0
    moves[1:] -= _SPREAD_OF_STARTS  # shorter: too long a scale sees noise where the function varies, and stays there
    return [first + np.append(move, [0.0, 0.0]) for move in moves]


def _can_refine(data: _Data, n_samples: int, width: int) -> bool:
    """Whether there are more rows than the search had, and the work is within that of the final fit, n D^2 + 2 D^3."""
    rows, frequencies, iterations = _REFINEMENT[data.per_feature]
    work = iterations * (3 * min(rows, len(data.Y)) + 2 * frequencies) * (2 * frequencies) ** 2
    fit = n_samples * width**2 + 2 * width**3
    return len(data.Y) > _SEARCH[data.per_feature][0] and work < _REFINEMENT_SHARE * fit


def _tuning(data: _Data, last: Stage, stages: list[Stage], criterion: str, n_restarts: int, clock: Clock) -> Tuning:
    scales = rounded(data.unit * np.exp(last.theta[:-2]))
    scale: float | Array = scales if data.per_feature else float(scales[0])
    noise, signal = np.exp(last.theta[-2:])
    return Tuning(
        kernel=last.kernel.with_length_scale(scale),
        length_scale=scale,
        noise_variance=float(noise),
        signal_variance=float(signal),
        log_evidence=-last.loss if criterion == "evidence" else None,
        criterion=criterion,
        stages=tuple(stages),
        n_rows=last.n_rows,
        n_frequencies=last.n_frequencies,
        n_restarts=n_restarts,
        seconds=clock.elapsed(),
    )


def rounded(scales: Array) -> Array:
    """Scales to three digits."""
    step = 10.0 ** (np.floor(np.log10(scales)) - _DIGITS + 1)
    return np.round(scales / step) * step
