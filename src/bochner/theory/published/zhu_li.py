"""Zhu Li (2021) as printed: feature counts, and the lemma and theorem they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import binom

from bochner.theory.base import Evidence, Published, Source, Status
from bochner.theory.counterexample import Counterexample, rate_at_least
from bochner.theory.sources import ZHU_LI

__all__ = ["ZhuLiCorollaryFeatures", "ZhuLiFeatures", "ZhuLiLemma1", "ZhuLiTheorem3"]


@dataclass(frozen=True, kw_only=True)
class _FeatureCount(Published):
    """A number of features.

    Parameters
    ----------
    d_tau : float
        Bound on the leverage: kappa^2 / lambda for plain sampling, d(lambda) for leverage-weighted sampling.
    d_lambda : float
        Effective dimension.
    delta : float
    """

    d_tau: float
    d_lambda: float
    delta: float


@dataclass(frozen=True, kw_only=True)
class ZhuLiFeatures(_FeatureCount):
    """The number of features of Theorems 1 and 2."""

    statement: ClassVar[str] = (
        "s >= 12 d_tau log(d(lambda)/delta) features give excess risk <= 2MR lambda^r + O(n^(-1/2)) w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.UNPROVED
    source: ClassVar[Source] = Source(ZHU_LI, "Theorems 1 and 2")
    evidence: ClassVar[Evidence] = Evidence.OPEN
    correction: ClassVar[str] = (
        "The proof drops a 1/2 and the 16 inside the logarithm. For r = 1/2 the count is enough where it exceeds "
        "generalization.features_for_operator_bound (from d(lambda)/delta of about 64 on, for large d_tau), and for "
        "||f~ - f_H|| <= 2R lambda^(1/2) alone from d(lambda)/delta >= 4 on, for d_tau >= 1. For r > 1/2 the proof "
        "rests on Theorem 3, which is false; whether the risk bound is, is open."
    )

    def value(self) -> float:
        return float(12 * self.d_tau * np.log(self.d_lambda / self.delta))


@dataclass(frozen=True, kw_only=True)
class ZhuLiCorollaryFeatures(_FeatureCount):
    """The number of features of Corollaries 1 and 2, which contradicts the theorems'."""

    statement: ClassVar[str] = (
        "s >= 5 d_tau log(16 d(lambda)/delta) features give excess risk <= 2MR lambda^r + O(n^(-1/2)) w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.UNPROVED
    source: ClassVar[Source] = Source(ZHU_LI, "Corollaries 1 and 2")
    evidence: ClassVar[Evidence] = Evidence.OPEN
    correction: ClassVar[str] = (
        "A factor 2 is lost and 16/3 rounded down to 5, so L_s + lambda >= (L + lambda)/2 does not follow. At r = 1/2 "
        "the count is enough for L_s + lambda >= (L + lambda)/4, hence for ||f~ - f_H|| <= 2R lambda^(1/2), if d_tau "
        ">= 1 (generalization.features_for_operator_bound with kept=1/4). No counterexample to the risk bound is "
        "known for r > 1/2."
    )

    def value(self) -> float:
        return float(5 * self.d_tau * np.log(16 * self.d_lambda / self.delta))


@dataclass(frozen=True, kw_only=True)
class ZhuLiLemma1(_FeatureCount):
    """The number of features for an operator error of eps; where d(lambda) is near delta it is too few."""

    eps: float = 0.5

    statement: ClassVar[str] = (
        "s >= (2/eps^2 + 4/(3 eps)) d_tau log(d(lambda)/delta) => "
        "||(L + lambda)^(-1/2) (L_s - L) (L + lambda)^(-1/2)|| <= eps w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(ZHU_LI, "Lemma 1")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for d(lambda) up to 1.1 delta, where few features would do, or none (d(lambda) <= delta); elsewhere not "
        "proved (the proof drops a 1/2 and the 16 inside the logarithm). Use generalization.OperatorBound."
    )

    def value(self) -> float:
        return float((2 / self.eps**2 + 4 / (3 * self.eps)) * self.d_tau * np.log(self.d_lambda / self.delta))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """Rank one: psi^2 is mu/q with probability q, else 0, so that L_s / L is a binomial variable over s q."""
        q, eps, d_lambda, delta, s = 0.01, 0.5, 0.51, 0.46, 57
        enough = s >= cls(d_tau=d_lambda / q, d_lambda=d_lambda, delta=delta, eps=eps).value()
        hits = np.arange(s + 1)
        errors = d_lambda * np.abs(hits / (s * q) - 1)  # d(lambda) = mu / (mu + lambda)
        failure = float(binom.pmf(hits, s, q)[errors > eps].sum())
        return Counterexample(
            setting=f"rank one, d(lambda) = {d_lambda}, delta = {delta}, eps = {eps}, s = {s}, psi^2 = mu/{q} w.p. {q}",
            quantity="P(operator error > eps)",
            claimed=delta,
            true_at_least=failure if enough else 0.0,
            exact=True,
            reason="log(d(lambda)/delta) is near 0, so the lemma is content with so few that most draws are all 0.",
        )


@dataclass(frozen=True, kw_only=True)
class ZhuLiTheorem3(Published):
    """The approximation error, false for r > 1/2."""

    R: float
    lam: float
    r: float

    statement: ClassVar[str] = "s >= 12 d_tau log(d(lambda)/delta) => ||f~ - f_H||_L2 <= 2 R lambda^r w.p. 1 - delta"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(ZHU_LI, "Theorem 3")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for r > 1/2: operators that do not commute are squared. For r = 1/2: generalization.ApproximationError."
    )

    def value(self) -> float:
        return float(2 * self.R * self.lam**self.r)

    @classmethod
    def counterexample(cls) -> Counterexample:
        """r = 1, one eigenvalue 1 and fifty lambda, features that are random signs times their roots."""
        lam, delta, s, n_draws = 1e-4, 0.1, 2600, 30
        mu = np.r_[1.0, np.full(50, lam)]
        d_lambda = float(np.sum(mu / (mu + lam)))  # every draw has this leverage
        claimed = cls(R=1.0, lam=lam, r=1.0).value()
        enough = s >= ZhuLiFeatures(d_tau=d_lambda, d_lambda=d_lambda, delta=delta).value()
        rng, failures = np.random.default_rng(0), 0
        for _ in range(n_draws):
            features = (2.0 * rng.integers(0, 2, (s, len(mu))) - 1) * np.sqrt(mu)
            shifted = features.T @ features / s + lam * np.eye(len(mu))
            target = np.eye(len(mu))[0]  # f_H = L g with g = f_H, the first eigenfunction: R = 1
            failures += bool(lam * np.linalg.norm(np.linalg.solve(shifted, target)) > claimed)
        return Counterexample(
            setting=f"r = R = 1, eigenvalues 1 and 50 times lambda = {lam:g}, d(lambda) = {d_lambda:.4g}, s = {s}",
            quantity=f"P(||f~ - f_H|| > {claimed:g})",
            claimed=delta,
            true_at_least=rate_at_least(failures, n_draws) if enough else 0.0,
            exact=False,
            reason=f"{failures} of {n_draws} draws.",
        )
