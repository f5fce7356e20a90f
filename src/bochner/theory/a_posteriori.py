"""A posteriori certificates: errors of frequencies that are already drawn, for every sampler.

Some are deterministic (delta = 0): they compute the quantity itself, or bound it for every possible target. Others
sample pairs or rows that are independent of the frequencies, and count; their probability is over that sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from scipy.stats import binom

from bochner._binomial import rate_at_most
from bochner._typing import Array
from bochner.theory.base import Bound, Certificate, Source, Status, check_delta, check_eps, require
from bochner.theory.sources import AVRON, BOCHNER

__all__ = ["AllPairs", "ResidualVariance", "SampledPairs", "SpectralCloseness", "mean_limit", "quantile_limit"]

_PAIRS = "the sampled pairs"
_COMPUTED = ("the exact kernel matrix of these rows was computed",)


@dataclass(frozen=True, kw_only=True, eq=False)
class AllPairs(Bound):
    """The largest kernel error over all pairs of some rows, computed.

    Parameters
    ----------
    error : array of shape (n, n), or iterable of blocks of its rows
        s(x_i, x_j) - k(x_i, x_j) for all pairs.
    rounding : float, default=0.0
        By how much the computed errors may be off.
    kernel : str, default="the kernel"
        What the estimates are compared with.
    rows : str, default=None
        Which rows these are; None: "these n rows".
    """

    error: Iterable[Array]
    rounding: float = 0.0
    kernel: str = "the kernel"
    rows: str | None = None

    statement: ClassVar[str] = "max over pairs |s - k|, computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "computed on the rows")
    assumptions: ClassVar[tuple[str, ...]] = _COMPUTED

    def certificate(self) -> Certificate:
        """The largest error of these rows; no probability is involved."""
        value, squares, n = 0.0, 0.0, 0
        for block in map(np.atleast_2d, self.error):
            value = max(value, float(np.max(np.abs(block), initial=0.0)))
            squares, n = squares + float(np.einsum("ij,ij->", block, block)), n + len(block)
        rms = float(np.sqrt(squares)) / max(n, 1)
        rows = f"these {n:,} rows" if self.rows is None else self.rows
        claim = f"the largest error of {self.kernel} over all pairs of {rows} is {{value}} (computed)"
        return self._certificate(value + self.rounding, 0.0, claim, n_rows=n, root_mean_square=rms)


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledPairs(Bound):
    """Errors of N pairs of rows, drawn independently of each other and of the frequencies.

    Parameters
    ----------
    error : array of shape (N,)
        s - k on each pair.
    largest : float
        What no error can exceed: 2 k(0) for the paired embedding, 3 k(0) with phases.
    """

    error: Array
    largest: float

    statement: ClassVar[str] = (
        "fraction of bad pairs by Clopper-Pearson, quantiles by order statistics, means by empirical Bernstein"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "Clopper-Pearson, order statistics, Maurer-Pontil")
    assumptions: ClassVar[tuple[str, ...]] = (
        "the pairs are independent draws from the law of the data",
        "the pairs are independent of the frequencies",
    )

    def fraction_above(self, eps: float, delta: float) -> Certificate:
        """Upper limit on the fraction of pairs with an error above `eps`, which must be fixed before looking."""
        check_eps(eps)
        N, bad = len(self.error), int(np.sum(np.abs(self.error) > eps))
        value = float(rate_at_most(bad, N, check_delta(delta)))
        claim = (
            f"the fraction of pairs from the law of the data with a kernel error above {eps:g} is {{value}} ({bad} of "
            f"{N:,} sampled pairs have one)"
        )
        return self._certificate(value, delta, claim, over=_PAIRS, eps=eps, n_pairs=N, n_above=bad)

    def quantile(self, fraction: float, delta: float) -> Certificate:
        """Upper limit on the `fraction`-quantile of the absolute error: an order statistic, without assumptions."""
        N, limit = len(self.error), quantile_limit(np.abs(self.error), fraction, delta)
        value = float(self.largest) if limit is None else limit
        claim = (
            f"the {100 * fraction:g} % quantile of the kernel error over pairs from the law of the data is {{value}} "
            f"(from {N:,} sampled pairs)"
        )
        return self._certificate(value, delta, claim, over=_PAIRS, fraction=fraction, n_pairs=N)

    def mean_absolute(self, delta: float) -> Certificate:
        """Upper limit on the mean absolute error over the law of the data."""
        value = mean_limit(np.abs(self.error), self.largest, delta)
        claim = f"the mean absolute kernel error over the law of the data is {{value}} (from {self._sampled})"
        return self._certificate(value, delta, claim, over=_PAIRS, n_pairs=len(self.error))

    def root_mean_square(self, delta: float) -> Certificate:
        """Upper limit on the root mean square error over the law of the data."""
        value = float(np.sqrt(mean_limit(self.error**2, self.largest**2, delta)))
        claim = f"the root mean square kernel error over the law of the data is {{value}} (from {self._sampled})"
        return self._certificate(value, delta, claim, over=_PAIRS, n_pairs=len(self.error))

    @property
    def _sampled(self) -> str:
        return f"{len(self.error):,} sampled pairs"


@dataclass(frozen=True, kw_only=True, eq=False)
class SpectralCloseness(Bound):
    """Spectral approximation: distance of K^ + alpha I to K + alpha I in the Loewner order, computed.

        Delta = max |eig((K + alpha I)^-1 (K^ + alpha I)) - 1|

    Parameters
    ----------
    exact, approximate : array of shape (n, n)
        K and K^.
    alpha : float
        Un-normalised penalty.
    weighted : bool, default=False
        Both matrices are multiplied with the roots of sample weights from both sides.
    rounding : float, default=0.0
        Bound on the norm of the rounding errors in `exact`.
    """

    exact: Array
    approximate: Array
    alpha: float
    weighted: bool = False
    rounding: float = 0.0

    statement: ClassVar[str] = "(1 - Delta)(K + alpha I) <= K^ + alpha I <= (1 + Delta)(K + alpha I), computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(AVRON, "Definition 2, computed on the rows")
    assumptions: ClassVar[tuple[str, ...]] = (*_COMPUTED, "it certifies these rows only")

    def certificate(self) -> Certificate:
        """Delta of these rows; no probability is involved."""
        n = len(self.exact)
        approximate, exact = (_with_ridge(K, self.alpha) for K in (self.approximate, self.exact))
        ratios = eigh(approximate.T, exact.T, eigvals_only=True, overwrite_a=True, overwrite_b=True)
        rounding = 64 * np.finfo(float).eps * (n + float(np.trace(self.exact)) / self.alpha)
        largest = float(np.max(np.abs(ratios - 1)))
        value = largest * (1 + 1e-6) + rounding + (1 + largest) * 2 * self.rounding / self.alpha
        weights = ", both times the roots of the sample weights from both sides," if self.weighted else ""
        claim = (
            f"on these {n:,} rows, the relative distance between K^ + alpha I and K + alpha I in the order of "
            f"matrices{weights} is {{value}} at alpha = {self.alpha:.4g} (computed)"
        )
        return self._certificate(value, 0.0, claim, n_rows=n, alpha=self.alpha)


@dataclass(frozen=True, kw_only=True, eq=False)
class ResidualVariance(Bound):
    """The kernel error of Nystroem features at all pairs of some rows, from their residual variances alone.

        |k(x, y) - z(x).z(y)| <= sqrt(r(x) r(y)),      r(x) = k(x, x) - ||z(x)||^2 >= 0

    k - z.z is a Schur complement, so positive definite, whatever the landmarks and however much is added to the
    diagonal of their kernel matrix: Cauchy and Schwarz. No probability, no pair is looked at.

    Parameters
    ----------
    residual : array of shape (n,)
        r(x) of the rows.
    rounding : float
        By how much each of them may be off.
    kernel : str, default="the kernel"
    """

    residual: Array
    rounding: float = 0.0
    kernel: str = "the kernel"

    statement: ClassVar[str] = "|k(x, y) - z(x).z(y)| <= sqrt(r(x) r(y)), r(x) = k(x, x) - ||z(x)||^2, for all x, y"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "Schur complement and Cauchy-Schwarz")
    assumptions: ClassVar[tuple[str, ...]] = ("Nystroem features of a positive definite kernel",)

    def certificate(self) -> Certificate:
        """The largest error over all pairs of these rows; no probability is involved."""
        r, n = np.maximum(self.residual, 0.0), len(self.residual)
        value = float(np.max(r, initial=0.0)) + self.rounding
        claim = (
            f"the largest error of {self.kernel} over all pairs of these {n:,} rows is {{value}} (residual variance)"
        )
        return self._certificate(value, 0.0, claim, n_rows=n, mean_residual_variance=float(np.mean(r)))


def quantile_limit(values: Array, fraction: float, delta: float) -> float | None:
    """Order statistic that is at least the `fraction`-quantile with probability 1 - delta; None with too few values.

    The number of values below the quantile is Bin(N, fraction): its (1 - delta)-quantile is the rank.
    """
    require(0 < fraction < 1, "a fraction in (0, 1)", fraction)
    rank = int(binom.ppf(1 - check_delta(delta), len(values), fraction))
    return float(np.sort(values)[rank]) if rank < len(values) else None


def mean_limit(values: Array, largest: float, delta: float) -> float:
    """One-sided empirical Bernstein limit for values in [0, largest] (Maurer & Pontil 2009, Theorem 4)."""
    N, log = len(values), np.log(2 / check_delta(delta))
    require(N >= 2, "at least two pairs", N)
    spread = np.sqrt(2 * np.var(values, ddof=1) * log / N)
    return float(min(largest, np.mean(values) + spread + 7 * largest * log / (3 * (N - 1))))


def _with_ridge(K: Array, alpha: float) -> Array:
    """K + alpha I, in a new array."""
    shifted = K.copy()
    shifted[np.diag_indices_from(shifted)] += alpha
    return shifted
