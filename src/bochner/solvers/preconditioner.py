"""Subsampled preconditioner for conjugate gradients.

    P = A'A + mu I ~ G + alpha I,     P^-1 v = (v - A'(A A' + mu I)^-1 A v) / mu       (Woodbury; A has m < D rows)

with A a subsample of rows such that E A'A = G (Rudi, Carratino & Rosasco 2017 do so for Nystroem centres).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, get_lapack_funcs, solve_triangular

from bochner._blas import cholesky
from bochner._definite import raise_diagonal
from bochner._threads import run_in_threads, single_threaded_blas
from bochner._typing import Array
from bochner.config import get_config
from bochner.features.base import FeatureMap, transform
from bochner.statistics.moments import unit_columns

__all__ = [
    "SampledRows",
    "ShiftedFactor",
    "SubsampleGram",
    "best_rows",
    "expected_iterations",
    "first_rows",
    "most_rows",
]

_SHARE_OF_BUDGET = 0.125
_FEWEST = 1024
_PASS = 24
"""Time of a pass over a number of the features, in multiply-adds of a matrix product (12 to 40 on busy cores)."""

_PANEL = 512
_LEVERAGE = 0.6
_LEVERAGE_ROWS = 64


def first_rows(width: int, itemsize: int) -> int:
    """Rows of a first subsample: a quarter of the features, 1,024 at least, within the share of the memory budget."""
    return min(max(_FEWEST, width // 4), most_rows(width, itemsize))


def most_rows(width: int, itemsize: int) -> int:
    """Rows of a subsample that fit, with their Gram matrix, in the share of the memory budget; 256 at least."""
    affordable = int(_SHARE_OF_BUDGET * get_config().memory_budget() / (width * itemsize))
    return max(256, affordable)


def best_rows(first: int, shift: float, alpha: float, *, most: int, n_rows: int, width: int, tol: float) -> int:
    """One, two or four times the rows of a first subsample: the least time for factor and iterations.

    The shift below which a subsample says nothing falls as 1 / m, if the spectrum decays slowly.
    """

    def work(m: int) -> float:
        iterations = expected_iterations(shift * first / m, alpha, tol)
        factor = 0.0 if m == first else m**2 * width / 2 + m**3 / 3
        return factor + iterations * (_PASS * n_rows + 4 * m) * width

    return min((m for m in (first, 2 * first, 4 * first) if m == first or m <= min(most, width)), key=work)


def expected_iterations(shift: float, alpha: float, tol: float) -> int:
    """Iterations to a tolerance: the condition of the preconditioned system is about three times shift over alpha."""
    return int(5 + 0.5 * np.sqrt(3 * max(shift, alpha) / alpha) * np.log(2 / tol))


class SampleGram:
    """Abstract Gram matrix of a subsample A (m, D), of its rows or of its columns, whichever is smaller.

    Attributes
    ----------
    A : array of shape (m, D)
    exact : bool
        A has all rows, so that A'A = G.
    """

    A: Array
    exact: bool

    @property
    def n_rows(self) -> int:
        return len(self.A)

    @property
    def width(self) -> int:
        return int(self.A.shape[1])

    @property
    def n_bytes(self) -> int:
        return int(self.A.nbytes)

    @property
    def by_rows(self) -> bool:
        return self.n_rows < self.width

    @cached_property
    def _gram(self) -> Array:
        """The lower triangle of A A' or A'A, panel by panel on all threads."""
        B = self.A if self.by_rows else self.A.T
        gram = np.empty((len(B), len(B)), dtype=B.dtype)

        def multiply(start: int, _: None) -> None:
            stop = min(start + _PANEL, len(B))
            gram[start:stop, :stop] = B[start:stop] @ B[:stop].T

        run_in_threads(multiply, range(0, len(B), _PANEL)[::-1], state=lambda: None)  # the longest first
        return gram

    @cached_property
    def trace(self) -> float:
        """Trace of A'A, an estimate of that of G."""
        return float(np.trace(self._gram, dtype=float))

    @property
    def floor(self) -> float:
        """Least shift that has a Cholesky factor in the precision of A."""
        return 4 * float(np.finfo(self.A.dtype).eps) * self.trace + float(np.finfo(float).tiny)

    def largest_eigenvalue(self, n_iter: int = 20) -> float:
        """The largest eigenvalue of A'A, from below, by power iteration."""
        v, value = np.ones(self.A.shape[1], dtype=self.A.dtype), 0.0
        with single_threaded_blas():
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
        l / (1 - l) (leave one out): at l = 0.6 the two differ 2.5-fold. Of shifts in steps
        of ten (length scales 4 and 12, d = 20, two alphas each), those with l from 0.5 to 0.75 were the best or close.
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
        def upper(trial: float) -> Array | None:
            matrix = self._gram.copy()
            matrix[np.diag_indices_from(matrix)] += trial
            with single_threaded_blas():  # half the time of two threads, measured on busy cores at m = 2048 to 8192
                return matrix.T if cholesky(matrix) else None

        factor, used = raise_diagonal(upper, shift)
        return ShiftedFactor(self.A, factor, used, self.by_rows)


