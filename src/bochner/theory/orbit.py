"""Orbit embeddings (Raj et al.): features averaged over transformations of the input, psi(x) = mean_i z(g_i x).

k_q(x, y) = E k(g x, g' y),   g, g' independent from q,   every g unitary
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bochner.errors import invalid_parameter
from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_delta, require
from bochner.theory.normalised import KernelTailBound
from bochner.theory.pointwise import IID, EmpiricalBernstein, hoeffding_exponent
from bochner.theory.region import REGION, UniformBound
from bochner.theory.sources import BOCHNER, RAJ

__all__ = [
    "ExcessRisk",
    "FullOrbitEmpiricalBernstein",
    "FullOrbitHoeffding",
    "SampledOrbit",
    "hilbert_mean_error",
    "random_function_error",
]

_UNITARY = "every transformation is unitary (an interpolated image rotation is so only approximately)"
_ALL = "the whole finite group is averaged over, with uniform weights"


@dataclass(frozen=True, kw_only=True)
class SampledOrbit(UniformBound):
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
        _UNITARY,
        "transformations drawn independently from q",
    )
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_gaussian("0 <= k <= 1 and a known slope")
        isotropic = not self._normalised.has_scale_per_feature
        require(isotropic, "one length scale for all features (unitary transformations mix them)", self.kernel)
        require(not self._paired, "the phase embedding", self.embedding)
        if isinstance(self.n_transforms, bool) or int(self.n_transforms) != self.n_transforms or self.n_transforms < 2:
            raise invalid_parameter(self, "n_transforms", "an integer >= 2", self.n_transforms)

    def _tail(self, eps: float, m: int) -> float:
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
    """All pairs of n points, a finite group averaged in full: n(n+1)/2 pairs, Hoeffding's inequality.

    The only error is that of the frequencies: per frequency Re(psi_w(x) conj psi_w(y)) lies in [-1, 1] (paired) or
    [-2, 2] (phase). The diagonal is random for both embeddings, and the sub-Gaussian lemma does not apply.

    Parameters
    ----------
    n_points : int, default=None
        None: one fixed pair.
    """

    n_points: int | None = None

    quantity: ClassVar[str] = "the largest error of the orbit kernel over the points"
    statement: ClassVar[str] = (
        "P(max over pairs |<psi(x),psi(y)> - k_G| >= eps) <= n(n+1)/2 * 2 exp(-D eps^2/4) (paired; /8 phase)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "Hoeffding's inequality for full orbits")
    assumptions: ClassVar[tuple[str, ...]] = (IID, _ALL)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        if self.n_points is not None and (int(self.n_points) != self.n_points or self.n_points < 1):
            raise invalid_parameter(self, "n_points", "an integer >= 1 or None", self.n_points)

    def _tail(self, eps: float, m: int) -> float:
        pairs = 1 if self.n_points is None else self.n_points * (self.n_points + 1) // 2
        return float(pairs * 2 * np.exp(-hoeffding_exponent(eps, m, self.embedding)))


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


def hilbert_mean_error(radius: float, n_draws: int, delta: float) -> float:
    """Lemma A.1 of Raj et al.: the mean of draws in a ball is within (radius/sqrt(n)) (1 + sqrt(2 "
    "log(1/delta))) of its expectation."""
    return float(radius / np.sqrt(n_draws) * (1 + np.sqrt(2 * np.log(1 / check_delta(delta)))))


def random_function_error(
    bound: float, n_components: int, n_transforms: int, delta_features: float, delta_transforms: float
) -> float:
    """Lemma A.2 of Raj et al.: a function with |alpha| <= C p is matched within the sum of two Lemma A.1 radii."""
    return hilbert_mean_error(bound, n_components, delta_features) + hilbert_mean_error(
        bound, n_transforms, delta_transforms
    )


@dataclass(frozen=True, kw_only=True)
class ExcessRisk(Bound):
    """Theorem 3.2 repaired: excess risk of the best function with orbit features, L-Lipschitz loss V(y f(x)).

        2 [4 L C / sqrt(N) + 2 |V(0)| / sqrt(N) + L C sqrt(2 log(2/delta) / N)]
            + L C (1/sqrt(s) + 1/sqrt(r)) (1 + sqrt(2 log(1/delta))),          with probability 1 - 3 delta

    Parameters
    ----------
    lipschitz : float
        L.
    bound : float
        C = sup |f|, where |alpha(w)| <= C p(w).
    n_points, n_components, n_transforms : int
        N training points, s features, r transformations.
    loss_at_zero : float, default=1.0
        |V(0)|.
    """

    lipschitz: float
    bound: float
    n_points: int
    n_components: int
    n_transforms: int
    loss_at_zero: float = 1.0

    statement: ClassVar[str] = (
        "excess risk <= 2[4LC/sqrt(N) + 2|V(0)|/sqrt(N) + LC sqrt(2 log(2/delta)/N)] "
        "+ LC(1/sqrt(s)+1/sqrt(r))(1+sqrt(2 log(1/delta))) w.p. 1 - 3 delta"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(RAJ, "Theorem 3.2")
    assumptions: ClassVar[tuple[str, ...]] = ("independent data", "L-Lipschitz loss", "|alpha| <= C p", _UNITARY)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def excess(self, delta: float) -> float:
        """The bound; it fails with probability at most 3 delta."""
        check_delta(3 * delta)
        lc, root_n = self.lipschitz * self.bound, np.sqrt(self.n_points)
        estimation = 4 * lc / root_n + 2 * self.loss_at_zero / root_n + lc * np.sqrt(2 * np.log(2 / delta)) / root_n
        approximation = random_function_error(lc, self.n_components, self.n_transforms, delta, delta)
        return float(2 * estimation + approximation)

    def certificate(self, delta: float) -> Certificate:
        """The certificate at failure probability `delta` in total."""
        value = self.excess(delta / 3)
        statement = (
            f"With probability at least {1 - delta:g}, the excess risk over the best orbit function is at most "
            f"{value:.4g}."
        )
        return self._certificate(value, delta, statement)
