"""Formulas exactly as printed, right or wrong. None can become a certificate; each names what to use instead.

Symbols are the papers': m frequencies, D output width, R or ell the largest ||x - y||, sigma = 1.
One file although it is long: it is a list, and a reader looks a formula up by its number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gamma

from bochner.theory.base import Evidence, Published, Source, Status
from bochner.theory.expectation import GAMMA
from bochner.theory.lower import separation
from bochner.theory.sources import LI_HONORIO, RAJ, SUTHERLAND_SCHNEIDER, ZHU_LI
from bochner.theory.uniform import beta, beta_phase

__all__ = [
    "LiHonorioCorollary1",
    "LiHonorioEq10",
    "LiHonorioTheorem1",
    "LiHonorioTheorem2",
    "LiHonorioTheorem3",
    "RajTheorem31Pointwise",
    "SutherlandSchneiderMMDSquared",
    "SutherlandSchneiderMMK",
    "SutherlandSchneiderProp1",
    "SutherlandSchneiderProp2",
    "SutherlandSchneiderProp3",
    "SutherlandSchneiderProp4",
    "SutherlandSchneiderProp5",
    "SutherlandSchneiderProp6",
    "SutherlandSchneiderProp7",
    "SutherlandSchneiderProp8",
    "ZhuLiCorollaryFeatures",
    "ZhuLiFeatures",
    "ZhuLiTheorem3",
    "li_honorio_thm1",
]


def li_honorio_thm1(m: int, R: float, eps: float) -> float:
    """3 R^(2/3) m^(-1/3) eps^(-2/3) exp(-m eps^2 / 12). Refuted for inputs of more than one dimension."""
    return LiHonorioTheorem1(m=m, R=R, eps=eps).value()


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem1(Published):
    """The dimension-free uniform bound, which is false: see `lower.Impossibility`."""

    m: int
    R: float
    eps: float

    statement: ClassVar[str] = (
        "P(sup over ||u|| <= R of |s - k| >= eps) <= 3 R^(2/3) m^(-1/3) eps^(-2/3) exp(-m eps^2/12)"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 1")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for d > 1: the supremum over directions is not that over one line. Use uniform.AnchoredCover, or "
        "finite_set, which is dimension-free."
    )

    def value(self) -> float:
        return float(3 * (self.R / self.eps) ** (2 / 3) * self.m ** (-1 / 3) * np.exp(-self.m * self.eps**2 / 12))


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem2(Published):
    """The minimax lower bound, true but exponentially weak."""

    m: int
    R: float

    statement: ClassVar[str] = "inf sup E|estimate - k| >= g(R)/8 exp(-m/2)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 2")
    correction: ClassVar[str] = "lower.MinimaxError optimises the free ratio and decays as 1/sqrt(m)."

    def value(self) -> float:
        return float(separation(self.R) / 8 * np.exp(-self.m / 2))


@dataclass(frozen=True, kw_only=True)
class LiHonorioTheorem3(Published):
    """The minimax probability; true, with a proof that gives a constant six times smaller."""

    m: int
    R: float
    eps: float

    statement: ClassVar[str] = "inf sup P(|estimate - k| > eps) >= (g(R) - eps)/8 exp(-m/2) if g(R) >= 3 eps"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 3")
    correction: ClassVar[str] = "lower.MinimaxProbability: exp(-m/2)/4 if g(R) > 2 eps, which implies the statement."

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


@dataclass(frozen=True, kw_only=True)
class LiHonorioEq10(Published):
    """Sriperumbudur & Szabo's Theorem 1, restated as it should be: the eps that fails with probability e^-tau."""

    m: int
    d: int
    diameter: float
    sigma_p: float
    tau: float

    statement: ClassVar[str] = "P(sup |s - k| >= (h(d, S, sigma_p) + sqrt(2 tau))/sqrt(m)) <= exp(-tau)"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(LI_HONORIO, "eqs 9 and 10")
    evidence: ClassVar[Evidence] = Evidence.QUOTED
    correction: ClassVar[str] = (
        "Eq 10 does not follow from eq 9 (sqrt(a) + sqrt(b) >= sqrt(a + b) goes the wrong way); value() is eq 9. "
        "Use uniform.SriperumbudurSzabo."
    )

    def value(self) -> float:
        size, moment = np.log(2 * self.diameter + 1), np.log(self.sigma_p + 1)
        h = 32 * np.sqrt(2 * self.d * size) + 32 * np.sqrt(2 * self.d * moment) + 16 * np.sqrt(2 * self.d / size)
        return float((h + np.sqrt(2 * self.tau)) / np.sqrt(self.m))


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
        "P(sup |s - k| >= eps) <= beta_d (sigma_p ell/eps)^(2d/(d+2)) exp(-D eps^2/(8(d+2) alpha))"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 1")
    correction: ClassVar[str] = (
        "E L_f^2 <= sigma_p^2 is false; replace sigma_p by sigma_p + L_k: uniform.SutherlandSchneiderProp1."
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
    """The uniform bound for phases."""

    statement: ClassVar[str] = (
        "P(sup |s - k| >= eps) <= beta'_d (sigma_p ell/eps)^(2d/(d+1)) exp(-D eps^2/(32(d+1) alpha'))"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 2")
    correction: ClassVar[str] = (
        "Averages over phases at a maximiser that depends on them: uniform.SutherlandSchneiderProp2."
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


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp3(Published):
    """The expected supremum for pairs, Gaussian kernel, eq 8."""

    D: int
    d: int
    ell: float

    statement: ClassVar[str] = "E sup |s - k| <= 24 gamma sqrt(d) ell/sqrt(D) (e^(-1/2) + sqrt(d) + sqrt(2 log(D/2)))"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 3, eq 8")
    correction: ClassVar[str] = (
        "Proof broken (conditioning on max ||omega_i|| destroys E cos = k; a factor sqrt(2)); no violation is known. "
        "Use expectation.DudleyPaired or expectation.IntegratedCover."
    )

    def value(self) -> float:
        spread = np.exp(-0.5) + np.sqrt(self.d) + np.sqrt(2 * np.log(self.D / 2))
        return float(24 * GAMMA * np.sqrt(self.d) * self.ell / np.sqrt(self.D) * spread)


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp4(Published):
    """The expected supremum for phases, Gaussian kernel; the printed gamma' lies between 0.803 and 1.542."""

    D: int
    d: int
    ell: float
    gamma: float = 1.541

    statement: ClassVar[str] = "E sup |s - k| <= 48 gamma' ell sqrt(d)/sqrt(D) (R + L), R = E max ||omega_i||"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 4")
    correction: ClassVar[str] = (
        "Proof broken, and gamma' is mis-integrated (1.735664 and 0.963941); no violation is known. "
        "Use expectation.DudleyPhase."
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
    correction: ClassVar[str] = (
        "Two slips in rescaling: the constants do not follow, though for D above about 100 the statement is implied "
        "by the repaired one and no violation is known. Use expectation.Concentration."
    )

    def value(self) -> float:
        D, e = self.D, self.eps
        return float(2 * np.exp(-D * e**2 / (D * self.mean + self.wimpy_variance / 2 + D * e / 6)))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp6(_ConcentrationTail):
    """Concentration of the supremum for phases."""

    statement: ClassVar[str] = "P(sup|s-k| - E >= eps) <= 2 exp(-D eps^2/(4 D E/9 + (w+1)/81 + 2 D eps/27))"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 6")
    correction: ClassVar[str] = SutherlandSchneiderProp5.correction

    def value(self) -> float:
        D, e = self.D, self.eps
        return float(2 * np.exp(-D * e**2 / (4 / 9 * D * self.mean + (self.wimpy_variance + 1) / 81 + 2 / 27 * D * e)))


@dataclass(frozen=True, kw_only=True)
class _SquaredNormTail(Published):
    D: int
    eps: float
    mass: float = 1.0


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp7(_SquaredNormTail):
    """Concentration of the mean squared error for pairs."""

    statement: ClassVar[str] = "P(| ||f||^2 - E| >= eps) <= 2 exp(-D^3 eps^2/(8 (4D+1)^2 M^2))"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 7")
    correction: ClassVar[str] = "A factor 2 loose in the exponent: mean_square.SquaredNormMcDiarmid."

    def value(self) -> float:
        return float(2 * np.exp(-(self.D**3) * self.eps**2 / (8 * (4 * self.D + 1) ** 2 * self.mass**2)))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp8(_SquaredNormTail):
    """Concentration of the mean squared error for phases."""

    statement: ClassVar[str] = "P(| ||f||^2 - E| >= eps) <= 2 exp(-D^3 eps^2/(512 (D+1)^2 M^2))"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 8")
    correction: ClassVar[str] = (
        "Loose (512 for 288), with slips that happen to cancel: mean_square.SquaredNormMcDiarmid."
    )

    def value(self) -> float:
        return float(2 * np.exp(-(self.D**3) * self.eps**2 / (512 * (self.D + 1) ** 2 * self.mass**2)))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderMMK(Published):
    """The mean map kernel."""

    D: int
    eps: float

    statement: ClassVar[str] = "P(|MMK^ - MMK| >= eps) <= 2 exp(-D eps^2/8)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3")
    correction: ClassVar[str] = "Tight for phases; downstream.MeanMapKernel has 4 for 8 with pairs."

    def value(self) -> float:
        return float(2 * np.exp(-self.D * self.eps**2 / 8))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderMMDSquared(Published):
    """The squared MMD, printed without the square."""

    D: int
    eps: float

    statement: ClassVar[str] = "P(|MMD^2^ - MMD^2| >= eps) <= 2 exp(-D eps^2/128)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3")
    correction: ClassVar[str] = "Loose: downstream.MMDSquared has 16 (pairs) and 32 (phases)."

    def value(self) -> float:
        return float(2 * np.exp(-self.D * self.eps**2 / 128))


@dataclass(frozen=True, kw_only=True)
class _FeatureCount(Published):
    d_tau: float
    d_lambda: float
    delta: float


@dataclass(frozen=True, kw_only=True)
class ZhuLiFeatures(_FeatureCount):
    """The number of features of Theorems 1 to 3."""

    statement: ClassVar[str] = "s >= 12 d_tau log(d(lambda)/delta) features are enough"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(ZHU_LI, "Theorems 1, 2 and 3")
    correction: ClassVar[str] = (
        "The proof drops a 1/2 and the 16 inside the logarithm; not proved. "
        "Use generalization.features_for_operator_bound."
    )

    def value(self) -> float:
        return float(12 * self.d_tau * np.log(self.d_lambda / self.delta))


@dataclass(frozen=True, kw_only=True)
class ZhuLiCorollaryFeatures(_FeatureCount):
    """The number of features of Corollaries 1 and 2, which contradicts the theorems'."""

    statement: ClassVar[str] = "s >= 5 d_tau log(16 d(lambda)/delta) features are enough"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(ZHU_LI, "Corollaries 1 and 2")
    correction: ClassVar[str] = (
        "A factor 2 lost and 16/3 rounded down to 5; not proved. Use generalization.features_for_operator_bound."
    )

    def value(self) -> float:
        return float(5 * self.d_tau * np.log(16 * self.d_lambda / self.delta))


@dataclass(frozen=True, kw_only=True)
class ZhuLiTheorem3(Published):
    """The approximation error, false for r > 1/2."""

    R: float
    lam: float
    r: float

    statement: ClassVar[str] = "||f~ - f_H||_L2 <= 2 R lambda^r"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(ZHU_LI, "Theorem 3")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for r > 1/2 (operators that do not commute are squared); true for r = 1/2: "
        "generalization.ApproximationError."
    )

    def value(self) -> float:
        return float(2 * self.R * self.lam**self.r)


@dataclass(frozen=True, kw_only=True)
class RajTheorem31Pointwise(Published):
    """The pointwise tail of the sampled orbit kernel, from a bounded difference that is half the true one."""

    n_transforms: int
    eps: float

    statement: ClassVar[str] = "P(|k~_q(x, y) - k_q(x, y)| >= eps) <= 2 exp(-2 r eps^2)"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(RAJ, "proof of Theorem 3.1, bounding B")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "One transformation changes a row and a column: 2 exp(-r eps^2/2). Use orbit.SampledOrbit."
    )

    def value(self) -> float:
        return float(2 * np.exp(-2 * self.n_transforms * self.eps**2))

    def corrected(self) -> float:
        """2 exp(-r eps^2 / 2)."""
        return float(2 * np.exp(-self.n_transforms * self.eps**2 / 2))
