"""Bounds for the supremum over a region: P(sup abs(s - k) >= eps) over all x, y at distance at most `diameter`.

`diameter` is sup ||x - y|| over the region. For a kernel with one length scale per feature it is measured in scaled
coordinates, sup ||(x - y) / length_scale||: the bounds are then those of the kernel of unit length scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import Embedding, Evidence, Source, Status, require
from bochner.theory.line import LineSupremum
from bochner.theory.normalised import normalised
from bochner.theory.pointwise import IID
from bochner.theory.region import REGION, SECOND_MOMENT, MarkovBound, UniformBound
from bochner.theory.sources import BOCHNER, RAHIMI_RECHT, SRIPERUMBUDUR_SZABO, SUTHERLAND_SCHNEIDER

__all__ = [
    "AnchoredCover",
    "RahimiRecht",
    "SriperumbudurSzabo",
    "SutherlandSchneiderProp1",
    "SutherlandSchneiderProp2",
    "beta",
    "beta_phase",
    "tightest",
]

_SPREAD = np.geomspace(0.01, 45.0, 150)[:, None]
_SHARE = np.linspace(0.01, 0.8, 120)


def beta(d: int) -> float:
    """beta_d of Proposition 1: ((d/2)^(-d/(d+2)) + (d/2)^(2/(d+2))) 2^((6d+2)/(d+2)), at most 66."""
    h = d / 2
    return float((h ** (-d / (d + 2)) + h ** (2 / (d + 2))) * 2 ** ((6 * d + 2) / (d + 2)))


def beta_phase(d: int) -> float:
    """beta'_d of Proposition 2: (d^(-d/(d+1)) + d^(1/(d+1))) 2^((5d+1)/(d+1)) 3^(d/(d+1)), at most 98."""
    return float((d ** (-d / (d + 1)) + d ** (1 / (d + 1))) * 2 ** ((5 * d + 1) / (d + 1)) * 3 ** (d / (d + 1)))


