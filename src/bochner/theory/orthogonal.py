"""Orthogonal random features: exact covariance within a block, and the bounds that follow.

Rows of a block of d frequencies are orthogonal with independent chi lengths, blocks are independent. Two rows of a
block have, for the Gaussian kernel and z = ||x - y|| / length_scale,

    E cos(w1 . u) cos(w2 . u) = 1F1(d; d/2; -z^2/2),      c(z) = 1F1(d; d/2; -z^2/2) - e^(-z^2)

c is negative for small and moderate z (fewer features for the same variance) and slightly positive for some larger
ones. It is a second moment; exponential tails at the rate of independent draws follow from the independent lengths
and the concentration of the directions (`OrthogonalBlocks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import hyp1f1

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.theory.base import Embedding, Evidence, Source, Status, check_delta, check_eps, n_frequencies, require
from bochner.theory.finite_set import n_pairs
from bochner.theory.normalised import KernelTailBound, NormalisedKernel
from bochner.theory.pointwise import PairBound
from bochner.theory.sources import BOCHNER, YU
from bochner.theory.sub_gaussian import PHASE, sub_gaussian_tail, variance_proxy

__all__ = [
    "BlockHoeffding",
    "Chebyshev",
    "OrthogonalBlocks",
    "OrthogonalPoints",
    "block_proxy",
    "block_sizes",
    "row_covariance",
    "variance_factor",
]

_BLOCKS = "frequencies from blocks of Haar-orthogonal directions with independent chi lengths; blocks independent"
_ISOTROPIC = "an isotropic kernel whose spectral measure has a second moment"


def row_covariance(z: Array | float, d: int) -> Array:
    """c(z) = Cov(cos(w1 . u), cos(w2 . u)) of two rows of one block in R^d, z = ||u|| / length_scale."""
    z = np.asarray(z, dtype=float)
    covariance: Array = hyp1f1(d, d / 2, -(z**2) / 2) - np.exp(-(z**2))
    return covariance


def block_sizes(m: int, d: int) -> Array:
    """Sizes of the blocks of m frequencies in R^d: full ones, and a last one with the rest."""
    full, rest = divmod(m, d)
    return np.array([d] * full + [rest] * (rest > 0))


def variance_factor(z: float, m: int, d: int) -> float:
    """m Var of the mean of m orthogonal cosines: v + c * (mean number of partners in a frequency's block)."""
    sizes = block_sizes(m, d)
    iid = float(np.expm1(-(z**2)) ** 2 / 2)
    return float(iid + row_covariance(z, d) * np.sum(sizes * (sizes - 1)) / m)


@dataclass(frozen=True, kw_only=True)
class Chebyshev(PairBound):
    """Var / eps^2 with the exact variance of orthogonal features; Gaussian kernel, one pair.

    The variance is smallest at whole blocks and rises when a new one is begun, so `features_needed` counts blocks.
    """

    statement: ClassVar[str] = (
        "P(|s - k| >= eps) <= Var/eps^2, Var from the exact covariance 1F1(d; d/2; -z^2/2) - e^(-z^2)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(YU, "Section 3, with the covariance in closed form")
    assumptions: ClassVar[tuple[str, ...]] = (_BLOCKS, "Gaussian kernel", "the pair is fixed before the frequencies")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_gaussian("the covariance of orthogonal rows is known for it")

    def variance(self, n_components: int) -> float:
        """Exact variance of s at the pair."""
        m = n_frequencies(n_components, self.embedding)
        return self.kernel.variance**2 * self._variance_of_mean(m)

    def features_needed(self, eps: float, delta: float) -> int:
        """Smallest number of whole blocks that is enough, in columns."""
        # Overrides the bisection over widths: the bound is monotone over whole blocks only.
        d, per_frequency = len(self.difference), 2 if self._paired else 1
        one_block = self._variance_of_mean(d) / (check_eps(eps) / self._unit_of_error()) ** 2
        return max(1, int(np.ceil(one_block / check_delta(delta)))) * d * per_frequency

    def _variance_of_mean(self, m: int) -> float:
        u = np.asarray(self.difference)
        z = float(np.sqrt(self._normalised.squared_radius(u)))
        phase = 0.0 if self._paired else 0.5
        return (variance_factor(z, m, len(u)) + phase) / m

    def _tail(self, eps: float, m: int) -> float:
        return self._variance_of_mean(m) / eps**2


def block_proxy(kernel: NormalisedKernel, embedding: Embedding, m: int, d: int, z: float | None = None) -> float:
    """Variance proxy of the mean of m frequencies in orthogonal blocks, times m; z = sqrt(E (omega . u)^2).

    Of the sum over a block of size b, the smaller of v b^2 (Jensen's inequality) and, for isotropic kernels with a
    second moment, b + d^2 min(z^4, z^2 b/d) / (d - 1): given the directions the lengths are independent (Hoeffding's
    lemma), and their means are a function on the sphere whose gradient is bounded by the second moment (log-Sobolev).
    """
    sizes = block_sizes(m, d)
    squares = variance_proxy(kernel, "paired") * sizes**2
    if z is not None and d > 1:
        squares = np.minimum(squares, sizes + d**2 / (d - 1) * np.minimum(z**4, z**2 * sizes / d))
    return float(squares.sum() / m) + (0.0 if embedding == "paired" else PHASE)


@dataclass(frozen=True, kw_only=True)
class BlockHoeffding(KernelTailBound):
    """Blocks as the independent summands: 2 exp(-m^2 eps^2 / (2 v sum b^2)), b block sizes, v of `theory.sub_gaussian`.

    For phases v sum b^2 + m / 2, since phases are independent within a block, too. Any kernel: the log-MGF of a block's
    sum is at most that of b times one summand (Jensen's inequality). Independent draws have m in the place of sum b^2.

    Parameters
    ----------
    n_features : int
        Dimension d, the size of a block.
    """

    n_features: int

    quantity: ClassVar[str] = "the kernel error at a fixed pair"
    statement: ClassVar[str] = (
        "P(|s - k| >= eps) <= 2 exp(-m^2 eps^2/(2 (v sum of squared block sizes [+ m/2 for phases]))), v = 1 for any "
        "kernel, 3/4 for mixtures of Gaussian ones, 1/2 for those"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source("Hoeffding (1963)", "Theorem 2, with blocks as summands")
    assumptions: ClassVar[tuple[str, ...]] = (_BLOCKS, "the pair is fixed before the frequencies")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        _check_features(self, self.n_features)

    def _tail(self, eps: float, m: int) -> float:
        return sub_gaussian_tail(eps, m, block_proxy(self._normalised, self.embedding, m, self.n_features))


@dataclass(frozen=True, kw_only=True)
class OrthogonalBlocks(PairBound):
    """One pair, whole blocks: 2 exp(-m eps^2 / (2 (1 + d/(d-1) min(z^2, z^4)))) paired, z^2 = E (omega . (x - y))^2.

    The rate is m, as for independent frequencies, where `BlockHoeffding` has m / d; 1/2 more in the denominator's
    bracket for phases. Isotropic kernels with a second moment; never larger than `BlockHoeffding`.

    Examples
    --------
    >>> from bochner.kernels import Gaussian
    >>> OrthogonalBlocks(kernel=Gaussian(), difference=[0.1] * 10).features_needed(eps=0.1, delta=0.01)
    2142
    >>> BlockHoeffding(kernel=Gaussian(), n_features=10).features_needed(eps=0.1, delta=0.01)
    10592
    """

    statement: ClassVar[str] = (
        "P(|s - k| >= eps) <= 2 exp(-m eps^2/(2 (1 + d/(d-1) min(z^2, z^4)))), z^2 = E (omega.(x-y))^2, whole blocks"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(
        BOCHNER, "conditional Hoeffding and log-Sobolev inequalities for orthogonal blocks"
    )
    assumptions: ClassVar[tuple[str, ...]] = (_BLOCKS, "the pair is fixed before the frequencies", _ISOTROPIC)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        require(_has_radial_moment(self._normalised, len(self.difference)), _ISOTROPIC, self.kernel)

    def _tail(self, eps: float, m: int) -> float:
        u = np.asarray(self.difference)
        z = float(np.sqrt(self._normalised.squared_radius(u)))
        return sub_gaussian_tail(eps, m, block_proxy(self._normalised, self.embedding, m, len(u), z))


@dataclass(frozen=True, kw_only=True)
class OrthogonalPoints(KernelTailBound):
    """All pairs of n points, orthogonal blocks: a union bound over `OrthogonalBlocks` at the largest distance.

    Parameters
    ----------
    n_points : int
    n_features : int
        Dimension d, the size of a block.
    diameter : float, default=None
        Largest ||x - y||, in length scales where the kernel has one per feature; None: any distance, `BlockHoeffding`.
    """

    n_points: int
    n_features: int
    diameter: float | None = None

    quantity: ClassVar[str] = "the largest kernel error over all pairs of the points"
    statement: ClassVar[str] = (
        "P(max over pairs |s - k| >= eps) <= pairs * 2 exp(-m eps^2/(2 (1 + d/(d-1) min(z^2, z^4)))), "
        "z the largest distance times sigma_p/sqrt(d)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "union bound for orthogonal blocks")
    assumptions: ClassVar[tuple[str, ...]] = (
        _BLOCKS,
        "the points are fixed before, or independent of, the frequencies",
    )
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        _check_features(self, self.n_features)
        if self.diameter is not None and not 0 <= self.diameter < np.inf:
            raise invalid_parameter(self, "diameter", "a finite number >= 0 or None", self.diameter)

    def _tail(self, eps: float, m: int) -> float:
        proxy = block_proxy(self._normalised, self.embedding, m, self.n_features, self._largest())
        return n_pairs(self.n_points, embedding=self.embedding) * sub_gaussian_tail(eps, m, proxy)

    def _largest(self) -> float | None:
        """The largest z, None where it has no part in the bound."""
        kernel = self._normalised
        if self.diameter is None or not _has_radial_moment(kernel, self.n_features):
            return None
        moment = kernel.in_scaled_coordinates(self.n_features).kernel.second_moments(self.n_features)[0]
        return float(self.diameter * np.sqrt(moment))


def _has_radial_moment(kernel: NormalisedKernel, d: int) -> bool:
    """An isotropic kernel whose spectral measure has a second moment."""
    return kernel.kernel.isotropic and bool(np.all(np.isfinite(kernel.kernel.second_moments(d))))


def _check_features(owner: object, n_features: int) -> None:
    if isinstance(n_features, bool) or int(n_features) != n_features or n_features < 1:
        raise invalid_parameter(owner, "n_features", "an integer >= 1", n_features)
