"""Features F (n, D) of a quadratic program: products with them, and the equations of a Newton step.

    (diag(d) + F F' / alpha) x = r

by a Cholesky factor of this matrix, or, by Woodbury's identity, of alpha I + F' diag(1/d) F:

    x = r/d - 1/d F (alpha I + F' diag(1/d) F)^-1 F' r/d
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from bochner import _blas
from bochner._typing import Array
from bochner.statistics.feature_stream import FeatureStream

__all__ = ["KeptRows", "ProgramRows", "StreamedRows"]

Solve = Callable[[Array], Array]


class ProgramRows(ABC):
    """The features of some rows, the last one a constant if there is an intercept."""

    @abstractmethod
    def forward(self, w: Array) -> Array:
        """F w, shape (n,)."""

    @abstractmethod
    def adjoint(self, b: Array) -> Array:
        """F'b, shape (D,)."""

    @abstractmethod
    def gram(self, weight: Array) -> Array:
        """Lower triangle of F' diag(weight) F."""

    def solver(self, d: Array, alpha: float) -> Solve | None:
        """r -> x; None where the matrix is not definite to working precision."""
        matrix = self.gram(1 / d)
        matrix[np.diag_indices_from(matrix)] += alpha
        if not _blas.cholesky(matrix):
            return None

        def solve(right: Array) -> Array:
            scaled = right / d
            return scaled - self.forward(_blas.solve_cholesky(matrix, self.adjoint(scaled)[:, None])[:, 0]) / d

        return solve


class KeptRows(ProgramRows):
    """Features in memory; solutions are refined once.

    Parameters
    ----------
    F : array of shape (n, D)
    """

    def __init__(self, F: Array) -> None:
        self._F = F

    def forward(self, w: Array) -> Array:
        found: Array = self._F @ w
        return found

    def adjoint(self, b: Array) -> Array:
        found: Array = self._F.T @ b
        return found

    def gram(self, weight: Array) -> Array:
        matrix = np.zeros((self._F.shape[1],) * 2)
        _blas.lower_gram(self._F * np.sqrt(weight)[:, None], matrix)
        return matrix

    def solver(self, d: Array, alpha: float) -> Solve | None:
        """By the smaller of the two matrices."""
        # Overrides: features in memory may be more than rows, and products with them are cheap.
        solve = self._by_rows(d, alpha) if len(self._F) <= self._F.shape[1] else super().solver(d, alpha)
        if solve is None:
            return None

        def refined(right: Array) -> Array:
            x = solve(right)
            return x + solve(right - d * x - self.forward(self.adjoint(x)) / alpha)

        return refined

    def _by_rows(self, d: Array, alpha: float) -> Solve | None:
        matrix = np.zeros((len(self._F),) * 2)
        _blas.lower_gram(np.ascontiguousarray(self._F.T), matrix)
        matrix /= alpha
        matrix[np.diag_indices_from(matrix)] += d
        if not _blas.cholesky(matrix):
            return None
        return lambda right: _blas.solve_cholesky(matrix, right[:, None])[:, 0]


class StreamedRows(ProgramRows):
    """Features that are computed block by block in every pass.

    Parameters
    ----------
    stream : FeatureStream
    rows : array of int
        Those that take part.
    fit_intercept : bool
    """

    def __init__(self, stream: FeatureStream, rows: Array, *, fit_intercept: bool) -> None:
        self._stream, self._rows, self._constant = stream, rows, int(fit_intercept)

    def forward(self, w: Array) -> Array:
        found: Array = self._stream.forward(w[: self._stream.width, None])[self._rows, 0]
        return found + w[-1] if self._constant else found

    def adjoint(self, b: Array) -> Array:
        found = self._stream.adjoint(self._of_all(b)[:, None])[:, 0]
        return np.append(found, b.sum()) if self._constant else found

    def gram(self, weight: Array) -> Array:
        root, width = self._of_all(np.sqrt(weight)), self._stream.width
        total = np.zeros((width + self._constant,) * 2)

        def product(Z: Array, rows: slice) -> Array:
            extended = np.empty((len(Z), len(total)))
            np.multiply(Z, root[rows, None], out=extended[:, :width])
            extended[:, width:] = root[rows, None]
            return extended.T @ extended

        self._stream.for_each(product, lambda part: np.add(total, part, out=total))
        return total

    def _of_all(self, values: Array) -> Array:
        """Values of the rows of the stream: 0 for those that take no part."""
        found = np.zeros(self._stream.n_rows)
        found[self._rows] = values
        return found
