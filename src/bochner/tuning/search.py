"""Length scales by evidence maximisation: narrow maps and few rows from many starts, then more of both."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from bochner._threads import results_in_threads
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.kernels import Gaussian, Matern, Stationary
from bochner.tuning.choice import best_kernel
from bochner.tuning.clock import Clock
from bochner.tuning.descent import Descent, Size, TuningRows, starts
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.parameters import EvidenceParameters
from bochner.tuning.result import Stage, Tuning, rounded

__all__ = ["TUNING_ROWS", "candidate_kernels", "tune"]

TUNING_ROWS = 4000
_SHORTER = (0.5, 0.25, 0.125, 0.06, 0.03)
_SEARCH = {False: Size(1000, 128, 15, _SHORTER), True: Size(2000, 256, 25, _SHORTER)}  # one scale, one per feature
_REFINEMENT = {False: Size(TUNING_ROWS, 512, 6), True: Size(TUNING_ROWS, 512, 12)}
_EXACT_SEARCH = Size(800, None, 30, _SHORTER)
_EXACT_REFINEMENT = Size(2000, None, 20)
_SEEN = 0.8  # of the rows, by the refinement; others compare its scales with one for all columns
_FEWEST_TO_COMPARE, _COMPARED = 200, 1000
_SHARE_OF_BUDGET = 0.6  # of memory, for all descents that run at once
_REFINEMENT_SHARE = 1.0  # of the work of the final fit: what the refinement may cost at most


def candidate_kernels() -> list[Stationary]:
    """The kernels that kernel="auto" chooses from, from rough to smooth."""
    return [Matern(nu=0.5), Matern(nu=1.5), Matern(nu=2.5), Gaussian()]


def tune(
    X: Rows,
    Y: Array,
    kernels: list[Stationary],
    *,
    per_feature: bool,
    seed: int,
    sample_weight: Array | None = None,
    width: int = 4096,
    n_samples: int | None = None,
    criterion: str = "evidence",
    exact: bool = False,
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
    Y : array of shape (n, t)
    kernels : list of Stationary
        Candidates with a length scale; the best by the criterion is kept.
    per_feature : bool
        One scale per feature (ARD) or one for all.
    seed : int
    sample_weight : array of shape (n,), default=None
    width, n_samples : int
        Size of the final fit, against which the refinements are weighed. None: as many rows as given.
    criterion : {"evidence", "gcv"}, default="evidence"
    exact : bool, default=False
        Whether the evidence is that of a Gaussian process with the kernel itself, on fewer rows: for Nystroem features.
        Kernels that do not depend on distance alone still have narrow maps.
    penalty : float, default=None
        The alpha of the final fit, if it is given: the ratio of noise and signal variance, which is then not learned.
    n_restarts : int, default=None
        Starts per kernel: the median heuristic, and perturbations of it; far shorter scales if they are far better.
        None: two, or one if there are many kernels.
    time_budget : float, default=None
        Seconds after which no new iteration begins. Without one the result depends on the seed alone.

    Returns
    -------
    tuning : Tuning
    """
    clock = Clock(time_budget)
    n_restarts = n_restarts or (2 if len(kernels) == 1 else 1)
    data = TuningRows.of(X, Y, sample_weight, per_feature)
    exact = all([exact, criterion == "evidence", *map(KernelEvidence.is_for, kernels)])
    points = [(kernel, start) for kernel in kernels for start in starts(data, kernel, seed, n_restarts)]
    search = [Descent(data, kernel, start, seed, criterion, penalty, clock) for kernel, start in points]
    at_once = min(get_config().threads(), len(search))
    size = (_EXACT_SEARCH if exact else _SEARCH[per_feature]).within(_SHARE_OF_BUDGET / at_once)
    done = results_in_threads([partial(descent.run, size) for descent in search])
    best, factor = _choose(data, kernels, done, n_restarts, exact)
    last = replace(done[best], theta=_parameters(done[best]).stretched(np.log(factor)).to_vector())
    refined = _refinement(data, n_samples or len(data.Y), width, exact)
    affordable = None if refined is None else refined.within(_SHARE_OF_BUDGET)
    last = _refined(search[best], last, affordable if affordable and affordable.rows > size.rows else None, done)
    if exact and per_feature:
        last = _or_common_scale(search[best], last, done)
    return _tuning(data, last, done, criterion, n_restarts, clock)


def _refined(descent: Descent, stage: Stage, size: Size | None, done: list[Stage]) -> Stage:
    """The descent from where a stage ended, if it has a size and there is time; it is recorded in `done`."""
    if size is None or descent.clock.is_over():
        return stage
    done.append(replace(descent, start=_parameters(stage)).run(size))
    return done[-1]


