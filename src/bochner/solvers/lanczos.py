"""Lanczos's method for many starts at once: quadratic forms, logarithms of determinants, and inverse square roots.

    B ~ V S V',   x'f(B) x ~ ||x||^2 e_1'f(S) e_1,      B^-1/2 x ~ ||x|| V S^-1/2 e_1        (Golub & Meurant 2010)

with S tridiagonal of some dozen rows. For a matrix B near the identity, as a preconditioned one is, few steps do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh_tridiagonal

from bochner._typing import Array

__all__ = ["Lanczos", "run_lanczos"]

_CHECKED = 5  # steps between looks at the change
_EXACT = 1e-6  # entry beside the diagonal, relative to it, that changes forms by its square


@dataclass(frozen=True, eq=False)
class Lanczos:
    """Tridiagonal matrices of several starts.

    Attributes
    ----------
    size : array of shape (c,)
        Norms of the starts.
    diagonal, beside : array of shape (steps, c), (steps - 1, c)
    basis : list of arrays of shape (M, c), or None
        V, if it was kept.
    """

    size: Array
    diagonal: Array
    beside: Array
    basis: list[Array] | None

    def forms(self, function: Callable[[Array], Array]) -> Array:
        """x'f(B) x of every start, (c,)."""
        return np.array([self._form(column, function) for column in range(len(self.size))])

    def inverse_roots(self) -> Array:
        """B^-1/2 x of every start, (M, c)."""
        assert self.basis is not None
        weights = np.stack([self._first_column(each, lambda s: s**-0.5) for each in range(len(self.size))], axis=1)
        found = np.zeros_like(self.basis[0])
        for vector, weight in zip(self.basis, weights):
            found += vector * weight
        return found

    def _first_column(self, column: int, function: Callable[[Array], Array]) -> Array:
        """||x|| f(S) e_1."""
        values, vectors = self._eigen(column)
        return self.size[column] * (vectors @ (function(values) * vectors[0]))

    def _form(self, column: int, function: Callable[[Array], Array]) -> float:
        values, vectors = self._eigen(column)
        return float(self.size[column] ** 2 * np.sum(function(values) * vectors[0] ** 2))

    def _eigen(self, column: int) -> tuple[Array, Array]:
        values, vectors = eigh_tridiagonal(self.diagonal[:, column], self.beside[:, column])
        return np.maximum(values, np.finfo(float).tiny ** 0.5), vectors


def run_lanczos(
    product: Callable[[Array], Array], start: Array, *, steps: int, tol: float, keep: bool = False
) -> Lanczos:
    """Lanczos's steps from all columns of `start` (M, c), until quadratic forms x'B^-1 x change by less than `tol`."""
    size = np.linalg.norm(start, axis=0)
    vector, before, beside = start / np.where(size > 0, size, 1.0), np.zeros_like(start), np.zeros(len(size))
    diagonals: list[Array] = []
    besides: list[Array] = []
    basis: list[Array] = []
    forms = np.full(len(size), np.inf)
    for step in range(1, steps + 1):
        if keep:
            basis.append(vector)
        after = product(vector) - beside * before
        diagonals.append(np.sum(after * vector, axis=0))
        after -= diagonals[-1] * vector
        beside = np.linalg.norm(after, axis=0)
        if step % _CHECKED == 0 or step == steps:
            run = Lanczos(size, np.array(diagonals), np.array(besides).reshape(-1, len(size)), basis or None)
            now = run.forms(lambda s: 1 / s)
            if np.all(np.abs(now - forms) <= tol * np.abs(now)):
                return run
            forms = now
        if np.all(beside <= _EXACT * np.abs(diagonals[0])):
            break
        besides.append(beside)
        before, vector = vector, np.divide(after, beside, out=np.zeros_like(after), where=beside > 0)
    count = len(diagonals)
    return Lanczos(size, np.array(diagonals), np.array(besides[: count - 1]).reshape(-1, len(size)), basis or None)
