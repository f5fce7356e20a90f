"""The expected supremum of the error over a region, and how the supremum concentrates around it.

Add the two: with probability 1 - delta, sup |s - k| <= mean + `Concentration(...).error(...)`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import Bound, Certificate, Embedding, Evidence, Source, Status, n_frequencies, require
from bochner.theory.normalised import KernelTailBound, normalised
from bochner.theory.pointwise import IID
from bochner.theory.region import REGION, SECOND_MOMENT
from bochner.theory.sources import BOCHNER, SUTHERLAND_SCHNEIDER
from bochner.theory.uniform import AnchoredCover

__all__ = ["Concentration", "DudleyPaired", "DudleyPhase", "IntegratedCover", "McDiarmid", "MeanSupremum"]

GAMMA = 0.9639407855
"""int_0^(1/2) sqrt(log(8/u)) du, the entropy integral of Proposition 3; also gamma'_2, that of a ball for phases."""
GAMMA_PHASE = 1.7356636902
"""gamma'_1 = int_0^(1/sqrt2) sqrt(2 log(4 sqrt2 / u)) du, for a region of any shape."""


@dataclass(frozen=True, kw_only=True)
class MeanSupremum(Bound):
    """An upper bound on E sup |s - k| over a region of R^d.

    Parameters
    ----------
    kernel : Stationary
    n_features : int
    diameter : float
        sup ||x - y||; sup ||(x - y) / length_scale|| for a kernel with one length scale per feature.
    """

    kernel: Stationary
    n_features: int
    diameter: float

    def mean(self, n_components: int) -> float:
        """Upper bound on the expected largest error of a map of `n_components` columns."""
        reach = 2.0 if self._embedding() == "paired" else 3.0
        return float(min(reach * self.kernel.variance, self.unclipped(n_components)))

    def unclipped(self, n_components: int) -> float:
        """The formula itself, even where it exceeds the largest possible error."""
        m = n_frequencies(n_components, self._embedding())
        return float(self.kernel.variance * self._normalised_mean(m))

    def certificate(self, n_components: int) -> Certificate:
        """A statement about the mean: no probability is involved."""
        claim = "the expected largest kernel error over the region is {value}"
        return self._certificate(self.mean(n_components), 0.0, claim, n_components=n_components)

    @abstractmethod
    def _embedding(self) -> Embedding:
        """The embedding the bound is for."""

    @abstractmethod
    def _normalised_mean(self, m: int) -> float:
        """The bound for k(0) = 1."""

    def _mean_spectral_norm(self, m: int) -> float:
        """E ||Omega||: (sqrt m + sqrt d) / length_scale if Gaussian, else sqrt(m) sigma_p (Frobenius)."""
        kernel = normalised(self.kernel).in_scaled_coordinates(self.n_features)
        sigma_p = kernel.sigma_p(self.n_features)
        if kernel.is_gaussian:
            return float((np.sqrt(m) + np.sqrt(self.n_features)) * sigma_p / np.sqrt(self.n_features))
        return float(np.sqrt(m) * sigma_p)


@dataclass(frozen=True, kw_only=True)
class DudleyPaired(MeanSupremum):
    """Replaces Proposition 3: E sup |s - k| <= 48 gamma ell sqrt(d) E||Omega|| / m, gamma = 0.963941.

    By symmetrisation and Dudley's integral, centred at cos - 1. The printed proof conditions on max ||omega_i||,
    which destroys E cos = k, and loses sqrt(2).
    """

    statement: ClassVar[str] = "E sup |s - k| <= 48 gamma ell sqrt(d) E||Omega|| / m, gamma = 0.963941 (paired)"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 3")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, SECOND_MOMENT)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def _embedding(self) -> Embedding:
        return "paired"

    def _normalised_mean(self, m: int) -> float:
        return float(48 * GAMMA * self.diameter * np.sqrt(self.n_features) * self._mean_spectral_norm(m) / m)


@dataclass(frozen=True, kw_only=True)
class DudleyPhase(MeanSupremum):
    """Replaces Proposition 4: E sup |s - k| <= 4/sqrt(D) + 96 gamma' ell sqrt(d) E||Omega|| / D.

    Parameters
    ----------
    ball : bool, default=False
        The region is a ball: gamma' = 0.963941 instead of 1.735664.
    """

    ball: bool = False

    statement: ClassVar[str] = "E sup |s - k| <= 4/sqrt(D) + 96 gamma' ell sqrt(d) E||Omega|| / D (phase)"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 4")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, SECOND_MOMENT)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def _embedding(self) -> Embedding:
        return "phase"

    def _normalised_mean(self, m: int) -> float:
        gamma = GAMMA if self.ball else GAMMA_PHASE
        dudley = 96 * gamma * self.diameter * np.sqrt(self.n_features) * self._mean_spectral_norm(m) / m
        return float(4 / np.sqrt(m) + dudley)


