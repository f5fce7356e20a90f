"""Solution of exact kernel ridge regression: coefficients of kernel values against all rows, error bars on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bochner import _blas
from bochner._typing import Array
from bochner.features.nystroem import KernelMap
from bochner.memory import require_memory
from bochner.solvers.kernel_matrix import KernelEquations, KernelMatrix, kernel_matrix_bill
from bochner.solvers.solution import Solution
from bochner.statistics.moments import Moments

__all__ = ["KernelSolution", "KernelSpread"]


@dataclass(frozen=True)
class KernelSolution(Solution):
    """An exact kernel machine: f(x) = w_0 + sum_i a_i k(x_i, x), with `coef` a (n, t).

    The kernel matrix is not kept: error bars factorise it again when they are first asked for.

    Attributes
    ----------
    values : KernelMap
        Kernel values against the rows, as the kernel sees them.
    row_weight : array of shape (n,)
        Weights of the rows.
    target_mean : array of shape (t,)
        Weighted means of the targets.
    dof : float
        Effective degrees of freedom; of more than 2,000 rows an estimate from that many.
    """

    values: KernelMap | None = None
    row_weight: Array | None = None
    target_mean: Array | None = None
    dof: float = np.nan

    @property
    def row_weights(self) -> Array | None:
        return self.row_weight

    @property
    def target_means(self) -> Array | None:
        return self.target_mean

    def without_own_row(self, Z: Array, leverage: Array, unseen: Array, removed: Array) -> tuple[Array, Array]:
        # Overrides: kernel values of all rows, less than their prior, are the leverage.
        return super().without_own_row(Z, np.maximum(leverage + unseen, 0.0), np.zeros_like(unseen), removed)

    def dof_of(self, moments: Moments | None, *, fit_intercept: bool) -> float:
        return self.dof

    def spread_of(self, moments: Moments | None, *, fit_intercept: bool) -> KernelSpread:
        return self._spread_with_intercept if fit_intercept else self._spread_without

    @cached_property
    def _spread_with_intercept(self) -> KernelSpread:
        return self._spread(True)

    @cached_property
    def _spread_without(self) -> KernelSpread:
        return self._spread(False)

    def _spread(self, intercept: bool) -> KernelSpread:
        assert self.values is not None
        assert self.row_weight is not None
        n, d = self.values.points.shape
        require_memory(kernel_matrix_bill(n, d, 1), "Predict without return_std, or raise the memory budget.")
        return KernelSpread(KernelMatrix(self.values, self.row_weight, intercept).raised(self.alpha))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_spread")}


class KernelSpread:
    """Variance of a prediction in units of the noise variance, less the prior variance k(x, x) / alpha of the map.

    v(x) - k(x, x) / alpha = 1 + ((1 - u'k_x)^2 / 1'u - ||L^-1 k_x||^2) / alpha
    """

    def __init__(self, equations: KernelEquations) -> None:
        self.equations = equations

    def of(self, Z: Array) -> Array:
        """Of rows with kernel values Z (m, n) against the rows of the fit."""
        return 1 - self._explained(Z, 1.0) / self.equations.alpha

    def of_slopes(self, J: Array) -> Array:
        """As `of` without noise; a constant has no slope."""
        return -self._explained(J, 0.0) / self.equations.alpha

    def covariance(self, Z: Array) -> Array:
        half, constant = self._parts(Z, 1.0)
        return (np.outer(constant, constant) - half @ half.T) / self.equations.alpha

    def draws(self, beyond: Array, random: np.random.Generator) -> tuple[Array, Array]:
        """The machine of drawn functions at the rows, with noise, taken off (Matheron's rule; Wilson et al. 2020)."""
        noise = random.standard_normal(beyond.shape) / np.sqrt(self.equations.weight)[:, None]
        coef, offset = self.equations.solve(beyond + noise)
        return -coef, -offset

    def _explained(self, Z: Array, one: float) -> Array:
        half, constant = self._parts(Z, one)
        return np.einsum("ij,ij->i", half, half) - constant**2

    def _parts(self, Z: Array, one: float) -> tuple[Array, Array]:
        """L^-1 k (n, rows), and what is left of the constant over the root of 1'u; 0 without an intercept."""
        equations = self.equations
        half, constant = np.array(Z, dtype=float, order="C"), np.zeros(len(Z))
        if equations.intercept:
            constant = (one - half @ equations.constant) / np.sqrt(equations.constant.sum())
        _blas.solve_lower(equations.factor, half)
        return half, constant
