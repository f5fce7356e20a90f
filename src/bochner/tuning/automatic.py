"""Automatic scales: kernel, scales or a metric, plain or rank-warped columns, by rows that none has seen.

Columns are measured in units of their own spread: multiplying a column by a positive number, or adding one, changes
nothing. First one scale for all columns, one per column, and metrics from gradients, of the columns and of their normal
scores, with one kernel; then other kernels for the best; then that on more rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._threads import results_in_threads
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.kernels import PowerExponential, Stationary
from bochner.tuning.candidates import COMPARED, MOST_ROWS, MOST_SCALES, Candidate, CandidateSearch
from bochner.tuning.clock import Clock
from bochner.tuning.columns import Columns
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.outliers import winsorised
from bochner.tuning.principal import in_principal_directions
from bochner.tuning.result import Stage, Tuning, rounded
from bochner.tuning.search import tune

__all__ = [
    "SETTLED",
    "SHARE_OF_BUDGET",
    "column_kinds",
    "middle_kernel",
    "search_bytes",
    "standardised",
    "tune_automatically",
    "tuning_of",
]

SHARE_OF_BUDGET = 0.6
"""Of memory, for all kernel matrices at once."""

SETTLED = 3e-4
"""Of the logarithm of squared errors: with 600 rows their noise is some hundred times as much."""

_FEW = 300  # rows that keep their order
_MATRICES = 4  # of kernel values and their gradients, that a candidate holds: measured with 1,500 to 5,000 rows
_ROUNDS = 2  # of metrics
_CLOSE_RACES = 4  # kinds of scales and columns that may have the best kernel
_EXPONENTS = (0.7, 1.4)  # beside 1, that of Matern(nu=0.5)
_MANY_MORE = 1.5  # times the rows of the tuning: of fewer, a rival has been compared on nearly all


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
    metric: bool = False,
    rivals: bool = False,
    settled: float = 0.0,
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
    metric : bool, default=False
        Whether only metrics are candidates, of one column or more than 512 one scale.
    rivals : bool, default=False
        Whether one scale for all columns is told too (`Tuning.rivals`), where it may catch up with many more rows.
    settled : float, default=0
        Gain of an iteration, two of which in a row end a descent of leave-one-out errors (`SETTLED`).
    """
    rows, Y, weight = dense(X, float), np.asarray(Y), sample_weight
    if len(rows) > _FEW:  # in case that they are in an order of their own
        order = generator(seed, Purpose.TUNING_ROWS).permutation(len(rows))
        rows, Y, weight = rows[order], Y[order], None if weight is None else weight[order]
    if not all(map(KernelEvidence.is_for, kernels)):
        plain = Columns.plain(rows, weight)
        common: dict[str, Any] = {"seed": seed, "sample_weight": weight, "width": width, "penalty": penalty}
        return tune(plain.X, Y, kernels, per_feature=False, n_samples=n_samples, **common).in_units(plain.unit)
    if rows.shape[1] > MOST_SCALES:  # of one scale for all, no more rows are used
        rows, Y, weight = rows[:COMPARED], Y[:COMPARED], None if weight is None else weight[:COMPARED]
    share = SHARE_OF_BUDGET / get_config().threads()
    search = CandidateSearch(standardised(Y, weight), weight, seed, penalty, Clock(None), share, settled)
    rivals = rivals and n_samples is not None and n_samples >= _MANY_MORE * len(rows)
    best, simple, stages = _searched(search, column_kinds(rows, weight, warps), kernels, metric, rivals)
    return replace(tuning_of(best, stages, search), rivals=tuple(tuning_of(each, [], search) for each in simple))


def search_bytes(n_rows: int) -> int:
    """Memory of a search at its peak: the matrices of the most rows that are learned from, one candidate a thread."""
    matrices = get_config().threads() * _MATRICES * 8 * min(n_rows, MOST_ROWS) ** 2
    return int(min(matrices, SHARE_OF_BUDGET * get_config().memory_budget()))


def column_kinds(rows: Array, weight: Array | None, warps: bool) -> list[Columns]:
    """Columns as they are and, if some are uneven, ranked; of too many to learn the scale of each, in two units."""
    plain = Columns.plain(rows, weight)
    if rows.shape[1] > MOST_SCALES:
        return [plain.rotated(), Columns.in_ranges(rows).rotated()]
    return [plain, Columns.ranked(rows)] if warps and _gains_from_ranks(rows) else [plain]


