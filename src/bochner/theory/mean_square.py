"""The mean squared error over a measure mu on pairs: ||f||_mu^2 = int (s - k)^2 d mu.

    E ||f||_mu^2 = V / D,   V = M + int k(2x, 2y) - 2 int k^2 (paired),   M + (1/2) int k(2x, 2y) - int k^2 (phase)

exactly, for k(0) = 1 and M = mu(X^2) finite (Sutherland & Schneider, Section 2.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.integrate import quad

from bochner._typing import Array, ArrayLike
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import Bound, Certificate, Embedding, Evidence, Source, Status, n_frequencies, require
from bochner.theory.moments import summand_variance
from bochner.theory.normalised import KernelTailBound, normalised
from bochner.theory.pointwise import IID
from bochner.theory.sources import BOCHNER, SUTHERLAND_SCHNEIDER

__all__ = ["ExactMean", "HilbertNorm", "SquaredNormMcDiarmid", "bracket", "interval_bracket"]

_FINITE = "the measure on pairs is finite and independent of the frequencies"


def bracket(
    kernel: Stationary, differences: Array, *, weights: ArrayLike | None = None, embedding: Embedding = "paired"
) -> float:
    """V for k(0) = 1 and a measure with atoms at `differences` (p, d); total mass 1 unless `weights` are given."""
    differences = np.asarray(differences, dtype=float)
    per_component = summand_variance(normalised(kernel), differences, embedding) * (2 if embedding == "paired" else 1)
    mass = np.full(len(differences), 1 / len(differences)) if weights is None else np.asarray(weights, dtype=float)
    return float(mass @ per_component)


def interval_bracket(kernel: Stationary, half_width: float, *, embedding: Embedding = "paired") -> float:
    """V for k(0) = 1 and x, y independent and uniform on [-b, b]: |x - y| has density 2 (2b - r) / (2b)^2."""
    length = 2 * half_width

    def integrand(r: float) -> float:
        return 2 * (length - r) / length**2 * bracket(kernel, np.array([[r]]), embedding=embedding)

    return float(quad(integrand, 0, length, limit=200)[0])


@dataclass(frozen=True, kw_only=True)
class ExactMean(Bound):
    """E ||f||_mu^2 = k(0)^2 V / D, an equality.

    Parameters
    ----------
    kernel : Stationary
    bracket : float
        V, from `bracket` or `interval_bracket`.
    embedding : {"paired", "phase"}, default="paired"
    """

    kernel: Stationary
    bracket: float
    embedding: Embedding = "paired"

    statement: ClassVar[str] = "E ||s - k||_mu^2 = V / D, V = M + int k(2x,2y) - 2 int k^2 (paired)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 2.3, eq 10")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _FINITE)

    def mean(self, n_components: int) -> float:
        """The expected mean squared error of a map of `n_components` columns."""
        n_frequencies(n_components, self.embedding)
        return float(self.kernel.variance**2 * self.bracket / n_components)

    def certificate(self, n_components: int) -> Certificate:
        """A statement about the mean: no probability is involved."""
        claim = "the expected mean squared kernel error is {value}"
        return self._certificate(self.mean(n_components), 0.0, claim, n_components=n_components)


@dataclass(frozen=True, kw_only=True)
class _MeasureBound(KernelTailBound):
    """A tail bound over a measure of total mass `mass` = M."""

    mass: float = 1.0

    def __post_init__(self) -> None:
        require(np.isfinite(self.mass), "a finite measure on pairs", self.mass)
        if not self.mass > 0:
            raise invalid_parameter(self, "mass", "positive", self.mass)


@dataclass(frozen=True, kw_only=True)
class SquaredNormMcDiarmid(_MeasureBound):
    """Propositions 7 and 8 with their exact bounded differences, 16 M / D and 24 M / D.

    P(| ||f||^2 - E ||f||^2 | >= eps) <= 2 exp(-D eps^2 / (64 M^2)) paired, 2 exp(-D eps^2 / (288 M^2)) phase
    """

    degree: ClassVar[int] = 2
    quantity: ClassVar[str] = "the deviation of the mean squared kernel error from its mean"
    statement: ClassVar[str] = "P(| ||f||^2 - E| >= eps) <= 2 exp(-D eps^2/(64 M^2)) (paired), 288 M^2 (phase)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Propositions 7 and 8")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _FINITE)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def _tail(self, eps: float, m: int) -> float:
        exponent = 2 * m / 64 if self._paired else m / 288
        return float(2 * np.exp(-exponent * (eps / self.mass) ** 2))

    def ceiling(self) -> float:
        # Overrides: the error is a mean of squares over a measure of this mass.
        return (4.0 if self._paired else 9.0) * self.mass * self._unit_of_error()


@dataclass(frozen=True, kw_only=True)
class HilbertNorm(_MeasureBound):
    """McDiarmid's inequality for the norm in L2(mu), which has the right rate 1/sqrt(D).

        with probability 1 - delta:  ||f||_mu <= sqrt(V/D) + sqrt(c M log(1/delta) / D),   c = 4 paired, 8 phase

    Parameters
    ----------
    bracket : float
        V for k(0) = 1, from `bracket` or `interval_bracket`.
    mass : float, default=1.0
        M; 1 for a probability measure: ||f||_mu is then the root mean squared error.
    """

    bracket: float

    quantity: ClassVar[str] = "the root mean squared kernel error"
    statement: ClassVar[str] = "||s - k||_mu <= sqrt(V/D) + sqrt(4 M log(1/delta)/D) (paired; 8 phase) w.p. 1 - delta"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "bounded differences of the L2 norm")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _FINITE)

    def _tail(self, eps: float, m: int) -> float:
        width, constant = (2 * m, 4) if self._paired else (m, 8)
        excess = max(0.0, eps - np.sqrt(self.bracket / width))
        return float(np.exp(-width * excess**2 / (constant * self.mass)))

    def ceiling(self) -> float:
        # Overrides: the error is a root mean square over a measure of this mass.
        return (2.0 if self._paired else 3.0) * float(np.sqrt(self.mass)) * self._unit_of_error()
