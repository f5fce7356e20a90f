"""Preconditioners for conjugate gradients on the exact kernel matrix: dense for few rows, landmarks for many.

Both approximate the inverse of P diag(s) K diag(s) P + alpha I, P the projection orthogonal to s if there is an
intercept. A poor one costs iterations, never truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bochner._blas import solve_cholesky, solve_lower
from bochner._definite import definite_cholesky
from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.config import get_config
from bochner.statistics.kernel_product import KernelProduct

__all__ = ["DENSE_ROWS", "kernel_preconditioner", "preconditioner_seconds"]

DENSE_ROWS = 10_000
"""Rows up to which the kernel matrix is factorised: 800 MB, and ten seconds. Tiny penalties leave no other way."""

_LANDMARKS = 2048
_FLOPS = 4e10  # a second: of a slow processor, or one of several at work
_BLOCK = 1024
_SEED = 0

Precondition = Callable[[Array, Array], Array]


def kernel_preconditioner(product: KernelProduct, root: Array, alpha: float, intercept: bool) -> Precondition:
    """An approximate inverse of the system of exact kernel ridge; `root` (n,) are the roots of the weights."""
    n, budget = product.n_rows, get_config().memory_budget()
    if n <= DENSE_ROWS and 24 * n**2 <= budget:
        return _dense(product, root, alpha, intercept)
    landmarks = int(min(_LANDMARKS, n, np.sqrt(budget / 64)))
    return _by_landmarks(product, root, alpha, intercept, landmarks)


def preconditioner_seconds(n_rows: int) -> float:
    """Time that the preconditioner takes, about: of a factor of all rows, or of the moments of the landmarks."""
    return (n_rows**3 / 3 if n_rows <= DENSE_ROWS else 2 * n_rows * _LANDMARKS**2) / _FLOPS


def _dense(product: KernelProduct, root: Array, alpha: float, intercept: bool) -> Precondition:
    """By a Cholesky factor of M = diag(s) K diag(s) + alpha I.

    With an intercept: M^-1 - M^-1 s s' M^-1 / (s' M^-1 s).
    """
    M = product.matrix()
    M *= root[:, None]
    M *= root
    factor = _factor(M, alpha)
    along = solve_cholesky(factor, root[:, None])[:, 0]
    scale = root @ along

    def solve(R: Array, columns: Array) -> Array:
        found = solve_cholesky(factor, R)
        return found - np.outer(along, root @ found) / scale if intercept else found

    return solve


def _by_landmarks(product: KernelProduct, root: Array, alpha: float, intercept: bool, size: int) -> Precondition:
    """By Nystroem features Z of landmark rows, centred if there is an intercept, and Woodbury's identity.

        (Z Z' + alpha I)^-1 r = (r - Z (Z'Z + alpha I)^-1 Z' r) / alpha,      Z = diag(s) K_nL C'^-1,  K_LL = C C'

    Z is not kept: its products are kernel products with the landmarks.
    """
    chosen = np.sort(generator(_SEED, Purpose.SUBSAMPLE).choice(product.n_rows, size=size, replace=False))
    towards = replace(product, X=product.X[chosen], _counter=[0])
    C = _factor(towards.matrix(), 1e-10 * product.kernel.variance)
    gram, mean = _feature_moments(towards, product.X, root, C)
    total = float(root @ root)
    if intercept:
        gram -= total * np.outer(mean, mean)
    factor = _factor(gram, alpha)

    def adjoint(R: Array) -> Array:
        """Z' R."""
        weighted = root[:, None] * R
        found = np.zeros((size, R.shape[1]))
        for start in range(0, len(root), _BLOCK):
            rows = slice(start, start + _BLOCK)
            found += towards.matrix(product.X[rows]).T @ weighted[rows]
        found = _lower(C, found)
        return found - np.outer(mean, weighted.sum(axis=0)) if intercept else found

    def forward(W: Array) -> Array:
        """Z W."""
        back = _upper(C, W)
        values = towards.cross_times(product.X, back)
        return root[:, None] * (values - mean @ W if intercept else values)

    def solve(R: Array, columns: Array) -> Array:
        return (R - forward(solve_cholesky(factor, adjoint(R)))) / alpha

    return solve


def _feature_moments(towards: KernelProduct, X: Array, root: Array, C: Array) -> tuple[Array, Array]:
    """Weighted second moments (L, L) and mean (L,) of the whitened features, block by block."""
    L = len(C)
    gram, total = np.zeros((L, L)), np.zeros(L)
    for start in range(0, len(X), _BLOCK):
        rows = slice(start, start + _BLOCK)
        Z = towards.matrix(X[rows])
        solve_lower(C, Z)
        Z *= root[rows, None]
        gram += Z.T @ Z
        total += root[rows] @ Z
    return gram, total / float(root @ root)


def _factor(M: Array, shift: float) -> Array:
    """Cholesky factor of M + shift I, with as much more on the diagonal as it takes; M is overwritten."""
    return definite_cholesky(M, shift, floor=1e-14 * float(np.max(np.diagonal(M))))


def _lower(C: Array, B: Array) -> Array:
    """C^-1 B."""
    rows = np.ascontiguousarray(B.T)
    solve_lower(C, rows)
    return rows.T


def _upper(C: Array, B: Array) -> Array:
    """C'^-1 B."""
    from scipy.linalg import solve_triangular

    found: Array = solve_triangular(C, B, lower=True, trans="T", check_finite=False)
    return found
