"""What can be said of frequencies that are already drawn, by looking: these hold for every sampler.

Some are deterministic (delta = 0): they compute the quantity itself, or bound it for every possible target. Others
sample pairs or rows that are independent of the frequencies, and count; their probability is over that sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, eigvalsh
from scipy.stats import beta, binom

from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_delta, check_eps, require
from bochner.theory.sources import AVRON, BOCHNER

__all__ = ["AllPairs", "NewRows", "RidgeDistance", "SampledPairs", "SpectralCloseness"]

_COMPUTED = ("the exact kernel matrix of these rows was computed",)


@dataclass(frozen=True, kw_only=True, eq=False)
class AllPairs(Bound):
    """The largest kernel error over all pairs of some rows, computed.

    Parameters
    ----------
    error : array
        s(x_i, x_j) - k(x_i, x_j) for all pairs.
    """

    error: Array

    statement: ClassVar[str] = "max over pairs |s - k|, computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "computed on the rows")
    assumptions: ClassVar[tuple[str, ...]] = _COMPUTED

    def certificate(self) -> Certificate:
        """The largest error of these rows; no probability is involved."""
        value, n = float(np.max(np.abs(self.error), initial=0.0)), len(self.error)
        rms = float(np.sqrt(np.mean(np.square(self.error))))
        statement = f"Over all pairs of these {n:,} rows, the largest kernel error is {value:.4g} (computed)."
        return self._certificate(value, 0.0, statement, n_rows=n, root_mean_square=rms)


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
        value = 1.0 if bad == N else float(beta.ppf(1 - check_delta(delta), bad + 1, N - bad))
        statement = (
            f"With probability at least {1 - delta:g}, at most a fraction {value:.4g} of pairs from the law of the "
            f"data have a kernel error above {eps:g} ({bad} of {N:,} sampled pairs do)."
        )
        return self._certificate(value, delta, statement, eps=eps, n_pairs=N, n_above=bad)

    def quantile(self, fraction: float, delta: float) -> Certificate:
        """Upper limit on the `fraction`-quantile of the absolute error: an order statistic, without assumptions."""
        N, limit = len(self.error), _quantile_limit(np.abs(self.error), fraction, delta)
        value = float(self.largest) if limit is None else limit
        statement = (
            f"With probability at least {1 - delta:g}, {100 * fraction:g} % of pairs from the law of the data have a "
            f"kernel error of at most {value:.4g} (from {N:,} sampled pairs)."
        )
        return self._certificate(value, delta, statement, fraction=fraction, n_pairs=N)

    def mean_absolute(self, delta: float) -> Certificate:
        """Upper limit on the mean absolute error over the law of the data."""
        value = _mean_limit(np.abs(self.error), self.largest, delta)
        statement = (
            f"With probability at least {1 - delta:g}, the mean absolute kernel error over the law of the data is at "
            f"most {value:.4g} (from {len(self.error):,} sampled pairs)."
        )
        return self._certificate(value, delta, statement, n_pairs=len(self.error))

    def root_mean_square(self, delta: float) -> Certificate:
        """Upper limit on the root mean square error over the law of the data."""
        value = float(np.sqrt(_mean_limit(self.error**2, self.largest**2, delta)))
        statement = (
            f"With probability at least {1 - delta:g}, the root mean square kernel error over the law of the data is "
            f"at most {value:.4g} (from {len(self.error):,} sampled pairs)."
        )
        return self._certificate(value, delta, statement, n_pairs=len(self.error))


@dataclass(frozen=True, kw_only=True, eq=False)
class SpectralCloseness(Bound):
    """How far K^ + alpha I is from K + alpha I in the order of matrices, computed.

        Delta = max |eig((K + alpha I)^-1 (K^ + alpha I)) - 1|

    Parameters
    ----------
    exact, approximate : array of shape (n, n)
        K and K^.
    alpha : float
        Un-normalised penalty.
    """

    exact: Array
    approximate: Array
    alpha: float

    statement: ClassVar[str] = "(1 - Delta)(K + alpha I) <= K^ + alpha I <= (1 + Delta)(K + alpha I), computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(AVRON, "Definition 2, computed on the rows")
    assumptions: ClassVar[tuple[str, ...]] = (*_COMPUTED, "it certifies these rows only")

    def certificate(self) -> Certificate:
        """Delta of these rows; no probability is involved."""
        n = len(self.exact)
        ridge = self.alpha * np.eye(n)
        ratios = eigh(self.approximate + ridge, self.exact + ridge, eigvals_only=True)
        value = float(np.max(np.abs(ratios - 1)))
        statement = (
            f"On these {n:,} rows, K^ + alpha I is within a factor 1 +- {value:.4g} of K + alpha I in the order of "
            f"matrices, at alpha = {self.alpha:.4g} (computed)."
        )
        return self._certificate(value, 0.0, statement, n_rows=n, alpha=self.alpha)


@dataclass(frozen=True, kw_only=True, eq=False)
class RidgeDistance(Bound):
    """How far a random-feature ridge model is from exact kernel ridge on its training rows.

    With M = K + alpha I and M^ likewise, both centred if there is an intercept, the fitted values differ by

        alpha (M^-1 - M^^-1) y,      at most   alpha ||M^-1 - M^^-1||_2 ||y||

    The first needs the targets and is exact; the second holds for every target of that norm.

    Parameters
    ----------
    exact, approximate : array of shape (n, n)
        K and K^ of the training rows.
    alpha : float
    intercept : bool
    """

    exact: Array
    approximate: Array
    alpha: float
    intercept: bool

    statement: ClassVar[str] = "||K^(K^+alpha)^-1 y - K(K+alpha)^-1 y|| <= alpha ||M^-1 - M^^-1|| ||y||, computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "computed on the training rows")
    assumptions: ClassVar[tuple[str, ...]] = (*_COMPUTED, "the same kernel and the same penalty in both models")

    def for_every_target(self, norms: Array) -> Certificate:
        """Bound on the root mean square difference for any target with these (centred) norms, one per target."""
        worst = float(np.max(np.abs(eigvalsh(self._difference)))) * float(np.sqrt(np.mean(np.square(norms))))
        value, n = worst / np.sqrt(len(self.exact)), len(self.exact)
        statement = (
            f"Over the {n:,} training rows, the predictions differ from those of exact kernel ridge by at most "
            f"{value:.4g} in root mean square, whatever the targets of this size are (computed)."
        )
        return self._certificate(value, 0.0, statement, n_rows=n, alpha=self.alpha)

    def for_target(self, Y: Array) -> Certificate:
        """The root mean square difference for these targets (n, k)."""
        difference = self._difference @ Y
        value, n = float(np.sqrt(np.mean(difference**2))), len(self.exact)
        largest = float(np.max(np.abs(difference)))
        statement = (
            f"Over the {n:,} training rows, the predictions differ from those of exact kernel ridge by {value:.4g} in "
            f"root mean square and {largest:.4g} at most (computed)."
        )
        return self._certificate(value, 0.0, statement, n_rows=n, alpha=self.alpha, largest=largest)

    def exact_dual(self, Y: Array) -> tuple[Array, Array]:
        """Dual coefficients (n, k) and intercept (k,) of exact kernel ridge."""
        factor = cho_factor(self.exact + self.alpha * np.eye(len(self.exact)))
        solved = cho_solve(factor, Y)
        if not self.intercept:
            return solved, np.zeros(Y.shape[1])
        ones = cho_solve(factor, np.ones((len(Y), 1)))
        offset = np.sum(solved, axis=0) / np.sum(ones)
        return solved - ones * offset, offset

    @cached_property
    def _difference(self) -> Array:
        """alpha (M^-1 - M^^-1), acting on centred targets if there is an intercept."""
        return self.alpha * (self._inverse(self.exact) - self._inverse(self.approximate))

    def _inverse(self, K: Array) -> Array:
        n = len(K)
        factor = cho_factor(K + self.alpha * np.eye(n))
        inverse: Array = cho_solve(factor, np.eye(n))
        if self.intercept:  # of (H K H + alpha I) on the complement of the constants
            ones = inverse.sum(axis=0)
            inverse = inverse - np.outer(ones, ones) / ones.sum()
        return inverse


@dataclass(frozen=True, kw_only=True, eq=False)
class NewRows(Bound):
    """Differences between two models on rows that neither has seen, drawn independently from one law.

    Parameters
    ----------
    difference : array of shape (N,)
    """

    difference: Array

    statement: ClassVar[str] = "a quantile of |difference| over new rows, by an order statistic"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "order statistics")
    assumptions: ClassVar[tuple[str, ...]] = (
        "the rows are independent draws from one law",
        "the rows are independent of the training rows and of the frequencies",
    )
    evidence: ClassVar[Evidence] = Evidence.REDERIVED

    def certificate(self, fraction: float, delta: float) -> Certificate:
        """Upper limit on the `fraction`-quantile of the absolute difference."""
        N, value = len(self.difference), _quantile_limit(np.abs(self.difference), fraction, delta)
        if value is None:
            needed = int(np.ceil(np.log(delta) / np.log(fraction)))
            raise InvalidDataError(f"A {fraction:g} quantile at delta={delta:g} needs {needed} new rows. Got {N}.")
        statement = (
            f"With probability at least {1 - delta:g}, {100 * fraction:g} % of new rows have a prediction within "
            f"{value:.4g} of that of exact kernel ridge (from {N:,} rows)."
        )
        return self._certificate(value, delta, statement, fraction=fraction, n_rows=N)


def _quantile_limit(values: Array, fraction: float, delta: float) -> float | None:
    """Order statistic that is at least the `fraction`-quantile with probability 1 - delta; None with too few values.

    The number of values below the quantile is Bin(N, fraction): its (1 - delta)-quantile is the rank.
    """
    require(0 < fraction < 1, "a fraction in (0, 1)", fraction)
    rank = int(binom.ppf(1 - check_delta(delta), len(values), fraction))
    return float(np.sort(values)[rank]) if rank < len(values) else None


def _mean_limit(values: Array, largest: float, delta: float) -> float:
    """One-sided empirical Bernstein limit for values in [0, largest] (Maurer & Pontil 2009, Theorem 4)."""
    N, log = len(values), np.log(2 / check_delta(delta))
    require(N >= 2, "at least two pairs", N)
    spread = np.sqrt(2 * np.var(values, ddof=1) * log / N)
    return float(min(largest, np.mean(values) + spread + 7 * largest * log / (3 * (N - 1))))
