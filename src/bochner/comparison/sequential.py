"""Evidence against exchangeability of a stream of scores, with a bound on false alarms over all time.

Each score has a conformal p-value: its rank among the reference scores and all earlier ones, over their number N. As
long as all are exchangeable and distinct, these are independent and uniform on 1/N, ..., 1 (Vovk, Gammerman & Shafer
2005), and

    b(p) = f(p) / mean_j f(j/N),    f(p) = integral_0^1 e p^(e - 1) de = (1/p - 1 - L) / L^2,   L = log(1/p)

has mean 1. A change may come at any step s, with prior weight h(s - 1) - h(s), h(t) = 1 / (1 + log(1 + t)):

    evidence_t = sum_{s <= t} (h(s - 1) - h(s)) prod_{r = s}^t b(p_r)  +  h(t)

is a martingale that starts at 1. So P(evidence ever reaches 1/a) <= a (Ville's inequality), for a stream of any length,
and a change after s steps costs no more than a factor of the order s log(s)^2.

*Ties.* Tell equal scores apart by independent uniform numbers U_i: the pairs (S_i, U_i) are exchangeable and distinct,
so their p-values q_t are independent and uniform. Ours count every tie as larger,

    p_t = #{i <= t: S_i >= S_t} / N  >=  #{i <= t: (S_i, U_i) >= (S_t, U_t)} / N = q_t,

and b decreases, so b(p_t) <= b(q_t) at every step and our evidence is never above a martingale that starts at 1: the
bound holds with ties of any kind and number. It holds too if scores that are only nearly equal count as ties, since
that makes p_t no smaller; and it then holds for scores with rounding errors of up to half that distance.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

import numpy as np

from bochner._typing import Array

__all__ = ["ConformalEvidence", "bet"]

_EXACT_RANKS = 512


class ConformalEvidence:
    """Evidence that scores, large when something is wrong, have stopped being exchangeable with those before.

    Attributes
    ----------
    scores : list of float
        All scores so far, the reference included, in order of size.
    steps : int
        Scores observed after the reference.
    log_started : float
        Log of the part of the evidence whose change has come.
    """

    scores: list[float]
    steps: int
    log_started: float

    def __init__(self, scores: Iterable[float], steps: int = 0, log_started: float = -np.inf) -> None:
        self.scores = sorted(float(score) for score in scores)
        self.steps = steps
        self.log_started = log_started

    @property
    def log_evidence(self) -> float:
        return float(np.logaddexp(self.log_started, np.log(_not_yet(self.steps))))

    def observe(self, score: float, tie: float | None = None) -> float:
        """Add a score; its p-value.

        Ties count as larger: the p-value is no smaller than the uniform one. `tie` <= score: the smallest score that
        counts as equal, if scores have rounding errors; None: the score itself.
        """
        below = bisect_left(self.scores, score if tie is None else min(tie, score))
        pvalue = (1 + len(self.scores) - below) / (1 + len(self.scores))
        insort(self.scores, score)
        self.steps += 1
        prior = np.log(_not_yet(self.steps - 1) - _not_yet(self.steps))
        self.log_started = float(np.log(bet(pvalue, len(self.scores))) + np.logaddexp(self.log_started, prior))
        return pvalue


def _not_yet(steps: int) -> float:
    """Prior probability h(t) that the change comes after step t."""
    return float(1 / (1 + np.log1p(steps)))


def bet(pvalue: float, n_ranks: int) -> float:
    """b(p) for a p-value that is uniform on 1/N, ..., 1 with N = `n_ranks`: decreasing, and of mean 1 at most."""
    ranks = np.arange(1, min(n_ranks, _EXACT_RANKS) + 1)
    mean = float(np.sum(_density(ranks / n_ranks)) / n_ranks)
    if n_ranks > _EXACT_RANKS:  # f decreases: the integral of f from a = ranks[-1] / N bounds the rest of the sum
        a = ranks[-1] / n_ranks
        mean += 1 - (1 - a) / np.log(1 / a)
    return float(_density(np.array(pvalue)) / mean)


def _density(p: Array) -> Array:
    """f(p)."""
    L = np.maximum(-np.log(p), 1e-6)
    return np.where(L > 1e-4, (np.expm1(L) - L) / L**2, 0.5 + L / 6)
