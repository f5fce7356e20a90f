"""Preconditioner of exact kernel ridge in blocks of systems: Nystroem features of landmarks, Woodbury's identity.

    (Z_s Z_s' + mu I)^-1 r = (r - Z_s (Z_s'Z_s + mu I)^-1 Z_s' r) / mu,      Z_s = P diag(s) Z,  Z = K_nL C'^-1
    mu = alpha + mean of s_i^2 (k(x_i, x_i) - ||z_i||^2)

with s the roots of the weights and P the projection orthogonal to s, if there is an intercept. What the landmarks do
not explain counts as uncorrelated: with mu = alpha all that they do explain is at the lower end of the spectrum, and
comes last. On 20,000 digits and 1,366 landmarks mistakes of other rows fall to 2.4 % in 2 iterations, else in 6.
Systems differ in the rows that they leave out, s = 0 there: each has a factor of its own, and all share Z. A poor
preconditioner costs iterations, never truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular

from bochner._blas import lower_gram, solve_cholesky, solve_lower
from bochner._definite import definite_cholesky
from bochner._threads import run_in_threads
from bochner._typing import Array, FloatType
from bochner.memory import row_slices
from bochner.solvers.landmark_spread import LandmarkSpread
from bochner.statistics.kernel_product import KernelProduct

__all__ = ["LandmarkFeatures", "LandmarkPreconditioner"]

_BLOCK = 1024
_SPREAD_LANDMARKS = 2048  # of error bars: models hold two factors of them
_JITTER = (1e-10, 1e-6)  # of k(x, x), at least and at most: what whitening in float64 and in float32 can bear


@dataclass(frozen=True, eq=False)
class LandmarkFeatures:
    """Nystroem features z = C^-1 k(L, x) of all rows, kept or computed again in every pass.

    Attributes
    ----------
    product : KernelProduct
        Of all rows.
    landmarks : array of shape (L,)
        Numbers of the landmarks among the rows.
    dtype : dtype
        Of the features.
    keep : bool
        Whether they stay in memory.
    """

    product: KernelProduct
    landmarks: Array
    dtype: FloatType
    keep: bool
    factor: Array = field(init=False)
    _towards: KernelProduct = field(init=False)
    _whitening: Array = field(init=False)
    _kept: Array | None = field(init=False)

    def __post_init__(self) -> None:
        X, kernel = self.product.X, self.product.kernel
        towards = KernelProduct(kernel, X[self.landmarks], precision=np.dtype(float))
        jitter = _JITTER[self.dtype == np.float32] * kernel.variance
        kept = np.empty((len(X), len(self.landmarks)), self.dtype) if self.keep else None
        factor = definite_cholesky(towards.matrix(), jitter)
        parts = {"_towards": towards, "factor": factor, "_whitening": factor.astype(self.dtype), "_kept": kept}
        for name, value in parts.items():
            object.__setattr__(self, name, value)
        if kept is not None:
            run_in_threads(self._write, list(self.blocks()), state=lambda: None)

    @property
    def width(self) -> int:
        return len(self.landmarks)

    def blocks(self) -> Iterator[slice]:
        return row_slices(self.product.n_rows, _BLOCK)

    def of(self, rows: slice) -> Array:
        """Features of a block of rows, which are not to be changed."""
        return self._computed(rows) if self._kept is None else self._kept[rows]

    def adjoint_times(self, V: Array) -> Array:
        """Z'V."""
        found, narrow = np.zeros((self.width, V.shape[1])), V.astype(self.dtype)

        def add(part: Array) -> None:
            np.add(found, part, out=found)

        def part(rows: slice, _: None) -> Array:
            return self.of(rows).T @ narrow[rows]

        run_in_threads(part, list(self.blocks()), state=lambda: None, finish=add)
        return found

    def times(self, W: Array) -> Array:
        """Z W."""
        found, narrow = np.empty((self.product.n_rows, W.shape[1])), W.astype(self.dtype)

        def write(rows: slice, _: None) -> None:
            found[rows] = self.of(rows) @ narrow

        run_in_threads(write, list(self.blocks()), state=lambda: None)
        return found

    def _write(self, rows: slice, _: None) -> None:
        assert self._kept is not None
        self._kept[rows] = self._computed(rows)

    def _computed(self, rows: slice) -> Array:
        Z = self._towards.matrix(self.product.X[rows]).astype(self.dtype, copy=False)
        solve_lower(self._whitening, Z)
        return Z


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums of products (L, L) and of features (L,) over weighted rows."""

    gram: Array
    total: Array

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(self.gram + other.gram, self.total + other.total)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of some systems: roots of their weights, weighted mean and factor of the centred moments of features.

    The moments are the upper triangle of the array of the factor, and their diagonal.
    """

    root: Array
    total: float
    mean: Array
    diagonal: Array
    factor: Array

    def factor_at(self, alpha: float, size: int) -> Array:
        """Factor of the centred moments of the first features with another penalty on their diagonal."""
        gram = np.triu(self.factor[:size, :size], 1)
        gram += gram.T
        np.fill_diagonal(gram, self.diagonal[:size])
        return definite_cholesky(gram, alpha, floor=_floor(self.diagonal))