@dataclass(frozen=True, kw_only=True)
class IntegratedCover(MeanSupremum):
    """E sup |s - k| = int P(sup |s - k| >= eps) d eps, with `AnchoredCover` under the integral; Gaussian kernel.

    The bound decreases in eps, so the left Riemann sum is an upper bound on its integral.
    """

    embedding: Embedding = "paired"

    statement: ClassVar[str] = "E sup |s - k| <= int min(1, anchored-cover bound at eps) d eps"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "integral of the anchored-cover bound")
    assumptions: ClassVar[tuple[str, ...]] = AnchoredCover.assumptions
    evidence: ClassVar[Evidence] = Evidence.COMPUTER_ASSISTED

    def __post_init__(self) -> None:
        self._cover()

    def _embedding(self) -> Embedding:
        return self.embedding

    def _cover(self) -> AnchoredCover:
        return AnchoredCover(
            kernel=self.kernel, n_features=self.n_features, diameter=self.diameter, embedding=self.embedding
        )

    def _normalised_mean(self, m: int) -> float:
        reach = 2.0 if self.embedding == "paired" else 3.0
        # Where the bound passes from 1 to 0 is near sqrt(log / m): points crowded near 0 cost less than a fine grid.
        edges = reach * np.linspace(0, 1, 801) ** 2
        log_tail = np.concatenate([self._cover().log_probability(part, m) for part in np.array_split(edges[1:-1], 16)])
        tail = np.concatenate([[1.0], np.exp(np.minimum(log_tail, 0.0))])
        return float(tail @ np.diff(edges))


@dataclass(frozen=True, kw_only=True)
class Concentration(KernelTailBound):
    """Bousquet's inequality around the mean, as Propositions 5 and 6 should read.

        paired:  P(sup |s - k| - E >= eps) <= exp(-D eps^2 / (16 E + 2 w + 8 eps / 3))
        phase:   P(sup |s - k| - E >= eps) <= exp(-D eps^2 / (12 E + 1 + w + 2 eps))

    Parameters
    ----------
    mean : float
        An upper bound on E sup |s - k| (not a point estimate).
    wimpy_variance : float, default=None
        w = sup [1 + k(2u) - 2 k(u)^2] for k(0) = 1; None: 1 for the Gaussian kernel, else 2.
    """

    mean: float
    wimpy_variance: float | None = None

    quantity: ClassVar[str] = "the excess of the largest kernel error over its mean"
    statement: ClassVar[str] = "P(sup|s-k| - E >= eps) <= exp(-D eps^2/(16E+2w+8eps/3)) paired, (12E+1+w+2eps) phase"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Propositions 5 and 6")
    assumptions: ClassVar[tuple[str, ...]] = (IID, "`mean` is an upper bound on the expected supremum")

    def __post_init__(self) -> None:
        if not 0 <= self.mean < np.inf:
            raise invalid_parameter(self, "mean", "a finite number >= 0", self.mean)
        require(self.wimpy_variance is None or 0 <= self.wimpy_variance <= 2, "0 <= w <= 2", self.wimpy_variance)

    def _tail(self, eps: float, m: int) -> float:
        mean, wimpy = self.mean / self._unit_of_error(), self._wimpy()
        if self._paired:
            return float(np.exp(-2 * m * eps**2 / (16 * mean + 2 * wimpy + 8 * eps / 3)))
        return float(np.exp(-m * eps**2 / (12 * mean + 1 + wimpy + 2 * eps)))

    def _wimpy(self) -> float:
        if self.wimpy_variance is not None:
            return self.wimpy_variance
        return 1.0 if self._normalised.is_gaussian else 2.0


@dataclass(frozen=True, kw_only=True)
class McDiarmid(KernelTailBound):
    """The supremum changes by at most 2/m (paired) or 4/D (phase) with one frequency.

    P(sup |s - k| >= E + eps) <= exp(-m eps^2 / 2) paired, exp(-D eps^2 / 8) phase.
    """

    quantity: ClassVar[str] = "the excess of the largest kernel error over its mean"
    statement: ClassVar[str] = "P(sup|s-k| >= E + eps) <= exp(-m eps^2/2) (paired), exp(-D eps^2/8) (phase)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source("McDiarmid (1989)", "bounded differences")
    assumptions: ClassVar[tuple[str, ...]] = (IID,)

    def _tail(self, eps: float, m: int) -> float:
        return float(np.exp(-m * eps**2 / (2 if self._paired else 8)))
