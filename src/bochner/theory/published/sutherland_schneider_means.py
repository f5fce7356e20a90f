"""Sutherland & Schneider (2015) as printed: mean squared errors (Propositions 7, 8) and mean maps (Section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner._typing import Array
from bochner.kernels.base import Stationary
from bochner.theory.base import Embedding, Published, Source, Status
from bochner.theory.moments import mean_map_variance
from bochner.theory.sources import SUTHERLAND_SCHNEIDER

__all__ = [
    "SutherlandSchneiderMMDMean",
    "SutherlandSchneiderMMDSquared",
    "SutherlandSchneiderMMK",
    "SutherlandSchneiderMMKMean",
    "SutherlandSchneiderMMKVariance",
    "SutherlandSchneiderProp7",
    "SutherlandSchneiderProp8",
]


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
    correction: ClassVar[str] = "True, and a factor 2 loose in the exponent: mean_square.SquaredNormMcDiarmid."

    def value(self) -> float:
        return float(2 * np.exp(-(self.D**3) * self.eps**2 / (8 * (4 * self.D + 1) ** 2 * self.mass**2)))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp8(_SquaredNormTail):
    """Concentration of the mean squared error for phases."""

    statement: ClassVar[str] = "P(| ||f||^2 - E| >= eps) <= 2 exp(-D^3 eps^2/(512 (D+1)^2 M^2))"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 8")
    correction: ClassVar[str] = (
        "True, with slips in the proof that happen to cancel, and loose (512 for 288): "
        "mean_square.SquaredNormMcDiarmid."
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
    correction: ClassVar[str] = (
        "True, and loose: downstream.MeanMapKernel has 4 (pairs) and 3 (phases) for 8, for the Gaussian kernel 2."
    )

    def value(self) -> float:
        return float(2 * np.exp(-self.D * self.eps**2 / 8))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderMMKMean(Published):
    """The expected error of the mean map kernel: the integral of its tail."""

    D: int

    statement: ClassVar[str] = "E |MMK^ - MMK| <= 2 sqrt(2 pi/D)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3")
    correction: ClassVar[str] = "True. The square root of moments.mean_map_variance is smaller."

    def value(self) -> float:
        return float(2 * np.sqrt(2 * np.pi / self.D))


@dataclass(frozen=True, kw_only=True, eq=False)
class SutherlandSchneiderMMKVariance(Published):
    """The exact variance of the mean map kernel over the draw of the frequencies."""

    kernel: Stationary
    X: Array
    Y: Array
    D: int
    embedding: Embedding = "paired"

    statement: ClassVar[str] = "Var MMK^ = (nm)^-2 sum over i, j, i', j' of Cov(s(X_i, Y_j), s(X_i', Y_j'))"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3, eq 12")
    correction: ClassVar[str] = "True: moments.mean_map_variance."

    def value(self) -> float:
        return mean_map_variance(self.kernel, self.X, self.Y, n_components=self.D, embedding=self.embedding)


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderMMDSquared(Published):
    """The squared MMD, printed without the square."""

    D: int
    eps: float

    statement: ClassVar[str] = "P(|MMD^2^ - MMD^2| >= eps) <= 2 exp(-D eps^2/128)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3")
    correction: ClassVar[str] = (
        "True, and loose: downstream.MMDSquared has 16 (pairs) and 24 (phases). True without the square too, with 8 "
        "for 128, by Chernoff's and Hellinger's inequalities (docs/theory)."
    )

    def value(self) -> float:
        return float(2 * np.exp(-self.D * self.eps**2 / 128))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderMMDMean(Published):
    """The expected error of the squared MMD: the integral of its tail."""

    D: int

    statement: ClassVar[str] = "E |MMD^2^ - MMD^2| <= 8 sqrt(2 pi/D)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3")
    correction: ClassVar[str] = "True. The integral of downstream.MMDSquared, with 16 or 24 for 128, is smaller."

    def value(self) -> float:
        return float(8 * np.sqrt(2 * np.pi / self.D))
