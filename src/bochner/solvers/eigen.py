"""The ridge path in the eigenbasis of G, and the exact leave-one-out error with one more pass over the rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from bochner._typing import Array
from bochner.data import Block, RowSource
from bochner.features.base import FeatureMap
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.statistics.executor import PassPlan, for_each_block
from bochner.statistics.moments import Moments

__all__ = ["EigenRidge"]


class EigenRidge:
    """The ridge path of one problem: G = V diag(lam) V'.

    Parameters
    ----------
    problem : RidgeProblem

    Attributes
    ----------
    eigenvalues : array of shape (D,)
        Ascending; rounding errors below zero are set to zero.
    """

    def __init__(self, problem: RidgeProblem) -> None:
        self.problem = problem
        eigenvalues, self._vectors = eigh(problem.gram, lower=True, driver="evd", check_finite=False)
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self._cross = self._vectors.T @ problem.cross

    def point(self, alpha: float) -> RidgePoint | None:
        """What the moments say of penalty `alpha`; None where G + alpha I is singular."""
        shifted = self.eigenvalues + alpha
        if not shifted[0] > 0:
            return None
        w = self._cross / shifted[:, None]
        fit, penalty = np.sum(self._cross * w, axis=0), np.sum(w**2, axis=0)
        return RidgePoint(
            alpha=float(alpha),
            residual=np.maximum(self.problem.energy - fit - alpha * penalty, 0.0),
            penalty=penalty,
            dof=float(np.sum(self.eigenvalues / shifted) + self.problem.intercept),
            log_det=float(np.sum(np.log(shifted))),
        )

    def solve(self, alpha: float) -> Array:
        """Coefficients (D, k)."""
        solution: Array = self._vectors @ (self._cross / (self.eigenvalues + alpha)[:, None])
        return solution

    def leave_one_out(
        self, rows: RowSource, feature_map: FeatureMap, plan: PassPlan, moments: Moments, alphas: Array
    ) -> Array:
        """Mean squared leave-one-out error of every penalty, shape (len(alphas),), in one pass.

            e_i = (y_i - f(x_i)) / (1 - h_i),    h_i = z_i' (G + alpha I)^-1 z_i + 1 / sum w

        with z_i centred, and the last term, only if there is an intercept. A weight counts copies of a row, of which
        one is left out.
        """
        dtype = rows.dtype
        rotation = self._vectors.astype(dtype)
        inverse = 1 / (self.eigenvalues[:, None] + alphas)
        slopes = (self._cross[:, :, None] * inverse[:, None, :]).reshape(self.problem.width, -1).astype(dtype)
        inverse = inverse.astype(dtype)
        mean = moments.z_mean if self.problem.intercept else np.zeros_like(moments.z_mean)
        offset = moments.y_mean if self.problem.intercept else np.zeros_like(moments.y_mean)
        total = np.zeros(len(alphas))

        def errors(block: Block, own: tuple[Array, Array]) -> Array:
            Z, rotated = own[0][: block.n_rows], own[1][: block.n_rows]
            Z -= mean.astype(dtype)
            np.matmul(Z, rotation, out=rotated)
            weight = np.ones(block.n_rows) if block.sample_weight is None else block.sample_weight
            fitted = (rotated @ slopes).reshape(block.n_rows, -1, len(alphas))
            np.square(rotated, out=rotated)
            leverage = rotated @ inverse + self.problem.intercept / self.problem.n
            error = (block.Y - offset)[:, :, None] - fitted
            error /= np.maximum(1 - leverage, np.finfo(dtype).eps)[:, None, :]
            return np.einsum("i,ija->a", weight, error**2)

        def add(part: Array) -> None:
            total[:] += part

        shape = (plan.block_rows, self.problem.width)
        for_each_block(rows, feature_map, plan, errors, add, extra=lambda: np.empty(shape, dtype=dtype))
        return total / (self.problem.n * rows.n_targets)
