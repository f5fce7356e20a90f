"""Lower bounds on the error of m frequencies, for the Gaussian kernel of length scale 1.

For another length scale divide the radius by it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import lambertw
from scipy.stats import chi2

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_eps, require
from bochner.theory.sources import BOCHNER, LI_HONORIO

__all__ = [
    "Impossibility",
    "MinimaxError",
    "MinimaxProbability",
    "impossibility_lower_bound",
    "separation",
    "violating_difference",
]


def violating_difference(omega: Array) -> Array:
    """A difference u with cos(omega_i . u) = -1 for all i, hence an error of at least 1: u = pinv(Omega) pi 1.

    Parameters
    ----------
    omega : array of shape (m, d), m <= d
        Frequencies of full row rank.
    """
    omega = np.asarray(omega, dtype=float)
    require(omega.ndim == 2 and len(omega) <= omega.shape[1], "no more frequencies than dimensions", omega.shape)
    solution: Array = np.linalg.lstsq(omega, np.full(len(omega), np.pi), rcond=None)[0]
    return solution


def impossibility_lower_bound(m: int, d: int, R: float) -> float:
    """P(sup over ||u|| <= R of abs(s - k) >= 1) is at least P(chi2 with d-m+1 degrees >= pi^2 m / R^2), for m <= d.

    Parameters
    ----------
    m : int
        Frequencies.
    d : int
        Dimension of the inputs.
    R : float
        Largest ||x - y||, in length scales.

    Returns
    -------
    float
        0 where m > d: the construction needs at least as many dimensions as frequencies.

    Examples
    --------
    >>> round(impossibility_lower_bound(40, 100, 3.0), 6)
    0.951982
    """
    _check_counts(m=m, d=d)
    _check_radius(R)
    return float(chi2.sf(np.pi**2 * m / R**2, d - m + 1)) if m <= d else 0.0


@dataclass(frozen=True, kw_only=True)
class _LowerBound(Bound):
    """A lower bound; `value()` is the number."""

    n_frequencies: int
    radius: float

    def __post_init__(self) -> None:
        _check_counts(n_frequencies=self.n_frequencies)
        _check_radius(self.radius)

    @abstractmethod
    def value(self) -> float:
        """The lower bound in this setting."""

    def certificate(self) -> Certificate:
        """The lower bound as a statement; it cannot fail."""
        return self._certificate(self.value(), 0.0, f"{self.statement}; here {{value}}", from_below=True)


@dataclass(frozen=True, kw_only=True)
class Impossibility(_LowerBound):
    """With no more frequencies than dimensions the uniform error exceeds 1: the refutation of Li & Honorio, Theorem 1.

    Parameters
    ----------
    n_frequencies : int
    radius : float
        Largest ||x - y||, in length scales.
    n_features : int
    """

    n_features: int

    statement: ClassVar[str] = "P(sup over ||u|| <= R of |s - k| >= 1) >= P(chi2_{d-m+1} >= pi^2 m/R^2), m <= d"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "impossibility bound: u = pinv(Omega) pi 1")
    assumptions: ClassVar[tuple[str, ...]] = ("Gaussian kernel", "independent frequencies", "paired embedding")

    def value(self) -> float:
        return impossibility_lower_bound(self.n_frequencies, self.n_features, self.radius)


@dataclass(frozen=True, kw_only=True)
class MinimaxError(_LowerBound):
    """Theorem 2 with its free ratio optimised: of order 1/sqrt(m) instead of exp(-m/2).

        inf sup_{||u|| <= R} E|estimate - k(u)| >= max_g (1/8) [e^(-g q/2) - e^(-q/2)] exp(-(m/2)(g - log g - 1)),
        q = min(R^2, -2 log(g) / (1 - g))

    over all estimators that see only the m projections omega_i . u.
    """

    statement: ClassVar[str] = (
        "inf over estimators, sup over ||u|| <= R, of E|estimate - k| >= max over g of "
        "(1/8)[e^(-gq/2) - e^(-q/2)] e^(-(m/2)(g - log g - 1))"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 2, with the ratio optimised")
    assumptions: ClassVar[tuple[str, ...]] = ("Gaussian kernel", "the estimator sees only the m projections")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def value(self) -> float:
        gap = np.geomspace(1e-8, 0.99, 4000)
        ratio, log_ratio = 1 - gap, np.log1p(-gap)
        q = np.minimum(self.radius**2, -2 * log_ratio / gap)
        separated = np.exp(-ratio * q / 2) - np.exp(-q / 2)
        overlap = np.exp(-self.n_frequencies / 2 * (ratio - log_ratio - 1))
        return float(np.max(separated * overlap) / 8)


@dataclass(frozen=True, kw_only=True)
class MinimaxProbability(_LowerBound):
    """Theorem 3 by a plain two-point test: if g(R) > 2 eps, some u has P(abs(estimate - k) > eps) >= e^(-m/2) / 4.

    The printed proof ends at a constant six times smaller than its statement; this one implies the statement.
    """

    eps: float

    statement: ClassVar[str] = "inf sup P(|estimate - k| > eps) >= exp(-m/2)/4 if g(R) > 2 eps"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(LI_HONORIO, "Theorem 3")
    assumptions: ClassVar[tuple[str, ...]] = (
        "Gaussian kernel",
        "the estimator sees only the m projections",
        "g(R) > 2 eps",
    )
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        check_eps(self.eps)
        require(separation(self.radius) > 2 * self.eps, "g(R) > 2 eps", (separation(self.radius), self.eps))

    def value(self) -> float:
        return float(np.exp(-self.n_frequencies / 2) / 4)


def separation(R: float) -> float:
    """g(R) of Theorem 2: e^(-g q/2) - e^(-q/2), g = -W(-e^-2), q = min(R, R*)^2; at most 0.594661."""
    ratio = float(-np.real(lambertw(-np.exp(-2))))
    q = min(R**2, -2 * np.log(ratio) / (1 - ratio))
    return float(np.exp(-ratio * q / 2) - np.exp(-q / 2))


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or int(value) != value or value < 1:
            raise invalid_parameter("bochner.theory.lower", name, "an integer >= 1", value)


def _check_radius(radius: float) -> None:
    if not 0 < radius < np.inf:
        raise invalid_parameter("bochner.theory.lower", "radius", "a positive finite number", radius)
