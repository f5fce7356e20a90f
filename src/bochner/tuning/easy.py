"""Short automatic search for classes that are easily told apart, where a longer one has nothing to gain.

One scale for all columns is learned on 400 rows, of the columns and of their normal scores. With k of m other rows
taken for another class by models without them, the share of mistakes is below u with a confidence of 95 % (Clopper &
Pearson 1934),

    P(Binomial(m, u) <= k) = 0.05

and no kernel can gain more than that. If u is at most 2 %, and a tenth of the mistakes of the most frequent class, one
scale per column is learned too, and what predicts other rows best is kept: no other kernels, no metrics, no more rows.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bochner._binomial import rate_at_most
from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._threads import results_in_threads
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.kernels import Stationary
from bochner.tuning.automatic import SETTLED, SHARE_OF_BUDGET, column_kinds, middle_kernel, standardised, tuning_of
from bochner.tuning.candidates import MOST_SCALES, Candidate, CandidateSearch, best_of
from bochner.tuning.clock import Clock
from bochner.tuning.columns import Columns
from bochner.tuning.descent import LEAVE_ONE_OUT, Size
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.result import Tuning

__all__ = ["EASY_ROWS", "largest_share", "tune_easily"]

EASY_ROWS = 1600
"""Rows of the short search; those that no scale is learned from count mistakes, a thousand of them."""

_MOST = 0.02
_OF_MAJORITY = 0.1
_CONFIDENCE = 0.95


def tune_easily(
    X: Rows, Y: Array, sample_weight: Array | None, kernels: list[Stationary], *, seed: int, warps: bool = True
) -> Tuning | None:
    """Kernel and scales of classes by a short search; None if they are not so easy that it will do.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    Y : array of shape (n, t)
        Indicators of the classes, or of the second of two.
    sample_weight : array of shape (n,) or None
    kernels : list of Stationary
        Candidates of the long search: the middle one is taken.
    seed : int
    warps : bool, default=True
        Whether rank-warped columns are tried.
    """
    share = SHARE_OF_BUDGET / get_config().threads()
    affordable = Size(EASY_ROWS, None, 0).within(share).rows >= EASY_ROWS
    if len(Y) < EASY_ROWS or not affordable or not all(map(KernelEvidence.is_for, kernels)):
        return None
    order = generator(seed, Purpose.TUNING_ROWS).permutation(len(Y))[:EASY_ROWS]
    rows, weight = dense(X[order], float), None if sample_weight is None else sample_weight[order]
    search = CandidateSearch(standardised(Y[order], weight), weight, seed, None, Clock(None), share, SETTLED)
    return _searched(search, column_kinds(rows, weight, warps), middle_kernel(kernels))


def _searched(search: CandidateSearch, kinds: list[Columns], kernel: Stationary) -> Tuning | None:
    """The best of one scale for columns of each kind, and of one per column from there; None: that may not do."""
    tried = results_in_threads([partial(search.of_one_scale, kind, kernel) for kind in kinds])
    errors = results_in_threads([partial(_errors, search, each) for each in tried])
    best = _best(errors)
    if not _is_easy(search, errors[best]):
        return None
    if 1 < kinds[0].n_columns <= MOST_SCALES:
        tried.append(search.with_scale_per_column(tried[best], LEAVE_ONE_OUT))
        errors.append(_errors(search, tried[-1]))
        best = _best(errors)
    return tuning_of(tried[best], [each.stage for each in tried], search)


def _best(errors: list[Array]) -> int:
    """The candidate of the smallest squared errors."""
    return best_of([np.sum(each**2, axis=1) for each in errors])


def _errors(search: CandidateSearch, candidate: Candidate) -> Array:
    """Leave-one-out errors (m, t) of the rows that no scale is learned from."""
    n = len(search.Y)
    return search.process(candidate, n).leave_one_out_errors(candidate.parameters, n - search.n_learned(LEAVE_ONE_OUT))


def _is_easy(search: CandidateSearch, errors: Array) -> bool:
    """Whether the share of mistakes is below the limits, with confidence."""
    shifted = search.Y - search.Y.min(axis=0)  # indicators, up to a factor that is the same for all
    own, weight = shifted[-len(errors) :], None if search.weight is None else search.weight[-len(errors) :]
    mistakes = (_classes(own, shifted) != _classes(own - errors, shifted)).astype(float)
    of_classes = np.average(shifted > 0, axis=0, weights=search.weight)
    rare = min(of_classes[0], 1 - of_classes[0]) if len(of_classes) == 1 else 1 - np.max(of_classes)
    return largest_share(mistakes, weight) <= min(_MOST, _OF_MAJORITY * float(rare))


def _classes(scores: Array, indicators: Array) -> Array:
    """The class of the largest score; of two, whether the score of the second is above a half."""
    return scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > indicators.max() / 2).astype(np.intp)


def largest_share(mistakes: Array, weight: Array | None) -> float:
    """Upper confidence limit of the share of mistakes, given as 0 or 1 (m,); of weights, with as many rows as count.

    That is (sum w)^2 / sum w^2 rows (Kish 1965).
    """
    own = np.ones(len(mistakes)) if weight is None else weight
    m, share = float(np.sum(own) ** 2 / np.sum(own**2)), float(np.average(mistakes, weights=own))
    return float(rate_at_most(share * m, m, 1 - _CONFIDENCE))
