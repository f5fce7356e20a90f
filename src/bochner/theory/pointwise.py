"""Bounds for one pair of points: P(abs(s(x, y) - k(x, y)) >= eps), from the crudest to the tightest.

All assume frequencies drawn independently from the spectral measure, without regard to the pair, and not redrawn
until something looked good. m is the number of frequencies: D = 2m paired, D = m phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import (
    Bound,
    Certificate,
    Embedding,
    Evidence,
    Source,
    Status,
    check_delta,
    n_frequencies,
    require,
)
from bochner.theory.cramer import ChernoffTable, exponents, tabulate
from bochner.theory.moments import summand_variance
from bochner.theory.normalised import MIXTURE, KernelTailBound
from bochner.theory.sources import BOCHNER, SUTHERLAND_SCHNEIDER
from bochner.theory.sub_gaussian import sub_gaussian_tail, variance_proxy

__all__ = [
    "IID",
    "Bernstein",
    "ChernoffKL",
    "Cramer",
    "EmpiricalBernstein",
    "Hoeffding",
    "PairBound",
    "SubGaussian",
    "bernstein_exponent",
]

IID = "frequencies are independent draws from the spectral measure, fixed before looking at the points"


def bernstein_exponent(eps: float, m: int, variance: Array, reach: Array | float) -> Array:
    """m eps^2 / (2 variance + 2 reach eps / 3)."""
    return m * eps**2 / (2 * variance + 2 * reach * eps / 3)


@dataclass(frozen=True, kw_only=True)
class Hoeffding(KernelTailBound):
    """2 exp(-D eps^2 / 4) paired, 2 exp(-D eps^2 / 3) phase, for every stationary kernel.

    Hoeffding's inequality itself has 2 exp(-D eps^2 / 8) for phases, whose summands lie in [-2, 2]; the part of such a
    summand that the phase makes random is a cosine of a uniform angle, which deviates less.
    """

    quantity: ClassVar[str] = "the kernel error at a fixed pair"
    statement: ClassVar[str] = "P(|s - k| >= eps) <= 2 exp(-D eps^2/4) (paired), 2 exp(-D eps^2/3) (phase)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 2.2 (Hoeffding's inequality), sharper for phases")
    assumptions: ClassVar[tuple[str, ...]] = (IID,)

    def _tail(self, eps: float, m: int) -> float:
        return sub_gaussian_tail(eps, m, variance_proxy(None, self.embedding))


@dataclass(frozen=True, kw_only=True)
class SubGaussian(KernelTailBound):
    """2 exp(-D eps^2 / 2) for the Gaussian kernel; for mixtures 2 exp(-D eps^2 / 3) paired, 2 exp(-D eps^2 / 2.5) else.

    The lemma: for normal frequencies log E exp(s (cos(omega . u) - k(u))) <= s^2 / 4 for all real s. For s > 0 by
    comparing power series, for s < 0 by series (|s| <= 1/2), trivially (|s| >= 8) and by a finite cover in between.
    The other kernels of the catalogue but splines, their sums and products are mixtures of Gaussian kernels: s^2 / 8
    more (`theory.sub_gaussian`).
    """

    quantity: ClassVar[str] = "the kernel error at a fixed pair"
    statement: ClassVar[str] = (
        "P(|s - k| >= eps) <= 2 exp(-D eps^2/2) for the Gaussian kernel; for mixtures of them 2 exp(-D eps^2/3) "
        "(paired), 2 exp(-2 D eps^2/5) (phase)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "sub-Gaussian lemma")
    assumptions: ClassVar[tuple[str, ...]] = (IID, MIXTURE)
    evidence: ClassVar[Evidence] = Evidence.COMPUTER_ASSISTED

    def __post_init__(self) -> None:
        self._require_normal_mixture()

    def _tail(self, eps: float, m: int) -> float:
        return sub_gaussian_tail(eps, m, variance_proxy(self._normalised, self.embedding))


@dataclass(frozen=True, kw_only=True)
class PairBound(KernelTailBound):
    """A bound that uses the pair itself, through k(n (x - y)).

    Parameters
    ----------
    difference : sequence of d floats
        x - y.
    """

    difference: Sequence[float]

    quantity: ClassVar[str] = "the kernel error at the given pair"

    def __post_init__(self) -> None:
        difference = np.atleast_1d(np.asarray(self.difference, dtype=float))
        if difference.ndim != 1 or not np.all(np.isfinite(difference)):
            raise invalid_parameter(self, "difference", "a finite vector x - y", self.difference)
        object.__setattr__(self, "difference", tuple(difference.tolist()))

    @cached_property
    def _k(self) -> float:
        return float(self._normalised.at(np.asarray(self.difference)))

    @cached_property
    def _variance(self) -> Array:
        return summand_variance(self._normalised, np.asarray(self.difference), self.embedding)


@dataclass(frozen=True, kw_only=True)
class ChernoffKL(PairBound):
    """Hoeffding's inequality in relative-entropy form: each tail exp(-m KL((1 + k +- eps)/2 || (1 + k)/2))."""

    statement: ClassVar[str] = "P(s - k >= eps) <= exp(-m KL((1+k+eps)/2 || (1+k)/2)), the same below; paired"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source("Hoeffding (1963)", "Theorem 1, eq 2.1")
    assumptions: ClassVar[tuple[str, ...]] = (IID, "paired embedding")

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self._paired, "the paired embedding (summands in [-1, 1])", self.embedding)

    def one_sided(self, eps: float, m: int) -> tuple[float, float]:
        """Bounds on P(s - k >= eps) and P(k - s >= eps) for k(0) = 1."""
        above, below = (_kl_tail((1 + self._k + sign * eps) / 2, (1 + self._k) / 2, m) for sign in (1, -1))
        return above, below

    def _tail(self, eps: float, m: int) -> float:
        return sum(self.one_sided(eps, m))


