"""Orbit embeddings (Raj et al.): features averaged over transformations of the input, psi(x) = mean_i z(g_i x).

k_q(x, y) = E k(g x, g' y),   g, g' independent from q,   every g unitary
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels import Stationary
from bochner.theory.base import (
    Bound,
    Certificate,
    Embedding,
    Evidence,
    Source,
    Status,
    check_delta,
    check_eps,
    require,
    smallest_integer,
)
from bochner.theory.normalised import KernelTailBound
from bochner.theory.orbit_risk import UNITARY, ExcessRisk, hilbert_mean_error, random_function_error
from bochner.theory.pointwise import IID, EmpiricalBernstein
from bochner.theory.region import REGION, UniformBound
from bochner.theory.sources import BOCHNER, RAJ
from bochner.theory.sub_gaussian import sub_gaussian_tail, variance_proxy

__all__ = [
    "ExcessRisk",
    "FullOrbitEmpiricalBernstein",
    "FullOrbitHoeffding",
    "Invariance",
    "SampledOrbit",
    "SampledOrbitHoeffding",
    "features_needed",
    "hilbert_mean_error",
    "random_function_error",
    "transforms_needed",
]

_ALL = "the whole finite group is averaged over, with uniform weights"
_SAMPLED = "transformations drawn independently from q"


class _Sampled:
    """Base of bounds for r sampled transformations."""

    n_transforms: int

    def _check_transforms(self) -> None:
        r = self.n_transforms
        if isinstance(r, bool) or int(r) != r or r < 2:
            raise invalid_parameter(self, "n_transforms", "an integer >= 2", r)

    def transforms_needed(self, eps: float, delta: float, *, n_components: int) -> int:
        """Smallest number of transformations with `probability(eps) <= delta` at a given width; at least 2."""
        check_eps(eps)
        check_delta(delta)

        def enough(r: int) -> bool:
            bound = replace(self, n_transforms=max(2, r))  # type: ignore[type-var]
            return bool(bound.probability(eps, n_components=n_components) <= delta)  # type: ignore[attr-defined]

        require(enough(2**40), "a width that is enough for eps with all transformations", n_components)
        return max(2, smallest_integer(enough))


@dataclass(frozen=True, kw_only=True)
class SampledOrbit(_Sampled, UniformBound):
    """Theorem 3.1 with its constants repaired: r sampled transformations, phase features, Gaussian kernel.

    P(sup |<psi(x), psi(y)> - k_q(x, y)| > e + 1/r) is at most the minimum over eta <= 0.58 diameter of

        2 N^2 exp(-s e^2 / 128) + 32 eta^2 (2 sigma_p + sqrt(2) L_k)^2 / e^2 + 2 N^2 exp(-r t^2 / 2),
        N = (2 diameter / eta)^d,   t = e/2 - 4 L_k eta > 0

    The paper changes one row but not one column of the Gram sum (1/r for 2/r), and halves a gradient. `eps` of
    `probability` is e + 1/r, so that `error` and `certificate` bound the whole supremum.

    Parameters
    ----------
    n_transforms : int
        r.
    """

    n_transforms: int
    embedding: Literal["paired", "phase"] = "phase"

    quantity: ClassVar[str] = "the largest error of the orbit kernel over the region"
    error_name: ClassVar[str] = "the largest error of the orbit kernel"
    statement: ClassVar[str] = (
        "P(sup |<psi(x),psi(y)> - k_q| > e + 1/r) <= min over eta of 2N^2 exp(-s e^2/128) "
        "+ 32 eta^2 (2 sigma_p + sqrt2 L_k)^2/e^2 + 2N^2 exp(-r t^2/2)"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(RAJ, "Theorem 3.1")
    assumptions: ClassVar[tuple[str, ...]] = (
        IID,
        REGION,
        "Gaussian kernel",
        "phase embedding",
        UNITARY,
        _SAMPLED,
    )
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_gaussian("0 <= k <= 1 and a known slope")
        isotropic = not self._normalised.has_scale_per_feature
        require(isotropic, "one length scale for all features (unitary transformations mix them)", self.kernel)
        require(not self._paired, "the phase embedding", self.embedding)
        self._check_transforms()

    def _tail(self, eps: float, m: int) -> float:
        # Overrides: the transformations are sampled, too.
        e = eps - 1 / self.n_transforms
        if e <= 0:
            return 1.0
        sigma_p, lipschitz = self._constants()
        eta = np.geomspace(1e-9, 0.58, 600) * self.diameter
        t = np.maximum(e / 2 - 4 * lipschitz * eta, 0.0)  # t = 0 makes the last term at least 2: never the minimum
        log_pairs = np.log(2) + 2 * self.n_features * np.log(2 * self.diameter / eta)
        features = np.exp(np.minimum(log_pairs - m * e**2 / 128, 700))
        transforms = np.exp(np.minimum(log_pairs - self.n_transforms * t**2 / 2, 700))
        slopes = 32 * eta**2 * (2 * sigma_p + np.sqrt(2) * lipschitz) ** 2 / e**2
        return float(np.min(features + slopes + transforms))


@dataclass(frozen=True, kw_only=True)
class FullOrbitHoeffding(KernelTailBound):
    """All pairs of n points, a finite group averaged in full: n(n+1)/2 pairs, each with the tail of a plain pair.

    The only error is that of the frequencies. Per frequency Re(psi_w(x) conj psi_w(y)) is the mean of the summands of
    k(g x, h y) over all g and h, so its log-MGF is at most the largest of theirs (Jensen's inequality): Hoeffding's
    lemma and the sub-Gaussian lemma apply as they are. The diagonal is random for both embeddings.

    Parameters
    ----------
    n_points : int, default=None
        None: one fixed pair.
    """

    n_points: int | None = None

    quantity: ClassVar[str] = "the largest error of the orbit kernel over the points"
    statement: ClassVar[str] = (
        "P(max over pairs |<psi(x),psi(y)> - k_G| >= eps) <= n(n+1)/2 * 2 exp(-D eps^2/2), Gaussian kernel; "
        "for mixtures of them D eps^2/3 (paired), 2 D eps^2/5 (phase); any kernel D eps^2/4 (paired), D eps^2/3 (phase)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "Hoeffding's and the sub-Gaussian lemma for full orbits")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _ALL)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        if self.n_points is not None and (int(self.n_points) != self.n_points or self.n_points < 1):
            raise invalid_parameter(self, "n_points", "an integer >= 1 or None", self.n_points)

    def _tail(self, eps: float, m: int) -> float:
        return self._pairs() * sub_gaussian_tail(eps, m, self._proxy())

    def _proxy(self) -> float:
        return variance_proxy(self._normalised, self.embedding)

    def _pairs(self) -> int:
        return 1 if self.n_points is None else self.n_points * (self.n_points + 1) // 2


@dataclass(frozen=True, kw_only=True)
class SampledOrbitHoeffding(_Sampled, FullOrbitHoeffding):
    """All pairs of n points, r sampled transformations: Theorem 3.1 at fixed points, for both embeddings.

    P(max |<psi(x), psi(y)> - k_q(x, y)| >= e + 1/r) is at most the minimum over 0 < t < e of

        n(n+1)/2 [2 exp(-m (e - t)^2 / (2 v)) + 2 exp(-r t^2 / 2)]

    with m frequencies and v of `theory.sub_gaussian`: D (e - t)^2 / 2 for the Gaussian kernel. Given the
    transformations, the tail of `FullOrbitHoeffding`; over them, McDiarmid's inequality: one of them changes
    the mean over pairs by at most 2/r, where 0 <= k <= 1, and its expectation is within 1/r of k_q. The actions need
    not be unitary.

    Parameters
    ----------
    n_transforms : int
        r.
    """

    n_transforms: int

    statement: ClassVar[str] = (
        "P(max over pairs |<psi(x),psi(y)> - k_q| >= e + 1/r) <= min over t of n(n+1)/2 [2 exp(-m (e-t)^2/(2v)) "
        "+ 2 exp(-r t^2/2)], m/v = D for the Gaussian kernel"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "Hoeffding's and McDiarmid's inequalities for sampled orbits")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _SAMPLED, "0 <= k <= k(0)")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_transforms()
        require(self._normalised.kernel.non_negative, "a kernel known to be non-negative", self.kernel)

    def _tail(self, eps: float, m: int) -> float:
        # Overrides: the transformations are sampled, too.
        e = eps - 1 / self.n_transforms
        if e <= 0:
            return 1.0
        t = e * np.linspace(0.001, 0.999, 999)
        rate = m / (2 * self._proxy())
        return float(self._pairs() * 2 * np.min(np.exp(-rate * (e - t) ** 2) + np.exp(-self.n_transforms * t**2 / 2)))


def features_needed(
    *,
    n_points: int,
    eps: float,
    delta: float,
    kernel: Stationary,
    n_transforms: int | None = None,
    embedding: Embedding = "paired",
) -> int:
    """Output width D for which the orbit kernel is within `eps` on all pairs of points, with probability 1 - delta.

    Parameters
    ----------
    n_points : int
    eps, delta : float
    kernel : Stationary
    n_transforms : int, default=None
        Transformations sampled from their law; None: a finite group averaged in full.
    embedding : {"paired", "phase"}, default="paired"

    Examples
    --------
    >>> from bochner.kernels import Gaussian
    >>> features_needed(n_points=1000, eps=0.1, delta=0.01, kernel=Gaussian())
    3686
    """
    if n_transforms is None:
        return FullOrbitHoeffding(kernel=kernel, n_points=n_points, embedding=embedding).features_needed(eps, delta)
    bound = SampledOrbitHoeffding(kernel=kernel, n_points=n_points, embedding=embedding, n_transforms=n_transforms)
    return bound.features_needed(eps, delta)


def transforms_needed(
    *,
    n_points: int,
    n_components: int,
    eps: float,
    delta: float,
    kernel: Stationary,
    embedding: Embedding = "paired",
) -> int:
    """Transformations to sample so that the orbit kernel is within `eps` on all pairs, with probability 1 - delta.

    A width too small for `eps` with every transformation is refused with an `AssumptionError`.

    Examples
    --------
    >>> from bochner.kernels import Gaussian
    >>> transforms_needed(n_points=1000, n_components=40_000, eps=0.1, delta=0.01, kernel=Gaussian())
    7993
    """
    bound = SampledOrbitHoeffding(kernel=kernel, n_points=n_points, embedding=embedding, n_transforms=2)
    return bound.transforms_needed(eps, delta, n_components=n_components)


@dataclass(frozen=True, kw_only=True)
class FullOrbitEmpiricalBernstein(EmpiricalBernstein):
    """One pair, a finite group averaged in full: Maurer & Pontil's bound with the sample variance of the summands."""

    statement: ClassVar[str] = (
        "|<psi(x),psi(y)> - k_G| <= sqrt(2 V log(4/delta)/m) + 7 g log(4/delta)/(3(m-1)), V the sample variance"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source("Maurer & Pontil (2009), Empirical Bernstein Bounds", "Theorem 4")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _ALL)
    evidence: ClassVar[Evidence] = Evidence.QUOTED


@dataclass(frozen=True, kw_only=True, eq=False)
class Invariance(Bound):
    """Invariance defect: the largest change of features when their rows are transformed, computed.

        |<psi(h x), psi(y)> - <psi(x), psi(y)>| <= ||psi(h x) - psi(x)|| ||psi(y)||

    Parameters
    ----------
    moved : iterable of arrays of shape (n, D)
        psi(h x), of one transformation after the other.
    still : array of shape (n, D)
        psi(x).
    """

    moved: Iterable[Array]
    still: Array

    statement: ClassVar[str] = "max over rows and transformations of ||psi(h x) - psi(x)||, computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "computed on the rows")
    assumptions: ClassVar[tuple[str, ...]] = ("it speaks of these rows and these transformations only",)

    def certificate(self) -> Certificate:
        """The largest change of these rows; no probability is involved."""
        change = np.array([np.linalg.norm(moved - self.still, axis=-1) for moved in self.moved])
        length = np.linalg.norm(self.still, axis=-1)
        value, n_moves = float(np.max(change)), change.size // len(self.still)
        relative = float(np.sqrt(np.mean(change**2) / np.mean(length**2)))
        claim = (
            f"the largest move of the features of {len(self.still):,} rows under {n_moves:,} transformations is "
            f"{{value}} ({100 * relative:.3g} % of their length in root mean square; computed)"
        )
        return self._certificate(value, 0.0, claim, n_transforms=n_moves, relative=relative)
