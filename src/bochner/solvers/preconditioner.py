"""What some rows say of the normal equations of all: an approximate inverse, and approximate error bars.

    P = A'A + mu I ~ G + alpha I,     P^-1 v = (v - A'(A A' + mu I)^-1 A v) / mu       (Woodbury; A has m < D rows)

with A a subsample of rows such that E A'A = G (Rudi, Carratino & Rosasco 2017 do so for Nystroem centres).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from bochner._blas import cholesky, lower_gram
from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config
from bochner.statistics.moments import unit_columns

__all__ = ["LowRankSpread", "SubsampleGram", "best_rows", "first_rows", "most_rows"]

_SHARE_OF_BUDGET = 0.125
_FEWEST = 1024
_PASS = 24
"""Time of a pass over a number of the features, in multiply-adds of a matrix product (measured: 15 to 40)."""

_LEVERAGE = 2 / 3
_LEVERAGE_ROWS = 64
_LEAST_SPARE = 0.1


def first_rows(width: int, itemsize: int) -> int:
    """Rows of a first subsample: a quarter of the features, 1,024 at least, within the share of the memory budget."""
    return min(max(_FEWEST, width // 4), most_rows(width, itemsize))


def most_rows(width: int, itemsize: int) -> int:
    """Rows of a subsample that fit, with their Gram matrix, in the share of the memory budget; 256 at least."""
    affordable = int(_SHARE_OF_BUDGET * get_config().memory_budget() / (width * itemsize))
    return max(256, affordable)


def best_rows(first: int, shift: float, alpha: float, *, most: int, n_rows: int, width: int, tol: float) -> int:
    """One, two or four times the rows of a first subsample: the least time for factor and iterations.

    The shift below which a subsample says nothing falls as 1 / m, and the condition of the preconditioned system is
    about three times shift over alpha.
    """

    def work(m: int) -> float:
        condition = 3 * max(shift * first / m, alpha) / alpha
        iterations = 5 + 0.5 * np.sqrt(condition) * np.log(2 / tol)
        factor = 0.0 if m == first else m**2 * width / 2 + m**3 / 3
        return factor + iterations * (_PASS * n_rows + 4 * m) * width

    return min((m for m in (first, 2 * first, 4 * first) if m == first or m <= min(most, width)), key=work)


class SubsampleGram:
    """The Gram matrix of a subsample A (m, D), of its rows or of its columns, whichever is smaller.

    Parameters
    ----------
    A : array of shape (m, D)
    exact : bool, default=False
        A has all rows, so that A'A = G.

    Attributes
    ----------
    trace : float
        Of A'A, an estimate of that of G.
    floor : float
        Least shift that has a Cholesky factor in the precision of A.
    """

    def __init__(self, A: Array, *, exact: bool = False) -> None:
        self.A, self.exact = A, exact
        self.by_rows = A.shape[0] < A.shape[1]
        size = min(A.shape)
        self._gram = np.empty((size, size), dtype=A.dtype)
        lower_gram(A, self._gram, of_rows=self.by_rows)
        self.trace = float(np.trace(self._gram, dtype=float))
        self.floor = 4 * float(np.finfo(A.dtype).eps) * self.trace + np.finfo(float).tiny

    def largest_eigenvalue(self, n_iter: int = 20) -> float:
        """The largest eigenvalue of A'A, from below, by power iteration."""
        v = np.ones(self.A.shape[1], dtype=self.A.dtype)
        value = 0.0
        for _ in range(n_iter):
            size = float(np.linalg.norm(v))
            if not size > 0:
                break
            v = self.A.T @ (self.A @ (v / size))
            value = float(np.linalg.norm(v))
        return value

    def sampling_shift(self, least: float) -> float:
        """The shift below which A'A + mu I no longer resembles G + mu I, or `least` if that is larger.

        A row of A has the leverage l = a'(A'A + mu I)^-1 a, on average dof(mu) / m, and a row that was not drawn
        l / (1 - l) (leave one out): at l = 2/3 the two differ threefold. Smaller shifts took more iterations, however
        small alpha was; so did larger ones (mu tried in steps of ten, length scales 4 and 12, d = 20).
        """
        shift = self.trace / (4 * len(self.A))
        if self.exact or not shift > 0:
            return least
        while shift > max(least, self.floor) and self._leverage(shift / 4) < _LEVERAGE:
            shift /= 4
        return max(shift, least)

    def _leverage(self, shift: float) -> float:
        step = max(1, len(self.A) // _LEVERAGE_ROWS)
        return float(np.mean(self._factor(shift).squared_norms(self.A[::step])))

    def factors(self, shifts: Array) -> list[ShiftedFactor]:
        """The approximate inverse at every shift, raised to the floor; factorised on all threads."""
        found: dict[float, ShiftedFactor] = {}

        def factorise(shift: float, _: None) -> None:
            found[shift] = self._factor(shift)

        wanted = [max(float(shift), self.floor) for shift in shifts]
        run_in_threads(factorise, sorted(set(wanted)), state=lambda: None)
        return [found[shift] for shift in wanted]

    def _factor(self, shift: float) -> ShiftedFactor:
        trial = shift
        while True:
            matrix = self._gram.copy()
            matrix[np.diag_indices_from(matrix)] += trial
            if cholesky(matrix):
                return ShiftedFactor(self.A, matrix.T, trial, self.by_rows)
            trial *= 10


class ShiftedFactor:
    """(A'A + mu I)^-1 by the Cholesky factor U'U of A A' + mu I or, with at least as many rows as features, A'A + mu I.

    Attributes
    ----------
    shift : float
        mu.
    """

    def __init__(self, A: Array, upper: Array, shift: float, by_rows: bool) -> None:
        self._A, self._upper, self.shift, self._by_rows = A, upper, shift, by_rows

    def solve(self, V: Array) -> Array:
        """(A'A + mu I)^-1 V in float64."""
        unit, size = unit_columns(V)
        narrow = unit.astype(self._A.dtype)
        if not self._by_rows:
            return self._inner(narrow) * size
        return (unit - self._A.T @ self._inner(self._A @ narrow)) * (size / self.shift)

    def squared_norms(self, rows: Array) -> Array:
        """z'(A'A + mu I)^-1 z of every row z; never negative."""
        columns = np.asarray(rows, dtype=self._A.dtype).T
        if not self._by_rows:
            return np.sum(self._half(columns) ** 2, axis=0, dtype=float)
        seen = np.sum(self._half(self._A @ columns) ** 2, axis=0, dtype=float)
        return np.maximum(np.sum(columns**2, axis=0, dtype=float) - seen, 0.0) / self.shift

    def _inner(self, right: Array) -> Array:
        solution: Array = cho_solve((self._upper, False), right, check_finite=False)
        return solution

    def _half(self, right: Array) -> Array:
        half: Array = solve_triangular(self._upper, right, trans=1, check_finite=False)
        return half


class LowRankSpread:
    """`PredictiveSpread` through a subsample of m rows, and so approximate.

        (G + alpha I)^-1 ~ (1 - l)(A'A + mu I)^-1,      mu = alpha (1 - l),   l = dof(alpha) / m

    A subsample acts like all rows with the penalty mu / (1 - l), l being the mean leverage of its rows (the
    deterministic equivalent of a sample covariance). With m close to dof, or below it, the penalty that this stands for
    is larger than alpha, and the spread is too small.

    Parameters
    ----------
    gram : SubsampleGram
    alpha : float
    dof : float
        Effective degrees of freedom at `alpha`, without the intercept's.
    mean : array of shape (D,)
        Taken off the features.
    offset : float
        1, and 1 / n for an intercept.
    """

    approximate = True

    def __init__(self, gram: SubsampleGram, *, alpha: float, dof: float, mean: Array, offset: float) -> None:
        self._gram, self._mean, self._offset = gram, mean, offset
        self._spare = 1.0 if gram.exact else max(1 - dof / len(gram.A), _LEAST_SPARE)
        self._shift = alpha * self._spare

    @cached_property
    def _factor(self) -> ShiftedFactor:
        return self._gram.factors(np.array([self._shift]))[0]

    @property
    def rows(self) -> int:
        return len(self._gram.A)

    def of(self, Z: Array) -> Array:
        """v(z) of every row; at least 1."""
        return self._offset + self._spare * self._factor.squared_norms(Z - self._mean)