def _or_common_scale(descent: Descent, stage: Stage, done: list[Stage]) -> Stage:
    """The stage, or a descent of one scale for all columns if that predicts rows better that the stage has not seen."""
    if not _can_compare(descent.data, stage) or descent.clock.is_over():
        return stage
    common = replace(descent, start=descent.start.with_common_scale())
    done.append(common.run(replace(_EXACT_SEARCH, rows=stage.n_rows)))
    return min(stage, done[-1], key=lambda each: _held_out_error(descent.data, each))


def _parameters(stage: Stage) -> EvidenceParameters:
    """Parameters at the end of a stage."""
    return EvidenceParameters.from_vector(stage.theta)


def _choose(
    data: TuningRows, kernels: list[Stationary], stages: list[Stage], n_restarts: int, exact: bool
) -> tuple[int, float]:
    """The best stage and a factor for its scales: the best start of each kernel, then the best kernel."""
    losses = np.array([stage.loss for stage in stages]).reshape(len(kernels), n_restarts)
    if exact or len(kernels) == 1:
        return int(np.argmin(losses)), 1.0
    starts = n_restarts * np.arange(len(kernels)) + np.argmin(losses, axis=1)
    learned = [_with_scales(stages[i], data.X.shape[1]) for i in starts]
    kernel, factor = best_kernel(learned, data.X, data.Y)
    return int(starts[kernel]), factor


def _can_compare(data: TuningRows, stage: Stage) -> bool:
    """Whether there are rows that the stage has not seen."""
    return len(data.Y) - stage.n_rows >= _FEWEST_TO_COMPARE


def _with_scales(stage: Stage, d: int) -> Stationary:
    """The kernel of a stage, in units of the columns' spread."""
    return stage.kernel.with_length_scale(np.broadcast_to(_parameters(stage).scales, d))


def _held_out_error(data: TuningRows, stage: Stage) -> float:
    """The error on rows after those that the stage has seen: evidence of many scales can learn few rows by heart."""
    seen, others = slice(0, stage.n_rows), slice(stage.n_rows, stage.n_rows + _COMPARED)
    weight = None if data.weight is None else data.weight[seen]
    process = KernelEvidence(data.X[seen], data.Y[seen], weight, stage.kernel.with_length_scale(1.0))
    return process.prediction_error(_parameters(stage), data.X[others], data.Y[others])


def _refinement(data: TuningRows, n_samples: int, width: int, exact: bool) -> Size | None:
    """Rows and frequencies of a refinement; None: it is not worth it."""
    return _exact_refinement(data, n_samples, width) if exact else _narrow_refinement(data, n_samples, width)


def _narrow_refinement(data: TuningRows, n_samples: int, width: int) -> Size | None:
    """If there are more rows than the search had, and the work is within that of the final fit, n D^2 + 2 D^3."""
    size = _REFINEMENT[data.per_feature]
    rows, features = min(size.rows, len(data.Y)), 2 * (size.frequencies or 0)
    work = size.iterations * (3 * rows + features) * features**2
    fit = n_samples * width**2 + 2 * width**3
    return size if rows > _SEARCH[data.per_feature].rows and work < _REFINEMENT_SHARE * fit else None


def _exact_refinement(data: TuningRows, n_samples: int, width: int) -> Size | None:
    """On as many rows as the work of the final fit allows, 2 n D^2 + 2 D^3 with the whitening."""
    fit = 2 * n_samples * width**2 + 2 * width**3
    affordable = int((_REFINEMENT_SHARE * fit / (4 * _EXACT_REFINEMENT.iterations)) ** (1 / 3))  # 4 n^3 an iteration
    rows = min(_EXACT_REFINEMENT.rows, int(_SEEN * len(data.Y)), affordable)
    return replace(_EXACT_REFINEMENT, rows=rows) if rows > _EXACT_SEARCH.rows else None


def _tuning(
    data: TuningRows, last: Stage, stages: list[Stage], criterion: str, n_restarts: int, clock: Clock
) -> Tuning:
    found = _parameters(last)
    scales = rounded(data.unit * found.scales)
    scale: float | Array = scales if data.per_feature else float(scales[0])
    return Tuning(
        kernel=last.kernel.with_length_scale(scale),
        length_scale=scale,
        noise_variance=found.noise,
        signal_variance=found.signal,
        log_evidence=-last.loss if criterion == "evidence" else None,
        criterion=criterion,
        stages=tuple(stages),
        n_rows=last.n_rows,
        n_frequencies=last.n_frequencies,
        n_restarts=n_restarts,
        seconds=clock.elapsed(),
    )
