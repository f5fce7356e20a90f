"""Zhu Li's Tables 1 and 2 as data: how many features for which rate, by spectrum and sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bochner.theory.base import Status

__all__ = ["OWN", "TABLE_1", "TABLE_2", "TableRow", "corrected_plain_exponent"]

OWN = "Zhu Li (2021)"
_LI, _SUN = "Li et al. (2021)", "Sun et al. (2018)"


@dataclass(frozen=True)
class TableRow:
    """One row of Zhu Li's Tables 1 and 2: features = n^exponent(r, gamma) times `logs`.

    Attributes
    ----------
    sampling : str
        "plain" or "weighted".
    spectrum : str
    printed : str
        The number of features as printed.
    features : str
        The same, corrected where it is wrong.
    exponent : function of r and gamma
    logs : str
    rate : str
        Of the excess risk.
    status : Status
        At r = 1/2; `status_at(r)` for other r.
    note : str
    authors : str
        Whose result it is; those of others are quoted by Zhu Li.
    """

    sampling: str
    spectrum: str
    printed: str
    features: str
    exponent: Callable[[float, float], float]
    logs: str
    rate: str
    status: Status = Status.ASYMPTOTIC
    note: str = "for r = 1/2 only: for r > 1/2 it rests on Theorem 3, which is false"
    authors: str = OWN

    def status_at(self, r: float) -> Status:
        """A row of Zhu Li's own is UNPROVED for r > 1/2: its proof needs Theorem 3."""
        return Status.UNPROVED if r > 0.5 and self.authors == OWN else self.status


def _zero(r: float, gamma: float) -> float:
    return 0.0


def _half(r: float, gamma: float) -> float:
    return 1 / (2 * r)


def _full(r: float, gamma: float) -> float:
    return 1 / r


def _one(r: float, gamma: float) -> float:
    return 1.0


def _two(r: float, gamma: float) -> float:
    return 2.0


def _quarter(r: float, gamma: float) -> float:
    return 1 / (4 * gamma * r)


def _corrected_half(r: float, gamma: float) -> float:
    return 1 / (2 * gamma * r)


def _inverse(r: float, gamma: float) -> float:
    return 1 / (2 * gamma)


def _sun(r: float, gamma: float) -> float:
    return 2 / (2 + gamma)


def _quoted(
    authors: str,
    sampling: str,
    spectrum: str,
    features: str,
    exponent: Callable[[float, float], float],
    logs: str,
    rate: str,
) -> TableRow:
    return TableRow(
        sampling, spectrum, features, features, exponent, logs, rate, note="quoted by Zhu Li", authors=authors
    )


_ROOT = "n^(-1/2)"
_FAST = "n^(-1)"
_NO_TRACE = "contradicts assumption A.1: eigenvalues 1/i have no finite sum, so no bounded kernel has them"
_WRONG_DECAY = "printed exponent is for mu_i ~ i^(-2 gamma); " + TableRow.note

TABLE_1: tuple[TableRow, ...] = (
    TableRow("plain", "finite rank", "n^(1/2r)", "n^(1/2r)", _half, "1", _ROOT),
    TableRow("plain", "exponential", "n^(1/2r) loglog n", "n^(1/2r) loglog n", _half, "loglog n", _ROOT),
    TableRow("plain", "polynomial", "n^(1/2r) log n", "n^(1/2r) log n", _half, "log n", _ROOT),
    TableRow("weighted", "finite rank", "1", "1", _zero, "1", _ROOT),
    TableRow("weighted", "exponential", "log n loglog n", "log n loglog n", _zero, "log n loglog n", _ROOT),
    TableRow("weighted", "i^(-2 gamma)", "n^(1/4 gamma r) log n", "n^(1/4 gamma r) log n", _quarter, "log n", _ROOT),
    TableRow("weighted", "i^(-1)", "n^(1/2r) log n", "n^(1/2r) log n", _half, "log n", _ROOT, note=_NO_TRACE),
    _quoted(_LI, "plain", "finite rank", "n", _one, "1", _ROOT),
    _quoted(_LI, "plain", "exponential", "n loglog n", _one, "loglog n", _ROOT),
    _quoted(_LI, "plain", "polynomial", "n log n", _one, "log n", _ROOT),
    _quoted(_LI, "weighted", "finite rank", "1", _zero, "1", _ROOT),
    _quoted(_LI, "weighted", "exponential", "log n loglog n", _zero, "log n loglog n", _ROOT),
    _quoted(_LI, "weighted", "i^(-2 gamma)", "n^(1/2 gamma) log n", _inverse, "log n", _ROOT),
    replace(_quoted(_LI, "weighted", "i^(-1)", "n log n", _one, "log n", _ROOT), note=f"quoted by Zhu Li; {_NO_TRACE}"),
)
"""Features for the rate n^(-1/2), lambda = n^(-1/(2r)). The rows of Li et al. are those of r = 1/2."""

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
    _quoted(_LI, "plain", "finite rank", "n^2", _two, "1", _FAST),
    _quoted(_LI, "plain", "exponential", "n^2", _two, "1", "log n / n"),
    _quoted(_LI, "plain", "i^(-gamma)", "n log n", _one, "log n", _ROOT),
    _quoted(_SUN, "weighted", "finite rank", "1", _zero, "1", _FAST),
    _quoted(_SUN, "weighted", "exponential", "log^d n loglog^d n", _zero, "log^d n loglog^d n", "log^(d+2) n / n"),
    _quoted(_SUN, "weighted", "i^(-gamma)", "n^(2/(2+gamma)) log n", _sun, "log n", "n^(-gamma/(2+gamma))"),
)
"""Features for fast rates."""


def corrected_plain_exponent(r: float, capacity: float) -> float:
    """Plain sampling with d(lambda) = lambda^-a and r > 1/2 needs n^((1 + a (2r-1)) / (2r)) features, not n^(1/2r)."""
    return (1 + capacity * (2 * r - 1)) / (2 * r)