@dataclass(frozen=True, eq=False)
class SubsampleGram(SampleGram):
    """The Gram matrix of a subsample that is kept."""

    A: Array
    exact: bool = False

    def __getstate__(self) -> dict[str, object]:
        return {"A": self.A, "exact": self.exact}


@dataclass(frozen=True, eq=False)
class SampledRows(SampleGram):
    """The Gram matrix of rows (m, d) that are kept, with features computed when they are needed.

        A_i = scales_i (z(x_i) - mean)

    Of kernel values against many landmarks: m d numbers in a file instead of m D, and the D^2 operations of whitening a
    row are left to whoever asks for error bars.

    Attributes
    ----------
    feature_map : FeatureMap
    rows : array of shape (m, d)
    scales : array of shape (m,)
    mean : array of shape (D,)
    exact : bool, default=False
    """

    feature_map: FeatureMap
    rows: Array
    scales: Array
    mean: Array
    exact: bool = False

    @cached_property
    def A(self) -> Array:  # type: ignore[override]
        return (transform(self.feature_map, self.rows, np.dtype(float)) - self.mean) * self.scales[:, None]

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return self.feature_map.n_components

    @property
    def n_bytes(self) -> int:
        return 8 * self.n_rows * self.width

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class ShiftedFactor:
    """(A'A + mu I)^-1 by the Cholesky factor U'U of A A' + mu I or, with at least as many rows as features, A'A + mu I.

    Attributes
    ----------
    shift : float
        mu.
    """

    shift: float
    _A: Array
    _upper: Array
    _by_rows: bool

    def __init__(self, A: Array, upper: Array, shift: float, by_rows: bool) -> None:
        self._A, self._upper, self.shift, self._by_rows = A, upper, shift, by_rows

    def solve(self, V: Array) -> Array:
        """(A'A + mu I)^-1 V in float64."""
        unit, size = unit_columns(V)
        narrow = unit.astype(self._A.dtype)
        with single_threaded_blas():  # NumPy's and SciPy's threads wait for each other: one is up to ten times as fast
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

    def trace_of_inverse(self) -> float:
        """tr (A'A + mu I)^-1; by rows, the features beyond the m of the small system count 1 / mu each."""
        (invert,) = get_lapack_funcs(("trtri",), (self._upper,))
        with single_threaded_blas():
            inverse, _ = invert(self._upper, lower=0)
        trace = float(np.sum(np.triu(inverse) ** 2, dtype=float))
        return trace + (self._A.shape[1] - len(self._A)) / self.shift if self._by_rows else trace

    def _inner(self, right: Array) -> Array:
        solution: Array = cho_solve((self._upper, False), right, check_finite=False)
        return solution

    def _half(self, right: Array) -> Array:
        half: Array = solve_triangular(self._upper, right, trans=1, check_finite=False)
        return half
