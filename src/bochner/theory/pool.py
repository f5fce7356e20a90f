"""Spectral approximation of the kernel matrix of a pool by frequencies drawn from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import check_array

from bochner._dense import dense
from bochner._typing import Array, MatrixLike
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.sampling.leverage import in_groups, inclusion_probabilities
from bochner.sampling.pilot import ScoredPool
from bochner.theory.base import Bound, Certificate, Embedding, Evidence, Source, Status, check_delta, require
from bochner.theory.sources import BOCHNER

__all__ = ["GroupApproximation", "PoolApproximation", "leverage_of_pool"]

_SMALLEST = 1e-300  # of a ratio, where every frequency of a pool is kept


@dataclass(frozen=True, kw_only=True)
class PoolApproximation(Bound):
    """Spectral approximation of the kernel matrix of a pool by m draws: m >= (8/3) e^-2 d_tau log(16 s / delta).

        (1 - e)(K_pool + alpha I) <= K^ + alpha I <= (1 + e)(K_pool + alpha I)

    K_pool is the kernel matrix that a pool of frequencies gives to some rows, K^ that of m frequencies drawn from the
    pool independently, with weights 1 / (pool size x q): `Leverage(replacement=True)`. `GroupApproximation` is the same
    for one frequency of every group, `Leverage()`. For K itself chain it with `spectral.SpectralApproximation` of the
    pool, whose frequencies are independent draws from the measure if the pool is drawn by `MonteCarlo`.

    Parameters
    ----------
    alpha : float
        The ridge penalty, un-normalised (scikit-learn's alpha), at most ||K_pool||.
    statistical_dimension : float
        s = Tr(K_pool (K_pool + alpha I)^-1), the sum of the leverages l_i of the pool.
    largest_ratio : float
        d_tau = max over the pool of l_i / q_i, at least s, and s for q_i = l_i / s.
    operator_norm : float
        ||K_pool||.
    embedding : {"paired", "phase"}, default="paired"
        Phases, drawn anew for every draw, need twice as many.
    """

    alpha: float
    statistical_dimension: float
    largest_ratio: float
    operator_norm: float
    embedding: Embedding = "paired"

    statement: ClassVar[str] = (
        "m >= (8/3) e^-2 d_tau log(16 s/delta) draws from a pool, with replacement => "
        "(1-e)(K_pool+alpha) <= K^+alpha <= (1+e)(K_pool+alpha) w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.VALID
    evidence: ClassVar[Evidence] = Evidence.DERIVED
    source: ClassVar[Source] = Source(BOCHNER, "matrix Bernstein inequality for draws from a pool")
    assumptions: ClassVar[tuple[str, ...]] = (
        "frequencies are independent draws from the pool (with replacement), given pool and proposal",
        "alpha <= ||K_pool||",
        "accuracy at most 1/2",
    )

    def __post_init__(self) -> None:
        for name in ("alpha", "statistical_dimension", "largest_ratio", "operator_norm"):
            if not 0 < getattr(self, name) < np.inf:
                raise invalid_parameter(self, name, "a positive finite number", getattr(self, name))
        if self.embedding not in ("paired", "phase"):
            raise invalid_parameter(self, "embedding", "'paired' or 'phase'", self.embedding)
        require(self.alpha <= self.operator_norm, "alpha <= ||K_pool||", (self.alpha, self.operator_norm))
        self._check_ratio()

    def _check_ratio(self) -> None:
        require(
            self.largest_ratio >= self.statistical_dimension * (1 - 1e-9),
            "largest_ratio >= statistical_dimension, as for any proposal",
            (self.largest_ratio, self.statistical_dimension),
        )

    @classmethod
    def of(
        cls, pool: ScoredPool, X: MatrixLike, *, kernel: Stationary, alpha: float, embedding: Embedding = "paired"
    ) -> PoolApproximation:
        """The bound for the rows X, from the pool of a sampler (`Leverage.scored_pool`). O(n^3 + n^2 s) time.

        Parameters
        ----------
        pool : ScoredPool
            Of draws with replacement; refused otherwise (`GroupApproximation.of`).
        X : array or sparse matrix of shape (n, d)
            The rows to certify. They may be those of the pilot.
        kernel : Stationary
        alpha : float
        embedding : {"paired", "phase"}, default="paired"
        """
        require(
            pool.replacement,
            "independent draws from the pool, Leverage(replacement=True); GroupApproximation is for one of every group",
            "replacement=False",
        )
        leverage, norm = leverage_of_pool(pool, X, kernel=kernel, alpha=alpha)
        return cls(
            alpha=alpha,
            statistical_dimension=float(np.sum(leverage)),
            largest_ratio=float(np.max(leverage / pool.proposal)),
            operator_norm=norm,
            embedding=embedding,
        )

    def frequencies_needed(self, accuracy: float, delta: float) -> float:
        """m as a real number."""
        require(0 < accuracy <= 0.5, "an accuracy in (0, 1/2]", accuracy)
        return self._draws() * self._logarithm(delta) / accuracy**2

    def accuracy(self, n_frequencies: int, delta: float) -> float:
        """The accuracy of m draws; refused if it is not below 1/2."""
        if isinstance(n_frequencies, bool) or int(n_frequencies) != n_frequencies or n_frequencies < 1:
            raise invalid_parameter(self, "n_frequencies", "an integer >= 1", n_frequencies)
        value = float(np.sqrt(self._draws() * self._logarithm(delta) / n_frequencies))
        require(value <= 0.5, f"at least {int(np.ceil(self.frequencies_needed(0.5, delta)))} draws", n_frequencies)
        return value

    def certificate(self, n_frequencies: int, delta: float) -> Certificate:
        """The spectral inequality for `n_frequencies` draws; refused if they are too few."""
        claim = "the relative distance between K^ + alpha I and K_pool + alpha I in the order of matrices is {value}"
        value = self.accuracy(n_frequencies, delta)
        return self._certificate(value, delta, claim, over="the draw from the pool", n_frequencies=n_frequencies)

    def _draws(self) -> float:
        return 8 / 3 * self.largest_ratio * (1 if self.embedding == "paired" else 2)

    def _logarithm(self, delta: float) -> float:
        return float(np.log(16 * self.statistical_dimension / check_delta(delta)))


@dataclass(frozen=True, kw_only=True)
class GroupApproximation(PoolApproximation):
    """The same for one frequency of every group of the pool, `Leverage()`: e^2 >= (8/3) d_tau log(16 s / delta) / m.

    d_tau = m max l_i / p_i, p_i the probability of i in its group; for pairs over what is not certain. The draws are
    independent and the sum of their expectations is K_pool, which is all that the inequality asks for.

    Parameters
    ----------
    n_frequencies : int
        m, for which the groups were made.
    """

    n_frequencies: int

    statement: ClassVar[str] = (
        "m >= (8/3) e^-2 d_tau log(16 s/delta), one frequency of each of m groups of a pool => "
        "(1-e)(K_pool+alpha) <= K^+alpha <= (1+e)(K_pool+alpha) w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.VALID
    evidence: ClassVar[Evidence] = Evidence.DERIVED
    source: ClassVar[Source] = Source(BOCHNER, "matrix Bernstein inequality for one draw from every group")
    assumptions: ClassVar[tuple[str, ...]] = (
        "one frequency is drawn independently from every group, given pool and groups",
        "alpha <= ||K_pool||",
        "accuracy at most 1/2",
    )

    def _check_ratio(self) -> None:
        """What is certain has leverage and no part in the ratio: any ratio is possible."""

    @classmethod
    def of(  # type: ignore[override]
        cls,
        pool: ScoredPool,
        X: MatrixLike,
        *,
        kernel: Stationary,
        alpha: float,
        n_frequencies: int,
        embedding: Embedding = "paired",
    ) -> GroupApproximation:
        """The bound for the rows X, from the pool of a sampler without replacement. O(n^3 + n^2 s) time."""
        require(not pool.replacement, "one frequency of every group, Leverage(replacement=False)", "replacement=True")
        leverage, norm = leverage_of_pool(pool, X, kernel=kernel, alpha=alpha)
        _, inclusion = in_groups(inclusion_probabilities(pool.proposal, n_frequencies))
        random = (inclusion < 1) | (embedding == "phase")
        return cls(
            alpha=alpha,
            statistical_dimension=float(np.sum(leverage)),
            largest_ratio=n_frequencies * float(np.max(leverage[random] / inclusion[random], initial=_SMALLEST)),
            operator_norm=norm,
            embedding=embedding,
            n_frequencies=n_frequencies,
        )

    def accuracy(self, n_frequencies: int, delta: float) -> float:
        # Overrides: the groups were made for one number of frequencies.
        require(n_frequencies == self.n_frequencies, f"the {self.n_frequencies} groups it was made for", n_frequencies)
        return super().accuracy(n_frequencies, delta)


def leverage_of_pool(pool: ScoredPool, X: MatrixLike, *, kernel: Stationary, alpha: float) -> tuple[Array, float]:
    """l_i = c'(K_pool + alpha)^-1 c + s'(K_pool + alpha)^-1 s of each frequency on the rows X, and ||K_pool||."""
    if not 0 < alpha < np.inf:
        raise invalid_parameter("PoolApproximation", "alpha", "a positive finite number", alpha)
    rows = dense(check_array(X, accept_sparse="csr", dtype=float))
    if rows.shape[1] != pool.omega.shape[1]:
        raise invalid_parameter("PoolApproximation", "X", f"rows of {pool.omega.shape[1]} columns", rows.shape)
    projection = rows @ pool.omega.T
    Z = np.sqrt(kernel.variance / len(pool.omega)) * np.hstack([np.cos(projection), np.sin(projection)])
    K = Z @ Z.T
    factor = cho_factor(K + alpha * np.eye(len(K)), lower=True)
    scores: Array = np.einsum("ij,ij->j", Z, cho_solve(factor, Z)).reshape(2, -1).sum(axis=0)
    return scores, float(np.linalg.norm(K, 2))
