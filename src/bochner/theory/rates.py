"""Asymptotic claims: exponents of n, the papers' tables as data. No constants, so no certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from bochner.errors import invalid_parameter
from bochner.theory.base import Evidence, Rate, Source, Status
from bochner.theory.sources import RUDI_ROSASCO, ZHU_LI

__all__ = [
    "TABLE_1",
    "TABLE_2",
    "NystroemComparison",
    "RudiRosascoTheorem1",
    "RudiRosascoTheorem2",
    "RudiRosascoTheorem3",
    "TableRow",
    "ZhuLiTheorem2",
    "corrected_plain_exponent",
]

_DATA = ("independent data, |y| <= b", "bounded continuous features", "f_H exists", "features independent of the data")


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
        return (1 + self.gamma * (2 * self.r - 1)) / (2 * self.r + self.gamma)


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
        alpha, gamma = self.alpha, self.gamma
        return (alpha + (1 + gamma - alpha) * (2 * self.r - 1)) / (2 * self.r + gamma)


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


@dataclass(frozen=True)
class TableRow:
    """One row of Zhu Li's Tables 1 and 2: features = n^exponent(r, gamma) times `logs`.

    Attributes
    ----------
    printed : str
        The number of features as printed.
    features : str
        The same, corrected where it is wrong.
    """

    sampling: str
    spectrum: str
    printed: str
    features: str
    exponent: Callable[[float, float], float]
    logs: str
    rate: str
    status: Status = Status.ASYMPTOTIC
    note: str = "proved for r = 1/2; for r > 1/2 claimed, with a gap in the proof"


def _zero(r: float, gamma: float) -> float:
    return 0.0


def _half(r: float, gamma: float) -> float:
    return 1 / (2 * r)


def _full(r: float, gamma: float) -> float:
    return 1 / r


def _quarter(r: float, gamma: float) -> float:
    return 1 / (4 * gamma * r)


def _corrected_half(r: float, gamma: float) -> float:
    return 1 / (2 * gamma * r)


_ROOT = "n^(-1/2)"
_FAST = "n^(-1)"
_WRONG_DECAY = "printed exponent is for mu_i ~ i^(-2 gamma); " + TableRow.note

TABLE_1: tuple[TableRow, ...] = (
    TableRow("plain", "finite rank", "n^(1/2r)", "n^(1/2r)", _half, "1", _ROOT),
    TableRow("plain", "exponential", "n^(1/2r) loglog n", "n^(1/2r) loglog n", _half, "loglog n", _ROOT),
    TableRow("plain", "polynomial", "n^(1/2r) log n", "n^(1/2r) log n", _half, "log n", _ROOT),
    TableRow("weighted", "finite rank", "1", "1", _zero, "1", _ROOT),
    TableRow("weighted", "exponential", "log n loglog n", "log n loglog n", _zero, "log n loglog n", _ROOT),
    TableRow("weighted", "i^(-2 gamma)", "n^(1/4 gamma r) log n", "n^(1/4 gamma r) log n", _quarter, "log n", _ROOT),
    TableRow("weighted", "i^(-1)", "n^(1/2r) log n", "n^(1/2r) log n", _half, "log n", _ROOT),
)
"""Features for the rate n^(-1/2), lambda = n^(-1/(2r)). The column of Li et al. is r = 1/2."""

TABLE_2: tuple[TableRow, ...] = (
    TableRow("plain", "finite rank", "n^(1/r)", "n^(1/r)", _full, "1", _FAST),
    TableRow("plain", "exponential", "n^(1/r)", "n^(1/r) loglog n", _full, "loglog n", "log n / n"),
    TableRow("plain", "i^(-gamma)", "n^(1/2r) log n", "n^(1/2r) log n", _half, "log n", _ROOT),
    TableRow("weighted", "finite rank", "1", "1", _zero, "1", _FAST),
    TableRow("weighted", "exponential", "log n loglog n", "log n loglog n", _zero, "log n loglog n", "log n / n"),
    TableRow(
        "weighted",
        "i^(-gamma)",
        "n^(1/4 gamma r) log n",
        "n^(1/2 gamma r) log n",
        _corrected_half,
        "log n",
        _ROOT,
        Status.CORRECTED,
        _WRONG_DECAY,
    ),
    TableRow(
        "weighted (Sun et al. 2018)",
        "i^(-gamma)",
        "n^(2/(2+gamma)) log n",
        "n^(2/(2+gamma)) log n",
        lambda r, gamma: 2 / (2 + gamma),
        "log n",
        "n^(-gamma/(2+gamma))",
        note="quoted by Zhu Li",
    ),
)
"""Features for fast rates."""


def corrected_plain_exponent(r: float, capacity: float) -> float:
    """Plain sampling with d(lambda) = lambda^-a and r > 1/2 needs n^((1 + a (2r-1)) / (2r)) features, not n^(1/2r)."""
    return (1 + capacity * (2 * r - 1)) / (2 * r)


def _check_interval(owner: object, name: str, low: float, high: float) -> None:
    value = getattr(owner, name)
    if not low <= value <= high:
        raise invalid_parameter(owner, name, f"in [{low:g}, {high:g}]", value)