class LandmarkPreconditioner:
    """Approximate inverse of the systems of exact kernel ridge.

    Parameters
    ----------
    features : LandmarkFeatures
    roots : array of shape (n, c)
        Roots of the weights of each system: those of the first one, or 0 in rows that a system leaves out.
    alpha : float
    intercept : bool
    """

    def __init__(self, features: LandmarkFeatures, roots: Array, alpha: float, intercept: bool) -> None:
        self.features, self.alpha, self.intercept = features, alpha, intercept
        fewer = roots[:, -1]
        less = self._sums(fewer)
        self._kinds = np.any(roots != roots[:, :1], axis=0).astype(int)
        more = less + self._sums(np.where(fewer == roots[:, 0], 0.0, roots[:, 0])) if self._kinds[-1] else less
        self.trace = float(np.trace(more.gram))
        self._shift = alpha + self._unexplained(roots[:, 0])
        self._rows = [self._factorised(roots[:, 0], more)]
        self._rows += [self._factorised(fewer, less)] if self._kinds[-1] else []

    def __call__(self, R: Array, columns: Array) -> Array:
        """The approximate inverses of the systems `columns` applied to R (n, c)."""
        rows = [self._rows[kind] for kind in self._kinds[columns]]
        size = np.linalg.norm(R, axis=0)
        size[size == 0] = 1.0
        roots = np.stack([kind.root for kind in rows], axis=1)
        unit = R / size
        weighted = roots * unit
        right = self.features.adjoint_times(weighted)
        if self.intercept:
            right -= np.stack([kind.mean for kind in rows], axis=1) * weighted.sum(axis=0)
        inner = np.hstack([solve_cholesky(kind.factor, b[:, None]) for kind, b in zip(rows, right.T)])
        back = self.features.times(inner)
        if self.intercept:
            back -= [kind.mean @ w for kind, w in zip(rows, inner.T)]
        return (unit - roots * back) * (size / self._shift)

    def spread(self, column: int) -> LandmarkSpread:
        """Error bars of a system, through the first of the landmarks: factors of fewer are the first parts of these."""
        rows, first = self._rows[self._kinds[column]], slice(_SPREAD_LANDMARKS)
        return LandmarkSpread(
            landmarks=np.asarray(self.features.landmarks[first], dtype=np.int64),
            whitening=np.tril(self.features.factor[first, first]),
            factor=np.tril(rows.factor_at(self.alpha, _SPREAD_LANDMARKS)),
            centre=rows.mean[first] * self.intercept,
            offset=1 + (1 / rows.total if self.intercept else 0.0),
            alpha=self.alpha,
        )

    def dof(self) -> float:
        """Degrees of freedom of the first system, an estimate.

        L - alpha tr (Z'Z + alpha)^-1 of the features, and of what they do not explain as if it were uncorrelated.
        """
        rows, L = self._rows[0], self.features.width
        inverse = solve_triangular(rows.factor_at(self.alpha, L), np.eye(L), lower=True, check_finite=False)
        explained = np.zeros(len(rows.root))
        for some in self.features.blocks():
            Z = self.features.of(some)
            explained[some] = np.einsum("ij,ij->i", Z, Z, dtype=float)
        left = rows.root**2 * np.maximum(self.features.product.diagonal() - explained, 0.0)
        return float(L - self.alpha * np.sum(inverse**2) + np.sum(left / (left + self.alpha)) + self.intercept)

    def _unexplained(self, root: Array) -> float:
        """Mean of the kernel's diagonal less what the features have of it, of weighted rows."""
        rest = float(root**2 @ self.features.product.diagonal()) - self.trace
        return max(0.0, rest / np.count_nonzero(root))

    def _sums(self, root: Array) -> _Sums:
        L, dtype = self.features.width, self.features.dtype
        gram, total = np.zeros((L, L)), np.zeros(L)

        def part(rows: slice, scratch: Array) -> tuple[Array, Array]:
            Z = self.features.of(rows) * root[rows, None].astype(dtype)
            lower_gram(Z, scratch)
            return scratch, root[rows] @ Z

        def add(found: tuple[Array, Array]) -> None:
            np.add(gram, found[0], out=gram)
            np.add(total, found[1], out=total)

        seen = [rows for rows in self.features.blocks() if np.any(root[rows])]
        run_in_threads(part, seen, state=lambda: np.zeros((L, L), dtype), finish=add)
        return _Sums(np.tril(gram) + np.tril(gram, -1).T, total)

    def _factorised(self, root: Array, sums: _Sums) -> _Rows:
        weight = float(root @ root)
        mean, gram = sums.total / weight, sums.gram.copy()
        if self.intercept:
            gram -= weight * np.outer(mean, mean)
        diagonal = np.diagonal(gram).copy()
        return _Rows(root, weight, mean, diagonal, definite_cholesky(gram, self._shift, floor=_floor(diagonal)))


def _floor(diagonal: Array) -> float:
    """Smallest shift of moments that are singular."""
    return 1e-14 * float(np.max(diagonal, initial=0.0))