@dataclass(frozen=True, kw_only=True)
class AnchoredCover(UniformBound):
    """The tightest bound for d > 1: a cover anchored where the error is 0, and the spectral norm as Lipschitz constant.

    Gaussian kernel, ell = diameter / length_scale, for every u > 0 and 0 < th < 1,

        paired:  e^(-u^2/2) + (1 + 2 ell/r)^d p((1 - th) eps),   r = th eps / L,
                 L = 1 + sqrt(d/m) + u/sqrt(m) + e^(-1/2),        p(t) = e^(-m t^2) or exp(-m t^2 / (1 + 4t/3))
        phase:   e^(-u^2/2) + 2 (1 + 2 ell/r)^(2d) p((1 - th) eps),
                 L = 2 (1 + sqrt(d/D) + u/sqrt(D)) + sqrt(2/e),   p(t) = e^(-D t^2/2) or exp(-D t^2 / (2 + 2t))

    minimised over a fixed grid of (u, th), which keeps it monotone in every argument.

    Parameters
    ----------
    tail : {"sub_gaussian", "bernstein"}, default="sub_gaussian"
        The inequality at the anchors: the computer-assisted lemma, or Bernstein's.
    """

    tail: Literal["sub_gaussian", "bernstein"] = "sub_gaussian"

    statement: ClassVar[str] = (
        "P(sup |s - k| >= eps) <= min over u, th of exp(-u^2/2) + (1 + 2 ell L/(th eps))^d exp(-m (1-th)^2 eps^2)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "anchored cover with a spectral-norm Lipschitz constant")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, "Gaussian kernel")
    evidence: ClassVar[Evidence] = Evidence.COMPUTER_ASSISTED

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_gaussian("its frequency matrix has Gaussian entries")
        if self.tail not in ("sub_gaussian", "bernstein"):
            raise invalid_parameter(self, "tail", "'sub_gaussian' or 'bernstein'", self.tail)

    def log_probability(self, eps: Array, m: int) -> Array:
        """Logarithm of the bound for k(0) = 1, at every eps of an array."""
        eps = np.asarray(eps, dtype=float)[..., None, None]
        lipschitz = 1 + np.sqrt(self.n_features / m) + _SPREAD / np.sqrt(m)
        if self._paired:
            dimension, lipschitz, log_tails = self.n_features, lipschitz + np.exp(-0.5), 0.0
        else:
            dimension, lipschitz, log_tails = 2 * self.n_features, 2 * lipschitz + np.sqrt(2 / np.e), np.log(2)
        radius = _SHARE * eps / lipschitz
        cover = dimension * np.log1p(2 * self._scaled_diameter() / radius) + log_tails
        log_bound: Array = np.logaddexp(-(_SPREAD**2) / 2, cover - self._exponent((1 - _SHARE) * eps, m))
        best: Array = np.min(log_bound, axis=(-1, -2))
        return best

    def _tail(self, eps: float, m: int) -> float:
        return float(np.exp(min(0.0, float(self.log_probability(np.asarray(eps), m)))))

    def _exponent(self, t: Array, m: int) -> Array:
        """Exponent of one tail at one anchor; Var cos <= 1/2 and abs(cos - k) <= 2 (paired), 1 and 3 (phase)."""
        if self.tail == "sub_gaussian":
            factor: Array | float = 1.0 if self._paired else 0.5
        else:
            factor = 1 / (1 + 4 * t / 3) if self._paired else 1 / (2 + 2 * t)
        exponent: Array = m * t**2 * factor
        return exponent

    def _scaled_diameter(self) -> float:
        return float(self.diameter * np.sqrt(self._region_kernel.kernel.second_moments(self.n_features)[0]))


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp1(MarkovBound):
    """Proposition 1, paired, with sigma_p replaced by sigma_p + sup ||grad k||.

        beta_d ((sigma_p + L_k) ell / eps)^(2d/(d+2)) exp(-D eps^2 / (8 (d+2) alpha)),  alpha = min(1, v + eps/3)

    The printed proof treats the maximiser of the gradient as independent of the frequencies; Minkowski's inequality
    gives sqrt(E L_f^2) <= sigma_p + L_k instead.
    """

    statement: ClassVar[str] = (
        "P(sup |s - k| >= eps) <= beta_d ((sigma_p + L_k) ell/eps)^(2d/(d+2)) exp(-D eps^2/(8(d+2) alpha))"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 1")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, SECOND_MOMENT, "paired embedding")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self._paired, "the paired embedding (Proposition 2 is for phases)", self.embedding)
        self._constants()

    def _mean_lipschitz(self) -> float:
        return sum(self._constants())

    def _shape(self, eps: float) -> tuple[float, float, float]:
        d = self.n_features
        alpha = min(1.0, self._largest_variance() + eps / 3)
        return 8 * (d + 2) * alpha, 2 * d / (d + 2), beta(d)


@dataclass(frozen=True, kw_only=True)
class SutherlandSchneiderProp2(MarkovBound):
    """Proposition 2, phase, with sigma_p replaced by (2 sigma_p + sqrt(2) sup ||grad k||) / sqrt(3).

    beta'_d (. ell / eps)^(2d/(d+1)) exp(-D eps^2 / (32 (d+1) alpha')),  alpha' = min(1, 1/8 + v/4 + eps/6)
    """

    embedding: Literal["paired", "phase"] = "phase"

    statement: ClassVar[str] = (
        "P(sup |s - k| >= eps) <= beta'_d ((2 sigma_p + sqrt2 L_k) ell/(sqrt3 eps))^(2d/(d+1)) "
        "exp(-D eps^2/(32(d+1) alpha'))"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 2")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, SECOND_MOMENT, "phase embedding")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        require(not self._paired, "the phase embedding (Proposition 1 is for pairs)", self.embedding)
        self._constants()

    def _mean_lipschitz(self) -> float:
        sigma_p, lipschitz = self._constants()
        return float((2 * sigma_p + np.sqrt(2) * lipschitz) / np.sqrt(3))

    def _shape(self, eps: float) -> tuple[float, float, float]:
        d = self.n_features
        alpha = min(1.0, 1 / 8 + self._largest_variance() / 4 + eps / 6)
        return 32 * (d + 1) * alpha, 2 * d / (d + 1), beta_phase(d)


@dataclass(frozen=True, kw_only=True)
class RahimiRecht(MarkovBound):
    """Claim 1 of Rahimi & Recht, paired: 256 (sigma_p ell / eps)^2 exp(-D eps^2 / (8 (d+2))); 258 if not Gaussian."""

    statement: ClassVar[str] = "P(sup |s - k| >= eps) <= 256 (sigma_p ell/eps)^2 exp(-D eps^2/(8(d+2))), 258 in general"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(RAHIMI_RECHT, "Claim 1")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, SECOND_MOMENT, "paired embedding")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self._paired, "the paired embedding", self.embedding)
        self._constants()

    def _mean_lipschitz(self) -> float:
        return self._constants()[0]

    def _shape(self, eps: float) -> tuple[float, float, float]:
        return 8.0 * (self.n_features + 2), 2.0, 256.0 if self._normalised.is_gaussian else 258.0


@dataclass(frozen=True, kw_only=True)
class SriperumbudurSzabo(UniformBound):
    """exp(-(eps sqrt(m) - h)_+^2 / 2): the optimal rate sqrt(log(diameter) / m), with large constants; paired.

    h = 32 sqrt(2d log(2S+1)) + 32 sqrt(2d log(sigma_p+1)) + 16 sqrt(2d / log(2S+1)),   S = diameter
    """

    statement: ClassVar[str] = "P(sup |s - k| >= (h + sqrt(2 tau))/sqrt(m)) <= exp(-tau)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SRIPERUMBUDUR_SZABO, "Theorem 1")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, SECOND_MOMENT, "paired embedding")
    evidence: ClassVar[Evidence] = Evidence.QUOTED

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self._paired, "the paired embedding", self.embedding)
        self._constants()

    def entropy(self) -> float:
        """h(d, S, sigma_p)."""
        d, log_size = self.n_features, np.log(2 * self.diameter + 1)
        log_moment = np.log(self._constants()[0] + 1)
        return float(32 * np.sqrt(2 * d * log_size) + 32 * np.sqrt(2 * d * log_moment) + 16 * np.sqrt(2 * d / log_size))

    def _tail(self, eps: float, m: int) -> float:
        return float(np.exp(-(max(0.0, eps * np.sqrt(m) - self.entropy()) ** 2) / 2))


def tightest(*, kernel: Stationary, n_features: int, diameter: float, embedding: Embedding = "paired") -> UniformBound:
    """The best bound over a region for this kernel; refused where its spectral measure has no second moment."""
    setting = {"kernel": kernel, "n_features": n_features, "diameter": diameter, "embedding": embedding}
    if n_features == 1 and embedding == "paired":
        return LineSupremum(**setting)  # type: ignore[arg-type]
    if normalised(kernel).is_gaussian:
        return AnchoredCover(**setting)  # type: ignore[arg-type]
    general = SutherlandSchneiderProp1 if embedding == "paired" else SutherlandSchneiderProp2
    return general(**setting)  # type: ignore[arg-type]
