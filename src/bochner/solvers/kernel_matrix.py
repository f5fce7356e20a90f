"""Exact kernel ridge regression by Cholesky factors of the kernel matrix: O(n^3) time, one n x n matrix.

    minimise over f, w_0:   sum_i w_i (y_i - w_0 - f(x_i))^2 + alpha ||f||^2,      f = sum_i a_i k(x_i, .)

    C = K + alpha diag(1/w) = L L',    u = C^-1 1,    w_0 = u'y / 1'u,    a = C^-1 (y - w_0)

without u where there is no intercept. With Q = C^-1 - u u' / 1'u, the coefficients are a = Q y, and

    y_i - f_-i(x_i) = a_i / Q_ii                                      leave-one-out errors
    v(x) = 1 + (k(x, x) - ||L^-1 k_x||^2 + (1 - u'k_x)^2 / 1'u) / alpha      predictive variance over noise variance

(Rasmussen & Williams 2006, sections 2.7 and 5.4.2). The entries of C^-1 that belong to the last m rows are those of
(M M')^-1 with M the trailing block of L, so that leave-one-out errors of m rows cost O(m^3) beside the factor.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bochner import _blas
from bochner._typing import Array
from bochner.features import transform
from bochner.features.nystroem import KernelMap
from bochner.memory import MemoryBill, row_slices

__all__ = ["KernelEquations", "KernelMatrix", "kernel_matrix_bill"]

_BLOCK = 512


def kernel_matrix_bill(n_rows: int, n_features: int, n_targets: int) -> MemoryBill:
    """Memory of the factorised kernel matrix of some rows and of the solutions."""
    return MemoryBill(
        {
            "kernel matrix of all rows": 8 * n_rows**2,
            "rows, targets and coefficients": 8 * n_rows * (3 * n_features + 6 * n_targets),
            "rows that are left out": 16 * min(n_rows, 2000) ** 2,
        }
    )


class KernelMatrix:
    """Kernel matrix of the points of a map, factorised in place for one penalty after another.

    A factor takes one triangle; the other one keeps the kernel values for the next penalty.

    Parameters
    ----------
    values : KernelMap
    weight : array of shape (n,)
        Positive weights of the points.
    intercept : bool
    constant : float, default=0.0
        Added to all values: the constant feature of a penalised intercept.
    """

    def __init__(self, values: KernelMap, weight: Array, intercept: bool, constant: float = 0.0) -> None:
        self._K = transform(values, values.points, np.dtype(float))
        self._K += constant
        self._diagonal = values.diagonal(values.points) + constant
        self._weight, self._intercept = weight, intercept
        self._spent = False

    def factorised(self, alpha: float) -> KernelEquations | None:
        """The equations at a penalty; None if C is not definite to working precision. Those before are spent."""
        if self._spent:
            _mirror(self._K)
        self._spent = True
        np.fill_diagonal(self._K, self._diagonal + alpha / self._weight)
        if not _blas.cholesky(self._K):
            return None
        return KernelEquations.from_factor(self._K, self._weight, alpha, self._intercept)

    def raised(self, alpha: float) -> KernelEquations:
        """The equations at a penalty, or at the first of 10, 100, ... times as much that is definite."""
        smallest = np.finfo(float).eps * float(np.max(self._diagonal)) * len(self._K)
        for power in range(40):
            found = self.factorised(alpha if power == 0 else max(alpha, smallest) * 10.0 ** (power - 1))
            if found is not None:
                return found
        raise np.linalg.LinAlgError("The kernel matrix has entries that are not finite.")


@dataclass(frozen=True, eq=False)
class KernelEquations:
    """The factorised equations of a penalty.

    Attributes
    ----------
    factor : array of shape (n, n)
        L in the lower triangle.
    constant : array of shape (n,)
        u; zeros without an intercept.
    weight : array of shape (n,)
    alpha : float
    intercept : bool
    """

    factor: Array
    constant: Array
    weight: Array
    alpha: float
    intercept: bool
    _known: dict[int, Array] = field(default_factory=dict)  # diagonals of Q, by the number of rows

    @classmethod
    def from_factor(cls, factor: Array, weight: Array, alpha: float, intercept: bool) -> KernelEquations:
        ones = np.ones((len(factor), 1))
        constant = _blas.solve_cholesky(factor, ones) if intercept else 0 * ones
        return cls(factor, constant[:, 0], weight, alpha, intercept)

    def solve(self, Y: Array) -> tuple[Array, Array]:
        """Coefficients (n, t) and intercept (t,)."""
        coef = _blas.solve_cholesky(self.factor, Y)
        if not self.intercept:
            return coef, np.zeros(Y.shape[1])
        offset = coef.sum(axis=0) / self.constant.sum()
        return coef - np.outer(self.constant, offset), offset

    def inverse_diagonal(self, size: int) -> Array:
        """Q_ii of the last rows, computed once."""
        if size not in self._known:
            self._known[size] = self._inverse_diagonal(size)
        return self._known[size]

    def _inverse_diagonal(self, size: int) -> Array:
        n = len(self.factor)
        last = slice(n - size, n)
        inverse = np.tril(self.factor[last, last])
        _blas.lower_inverse(inverse)
        found = np.einsum("ij,ij->j", inverse, inverse)
        return found - self.constant[last] ** 2 / self.constant.sum() if self.intercept else found

    def leverage(self, size: int) -> Array:
        """Leverages of the last rows, by one unit of weight: (1 - alpha Q_ii / w_i) / w_i."""
        weight = self.weight[len(self.weight) - size :]
        return (1 - self.alpha * self.inverse_diagonal(size) / weight) / weight

    def left_out(self, coef: Array, removed: Array) -> tuple[Array, Array]:
        """Leave-one-out errors (m, t) of the last rows and their 1 - h, with the weight (m,) that leaves with each."""
        n, size = len(self.weight), len(removed)
        weight = self.weight[n - size :]
        own = self.alpha * self.inverse_diagonal(size) / weight
        # 1 - removed (1 - own) / weight, without the difference: at small penalties 1 - h is far below rounding.
        spare = np.maximum((1 - removed / weight) + removed * own / weight, np.finfo(float).tiny)
        return self.alpha * coef[n - size :] / weight[:, None] / spare[:, None], spare

    def log_evidence(self, Y: Array, coef: Array, offset: Array) -> float:
        """Log marginal likelihood summed over targets, as in `solvers.criteria.log_evidence`."""
        nu, n = self._dimension(), len(self.factor)
        variance = np.maximum(self.noise_variance(Y, coef, offset), np.finfo(float).tiny)
        occam = 2 * float(np.sum(np.log(np.diagonal(self.factor)))) + float(np.sum(np.log(self.weight)))
        occam -= (n - self.intercept) * np.log(self.alpha)
        if self.intercept:
            occam += float(np.log(self.constant.sum()))  # log det on the complement of the constant, plus log n
        return float(-nu / 2 * np.sum(np.log(2 * np.pi * variance) + 1) - Y.shape[1] / 2 * occam)

    def noise_variance(self, Y: Array, coef: Array, offset: Array) -> Array:
        """Maximum-likelihood noise variance of every target: (RSS + alpha ||f||^2) / nu = alpha a'(y - w_0) / nu."""
        return np.maximum(self.alpha * np.sum(coef * (Y - offset), axis=0), 0.0) / self._dimension()

    def _dimension(self) -> float:
        return max(float(self.weight.sum()) - self.intercept, 0.5)


def _mirror(K: Array) -> None:
    """Copy the upper triangle to the lower one, block by block."""
    for rows in row_slices(len(K), _BLOCK):
        K[rows.stop :, rows] = K[rows, rows.stop :].T
        square = K[rows, rows]
        upper = np.triu(square, 1)
        square[...] = upper + upper.T
