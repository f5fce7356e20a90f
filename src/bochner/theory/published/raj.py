"""Raj et al. (2017) as printed in their appendix: orbit embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import binom

from bochner.theory.base import Evidence, Published, Source, Status
from bochner.theory.counterexample import Counterexample
from bochner.theory.orbit_risk import hilbert_mean_error, random_function_error
from bochner.theory.sources import RAJ

__all__ = ["RajLemmaA1", "RajLemmaA2", "RajTheorem31", "RajTheorem31Pointwise", "RajTheorem32", "RajTheoremA3"]


@dataclass(frozen=True, kw_only=True)
class RajTheorem31(Published):
    """The uniform bound, as concluded: the probability of failure with r and s of the printed orders.

    Parameters
    ----------
    d : int
    eps, sigma : float
    delta_transforms, delta_features : float
        delta_1 and delta_2, in r >= C1 d/eps^2 log(diam/delta_1) and s >= C2 d/eps^2 log(diam/delta_2).
    """

    d: int
    eps: float
    sigma: float
    delta_transforms: float
    delta_features: float

    statement: ClassVar[str] = (
        "r >= C1 d/eps^2 log(diam/delta1), s >= C2 d/eps^2 log(diam/delta2) => P(sup |<psi, psi> - k_q| > eps + 1/r) "
        "<= (64(d+1)/(eps^2 sigma^2))^(d/(d+1)) (delta1 + delta2)^(2d/(d+1))"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(RAJ, "Theorem 3.1")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "False for small X, whatever C1 and C2: the optimal radius of the net is then larger than X, which one ball "
        "covers, and the diagonal of phase features is random. Bounded difference and Lipschitz constant are too "
        "small besides, and a factor near 8 is dropped. Use orbit.SampledOrbit."
    )

    def value(self) -> float:
        scale = 64 * (self.d + 1) / (self.eps * self.sigma) ** 2
        total = self.delta_transforms + self.delta_features
        return float(scale ** (self.d / (self.d + 1)) * total ** (2 * self.d / (self.d + 1)))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """The trivial group, one feature, X of diameter delta1 = delta2: both orders are log 1 = 0."""
        eps, r, diameter = 0.5, 10, 1e-3
        return Counterexample(
            setting=f"trivial group, d = sigma = s = 1, r = {r}, eps = {eps}, diam = delta1 = delta2 = {diameter:g}",
            quantity="P(sup |<psi(x), psi(y)> - k_q(x, y)| > eps + 1/r)",
            claimed=cls(d=1, eps=eps, sigma=1.0, delta_transforms=diameter, delta_features=diameter).value(),
            true_at_least=float(2 / np.pi * np.arccos(eps + 1 / r)),
            exact=True,
            reason="At x = y the error is |cos(2 omega x + 2b)|, with a uniform angle.",
        )


@dataclass(frozen=True, kw_only=True)
class RajTheorem31Pointwise(Published):
    """The pointwise tail of the sampled orbit kernel, from a bounded difference that is half the true one."""

    n_transforms: int
    eps: float

    statement: ClassVar[str] = "P(|k~_q(x, y) - k_q(x, y)| >= eps) <= 2 exp(-2 r eps^2)"
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(RAJ, "proof of Theorem 3.1, bounding B")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "One transformation changes a row and a column: 2 exp(-r eps^2/2). Use orbit.SampledOrbit."
    )

    def value(self) -> float:
        return float(2 * np.exp(-2 * self.n_transforms * self.eps**2))

    def corrected(self) -> float:
        """2 exp(-r eps^2 / 2)."""
        return float(2 * np.exp(-self.n_transforms * self.eps**2 / 2))

    @classmethod
    def counterexample(cls) -> Counterexample:
        """Mass p at the identity, the rest on many far shifts; x = y: k~ counts pairs of identities among r draws."""
        r, eps, p = 100, 0.2, 0.75
        identities = np.arange(r + 1)
        kernel = identities * (identities - 1) / (r * (r - 1))
        return Counterexample(
            setting=f"r = {r}, eps = {eps}, three quarters of the transformations are the identity, x = y",
            quantity="P(|k~_q - k_q| >= eps)",
            claimed=cls(n_transforms=r, eps=eps).value(),
            true_at_least=float(binom.pmf(identities, r, p)[np.abs(kernel - p**2) >= eps].sum()),
            exact=True,
            reason="k~_q is a function of a binomial variable.",
        )


@dataclass(frozen=True, kw_only=True)
class RajTheorem32(Published):
    """The excess risk of orbit features: the printed bound, which is said to fail with probability at most 3 delta.

    Parameters
    ----------
    lipschitz, bound : float
        L and C.
    n_points, n_components, n_transforms : int
        N, s and r.
    delta : float
    loss_at_zero : float, default=1.0
        |V(0)|.
    """

    lipschitz: float
    bound: float
    n_points: int
    n_components: int
    n_transforms: int
    delta: float
    loss_at_zero: float = 1.0

    statement: ClassVar[str] = (
        "excess risk <= 2[4LC/sqrt(N) + 2|V(0)|/sqrt(N) + LC sqrt(log(1/delta)/(2N))] "
        "+ LC(1/sqrt(s)+1/sqrt(r))(1+sqrt(2 log(1/delta))) w.p. 1 - 3 delta"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(RAJ, "Theorem 3.2")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "The loss changes by 2LC, not LC, with one row: false for tiny delta. For delta >= 2e-8 the statement is "
        "true, by the slack of its other terms. Use orbit_risk.ExcessRisk."
    )

    def value(self) -> float:
        lc, root_n = self.lipschitz * self.bound, np.sqrt(self.n_points)
        tail = lc * np.sqrt(np.log(1 / self.delta) / 2)
        estimation = (4 * lc + 2 * self.loss_at_zero + tail) / root_n
        approximation = random_function_error(lc, self.n_components, self.n_transforms, self.delta, self.delta)
        return float(2 * estimation + approximation)

    @classmethod
    def counterexample(cls) -> Counterexample:
        """All rows at 0, where every function is a constant in [-1, 1]; hinge loss; labels 1 with chance 1/2 + beta.

        The constant that minimises the hinge loss on the rows is the majority label. If that is -1 the excess risk is 4
        beta.
        """
        n, delta = 1_000_001, 1e-50
        many = 10**12  # features and transformations: their part of the bound is then nothing
        setting = cls(lipschitz=1.0, bound=1.0, n_points=n, n_components=many, n_transforms=many, delta=delta)
        beta = setting.value() / 4 * (1 + 1e-6)
        return Counterexample(
            setting=f"hinge loss, L = C = 1, x = 0, N = {n}, labels 1 w.p. 1/2 + {beta:.5g}, delta = {delta:g}",
            quantity=f"P(excess risk > {setting.value():.4g})",
            claimed=3 * delta,
            true_at_least=float(binom.cdf(n // 2, n, 0.5 + beta)),
            exact=True,
            reason="The excess risk is 4 beta where most labels are -1, a binomial probability.",
        )


@dataclass(frozen=True, kw_only=True)
class RajLemmaA1(Published):
    """The distance of the mean of K independent vectors in a ball of radius M from its expectation."""

    radius: float
    n_draws: int
    delta: float

    statement: ClassVar[str] = "||mean - E|| <= M/sqrt(K) (1 + sqrt(2 log(1/delta))) w.p. 1 - delta, ||x_i|| <= M"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(RAJ, "Lemma A.1")
    correction: ClassVar[str] = "True, by McDiarmid's inequality for the norm: orbit_risk.hilbert_mean_error."

    def value(self) -> float:
        return hilbert_mean_error(self.radius, self.n_draws, self.delta)


@dataclass(frozen=True, kw_only=True)
class RajLemmaA2(Published):
    """The distance of the best function with s random features and r transformations from one in F_p."""

    bound: float
    n_components: int
    n_transforms: int
    delta_features: float
    delta_transforms: float

    statement: ClassVar[str] = (
        "||f* - f^|| <= C/sqrt(s) (1 + sqrt(2 log(1/delta1))) + C/sqrt(r) (1 + sqrt(2 log(1/delta2))) "
        "for some f^ with |alpha_k| <= C/s, w.p. 1 - delta1 - delta2"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(RAJ, "Lemma A.2")
    correction: ClassVar[str] = "True: Lemma A.1 twice, for features of modulus 1. orbit_risk.random_function_error."

    def value(self) -> float:
        return random_function_error(
            self.bound, self.n_components, self.n_transforms, self.delta_features, self.delta_transforms
        )


@dataclass(frozen=True, kw_only=True)
class RajTheoremA3(Published):
    """The estimation error of a bounded class, with a bounded difference that is half the true one.

    Parameters
    ----------
    lipschitz, bound : float
        L and C.
    n_points : int
        N.
    complexity : float
        R_N(F), the Rademacher complexity.
    delta : float
    loss_at_zero : float, default=1.0
        |V(0)|.
    """

    lipschitz: float
    bound: float
    n_points: int
    complexity: float
    delta: float
    loss_at_zero: float = 1.0

    statement: ClassVar[str] = (
        "sup over F of risk - empirical risk <= 4L R_N(F) + 2|V(0)|/sqrt(N) + LC sqrt(log(1/delta)/(2N)) w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.REFUTED
    source: ClassVar[Source] = Source(RAJ, "Theorem A.3")
    evidence: ClassVar[Evidence] = Evidence.COUNTEREXAMPLE
    correction: ClassVar[str] = (
        "The loss changes by 2LC, not LC, with one row: false for tiny delta; with sqrt(2 log(1/delta)/N) it is true. "
        "Use orbit_risk.ExcessRisk."
    )

    def value(self) -> float:
        root_n = np.sqrt(self.n_points)
        tail = self.lipschitz * self.bound * np.sqrt(np.log(1 / self.delta) / 2)
        return float(4 * self.lipschitz * self.complexity + (2 * self.loss_at_zero + tail) / root_n)

    @classmethod
    def counterexample(cls) -> Counterexample:
        """One function, the constant 1, hinge loss, labels 1 or -1 with chance 1/2: a binomial deviation."""
        n, delta = 1_000_000, 1e-50
        printed = cls(lipschitz=1.0, bound=1.0, n_points=n, complexity=1 / np.sqrt(n), delta=delta).value()
        # Empirical risk 2 (n - hits)/n, risk 1: the difference exceeds `printed` where hits > n (1 + printed)/2.
        return Counterexample(
            setting=f"hinge loss, F = {{1}}, L = C = 1, N = {n}, labels 1 w.p. 1/2, delta = {delta:g}",
            quantity=f"P(risk - empirical risk > {printed:.4g})",
            claimed=delta,
            true_at_least=float(binom.sf(np.floor(n * (1 + printed) / 2), n, 0.5)),
            exact=True,
            reason="The difference is 2 hits/N - 1, hits a binomial variable, and R_N is at most 1/sqrt(N).",
        )