def _searched(
    search: CandidateSearch, kinds: list[Columns], kernels: list[Stationary], metric: bool, rivals: bool
) -> tuple[Candidate, list[Candidate], list[Stage]]:
    """The best candidate and its rivals, learned on from more rows, and all descents."""
    middle, stages = middle_kernel(kernels), list[Stage]()

    def leaders_of(*candidates: Candidate, most: int = 1) -> list[Candidate]:
        stages.extend(each.stage for each in candidates if not any(each.stage is known for known in stages))
        return search.leaders(list(candidates), most)

    def with_kernels(best: Candidate, others: list[Stationary]) -> Candidate:
        found = results_in_threads([partial(search.with_kernel, best, each) for each in others])
        return leaders_of(best, *found)[0]

    def with_best_kernel(best: Candidate) -> Candidate:
        best = with_kernels(best, [kernel for kernel in kernels if kernel is not middle])
        return with_kernels(best, _between(best.stage.kernel, kernels))

    def of_kind(columns: Columns) -> list[Candidate]:
        scales = search.of_columns(columns, middle)
        turned = [] if search.few and not metric else search.metrics(scales[0], _ROUNDS)
        return turned or scales if metric else [*scales, *turned]

    found = results_in_threads([partial(of_kind, kind) for kind in kinds])
    if not metric and len(kernels) > 1:
        found.append([search.of_long_scale(kinds[0])])
    leaders = leaders_of(*chain(*found), most=_CLOSE_RACES)
    best = with_best_kernel(leaders[0])
    if search.few:
        return best, [], stages
    if best.columns.n_columns > MOST_SCALES:
        best, *tried = in_principal_directions(search, best)
        stages.extend(each.stage for each in tried)
        return search.refined(best), [], stages
    others = results_in_threads([partial(search.with_kernel, each, best.stage.kernel) for each in leaders[1:]])
    finalists = leaders_of(best, *others, most=2)
    simple = search.rival(finalists[0]) if rivals else None
    last = [*finalists, *([] if simple is None else [simple])]
    refined = results_in_threads([partial(search.refined, each) for each in last])
    finalists, rival = refined[: len(finalists)], refined[len(finalists) :]
    stages.extend(each.stage for each in finalists)
    return search.best_refined(finalists), rival, stages


def _between(kernel: Stationary, kernels: list[Stationary]) -> list[Stationary]:
    """Kernels beside the roughest of several, if that is the best: a rougher one, and a smoother one."""
    if len(kernels) == 1 or kernel is not kernels[0]:
        return []
    return [PowerExponential(exponent=exponent) for exponent in _EXPONENTS]


def middle_kernel(kernels: list[Stationary]) -> Stationary:
    """The kernel to begin with, neither the roughest nor the smoothest."""
    return kernels[(len(kernels) - 1) // 2]


def _gains_from_ranks(X: Array) -> bool:
    """Whether a column is more than two values: ranks of those are two values again."""
    low, high = X.min(axis=0), X.max(axis=0)
    return bool(np.any((low < X) & (high > X)))


def standardised(Y: Array, weight: Array | None) -> Array:
    """Targets without outliers, of mean 0 and mean square 1 over all of them: those of rare classes stay small."""
    targets = winsorised(np.asarray(Y, dtype=float).reshape(len(Y), -1), weight)
    targets = targets - np.average(targets, axis=0, weights=weight)
    size = float(np.sqrt(np.mean(np.average(targets**2, axis=0, weights=weight))))
    return targets / size if size > 0 else targets


def tuning_of(best: Candidate, stages: list[Stage], search: CandidateSearch) -> Tuning:
    """What a search found."""
    found, columns = best.parameters, best.columns
    kernel, scale = columns.kernel(best.stage.kernel, found.scales)
    return Tuning(
        kernel=kernel,
        length_scale=scale,
        noise_variance=float(rounded(np.array(found.noise))),
        signal_variance=float(rounded(np.array(found.signal))),
        log_evidence=best.log_evidence(search.total_weight(best.stage.n_rows)),
        criterion=f"{best.criterion}, compared by leave-one-out errors",
        stages=tuple(stages),
        n_rows=best.stage.n_rows,
        n_frequencies=None,
        n_restarts=1,
        seconds=search.clock.elapsed(),
        warped=columns.warped,
    )
