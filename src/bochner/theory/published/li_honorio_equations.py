"""Li & Honorio (2017), numbered equations, as printed; m is their D, the number of frequencies.

Gaussian kernel of length scale 1, R the largest ||x - y||.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import lambertw

from bochner.theory.base import Evidence, Published, Source, Status
from bochner.theory.counterexample import Counterexample, rate_at_least
from bochner.theory.lower import impossibility_lower_bound
from bochner.theory.published.li_honorio import ALL_COSINES
from bochner.theory.published.two_clusters import prediction_errors
from bochner.theory.sources import LI_HONORIO

__all__ = [
    "LiHonorioEq7",
    "LiHonorioEq8",
    "LiHonorioEq9",
    "LiHonorioEq10",
    "LiHonorioEq12",
    "LiHonorioSVMOrder",
]


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
    """Theorem 1 of Sriperumbudur & Szabo as quoted: the eps that fails with probability e^-tau.

    Parameters
    ----------
    m, d : int
    R : float
        Radius of the ball that x and y lie in.
    sigma_p, tau : float
    """

    m: int
    d: int
    R: float
    sigma_p: float
    tau: float

    statement: ClassVar[str] = (
        "P(sup over x, y in B(R) of |s - k| >= (h(d, R, sigma_p) + sqrt(2 tau))/sqrt(m)) <= exp(-tau), R the radius"
    )
    status: ClassVar[Status] = Status.UNPROVED
    source: ClassVar[Source] = Source(LI_HONORIO, "eq 9")
    evidence: ClassVar[Evidence] = Evidence.OPEN
    correction: ClassVar[str] = (
        "Quoted with the radius R where the source has the diameter 2R, which asks for more: use "
        "uniform.SriperumbudurSzabo with diameter 2R."
    )

    def value(self) -> float:
        size, moment = np.log(2 * self.R + 1), np.log(self.sigma_p + 1)
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
            reason=ALL_COSINES,
        )


@dataclass(frozen=True, kw_only=True)
class LiHonorioSVMOrder(Published):
    """The order of the change of a support vector machine's decisions, in n and the kernel error eps.

    Parameters
    ----------
    n : int
        Training points.
    c0 : float
        C0, n times the weight of a point.
    eps : float
    constant : float, default=1.0
        That of O, which is not given.
    """

    n: int
    c0: float
    eps: float
    constant: float = 1.0

    statement: ClassVar[str] = (
        "sqrt2 C0 ((n + sqrt n) eps)^(1/4) + C0 ((n + sqrt n) eps)^(1/2) = O(C0 (n eps)^(1/2)), for the bound of "
        "|h^ - h| by Proposition 10 of Sutherland & Schneider"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(LI_HONORIO, "Section 5.3")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "The fourth root is the larger term where n eps < 1, the only useful regime: O(C0 (n eps)^(1/4)). The weight "
        "that removes n is C0 = O(n^(-1/2)), not Omega; and the eps there rests on Theorem 1. Use "
        "downstream.SVMPrediction."
    )

    def value(self) -> float:
        return float(self.constant * self.c0 * np.sqrt(self.n * self.eps))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """A hundred times the printed order; a smaller error defeats any other constant."""
        n, eps = 1000, 1e-12
        size = (n + np.sqrt(n)) * eps
        return Counterexample(
            setting=f"C0 = 1, n = {n}, kernel error {eps:g}, constant 100",
            quantity="sqrt2 C0 ((n + sqrt n) eps)^(1/4) + C0 ((n + sqrt n) eps)^(1/2)",
            claimed=cls(n=n, c0=1.0, eps=eps, constant=100.0).value(),
            true_at_least=float(np.sqrt(2) * size**0.25 + np.sqrt(size)),
            exact=True,
            reason="(n eps)^(1/4) / (n eps)^(1/2) grows without bound as n eps tends to 0.",
        )
