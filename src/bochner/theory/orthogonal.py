"""Orthogonal random features: exact covariance within a block, and the bounds that follow.

Rows of a block of d frequencies are orthogonal with independent chi lengths, blocks are independent. Two rows of a
block have, for the Gaussian kernel and z = ||x - y|| / length_scale,

    E cos(w1 . u) cos(w2 . u) = 1F1(d; d/2; -z^2/2),      c(z) = 1F1(d; d/2; -z^2/2) - e^(-z^2)

c is negative for small and moderate z (fewer features for the same variance) and slightly positive for some larger
ones. It is a second moment: no exponential tail follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import hyp1f1

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.theory.base import Evidence, Source, Status, check_delta, check_eps, n_frequencies
from bochner.theory.normalised import KernelTailBound
from bochner.theory.pointwise import PairBound
from bochner.theory.sources import YU
from bochner.theory.sub_gaussian import PHASE, sub_gaussian_tail, variance_proxy

__all__ = ["BlockHoeffding", "Chebyshev", "block_sizes", "row_covariance", "variance_factor"]

_BLOCKS = "frequencies from blocks of Haar-orthogonal directions with independent chi lengths; blocks independent"


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
        if isinstance(self.n_features, bool) or int(self.n_features) != self.n_features or self.n_features < 1:
            raise invalid_parameter(self, "n_features", "an integer >= 1", self.n_features)

    def _tail(self, eps: float, m: int) -> float:
        within = variance_proxy(self._normalised, "paired") * self._sum_of_squares(m)
        return sub_gaussian_tail(eps, m, within / m + (0.0 if self._paired else PHASE))

    def _sum_of_squares(self, m: int) -> int:
        full, rest = divmod(m, self.n_features)
        return full * self.n_features**2 + rest**2
