"""Learning rates: exponents of n. No constants, so no certificate. Exports Zhu Li's tables too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, overload

import numpy as np

from bochner._typing import Array, ArrayLike
from bochner.errors import invalid_parameter
from bochner.theory.base import Evidence, Rate, Source, Status
from bochner.theory.sources import RUDI_ROSASCO, ZHU_LI
from bochner.theory.tables import TABLE_1, TABLE_2, TableRow, corrected_plain_exponent

__all__ = [
    "TABLE_1",
    "TABLE_2",
    "NystroemComparison",
    "RudiRosascoCorollary1",
    "RudiRosascoTheorem1",
    "RudiRosascoTheorem2",
    "RudiRosascoTheorem3",
    "TableRow",
    "ZhuLiTheorem2",
    "corrected_plain_exponent",
    "feature_exponent",
]

_DATA = ("independent data, |y| <= b", "bounded continuous features", "f_H exists", "features independent of the data")


@overload
def feature_exponent(r: float, gamma: float, alpha: float = ...) -> float: ...


@overload
def feature_exponent(r: ArrayLike, gamma: ArrayLike, alpha: ArrayLike = ...) -> Array | float: ...


def feature_exponent(r: ArrayLike, gamma: ArrayLike, alpha: ArrayLike = 1.0) -> Array | float:
    """Exponent e of the n^e log n random features that keep the optimal rate (Rudi & Rosasco, Theorem 3 and Figure 1).

        e = (alpha + (1 + gamma - alpha)(2r - 1)) / (2r + gamma)

    Parameters
    ----------
    r : float or array in [1/2, 1]
        Smoothness of the target, f_H = L^r g.
    gamma : float or array in [0, 1]
        Capacity: effective dimension of order lambda^-gamma.
    alpha : float or array in [gamma, 1], default=1.0
        Compatibility, F_inf(lambda) <= F lambda^-alpha: 1 for plain sampling (Theorem 2), gamma for the
        leverage-weighted one. The two maps of the paper's Figure 1 are `feature_exponent(r, gamma)` and
        `feature_exponent(r, gamma, gamma)`.

    Examples
    --------
    >>> feature_exponent(0.5, 1.0), feature_exponent(1.0, 0.0, 0.0), feature_exponent(0.5, 0.0, 0.0)
    (0.5, 0.5, 0.0)
    """
    r, gamma, alpha = (np.asarray(value, dtype=float) for value in (r, gamma, alpha))
    for name, value, low in (("r", r, np.array(0.5)), ("gamma", gamma, np.array(0.0)), ("alpha", alpha, gamma)):
        if not np.all((low <= value) & (value <= 1)):
            raise invalid_parameter("feature_exponent", name, f"in [{'gamma' if name == 'alpha' else low}, 1]", value)
    exponent = (alpha + (1 + gamma - alpha) * (2 * r - 1)) / (2 * r + gamma)
    return exponent if np.ndim(exponent) else float(exponent)


@dataclass(frozen=True, kw_only=True)
class _LearningRate(Rate):
    """Exponents under a source condition r and a capacity gamma.

    Parameters
    ----------
    r : float in [1/2, 1]
        f_H = L^r g.
    gamma : float in [0, 1]
        Effective dimension of order lambda^-gamma.
    """

    r: float = 0.5
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _check_interval(self, "r", 0.5, 1.0)
        _check_interval(self, "gamma", 0.0, 1.0)

    @property
    def penalty(self) -> float:
        """lambda = n^-penalty."""
        return 1 / (2 * self.r + self.gamma)

    @property
    def risk(self) -> float:
        """excess risk = O(n^-risk)."""
        return 2 * self.r / (2 * self.r + self.gamma)


@dataclass(frozen=True, kw_only=True)
class RudiRosascoTheorem1(Rate):
    """lambda = n^(-1/2), M of order sqrt(n) log n: excess risk O(n^(-1/2)) with no further assumption."""

    penalty: ClassVar[float] = 0.5
    risk: ClassVar[float] = 0.5
    features: ClassVar[float] = 0.5

    statement: ClassVar[str] = (
        "lambda = n^(-1/2), M = c0 sqrt(n) log(108 kappa^2 sqrt(n)/delta): excess <= c1 log^2(18/delta)/sqrt(n)"
    )
    status: ClassVar[Status] = Status.ASYMPTOTIC
    source: ClassVar[Source] = Source(RUDI_ROSASCO, "Theorem 1")
    assumptions: ClassVar[tuple[str, ...]] = _DATA
    evidence: ClassVar[Evidence] = Evidence.QUOTED


@dataclass(frozen=True, kw_only=True)
class RudiRosascoCorollary1(Rate):
    """Theorem 1 in expectation over data and features: the same orders, with the constants of Theorem 1."""

    penalty: ClassVar[float] = 0.5
    risk: ClassVar[float] = 0.5
    features: ClassVar[float] = 0.5

    statement: ClassVar[str] = "lambda = n^(-1/2), M of order sqrt(n) log n: E excess = O(n^(-1/2))"
    status: ClassVar[Status] = Status.ASYMPTOTIC
    source: ClassVar[Source] = Source(RUDI_ROSASCO, "Corollary 1")
    assumptions: ClassVar[tuple[str, ...]] = _DATA
    evidence: ClassVar[Evidence] = Evidence.QUOTED


@dataclass(frozen=True, kw_only=True)
class RudiRosascoTheorem2(_LearningRate):
    """Fast rates with plain sampling: M of order n^((1 + gamma (2r-1)) / (2r + gamma)) log n."""

    statement: ClassVar[str] = "lambda = n^(-1/(2r+g)), M ~ n^((1+g(2r-1))/(2r+g)) log n: excess O(n^(-2r/(2r+g)))"
    status: ClassVar[Status] = Status.ASYMPTOTIC
    source: ClassVar[Source] = Source(RUDI_ROSASCO, "Theorem 2")
    assumptions: ClassVar[tuple[str, ...]] = (*_DATA, "d(lambda) <= Q^2 lambda^-gamma", "f_H = L^r g, r in [1/2, 1]")
    evidence: ClassVar[Evidence] = Evidence.QUOTED

    @property
    def features(self) -> float:
        """M = n^features log n."""
        return float(feature_exponent(self.r, self.gamma))


@dataclass(frozen=True, kw_only=True)
class RudiRosascoTheorem3(_LearningRate):
    """Fast rates with compatibility alpha: M of order n^((alpha + (1 + gamma - alpha)(2r-1)) / (2r + gamma)) log n.

    Parameters
    ----------
    alpha : float in [gamma, 1]
        F_inf(lambda) <= F lambda^-alpha: 1 for plain sampling, gamma for the leverage-weighted one.
    """

    alpha: float = 1.0

    statement: ClassVar[str] = "M ~ n^((a + (1+g-a)(2r-1))/(2r+g)) log n for excess O(n^(-2r/(2r+g)))"
    status: ClassVar[Status] = Status.ASYMPTOTIC
    source: ClassVar[Source] = Source(RUDI_ROSASCO, "Theorem 3")
    assumptions: ClassVar[tuple[str, ...]] = (*RudiRosascoTheorem2.assumptions, "F_inf(lambda) <= F lambda^-alpha")
    evidence: ClassVar[Evidence] = Evidence.QUOTED

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_interval(self, "alpha", self.gamma, 1.0)

    @property
    def features(self) -> float:
        """M = n^features log n."""
        return float(feature_exponent(self.r, self.gamma, self.alpha))


@dataclass(frozen=True, kw_only=True)
class NystroemComparison(_LearningRate):
    """Nystroem centres for the same rate: n^(1/(2r+gamma)) uniform, n^(gamma/(2r+gamma)) with leverage scores."""

    statement: ClassVar[str] = "Nystroem needs n^(1/(2r+g)) uniform centres, n^(g/(2r+g)) with leverage scores"
    status: ClassVar[Status] = Status.ASYMPTOTIC
    source: ClassVar[Source] = Source(RUDI_ROSASCO, "comparison with Nystroem, after Theorem 3")
    assumptions: ClassVar[tuple[str, ...]] = RudiRosascoTheorem2.assumptions
    evidence: ClassVar[Evidence] = Evidence.QUOTED

    @property
    def uniform_centres(self) -> float:
        """Centres = n^uniform_centres."""
        return 1 / (2 * self.r + self.gamma)

    @property
    def leverage_centres(self) -> float:
        """Centres = n^leverage_centres."""
        return self.gamma / (2 * self.r + self.gamma)


@dataclass(frozen=True, kw_only=True)
class ZhuLiTheorem2(Rate):
    """Fast rates for classification: 2 M R lambda^r + c1 r* + (c2/n) log(1/delta), r* <= c3 * `local_complexity`."""

    statement: ClassVar[str] = (
        "excess <= 2MR lambda^r + c1 r* + (c2/n) log(1/delta), r* <= c3 min_h(h/n + sqrt(sum_{i>h} mu_i/n))"
    )
    status: ClassVar[Status] = Status.ASYMPTOTIC
    source: ClassVar[Source] = Source(ZHU_LI, "Theorem 2")
    assumptions: ClassVar[tuple[str, ...]] = (
        "Massart's low-noise condition, assumed on H but used on the random space",
        "unspecified constants c1, c2, c3",
        "for r > 1/2 it rests on Theorem 3, which is false",
    )
    evidence: ClassVar[Evidence] = Evidence.QUOTED


def _check_interval(owner: object, name: str, low: float, high: float) -> None:
    value = getattr(owner, name)
    if not low <= value <= high:
        raise invalid_parameter(owner, name, f"in [{low:g}, {high:g}]", value)
