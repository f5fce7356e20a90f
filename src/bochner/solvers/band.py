"""Ridge path by reduction of G to band form.

    G = Q B Q',   Q orthogonal,  B symmetric and block tridiagonal (blocks of 64)

The reduction (Schreiber & Van Loan's blocked Householder transformations, Bischof et al. 2000) is nearly all
matrix products, so it takes a fraction of an eigendecomposition. Then B + alpha I costs O(D) blocks per penalty:
its block Cholesky factor gives the solution and the determinant, and the diagonal blocks of its inverse (Takahashi's
recurrence) the trace, so GCV and the evidence of any alpha take milliseconds. No eigenvalue is ever computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf

from bochner._blas import householder_qr, product, symmetric_product, symmetric_rank_2_update
from bochner._threads import single_threaded_blas
from bochner._typing import Array
from bochner.solvers.problem import RidgePoint, RidgeProblem

__all__ = ["BandedRidge"]

_BLOCK = 64


@dataclass(frozen=True)
class _Reflector:
    """H = I - V T V', acting on rows `start` and below."""

    start: int
    V: Array
    T: Array

    def apply(self, X: Array, *, transpose: bool) -> None:
        """X <- H X in place, or H' X."""
        T = self.T.T if transpose else self.T
        X[self.start :] -= self.V @ (T @ (self.V.T @ X[self.start :]))


class BandedRidge:
    """The ridge path of one problem.

    Parameters
    ----------
    problem : RidgeProblem
    """

    def __init__(self, problem: RidgeProblem) -> None:
        self.problem = problem
        self._diagonal, self._below, self._reflectors = _reduce(problem.gram)
        self._cross = problem.cross.copy()
        for reflector in self._reflectors:
            reflector.apply(self._cross, transpose=True)

    def point(self, alpha: float) -> RidgePoint | None:
        """Residual, norm, degrees of freedom and determinant at a penalty; None where G + alpha I is not definite."""
        with single_threaded_blas():  # blocks of 64 are too small to share
            return self._point(alpha)

    def _point(self, alpha: float) -> RidgePoint | None:
        factor = _factor(self._diagonal, self._below, alpha)
        if factor is None:
            return None
        w = _solve(factor, self._cross)
        fit, penalty = np.sum(self._cross * w, axis=0), np.sum(w**2, axis=0)
        return RidgePoint(
            alpha=float(alpha),
            residual=np.maximum(self.problem.energy - fit - alpha * penalty, 0.0),
            penalty=penalty,
            dof=float(self.problem.width - alpha * _trace_of_inverse(factor) + self.problem.intercept),
            log_det=float(2 * sum(np.sum(np.log(np.diagonal(L))) for L, _ in factor)),
        )

    def solve(self, alpha: float) -> Array:
        """Coefficients (D, t) at a penalty for which `point` is not None."""
        factor = _factor(self._diagonal, self._below, alpha)
        if factor is None:
            raise np.linalg.LinAlgError(f"G + alpha I is not positive definite at alpha = {alpha!r}")
        w = _solve(factor, self._cross)
        for reflector in reversed(self._reflectors):
            reflector.apply(w, transpose=False)
        return w


_Factor = list[tuple[Array, Array]]
"""Block Cholesky factor of B + alpha I: the diagonal block L_i and the block K_i on its left."""


def _reduce(gram: Array) -> tuple[list[Array], list[Array], list[_Reflector]]:
    """Diagonal and subdiagonal blocks of B, and the reflectors of Q, from the lower triangle of G."""
    A = np.array(gram, order="F")
    edges = _edges(len(A))
    reflectors = []
    for j, k in pairwise(edges[:-1]):
        reflector = _Reflector(k, *householder_qr(A[k:, j:k]))
        _similarity(A[k:, k:], reflector.V, reflector.T)
        reflectors.append(reflector)
    diagonal = [_symmetric(A[j:k, j:k]) for j, k in pairwise(edges)]
    below = [np.triu(A[k:end, j:k]) for j, k, end in zip(edges, edges[1:], edges[2:], strict=False)]
    return diagonal, below, reflectors


def _edges(width: int) -> list[int]:
    """Edges of the blocks. Only the first block may be smaller, so every panel below is at least square."""
    return [0, *range(width % _BLOCK or min(_BLOCK, width), width + 1, _BLOCK)]


def _similarity(S: Array, V: Array, T: Array) -> None:
    """S <- H' S H with H = I - V T V', in place on the lower triangle."""
    SV = np.empty_like(V)
    symmetric_product(S, V, SV)
    P = product(SV, T)
    W = P - product(V, product(T, product(V, P, transpose_a=True), transpose_a=True)) / 2
    symmetric_rank_2_update(S, V, W)


def _symmetric(lower: Array) -> Array:
    return np.tril(lower) + np.tril(lower, -1).T


def _factor(diagonal: list[Array], below: list[Array], alpha: float) -> _Factor | None:
    """Block Cholesky factor of B + alpha I; None where it is not positive definite."""
    factor: _Factor = []
    for i, block in enumerate(diagonal):
        K = np.zeros((len(block), 0))
        M = block.copy()
        if i > 0:
            K = solve_triangular(factor[-1][0], below[i - 1].T, lower=True, check_finite=False).T
            M -= K @ K.T
        M[np.diag_indices_from(M)] += alpha
        L, failed_at = dpotrf(M, lower=1, clean=1)
        if failed_at != 0 or not np.all(np.isfinite(np.diagonal(L))):
            return None
        factor.append((L, K))
    return factor


def _solve(factor: _Factor, right: Array) -> Array:
    """(B + alpha I)^-1 right, by block substitution forward and back."""
    solution = right.copy()
    parts = np.split(solution, np.cumsum([len(L) for L, _ in factor])[:-1])
    for i, (L, K) in enumerate(factor):
        rest = parts[i] - K @ parts[i - 1] if i > 0 else parts[i]
        parts[i][:] = solve_triangular(L, rest, lower=True, check_finite=False)
    for i in range(len(factor) - 1, -1, -1):
        rest = parts[i] - factor[i + 1][1].T @ parts[i + 1] if i + 1 < len(factor) else parts[i]
        parts[i][:] = solve_triangular(factor[i][0], rest, lower=True, trans=1, check_finite=False)
    return solution


def _trace_of_inverse(factor: _Factor) -> float:
    """tr (B + alpha I)^-1 from the diagonal blocks S_i of the inverse, last to first (Takahashi 1973).

    S_i = L_i^-T L_i^-1 + M' S_{i+1} M,      M = K_{i+1} L_i^-1
    """
    trace, after = 0.0, np.zeros((0, 0))
    for i in range(len(factor) - 1, -1, -1):
        L = factor[i][0]
        inverse_L = solve_triangular(L, np.eye(len(L)), lower=True, check_finite=False)
        block = inverse_L.T @ inverse_L
        if i + 1 < len(factor):
            M = factor[i + 1][1] @ inverse_L
            block += M.T @ after @ M
        trace += float(np.trace(block))
        after = block
    return trace
