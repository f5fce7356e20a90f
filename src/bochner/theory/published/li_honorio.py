"""Li & Honorio (2017) as printed. Symbols are the paper's, except m for their D, the number of frequencies.

Gaussian kernel of length scale 1, R the largest ||x - y||.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gamma, lambertw

from bochner.theory.base import Evidence, Published, Source, Status
from bochner.theory.counterexample import Counterexample, rate_at_least
from bochner.theory.lower import impossibility_lower_bound, separation
from bochner.theory.published.two_clusters import prediction_errors
from bochner.theory.sources import LI_HONORIO

__all__ = [
    "LiHonorioCorollary1",
    "LiHonorioEq7",
    "LiHonorioEq8",
    "LiHonorioEq9",
    "LiHonorioEq10",
    "LiHonorioEq12",
    "LiHonorioTheorem1",
    "LiHonorioTheorem1Line",
    "LiHonorioTheorem2",
    "LiHonorioTheorem3",
    "li_honorio_thm1",
]

_ALL_COSINES = "With m <= d frequencies some u with ||u|| <= R has every cosine at -1 (lower.Impossibility)."


def li_honorio_thm1(m: int, R: float, eps: float) -> float:
    """3 R^(2/3) m^(-1/3) eps^(-2/3) exp(-m eps^2 / 12). Refuted for inputs of more than one dimension."""
    return LiHonorioTheorem1(m=m, R=R, eps=eps).value()


@dataclass(frozen=True, kw_only=True)
class _DimensionFreeTail(Published):
    m: int
    R: float
    eps: float

    def value(self) -> float:
        return float(3 * (self.R / self.eps) ** (2 / 3) * self.m ** (-1 / 3) * np.exp(-self.m * self.eps**2 / 12))


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem1(_DimensionFreeTail):
    """The dimension-free uniform bound. False for d > 1 (`lower.Impossibility`); for d = 1 it is open."""

    statement: ClassVar[str] = (
        "P(sup over ||u|| <= R of |s - k| >= eps) <= 3 R^(2/3) m^(-1/3) eps^(-2/3) exp(-m eps^2/12)"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 1")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for d > 1: the supremum over directions is not that over one line. For d = 1 the proof fails too (it "
        "takes E sup f'^2 for sup E f'^2) and the statement is open. Use uniform.AnchoredCover, or finite_set, which "
        "is dimension-free; uniform.LiHonorioLine for a line."
    )

    @classmethod
    def counterexample(cls) -> Counterexample:
        """P(chi2_{d-m+1} >= pi^2 m / R^2) against the claim at eps = 1."""
        m, d, R = 40, 100, 3.0
        return Counterexample(
            setting=f"m = {m} frequencies in d = {d} dimensions, R = {R:g}",
            quantity="P(sup |s - k| >= 1)",
            claimed=cls(m=m, R=R, eps=1.0).value(),
            true_at_least=impossibility_lower_bound(m, d, R),
            exact=True,
            reason=_ALL_COSINES,
        )


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem1Line(_DimensionFreeTail):
    """Theorem 1 for inputs of one dimension, where neither a proof nor a violation is known."""

    statement: ClassVar[str] = (
        "d = 1: P(sup over |u| <= R of |s - k| >= eps) <= 3 R^(2/3) m^(-1/3) eps^(-2/3) exp(-m eps^2/12)"
    )
    status: ClassVar[Status] = Status.UNPROVED
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 1, d = 1")
    evidence: ClassVar[Evidence] = Evidence.OPEN
    correction: ClassVar[str] = (
        "The proof takes sup E f'^2 for E sup f'^2, which is larger, and a number of intervals that is not an "
        "integer. Use uniform.AnchoredCover or uniform.LiHonorioLine."
    )


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem2(Published):
    """The minimax lower bound, true but exponentially weak."""

    m: int
    R: float

    statement: ClassVar[str] = "inf sup E|estimate - k| >= g(R)/8 exp(-m/2)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 2")
    correction: ClassVar[str] = "True. lower.MinimaxError optimises the free ratio and decays as 1/sqrt(m)."

    def value(self) -> float:
        return float(separation(self.R) / 8 * np.exp(-self.m / 2))


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem3(Published):
    """The minimax probability: true, although the printed proof ends at a constant six times smaller."""

    m: int
    R: float
    eps: float

    statement: ClassVar[str] = "inf sup P(|estimate - k| > eps) >= (g(R) - eps)/8 exp(-m/2) if g(R) >= 3 eps"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 3")
    correction: ClassVar[str] = (
        "The printed proof is not one: it ends at 1/48. The statement follows from lower.MinimaxProbability, "
        "exp(-m/2)/4 if g(R) > 2 eps, since g <= 0.595 < 2."
    )

    def value(self) -> float:
        return float((separation(self.R) - self.eps) / 8 * np.exp(-self.m / 2))


@dataclass(frozen=True, kw_only=True)
class LiHonorioCorollary1(Published):
    """The expected supremum, from Theorem 1 and with a factor 3 lost."""

    m: int
    R: float

    statement: ClassVar[str] = "E sup |s - k| <= 3^(1/6) Gamma(1/6) 2^(-2/3) R^(2/3) / sqrt(m)"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "Corollary 1")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "Inherits Theorem 1; the integral is 3^(7/6) Gamma(1/6) 2^(-2/3). Use expectation.IntegratedCover."
    )

    def value(self) -> float:
        return float(3 ** (1 / 6) * gamma(1 / 6) / 2 ** (2 / 3) * self.R ** (2 / 3) / np.sqrt(self.m))

    def integral_of_theorem1(self) -> float:
        """What integrating Theorem 1 gives: (3/2) 12^(1/6) Gamma(1/6) R^(2/3) / sqrt(m)."""
        return float(1.5 * 12 ** (1 / 6) * gamma(1 / 6) * self.R ** (2 / 3) / np.sqrt(self.m))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """An error of 1 that is nearly certain has an expectation near 1 (Markov)."""
        m, d, R = 400, 800, 5.0
        return Counterexample(
            setting=f"m = {m} frequencies in d = {d} dimensions, R = {R:g}",
            quantity="E sup |s - k|",
            claimed=cls(m=m, R=R).value(),
            true_at_least=impossibility_lower_bound(m, d, R),
            exact=True,
            reason=_ALL_COSINES,
        )


@dataclass(frozen=True, kw_only=True)
class LiHonorioEq7(Published):
    """The error of the kernel that a ridge prediction error of eps is said to need.

    Parameters
    ----------
    lam : float
        lambda of h(x) = y'(K + lambda I)^-1 k_x, not divided by the number of rows.
    spread : float
        Standard deviation of the targets (m in the paper).
    eps : float
    """

    lam: float
    spread: float
    eps: float

    statement: ClassVar[str] = (
        "P(|h^ - h| >= eps) <= P(sup |s - k| >= lambda^2 eps/((lambda + 1) m)), h = y'(K + lambda I)^-1 k_x"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "eq 7")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "Quotes Proposition 9 of Sutherland & Schneider with lambda in the place of lambda0 = lambda/n: wrong by "
        "powers of n. Use downstream.RidgePrediction."
    )

    def value(self) -> float:
        return self.lam**2 * self.eps / ((self.lam + 1) * self.spread)

    @classmethod
    def counterexample(cls) -> Counterexample:
        """A prediction error for which eq 7 asks a kernel error above 2, which no cosine has."""
        eps, sites = 4.01, {"gap": 0.02, "n_rows": 1e8, "lam": 1.0}
        errors = prediction_errors(n_frequencies=1, n_draws=400, seed=0, **sites)
        kernel_error = cls(lam=1.0, spread=1.0, eps=eps).value()
        return Counterexample(
            setting="10^8 rows at 0 and 0.02, targets 1 and -1, lambda = 1, one frequency, prediction at 1",
            quantity=f"P(|h^ - h| >= {eps})",
            claimed=0.0 if kernel_error > 2 else 1.0,
            true_at_least=rate_at_least(int(np.sum(errors >= eps)), len(errors)),
            exact=False,
            reason=f"Eq 7 bounds it by P(sup |s - k| >= {kernel_error:.4g}), which is 0: |s - k| <= 2.",
        )


@dataclass(frozen=True, kw_only=True)
class LiHonorioEq8(Published):
    """The number of frequencies for a ridge prediction error of eps, up to a constant.

    Parameters
    ----------
    lam, spread, eps : float
        As in eq 7.
    R, delta : float
    constant : float, default=1.0
        That of Omega, which is not given.
    """

    lam: float
    spread: float
    eps: float
    R: float
    delta: float
    constant: float = 1.0

    statement: ClassVar[str] = (
        "D = Omega(((lambda + 1) m/(lambda^2 eps))^2 W(R^2/delta^3)) frequencies give |h^ - h| <= eps w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "eq 8")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "Rests on Theorem 1 and eq 7, both false. With rows in two clusters the error grows without bound as they "
        "come closer and more numerous, so no constant and no D free of n will do. Use downstream.RidgePrediction "
        "with a bound of finite_set."
    )

    def value(self) -> float:
        ratio = (self.lam + 1) * self.spread / (self.lam**2 * self.eps)
        return float(self.constant * ratio**2 * np.real(lambertw(self.R**2 / self.delta**3)))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """A hundred times the printed number; clusters closer together defeat any other constant."""
        eps, delta = 1.0, 0.1
        m = int(np.ceil(cls(lam=1.0, spread=1.0, eps=eps, R=10.0, delta=delta, constant=100.0).value()))
        errors = prediction_errors(n_frequencies=m, n_draws=100, seed=0, gap=2e-3, n_rows=1e12, lam=1.0)
        return Counterexample(
            setting=f"10^12 rows at 0 and 0.002, targets 1 and -1, lambda = 1, {m} frequencies (constant 100), R = 10",
            quantity=f"P(|h^ - h| > {eps:g})",
            claimed=delta,
            true_at_least=rate_at_least(int(np.sum(errors > eps)), len(errors)),
            exact=False,
            reason="The prediction is a slope times 2 / gap, and the slope of s has an error of 1/sqrt(m).",
        )


@dataclass(frozen=True, kw_only=True)
class LiHonorioEq9(Published):
    """Theorem 1 of Sriperumbudur & Szabo as quoted: the eps that fails with probability e^-tau."""

    m: int
    d: int
    diameter: float
    sigma_p: float
    tau: float

    statement: ClassVar[str] = "P(sup |s - k| >= (h(d, S, sigma_p) + sqrt(2 tau))/sqrt(m)) <= exp(-tau), S = diameter"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(LI_HONORIO, "eq 9")
    evidence: ClassVar[Evidence] = Evidence.QUOTED
    correction: ClassVar[str] = (
        "Quoted, not re-derived; printed with the radius R where the source has the diameter. It is "
        "uniform.SriperumbudurSzabo."
    )

    def value(self) -> float:
        size, moment = np.log(2 * self.diameter + 1), np.log(self.sigma_p + 1)
        h = 32 * np.sqrt(2 * self.d * size) + 32 * np.sqrt(2 * self.d * moment) + 16 * np.sqrt(2 * self.d / size)
        return float((h + np.sqrt(2 * self.tau)) / np.sqrt(self.m))


@dataclass(frozen=True, kw_only=True)
class LiHonorioEq10(Published):
    """Eq 9 "rewritten" as a tail; `value` is its logarithm, which alone fits a float."""

    m: int
    d: int
    R: float
    sigma_p: float
    eps: float

    statement: ClassVar[str] = (
        "log P(sup |s - k| >= eps) <= 1024 d log((sigma_p + 1)(2R + 1)) - m eps^2/2 + 256 d/log(2R + 1)"
    )
    status: ClassVar[Status] = Status.UNPROVED
    source: ClassVar[Source] = Source(LI_HONORIO, "eq 10")
    evidence: ClassVar[Evidence] = Evidence.OPEN
    correction: ClassVar[str] = (
        "Does not follow from eq 9: sqrt(a) + sqrt(b) >= sqrt(a + b) goes the wrong way. Use "
        "uniform.SriperumbudurSzabo."
    )

    def value(self) -> float:
        size = np.log(2 * self.R + 1)
        prefactor = 1024 * self.d * (size + np.log(self.sigma_p + 1))
        return float(prefactor - self.m * self.eps**2 / 2 + 256 * self.d / size)


@dataclass(frozen=True, kw_only=True)
class LiHonorioEq12(Published):
    """Theorem 1 solved for eps: the error that is exceeded with probability at most e^-tau."""

    m: int
    R: float
    tau: float

    statement: ClassVar[str] = "P(sup |s - k| >= sqrt(8 log R + 12 tau + 4 log(27/4) + 4)/sqrt(m)) <= exp(-tau)"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "eq 12")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = "Theorem 1 in other words, and as false for d > 1. Use uniform.AnchoredCover."

    def value(self) -> float:
        return float(np.sqrt((8 * np.log(self.R) + 12 * self.tau + 4 * np.log(27 / 4) + 4) / self.m))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """tau is as large as it may be for an error below 1."""
        m, d, R = 100, 400, 3.0
        tau = (m - 1e-9 - 8 * np.log(R) - 4 * np.log(27 / 4) - 4) / 12
        error = cls(m=m, R=R, tau=tau).value()
        return Counterexample(
            setting=f"m = {m} frequencies in d = {d} dimensions, R = {R:g}, tau = {tau:.4g}",
            quantity=f"P(sup |s - k| >= {error:.4g})",
            claimed=float(np.exp(-tau)),
            true_at_least=impossibility_lower_bound(m, d, R) if error <= 1 else 0.0,
            exact=True,
            reason=_ALL_COSINES,
        )
