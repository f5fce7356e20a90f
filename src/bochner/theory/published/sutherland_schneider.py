"""Sutherland & Schneider (2015), Propositions 1 to 6 and 10, as printed: the supremum of the error, and its SVM.

Symbols are the paper's: D columns, ell the diameter of the region, length scale 1 where the kernel is Gaussian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import binom

from bochner.theory.base import Evidence, Published, Source, Status
from bochner.theory.counterexample import Counterexample
from bochner.theory.expectation import GAMMA
from bochner.theory.sources import SUTHERLAND_SCHNEIDER
from bochner.theory.uniform import beta, beta_phase

__all__ = [
    "SutherlandSchneiderProp1",
    "SutherlandSchneiderProp2",
    "SutherlandSchneiderProp3",
    "SutherlandSchneiderProp4",
    "SutherlandSchneiderProp5",
    "SutherlandSchneiderProp6",
    "SutherlandSchneiderProp10",
]


@dataclass(frozen=True, kw_only=True)
class _SupremumTail(Published):
    D: int
    d: int
    eps: float
    ell: float
    sigma_p: float
    largest_variance: float = 0.5


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp1(_SupremumTail):
    """The uniform bound for pairs."""

    statement: ClassVar[str] = (
        "P(sup |s - k| >= eps) <= beta_d (sigma_p ell/eps)^(2d/(d+2)) exp(-D eps^2/(8(d+2) alpha)); "
        "isotropic kernels, or d <= 3"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 1")
    assumptions: ClassVar[tuple[str, ...]] = ("isotropic kernel, or at most three dimensions",)
    scope: ClassVar[str] = "isotropic kernels, and all kernels for d <= 3"
    correction: ClassVar[str] = (
        "The printed proof is not one: E L_f^2 <= sigma_p^2 is false. The statement is true all the same if 1 + "
        "L_k/sigma_p <= (4/3) 2^(1/d), as for every isotropic kernel, or if d <= 3: the error is even and vanishes at "
        "0, so half of a smaller net is enough (docs/theory). For other kernels it is unproved: "
        "uniform.SutherlandSchneiderProp1."
    )

    def value(self) -> float:
        alpha = min(1.0, self.largest_variance + self.eps / 3)
        ratio = (self.sigma_p * self.ell / self.eps) ** (2 * self.d / (self.d + 2))
        return float(beta(self.d) * ratio * np.exp(-self.D * self.eps**2 / (8 * (self.d + 2) * alpha)))

    def real_width(self, delta: float) -> float:
        """The printed number of features."""
        alpha = min(1.0, self.largest_variance + self.eps / 3)
        logs = 2 * self.d / (self.d + 2) * np.log(self.sigma_p * self.ell / self.eps) + np.log(beta(self.d) / delta)
        return float(8 * (self.d + 2) * alpha / self.eps**2 * logs)


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp2(_SupremumTail):
    """The uniform bound for phases, printed for every eps."""

    statement: ClassVar[str] = (
        "P(sup |s - k| >= eps) <= beta'_d (sigma_p ell/eps)^(2d/(d+1)) exp(-D eps^2/(32(d+1) alpha')), any eps > 0"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 2")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for small regions: it tends to 0 with ell, the error at x = y does not. For eps <= sigma_p ell the "
        "constant sigma_p is unproved (the proof averages over phases at a maximiser that depends on them), and "
        "uniform.SutherlandSchneiderProp2 holds, with (2 sigma_p + sqrt(2) L_k)/sqrt(3) in its place."
    )

    def value(self) -> float:
        alpha = min(1.0, 1 / 8 + self.largest_variance / 4 + self.eps / 6)
        ratio = (self.sigma_p * self.ell / self.eps) ** (2 * self.d / (self.d + 1))
        return float(beta_phase(self.d) * ratio * np.exp(-self.D * self.eps**2 / (32 * (self.d + 1) * alpha)))

    def real_width(self, delta: float) -> float:
        """The printed number of features."""
        alpha = min(1.0, 1 / 8 + self.largest_variance / 4 + self.eps / 6)
        power = 2 * self.d / (self.d + 1)
        logs = power * np.log(self.sigma_p * self.ell / self.eps) + np.log(beta_phase(self.d) / delta)
        return float(32 * (self.d + 1) * alpha / self.eps**2 * logs)

    @classmethod
    def counterexample(cls) -> Counterexample:
        """One feature: s(x, x) - 1 = cos(2 omega x + 2b), with a uniform angle, wherever x is."""
        eps, ell = 0.5, 1e-4
        return Counterexample(
            setting=f"Gaussian kernel, d = 1, D = 1, two points at distance {ell:g}, eps = {eps}",
            quantity="P(sup |s - k| >= eps)",
            claimed=cls(D=1, d=1, eps=eps, ell=ell, sigma_p=1.0).value(),
            true_at_least=float(2 / np.pi * np.arccos(eps)),
            exact=True,
            reason="At x = y the error is the cosine of a uniform angle.",
        )


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp3(Published):
    """The expected supremum for pairs, Gaussian kernel, eq 8."""

    D: int
    d: int
    ell: float

    statement: ClassVar[str] = (
        "E sup |s - k| <= 24 gamma sqrt(d) ell/sqrt(D) (e^(-1/2) + sqrt(d) + sqrt(2 log(D/2))); Gaussian kernel"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 3, eq 8")
    assumptions: ClassVar[tuple[str, ...]] = ("Gaussian kernel",)
    scope: ClassVar[str] = "Gaussian kernel"
    correction: ClassVar[str] = (
        "The printed proof is not one (conditioning on max ||omega_i|| destroys E cos = k; a factor sqrt(2)). The "
        "statement is true: for D <= 535 d by |f(u)| <= ||u|| (mean ||omega|| + L_k), beyond by "
        "expectation.DudleyPaired. For other kernels Proposition 3 is unproved. expectation.IntegratedCover is far "
        "smaller."
    )

    def value(self) -> float:
        spread = np.exp(-0.5) + np.sqrt(self.d) + np.sqrt(2 * np.log(self.D / 2))
        return float(24 * GAMMA * np.sqrt(self.d) * self.ell / np.sqrt(self.D) * spread)


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp4(Published):
    """The expected supremum for phases, Gaussian kernel, with the bound of eq 8 on R.

    Parameters
    ----------
    D, d : int
    ell : float
        "Not extremely small": at least 0.1 is enough. At ell = 1e-3 and D = 100 the formula is below the truth.
    gamma : float, default=1.541
        As printed: 1.541 for a region of any shape, 0.803 for a ball.
    """

    D: int
    d: int
    ell: float
    gamma: float = 1.541

    statement: ClassVar[str] = (
        "E sup |s - k| <= 48 gamma' ell sqrt(d)/sqrt(D) (R + L), R = E max ||omega_i||, for X and D not extremely small"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 4")
    assumptions: ClassVar[tuple[str, ...]] = ("Gaussian kernel", "diameter of at least 0.1 length scales")
    scope: ClassVar[str] = "Gaussian kernel, ell >= 0.1, d <= 1000, D <= 10^8"
    correction: ClassVar[str] = (
        "True under its own caveat only, for which ell >= 0.1 is enough (Gaussian kernel, checked on a grid of d <= "
        "1000, D <= 10^8); false at ell = 0.001. The printed proof is not one, and gamma' is mis-integrated (1.735664 "
        "and 0.963941). Use expectation.DudleyPhase."
    )

    def value(self) -> float:
        spread = np.exp(-0.5) + np.sqrt(self.d) + np.sqrt(2 * np.log(self.D))
        return float(48 * self.gamma * np.sqrt(self.d) * self.ell / np.sqrt(self.D) * spread)


@dataclass(frozen=True, kw_only=True)
class _ConcentrationTail(Published):
    D: int
    mean: float
    eps: float
    wimpy_variance: float = 1.0


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp5(_ConcentrationTail):
    """Concentration of the supremum for pairs."""

    statement: ClassVar[str] = "P(sup|s-k| - E >= eps) <= 2 exp(-D eps^2/(D E + w/2 + D eps/6))"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 5")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for small D: two slips in rescaling. True where (D - 16)(E + eps/6) >= 3w/2, which "
        "expectation.Concentration implies: from D of about 100 on. Use expectation.Concentration."
    )

    def value(self) -> float:
        D, e = self.D, self.eps
        return float(2 * np.exp(-D * e**2 / (D * self.mean + self.wimpy_variance / 2 + D * e / 6)))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """k(u) = 1 - p + p cos(w u): sup |s - k| = 2 |share of the frequencies at w - p|."""
        D, p = 2, 0.01
        hits = np.arange(D // 2 + 1)
        chance, supremum = binom.pmf(hits, D // 2, p), 2 * np.abs(hits / (D // 2) - p)
        mean = float(chance @ supremum)
        eps = float(supremum[-1] - mean)
        return Counterexample(
            setting=f"k(u) = 1 - p + p cos(w u), p = {p}, X = [0, pi/w], D = {D}, eps = {eps:.4f}",
            quantity="P(sup |s - k| - E >= eps)",
            claimed=cls(D=D, mean=mean, eps=eps, wimpy_variance=8 * p * (1 - p)).value(),
            true_at_least=float(chance[supremum - mean >= eps].sum()),
            exact=True,
            reason="At u = pi/w a frequency has cosine 1 with probability 1 - p and -1 with probability p.",
        )


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp6(_ConcentrationTail):
    """Concentration of the supremum for phases."""

    statement: ClassVar[str] = "P(sup|s-k| - E >= eps) <= 2 exp(-D eps^2/(4 D E/9 + (w+1)/81 + 2 D eps/27))"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 6")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for small D: two slips in rescaling. True where (D - 27)(4E/9 + 2 eps/27) >= (80/81)(1 + w), which "
        "expectation.Concentration implies: from D of about 100 on. Use expectation.Concentration."
    )

    def value(self) -> float:
        D, e = self.D, self.eps
        return float(2 * np.exp(-D * e**2 / (4 / 9 * D * self.mean + (self.wimpy_variance + 1) / 81 + 2 / 27 * D * e)))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """k(u) = 1 - p + p cos(w u) on X = [0, 2 pi/w], one feature.

        The frequency w (probability p) has an error of (1 - p)(cos wu - 1) + cos(wt + 2b), which reaches 2p - 3; the
        frequency 0 one of c + p (1 - cos wu), c = cos 2b, whose largest modulus is max(|c|, |c + 2p|) <= 1 + 2p, with
        mean (2 sin a + 2 p a)/pi, a = arccos(-p).
        """
        p = 1e-3
        angle = np.arccos(-p)
        mean = (1 - p) * (2 * np.sin(angle) + 2 * p * angle) / np.pi + p * (3 - 2 * p)
        eps = 3 - 2 * p - mean
        return Counterexample(
            setting=f"k(u) = 1 - p + p cos(w u), p = {p}, X = [0, 2 pi/w], D = 1, eps = {eps:.4f}",
            quantity="P(sup |s - k| - E >= eps)",
            claimed=cls(D=1, mean=mean, eps=eps, wimpy_variance=8 * p * (1 - p)).value(),
            true_at_least=p,
            exact=True,
            reason="The supremum is 3 - 2p with probability p, and at most 1 + 2p otherwise.",
        )


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp10(Published):
    """The change of a support vector machine's decision at a point, by that of the kernel.

    Parameters
    ----------
    c0 : float
        C0, n times the weight of a point.
    kappa : float
        sup k(x, x).
    distance : float
        ||K^ - K||_2 + ||k^_x - k_x|| + |k^(x, x) - k(x, x)|.
    """

    c0: float
    kappa: float
    distance: float

    statement: ClassVar[str] = (
        "|h^(x) - h(x)| <= sqrt2 kappa^(3/4) C0 a^(1/4) + sqrt(kappa) C0 a^(1/2), "
        "a = ||K^ - K|| + ||k^_x - k_x|| + |k^(x,x) - k(x,x)|, for every PSD K^"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 10")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "kappa must bound k^(x, x) as well: true for pairs, whose diagonal is exact, and with k(0) + eps for phases. "
        "Use downstream.SVMPrediction."
    )

    def value(self) -> float:
        first = np.sqrt(2) * self.kappa**0.75 * self.distance**0.25
        return float(self.c0 * (first + np.sqrt(self.kappa * self.distance)))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """One training point, predicted itself: h = k(x, x) min(C0, 1 / k(x, x))."""
        k, k_hat = 1.0, 11.0
        c0 = 1 / k_hat
        decisions = [value * min(c0, 1 / value) for value in (k, k_hat)]
        return Counterexample(
            setting="n = 1, k = 1, k^ = 11, C0 = 1/11, the test point is the training point",
            quantity="|h^(x) - h(x)|",
            claimed=cls(c0=c0, kappa=k, distance=3 * (k_hat - k)).value(),
            true_at_least=decisions[1] - decisions[0],
            exact=True,
            reason="sup k(x, x) = 1 says nothing of k^, whose machine is larger.",
        )
