"""Bounds for all pairs of a finite set of points: dimension-free.

The paired map is exact on the diagonal, so n points have n(n-1)/2 pairs; the phase map is not: n(n+1)/2. Test points
add n * n_test pairs, training against test. The points must be fixed before, or independent of, the frequencies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.utils import check_array

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import Embedding, Evidence, Source, Status, TailBound
from bochner.theory.cramer import ChernoffTable, exponents, tabulate
from bochner.theory.moments import summand_variance
from bochner.theory.normalised import MIXTURE, KernelTailBound, NormalisedKernel, normalised
from bochner.theory.pointwise import IID, bernstein_exponent
from bochner.theory.sources import BOCHNER
from bochner.theory.sub_gaussian import sub_gaussian_tail, variance_proxy

__all__ = [
    "DataAware",
    "UnionHoeffding",
    "UnionSubGaussian",
    "by_number_of_points",
    "error",
    "features_needed",
    "n_pairs",
    "tightest",
]

_FIXED = "the points are fixed before, or independent of, the frequencies"
_BATCH = 2**17  # kernel values at once: larger pieces leave the cache and are slower


def n_pairs(n_points: int, *, embedding: Embedding = "paired", n_test: int = 0) -> int:
    """Number of pairs of points: within the training points, and training against test."""
    own = n_points * (n_points - 1) // 2 if embedding == "paired" else n_points * (n_points + 1) // 2
    return own + n_points * n_test


@dataclass(frozen=True, kw_only=True)
class _Union(KernelTailBound):
    """A union bound over the pairs of `n_points` training and `n_test` test points."""

    n_points: int
    n_test: int = 0

    quantity: ClassVar[str] = "the largest kernel error over all pairs of the points"

    def __post_init__(self) -> None:
        for name, least in (("n_points", 1), ("n_test", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or int(value) != value or value < least:
                raise invalid_parameter(self, name, f"an integer >= {least}", value)

    def _pairs(self) -> int:
        return n_pairs(int(self.n_points), embedding=self.embedding, n_test=int(self.n_test))


@dataclass(frozen=True, kw_only=True)
class UnionHoeffding(_Union):
    """pairs * 2 exp(-D eps^2 / 4) paired, pairs * 2 exp(-D eps^2 / 3) phase, for every stationary kernel."""

    statement: ClassVar[str] = "P(max over pairs |s - k| >= eps) <= pairs * 2 exp(-D eps^2/4) (paired; /3 phase)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "union bound over Hoeffding's inequality")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _FIXED)

    def _tail(self, eps: float, m: int) -> float:
        return self._pairs() * sub_gaussian_tail(eps, m, variance_proxy(None, self.embedding))


@dataclass(frozen=True, kw_only=True)
class UnionSubGaussian(_Union):
    """pairs * 2 exp(-D eps^2 / 2), Gaussian kernel: D = 2 log(n(n-1)/delta) / eps^2 columns are enough.

    For mixtures of Gaussian kernels (`pointwise.SubGaussian`) D eps^2 / 3 paired, 2 D eps^2 / 5 phase.

    Examples
    --------
    >>> from bochner.kernels import Gaussian, Matern
    >>> UnionSubGaussian(kernel=Gaussian(), n_points=1000).features_needed(eps=0.1, delta=0.01)
    3684
    >>> UnionSubGaussian(kernel=Matern(), n_points=1000).features_needed(eps=0.1, delta=0.01)
    5526
    """

    statement: ClassVar[str] = (
        "P(max over pairs |s - k| >= eps) <= pairs * 2 exp(-D eps^2/2), Gaussian kernel; for mixtures of them "
        "pairs * 2 exp(-D eps^2/3) (paired), pairs * 2 exp(-2 D eps^2/5) (phase)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "union bound over the sub-Gaussian lemma")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _FIXED, MIXTURE)
    evidence: ClassVar[Evidence] = Evidence.COMPUTER_ASSISTED

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_normal_mixture()

    def _tail(self, eps: float, m: int) -> float:
        return self._pairs() * sub_gaussian_tail(eps, m, variance_proxy(self._normalised, self.embedding))


@dataclass(frozen=True, kw_only=True, eq=False)
class DataAware(KernelTailBound):
    """The sum over the actual pairs of their own Cramer (or Bernstein) bounds.

    Parameters
    ----------
    X : array of shape (n, d)
        Training points.
    X_test : array of shape (n_test, d), default=None
        Adds the pairs training against test.
    method : {"cramer", "bernstein"}, default="cramer"
    """

    X: Array
    X_test: Array | None = None
    method: Literal["cramer", "bernstein"] = "cramer"

    quantity: ClassVar[str] = "the largest kernel error over all pairs of the given points"
    statement: ClassVar[str] = "P(max over pairs |s - k| >= eps) <= sum over pairs of the Cramer or Bernstein bound"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "union bound over the pairs' own Cramer bounds")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _FIXED)

    def __post_init__(self) -> None:
        if self.method not in ("cramer", "bernstein"):
            raise invalid_parameter(self, "method", "'cramer' or 'bernstein'", self.method)
        for name in ("X", "X_test"):
            if getattr(self, name) is not None:
                points = check_array(getattr(self, name), dtype=np.float64, input_name=name)
                object.__setattr__(self, name, points)

    def _tail(self, eps: float, m: int) -> float:
        if self.method == "cramer":
            return self._chernoff.tail(eps, m)
        variance, reach, counts = self._bernstein
        return float(counts @ (2 * np.exp(-bernstein_exponent(eps, m, variance, reach))))

    @cached_property
    def _chernoff(self) -> ChernoffTable:
        # 80 terms of the series carry s up to about 100; a larger s would only matter below any useful delta.
        kernel, batches = self._batches(n_terms=80)
        return tabulate(kernel, batches, self.embedding, exponents(n_terms=80))

    @cached_property
    def _bernstein(self) -> tuple[Array, Array, Array]:
        kernel, batches = self._batches(n_terms=2)
        variance, reach, counts = [], [], []
        for differences, multiplicity in batches:
            variance.append(summand_variance(kernel, differences, self.embedding) + 1e-15)
            reach.append(1 + np.abs(kernel.at(differences)) if self._paired else np.full(len(differences), 3.0))
            counts.append(np.full(len(differences), multiplicity))
        if not counts:
            return np.ones(0), np.ones(0), np.ones(0)
        return np.concatenate(variance), np.concatenate(reach), np.concatenate(counts)

    def _batches(self, n_terms: int) -> tuple[NormalisedKernel, Iterator[tuple[Array, float]]]:
        """The kernel and its pairs (differences, multiplicity), in pieces that fit in the cache."""
        kernel = normalised(self.kernel)
        if kernel.kernel.isotropic:
            return _radial(kernel, self.X, self.X_test, self.embedding, n_terms)
        return kernel, _differences(self.X, self.X_test, self.embedding, n_terms)


def _radial(
    kernel: NormalisedKernel, X: Array, X_test: Array | None, embedding: Embedding, n_terms: int
) -> tuple[NormalisedKernel, Iterator[tuple[Array, float]]]:
    """An isotropic kernel sees only scaled distances: its pairs are differences on a line."""
    scale = kernel.kernel.scales(X.shape[1])
    distances = [pdist(X / scale)]
    if X_test is not None:
        distances.append(cdist(X / scale, X_test / scale).ravel())
    step = max(1, _BATCH // n_terms)

    def batches() -> Iterator[tuple[Array, float]]:
        for part in distances:
            for start in range(0, len(part), step):
                yield part[start : start + step, None], 1.0
        if embedding == "phase":
            yield np.zeros((1, 1)), float(len(X))

    return kernel.with_unit_scale(), batches()


def _differences(X: Array, X_test: Array | None, embedding: Embedding, n_terms: int) -> Iterator[tuple[Array, float]]:
    """Differences of all pairs, for kernels that are not functions of a distance."""
    step = max(1, _BATCH // (n_terms * X.shape[1]))
    for i, x in enumerate(X):
        others = X[i + 1 :] if X_test is None else np.vstack([X[i + 1 :], X_test])
        for start in range(0, len(others), step):
            yield x - others[start : start + step], 1.0
    if embedding == "phase":
        yield np.zeros((1, X.shape[1])), float(len(X))


def by_number_of_points(
    *, n_points: int, kernel: Stationary, embedding: Embedding = "paired", n_test: int = 0
) -> list[TailBound]:
    """The bounds that need the number of points only, the tightest first."""
    kinds = (UnionSubGaussian, UnionHoeffding) if normalised(kernel).is_normal_mixture else (UnionHoeffding,)
    return [kind(kernel=kernel, n_points=n_points, n_test=n_test, embedding=embedding) for kind in kinds]


def tightest(*, n_points: int, kernel: Stationary, embedding: Embedding = "paired", n_test: int = 0) -> TailBound:
    """The best bound that needs the number of points only."""
    return by_number_of_points(n_points=n_points, kernel=kernel, embedding=embedding, n_test=n_test)[0]


def features_needed(
    *, n_points: int, eps: float, delta: float, kernel: Stationary, embedding: Embedding = "paired", n_test: int = 0
) -> int:
    """Output width D for which all pairs of `n_points` points are within `eps`, with probability 1 - delta.

    Examples
    --------
    >>> from bochner.kernels import Gaussian
    >>> features_needed(n_points=1000, eps=0.1, delta=0.01, kernel=Gaussian())
    3684
    """
    return tightest(n_points=n_points, kernel=kernel, embedding=embedding, n_test=n_test).features_needed(eps, delta)


def error(
    *,
    n_points: int,
    n_components: int,
    delta: float,
    kernel: Stationary,
    embedding: Embedding = "paired",
    n_test: int = 0,
) -> float:
    """Largest kernel error over all pairs of `n_points` points, with probability 1 - delta."""
    return tightest(n_points=n_points, kernel=kernel, embedding=embedding, n_test=n_test).error(n_components, delta)
