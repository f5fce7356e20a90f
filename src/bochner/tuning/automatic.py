"""Automatic scales: kernel, one scale or one per column, plain or rank-warped columns, by rows that none has seen.

Candidates are learned by the evidence of the exact kernel on some hundred rows. They are then compared by exact
leave-one-out errors of a Gaussian process on more rows,

    e_i = a_i / (C^-1)_ii,     a = C^-1 y,     C = signal K + noise / weight,

counting only rows that no candidate was learned from. Up to 300 rows all of them learn, and candidates are compared by
their evidence less (number of scales) log(n) / 2 (Schwarz 1978): a weight of 2 is then a row given twice. Columns are
measured in units of their own spread: multiplying a column by a positive number, or adding one, changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._threads import results_in_threads
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.features import RankWarp
from bochner.kernels import Stationary
from bochner.tuning.clock import Clock
from bochner.tuning.descent import Descent, Size, TuningRows, starts
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.parameters import EvidenceParameters
from bochner.tuning.result import Stage, Tuning, rounded
from bochner.tuning.search import tune

__all__ = ["Columns", "tune_automatically"]

_LEARNED, _COMPARED, _REFINED = 400, 1000, 800  # rows of the search, of the comparison (with those), of the refinement
_FEWEST_COMPARED = 100  # of the rows of the comparison that none was learned from, however small the memory budget is
_SHARE_OF_BUDGET = 0.6  # of memory, for all kernel matrices at once
_FEW, _SHARE = 300, 0.6  # rows of which all learn; the share that does of some more
_SHORTER = (0.25, 0.06)
_COMMON, _PER_COLUMN, _OTHER_KERNEL, _LAST = 12, 25, 10, 8  # iterations
_MOST_SCALES = 512  # columns up to which each is looked at by itself: scales of their own, ranks
_LOST = 1.0  # minus log evidence per row by which a kernel that starts from another's scales has failed to
_CAUTION = 0.25  # standard errors by which a candidate must be better than a simpler one


@dataclass(frozen=True)
class Columns:
    """Rows as a candidate sees them: columns in units of their spread, or their normal scores."""

    X: Array
    unit: Array
    warped: bool

    @classmethod
    def plain(cls, X: Array, weight: Array | None) -> Columns:
        centred = X - np.average(X, axis=0, weights=weight)
        spread = np.sqrt(np.average(centred**2, axis=0, weights=weight))
        unit = np.where((spread > 0) & np.isfinite(spread), spread, 1.0)
        return cls(centred / unit, unit, warped=False)

    @classmethod
    def ranked(cls, X: Array) -> Columns:
        return cls(RankWarp.of(np.unique(X, axis=0))(X), np.ones(X.shape[1]), warped=True)


@dataclass(frozen=True)
class _Candidate:
    """A kernel whose scales were learned, on columns of one kind."""

    columns: Columns
    stage: Stage

    @property
    def parameters(self) -> EvidenceParameters:
        return EvidenceParameters.from_vector(self.stage.theta)

    def schwarz_criterion(self, n: float) -> float:
        """Minus the log evidence per row, with what as many scales gain by chance."""
        return self.stage.loss + len(self.parameters.log_scales) * np.log(max(n, 2.0)) / (2 * max(n, 1.0))


@dataclass(frozen=True)
class _Search:
    """Targets, weights and sizes that all candidates share."""

    Y: Array
    weight: Array | None
    n_learned: int
    seed: int
    penalty: float | None
    clock: Clock
    n_compared: int = _COMPARED

    def descend(self, columns: Columns, kernel: Stationary, start: EvidenceParameters, size: Size) -> _Candidate:
        rows = TuningRows(columns.X, self.Y, self.weight, columns.unit, len(start.log_scales) > 1)
        descent = Descent(rows, kernel, start, self.seed, "evidence", self.penalty, self.clock)
        return _Candidate(columns, descent.run(size))

    def of_columns(self, columns: Columns, kernel: Stationary) -> list[_Candidate]:
        """One scale for all columns, then one per column from there."""
        distinct, d = np.unique(columns.X, axis=0), columns.X.shape[1]  # a row given twice is no closer to others
        rows = TuningRows(distinct, self.Y, None, columns.unit, False)
        size = Size(self.n_learned, None, _COMMON, _SHORTER)
        common = self.descend(columns, kernel, starts(rows, kernel, self.seed, 1)[0], size)
        if not 1 < d <= _MOST_SCALES:
            return [common]
        spread = replace(common.parameters, log_scales=np.repeat(common.parameters.log_scales, d))
        return [common, self.descend(columns, kernel, spread, Size(self.n_learned, None, _PER_COLUMN))]

    def with_kernel(self, candidate: _Candidate, kernel: Stationary) -> _Candidate:
        """The same columns and number of scales with another kernel; learned anew where it cannot start from there.

        Long scales of a rough kernel make the matrix of a smooth one singular, and its evidence has no slope there.
        """
        size = Size(self.n_learned, None, _OTHER_KERNEL)
        found = self.descend(candidate.columns, kernel, _stretched(candidate, kernel), size)
        if found.stage.loss < candidate.stage.loss + _LOST:
            return found
        n_scales = len(candidate.parameters.log_scales)
        anew = [
            each for each in self.of_columns(candidate.columns, kernel) if len(each.parameters.log_scales) == n_scales
        ]
        return min([found, *anew], key=lambda each: each.stage.loss)

    def best(self, candidates: list[_Candidate]) -> _Candidate:
        """The candidate that predicts rows best that it was not learned from; of few rows, by the Schwarz criterion."""
        if len(candidates) == 1:
            return candidates[0]
        if self.n_learned == len(self.Y):
            n = float(len(self.Y) if self.weight is None else np.sum(self.weight))
            return min(candidates, key=lambda each: each.schwarz_criterion(n))
        return _best(candidates, results_in_threads([partial(self.errors, each) for each in candidates]))

    def errors(self, candidate: _Candidate) -> Array:
        """Squared leave-one-out errors of the rows that the candidate was not learned from, summed over targets."""
        rows = slice(0, self.n_compared)
        weight = None if self.weight is None else self.weight[rows]
        process = KernelEvidence(candidate.columns.X[rows], self.Y[rows], weight, candidate.stage.kernel)
        return process.leave_one_out(candidate.parameters)[self.n_learned :]


def tune_automatically(
    X: Rows,
    Y: Array,
    kernels: list[Stationary],
    *,
    seed: int,
    sample_weight: Array | None = None,
    width: int = 4096,
    n_samples: int | None = None,
    penalty: float | None = None,
    warps: bool = True,
) -> Tuning:
    """Learn kernel, scales and whether columns are warped, from rows in memory in random order.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    Y : array of shape (n, t)
        Targets; of a classifier, indicators of the classes.
    kernels : list of Stationary
        Candidates. Those that do not depend on distance alone are learned by narrow maps, one scale in units of the
        columns' spreads.
    seed, width, n_samples : int
        Of the final fit.
    sample_weight : array of shape (n,), default=None
    penalty : float, default=None
        The alpha of the final fit, if it is given.
    warps : bool, default=True
        Whether rank-warped columns are tried, up to 512 of them.
    """
    rows, weight = dense(X, float), sample_weight
    if len(rows) > _FEW:  # in case that they are in an order of their own
        order = generator(seed, Purpose.TUNING_ROWS).permutation(len(rows))
        rows, Y, weight = rows[order], np.asarray(Y)[order], None if weight is None else weight[order]
    plain = Columns.plain(rows, weight)
    if not all(map(KernelEvidence.is_for, kernels)):
        common: dict[str, Any] = {"seed": seed, "sample_weight": weight, "width": width, "penalty": penalty}
        return _in_units(tune(plain.X, Y, kernels, per_feature=False, n_samples=n_samples, **common), plain.unit)
    clock, n = Clock(None), len(rows)
    n_learned = n if n <= _FEW else min(_LEARNED, int(_SHARE * n))
    compared = Size(_COMPARED, None, 0).within(_SHARE_OF_BUDGET / get_config().threads()).rows
    n_compared = max(compared, n_learned + _FEWEST_COMPARED)
    search = _Search(_standardised(Y, weight), weight, n_learned, seed, penalty, clock, n_compared)
    warps = warps and rows.shape[1] <= _MOST_SCALES
    kinds = [plain, *([Columns.ranked(rows)] if warps and _gains_from_ranks(rows) else [])]
    middle = _middle(kernels)
    found = list(chain(*results_in_threads([partial(search.of_columns, kind, middle) for kind in kinds])))
    best, others = search.best(found), [kernel for kernel in kernels if kernel is not middle]
    rivals = [best, *results_in_threads([partial(search.with_kernel, best, kernel) for kernel in others])]
    best = search.best(rivals)
    stages = [candidate.stage for candidate in [*found, *rivals[1:]]]
    if n_learned < n:
        size = Size(_REFINED, None, _LAST).within(_SHARE_OF_BUDGET)
        best = search.descend(best.columns, best.stage.kernel, best.parameters, size)
        stages.append(best.stage)
    return _tuning(best, stages, clock)


def _best(candidates: list[_Candidate], errors: list[Array]) -> _Candidate:
    """The candidate of the smallest mean error; the first one unless another is better beyond noise."""
    means = np.array([float(np.mean(each)) if len(each) else 0.0 for each in errors])
    best = int(np.argmin(np.where(np.isfinite(means), means, np.inf)))
    gain = errors[0] - errors[best]
    noise = float(np.std(gain)) / np.sqrt(max(1, len(gain)))
    return candidates[best if np.mean(gain) > _CAUTION * noise else 0]


def _middle(kernels: list[Stationary]) -> Stationary:
    """The kernel to begin with, neither the roughest nor the smoothest."""
    return kernels[(len(kernels) - 1) // 2]


def _stretched(candidate: _Candidate, kernel: Stationary) -> EvidenceParameters:
    """The scales of a candidate as a start for another kernel: the distance at which it is a half stays."""
    factor = _half_distance(candidate.stage.kernel) / _half_distance(kernel)
    return candidate.parameters.stretched(np.log(factor))


def _half_distance(kernel: Stationary) -> float:
    """Scaled distance at which the kernel has fallen to a half."""
    profile = kernel.of_distance()
    assert profile is not None
    r = np.geomspace(1e-2, 1e2, 2000)
    return float(r[np.argmax(profile.with_length_scale(1.0).profile(r) < 0.5)])


def _gains_from_ranks(X: Array) -> bool:
    """Whether a column is more than two values: ranks of those are two values again."""
    low, high = X.min(axis=0), X.max(axis=0)
    return bool(np.any((low < X) & (high > X)))


def _standardised(Y: Array, weight: Array | None) -> Array:
    """Targets of mean 0 and mean square 1 over all of them: those of rare classes stay small."""
    targets = np.asarray(Y, dtype=float).reshape(len(Y), -1)
    targets = targets - np.average(targets, axis=0, weights=weight)
    size = float(np.sqrt(np.mean(np.average(targets**2, axis=0, weights=weight))))
    return targets / size if size > 0 else targets


def _in_units(tuning: Tuning, unit: Array) -> Tuning:
    """A tuning of columns in units of their spread, for the columns themselves."""
    scale = unit * tuning.length_scale
    return replace(tuning, kernel=tuning.kernel.with_length_scale(scale), length_scale=scale)


def _tuning(best: _Candidate, stages: list[Stage], clock: Clock) -> Tuning:
    found, columns = best.parameters, best.columns
    scale = rounded(np.broadcast_to(found.scales, columns.unit.shape)) * columns.unit
    return Tuning(
        kernel=best.stage.kernel.with_length_scale(scale),
        length_scale=scale,
        noise_variance=found.noise,
        signal_variance=found.signal,
        log_evidence=-best.stage.loss,
        criterion="evidence, compared by leave-one-out errors",
        stages=tuple(stages),
        n_rows=best.stage.n_rows,
        n_frequencies=None,
        n_restarts=1,
        seconds=clock.elapsed(),
        warped=columns.warped,
    )