def _kl_tail(a: float, b: float, m: int) -> float:
    """exp(-m KL(a || b)); 0 where a leaves [0, 1], since no mean of values in [0, 1] does."""
    if not 0 <= a <= 1:
        return 0.0
    divergence = xlogy(a, a) - xlogy(a, b) + xlogy(1 - a, 1 - a) - xlogy(1 - a, 1 - b)
    return float(np.exp(-m * divergence))


@dataclass(frozen=True, kw_only=True)
class Bernstein(PairBound):
    """2 exp(-m eps^2 / (2 v + 2 b eps / 3)) with the exact variance v of a summand.

    b = 1 + |k| paired, 3 phase.
    """

    statement: ClassVar[str] = "P(|s - k| >= eps) <= 2 exp(-m eps^2 / (2v + 2b eps/3)), v = Var of one summand"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 2.2 (Bernstein's inequality with eqs 5, 6)")
    assumptions: ClassVar[tuple[str, ...]] = (IID,)

    def _tail(self, eps: float, m: int) -> float:
        reach = 1 + abs(self._k) if self._paired else 3.0
        # 1e-15: rounding of k must not make the variance of a near-duplicate too small.
        return float(2 * np.exp(-bernstein_exponent(eps, m, self._variance + 1e-15, reach)))


@dataclass(frozen=True, kw_only=True)
class Cramer(PairBound):
    """The Chernoff bound with the exact moment generating function: the best exponential rate there is.

        sum over signs of exp(-m sup_s [s eps - log E exp(+-s (summand - k))])

    The MGF is the Jacobi-Anger series, over-estimated so that rounding cannot make the bound false.
    """

    statement: ClassVar[str] = "P(|s - k| >= eps) <= sum over signs of exp(-m I(eps)), I the exact Cramer rate"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "Cramer bound from the Jacobi-Anger series")
    assumptions: ClassVar[tuple[str, ...]] = (IID,)

    @cached_property
    def _table(self) -> ChernoffTable:
        difference = np.asarray(self.difference)
        # A small distance r needs s of the order of 1 / r^2 = 1 / (2 (1 - k)); powers of ten share their grid.
        decade = np.ceil(np.log10(2 / max(1 - self._k, 1e-8)))
        grid = exponents(float(max(4000.0, 10.0**decade)), density=6)
        return tabulate(self._normalised, [(difference[None], 1.0)], self.embedding, grid, n_groups=1)

    def _tail(self, eps: float, m: int) -> float:
        return self._table.tail(eps, m)


@dataclass(frozen=True, kw_only=True)
class EmpiricalBernstein(Bound):
    """Maurer & Pontil's bound: the variance is estimated from the summands, so k itself may be unknown.

        |mean - k| <= sqrt(2 V log(4/delta) / m) + 7 g log(4/delta) / (3 (m - 1)),   g = 2 paired, 4 phase

    Parameters
    ----------
    sample_variance : float
        Unbiased sample variance of the m summands cos(omega . (x - y)), or 2 cos(..) cos(..) with a phase.
    n_components : int
    kernel : Stationary
        Used for k(0) only.
    embedding : {"paired", "phase"}, default="paired"
    """

    sample_variance: float
    n_components: int
    kernel: Stationary
    embedding: Embedding = "paired"

    statement: ClassVar[str] = "|s - k| <= sqrt(2 V log(4/delta)/m) + 7 g log(4/delta)/(3(m-1)), V the sample variance"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source("Maurer & Pontil (2009), Empirical Bernstein Bounds", "Theorem 4")
    assumptions: ClassVar[tuple[str, ...]] = (IID,)
    evidence: ClassVar[Evidence] = Evidence.QUOTED

    def __post_init__(self) -> None:
        if not 0 <= self.sample_variance < np.inf:
            raise invalid_parameter(self, "sample_variance", "a finite number >= 0", self.sample_variance)
        require(self._m() >= 2, "at least two frequencies (a sample variance)", self.n_components)

    def error(self, delta: float) -> float:
        """The bound that holds with probability at least 1 - delta."""
        m, log_term = self._m(), np.log(4 / check_delta(delta))
        length = 2.0 if self.embedding == "paired" else 4.0
        radius = np.sqrt(2 * self.sample_variance * log_term / m) + 7 * length * log_term / (3 * (m - 1))
        return float(self.kernel.variance * radius)

    def certificate(self, delta: float) -> Certificate:
        """The certificate at failure probability `delta`."""
        claim = "the kernel error at the given pair is {value}"
        return self._certificate(self.error(delta), delta, claim, n_components=self.n_components)

    def _m(self) -> int:
        return n_frequencies(self.n_components, self.embedding)
