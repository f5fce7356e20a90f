"""Li & Honorio (2017), theorems and Corollary 1, as printed; m is their D, the number of frequencies.

Gaussian kernel of length scale 1, R the largest ||x - y||.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gamma

from bochner.theory.base import Evidence, Published, Source, Status
from bochner.theory.counterexample import Counterexample
from bochner.theory.lower import impossibility_lower_bound, separation
from bochner.theory.sources import LI_HONORIO

__all__ = [
    "ALL_COSINES",
    "LiHonorioCorollary1",
    "LiHonorioTheorem1",
    "LiHonorioTheorem1Line",
    "LiHonorioTheorem2",
    "LiHonorioTheorem3",
    "li_honorio_thm1",
]

ALL_COSINES = "With m <= d frequencies some u with ||u|| <= R has every cosine at -1 (lower.Impossibility)."


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
    """The dimension-free uniform bound. False for d > 1 (`lower.Impossibility`), true for d = 1."""

    statement: ClassVar[str] = (
        "P(sup over ||u|| <= R of |s - k| >= eps) <= 3 R^(2/3) m^(-1/3) eps^(-2/3) exp(-m eps^2/12)"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 1")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for d > 1: the supremum over directions is not that over one line. For d = 1 the printed proof fails "
        "too (it takes E sup f'^2 for sup E f'^2), but the statement is true. Use uniform.AnchoredCover, or "
        "finite_set, which is dimension-free; line.LineSupremum for a line."
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
            reason=ALL_COSINES,
        )


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem1Line(_DimensionFreeTail):
    """Theorem 1 for inputs of one dimension: true, by another proof than the printed one."""

    statement: ClassVar[str] = (
        "d = 1: P(sup over |u| <= R of |s - k| >= eps) <= 3 R^(2/3) m^(-1/3) eps^(-2/3) exp(-m eps^2/12)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 1, d = 1")
    correction: ClassVar[str] = (
        "The printed proof is not one: it takes sup E f'^2 for E sup f'^2, which is larger, and a number of intervals "
        "that is not an integer. The statement follows from Hoeffding's lemma and the slope of exp(lambda f) "
        "(docs/theory). line.LineSupremum is smaller."
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
        """The integral of Theorem 1 over eps: (3/2) 12^(1/6) Gamma(1/6) R^(2/3) / sqrt(m)."""
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
            reason=ALL_COSINES,
        )
