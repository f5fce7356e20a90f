"""Randomly pivoted landmarks: what they leave of the kernel, in expectation, from its eigenvalues alone.

A pivot s drawn with probability A_ss / tr A leaves A - A e_s e_s' A / A_ss, in expectation Phi(A) = A - A^2 / tr A. It
is concave in the order of matrices ((A, t) -> A^2 / t is jointly convex), and so superadditive and monotone, hence
E A_L <= Phi^L(K) after L pivots (Jensen): a recursion of eigenvalues, lambda_i <- lambda_i - lambda_i^2 / sum lambda.

Of a kernel whose eigenvalues beyond r sum to a share eta of the trace it is largest, by concavity again, if the first r
are alike and the others are dust that pivots do not see; then L >= r/e + r log(1/(e eta)) leave at most
(1 + e) sum_{i > r} lambda_i, as Chen, Epperly, Tropp & Webber (2023) have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.a_posteriori import mean_limit
from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_delta, require, smallest_integer
from bochner.theory.sources import CHEN_EPPERLY_TROPP_WEBBER

__all__ = ["PivotedLandmarks", "PivotedTail", "landmarks_for_rank", "pilot_tail"]

_TESTED = 10  # rows that measure what a subspace leaves, for every row that spans it
_ROUNDING = 1e-8  # of the largest eigenvalue of a pilot: smaller ones have eigenvectors of rounding errors


@dataclass(frozen=True, kw_only=True, eq=False)
class PivotedLandmarks(Bound):
    """Mean residual variance of L randomly pivoted landmarks: E tr(K - K^) / n <= tr Phi^L(K) / n.

    Parameters
    ----------
    eigenvalues : array of shape (n,)
        Of the kernel matrix of the rows that the landmarks are drawn from.

    Examples
    --------
    >>> import numpy as np
    >>> bound = PivotedLandmarks(eigenvalues=100 * 0.5 ** np.arange(1, 101))
    >>> round(bound.mean_residual(10), 4), bound.landmarks_needed(0.01)
    (0.1054, 31)
    """

    eigenvalues: Array

    statement: ClassVar[str] = (
        "E tr(K - K^) <= tr Phi^L(K), L randomly pivoted landmarks, Phi: lambda_i -> lambda_i - lambda_i^2/sum lambda"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(CHEN_EPPERLY_TROPP_WEBBER, "bound of the expected trace, by its recursion")
    assumptions: ClassVar[tuple[str, ...]] = (
        "landmarks are drawn one after the other from these rows, in proportion to the residual variances",
    )
    evidence: ClassVar[Evidence] = Evidence.REDERIVED

    def __post_init__(self) -> None:
        values = np.asarray(self.eigenvalues, dtype=float)
        if values.ndim != 1 or not np.all(np.isfinite(values)) or not np.max(values, initial=0.0) > 0:
            raise invalid_parameter(self, "eigenvalues", "finite numbers, at least one of them positive", values.shape)
        object.__setattr__(self, "eigenvalues", np.maximum(values, 0.0))

    def mean_residual(self, n_landmarks: int) -> float:
        """Bound on the expected mean of the residual variances k(x, x) - ||z(x)||^2 over the rows."""
        left = self.eigenvalues
        if n_landmarks >= len(left):
            return 0.0  # every row is a landmark
        for _ in range(int(n_landmarks)):
            total = np.sum(left)
            if not total > 0:
                return 0.0
            left = left - left**2 / total
        return float(np.sum(left)) / len(left)

    def landmarks_needed(self, mean_residual: float) -> int:
        """Landmarks that leave at most this expected mean of the residual variances."""
        require(0 < mean_residual < np.inf, "a positive finite mean residual variance", mean_residual)
        return smallest_integer(lambda count: self.mean_residual(count) <= mean_residual)

    def certificate(self, n_landmarks: int, delta: float) -> Certificate:
        """The limit that holds with probability 1 - delta: the expectation over delta (Markov's inequality)."""
        rows = f"{len(self.eigenvalues):,} rows"
        claim = (
            f"the mean over {rows} of the residual variance of {n_landmarks:,} randomly pivoted landmarks is {{value}}"
        )
        expected = self.mean_residual(n_landmarks)
        value = expected / check_delta(delta)
        return self._certificate(value, delta, claim, over="the draw of the landmarks", expected=expected)


def landmarks_for_rank(rank: int, accuracy: float, tail: float) -> int:
    """L = r/e + r log(1/(e eta)) landmarks leave at most (1 + e) times the eigenvalues beyond r, in expectation.

    Parameters
    ----------
    rank : int
        r.
    accuracy : float
        e.
    tail : float
        eta, the share of the trace in the eigenvalues beyond r, or an upper limit, of which 1 + e times is left then.

    Examples
    --------
    >>> landmarks_for_rank(50, accuracy=0.5, tail=0.01)
    365
    """
    require(rank >= 1 and accuracy > 0, "a rank of at least 1 and a positive accuracy", (rank, accuracy))
    require(0 < tail <= 1, "a share of the trace in (0, 1]", tail)
    return int(np.ceil(rank / accuracy + rank * max(0.0, float(np.log(1 / (accuracy * tail))))))


@dataclass(frozen=True, kw_only=True)
class PivotedTail(Bound):
    """Mean residual variance of L randomly pivoted landmarks, from a limit of the trace beyond rank r, for k(x, x) = 1.

    r equal eigenvalues above dust, the worst case: a <- a - a^2 / (r (a + tail)) for every landmark, from a = 1 - tail.

    Parameters
    ----------
    rank : int
        r.
    tail : float
        Limit of the share of the trace of the kernel matrix in its eigenvalues beyond r.
    delta : float
        Probability that the limit fails; 0 if it is computed.
    n_rows : int
        Rows that the landmarks are drawn from.
    """

    rank: int
    tail: float
    delta: float
    n_rows: int

    statement: ClassVar[str] = (
        "E tr(K - K^)/n <= a_L + eta, a_(l+1) = a_l - a_l^2/(r (a_l + eta)), a_0 = 1 - eta, eta = sum_{i>r} lambda_i/n"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(CHEN_EPPERLY_TROPP_WEBBER, "bound of the expected trace, by its recursion")
    assumptions: ClassVar[tuple[str, ...]] = (
        "landmarks are drawn one after the other from these rows, in proportion to the residual variances",
        "k(x, x) = 1, and the tail has this limit",
    )
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def mean_residual(self, n_landmarks: int) -> float:
        """Bound on the expected mean of the residual variances."""
        top = 1 - self.tail
        for _ in range(int(n_landmarks)):
            top -= top**2 / (self.rank * (top + self.tail)) if top > 0 else 0.0
        return float(max(top, 0.0) + self.tail)

    def certificate(self, n_landmarks: int) -> Certificate:
        """The expected mean, which holds with the probability of the tail's limit."""
        claim = (
            f"the expected mean over {self.n_rows:,} rows of the residual variance of {n_landmarks:,} randomly pivoted "
            "landmarks, of k(x, x) = 1, is {value}"
        )
        value = self.mean_residual(n_landmarks)
        return self._certificate(value, self.delta, claim, over="the draw of the pilot", rank=self.rank, tail=self.tail)


def pilot_tail(
    X: Array, kernel: Stationary, n_landmarks: int, *, delta: float = 0.01, size: int = 1000, random_state: int = 0
) -> PivotedTail:
    """The best `PivotedTail` for the rows X that a pilot of them gives, before any landmark is drawn.

    The leading eigenvectors of the kernel matrix of some rows span a subspace; what it leaves of ten times as many
    others, drawn independently, has the mean of all rows, which is at least the tail. An empirical Bernstein limit
    (Maurer & Pontil 2009) for ranks 1, 2, 4, ... at once.

    Parameters
    ----------
    X : array of shape (n, d)
        The rows that landmarks will be drawn from.
    kernel : Stationary
    n_landmarks : int
    delta : float, default=0.01
    size : int, default=1000
        Rows that span the subspace.
    random_state : int, default=0

    Examples
    --------
    >>> import numpy as np
    >>> from bochner.kernels import Gaussian
    >>> X = np.random.default_rng(0).standard_normal((20_000, 2))
    >>> bound = pilot_tail(X, Gaussian(), 256)
    >>> bound.mean_residual(256) < 0.02
    True
    """
    rng = np.random.default_rng(random_state)
    first, second = (X[rng.integers(len(X), size=count)] for count in (size, _TESTED * size))
    first = np.unique(first, axis=0)
    values, vectors = np.linalg.eigh(kernel(first) / kernel.variance)
    count = min(int(np.sum(values > _ROUNDING * values[-1])), n_landmarks)
    leading, roots = vectors[:, ::-1][:, :count], np.sqrt(values[::-1][:count])
    coordinates = kernel(second, first) / kernel.variance @ leading / roots
    left = 1 - np.cumsum(coordinates**2, axis=1)
    ranks = [rank for rank in 2 ** np.arange(20) if rank <= count]
    limits = [mean_limit(np.clip(left[:, rank - 1], 0.0, 1.0), 1.0, delta / len(ranks)) for rank in ranks]
    found = (
        PivotedTail(rank=int(rank), tail=min(float(limit), 1.0), delta=check_delta(delta), n_rows=len(X))
        for rank, limit in zip(ranks, limits, strict=True)
    )
    return min(found, key=lambda bound: bound.mean_residual(n_landmarks))
