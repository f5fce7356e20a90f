"""Exact leave-one-out errors of ridge regression for many penalties: one more pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from bochner._typing import Array
from bochner.data import Block
from bochner.engines import Cut
from bochner.memory import row_slices, rows_within
from bochner.statistics.feature_reduction import FeatureReduction, FeatureSpace
from bochner.statistics.moments_pass import PassPlan, plan_pass

__all__ = ["LeaveOneOut", "RidgeBasis"]

_SHARE_OF_BUDGET = 0.2  # of memory, for features of blocks and their products with the eigenvectors
_COLUMNS, _ROWS = 256, 512  # fitted values at once: some megabytes


class RidgeBasis(NamedTuple):
    """Ridge models of a list of penalties in the eigenbasis G = V diag(lam) V'.

    Attributes
    ----------
    vectors : array of shape (D, D)
        V.
    inverse : array of shape (D, a)
        1 / (lam + alpha), for a penalties.
    cross : array of shape (D, t), float64
        V'c: coefficients V'w are cross / (lam + alpha).
    z_mean, y_mean : arrays of shape (D,), (t,)
        What is removed from features and targets; zeros without an intercept.
    of_mean : float
        1 / sum of weights with an intercept, else 0: the leverage that the mean gives every row.
    """

    vectors: Array
    inverse: Array
    cross: Array
    z_mean: Array
    y_mean: Array
    of_mean: float


class _Space(NamedTuple):
    Z: Array
    scratch: Array
    rotated: Array


@dataclass(frozen=True)
class LeaveOneOut(FeatureReduction[Array, Array]):
    """Sum of squared leave-one-out errors of every penalty, shape (a,), over rows and targets.

        e_i = (y_i - f(x_i)) / (1 - h_i),    h_i = z_i' (G + alpha I)^-1 z_i + 1 / sum w

    with z_i centred, and the last term, only if there is an intercept; h_i times the weight that leaves with the row.

    Attributes
    ----------
    left_out : array of shape (n,) or None
        The weight that leaves with every row. None: one copy, or all of a weight below 1.
    scale : array of shape (t,) or None
        Factors of the errors of every target. None: 1.
    limit : array of shape (t,) or None
        Errors of every target count up to this: those of outliers (`bochner.tuning.outliers`). None: all of them.
    """

    basis: RidgeBasis = field(repr=False)
    plan: PassPlan | None
    left_out: Array | None = field(default=None, repr=False)
    scale: Array | None = field(default=None, repr=False)
    limit: Array | None = field(default=None, repr=False)

    def cut(self, n_rows: int) -> Cut:
        n_targets = len(self.basis.y_mean)
        plan = self.plan or plan_pass(n_rows, self.feature_map, n_targets, self.dtype)
        D, item, threads = self.feature_map.n_components, self.dtype.itemsize, plan.n_threads
        row = threads * (2 * D * item + 16 * n_targets + 8 * self.basis.inverse.shape[1])
        return Cut(min(plan.block_rows, rows_within(row, share=_SHARE_OF_BUDGET, most=plan.block_rows)), threads)

    def elsewhere(self) -> LeaveOneOut:  # the plan is for all rows on this machine
        return replace(self, plan=None)

    def empty(self) -> Array:
        return np.zeros(self.basis.inverse.shape[1])

    def scratch(self, block_rows: int) -> _Space:  # type: ignore[override]
        Z, scratch = super().scratch(block_rows)
        return _Space(Z, scratch, np.empty_like(Z))

    def part(self, block: Block, scratch: _Space) -> Array:
        basis, n_alphas = self.basis, self.basis.inverse.shape[1]
        Z = self.features(block, FeatureSpace(scratch.Z, scratch.scratch))
        rotated = scratch.rotated[: block.n_rows]
        Z -= basis.z_mean.astype(self.dtype)
        np.matmul(Z, basis.vectors, out=rotated)
        weight = np.ones(block.n_rows) if block.sample_weight is None else block.sample_weight
        removed = self._removed(block, weight)
        total, step = np.zeros(n_alphas), max(1, _COLUMNS // n_alphas)
        scale = np.ones(len(basis.y_mean)) if self.scale is None else self.scale
        spare = np.empty((block.n_rows, n_alphas))
        for some in row_slices(block.n_rows, _ROWS):
            leverage = removed[some, None] * (np.square(rotated[some]) @ basis.inverse + basis.of_mean)
            spare[some] = np.maximum(1 - leverage, np.finfo(self.dtype).eps)
        for targets in row_slices(len(basis.y_mean), step):
            slopes = self._slopes(targets)
            for some in row_slices(block.n_rows, _ROWS):
                fitted = (rotated[some] @ slopes).reshape(-1, targets.stop - targets.start, n_alphas)
                error = (block.Y[some, targets] - basis.y_mean[targets])[:, :, None] - fitted
                error /= spare[some, None, :]
                if self.limit is not None:
                    np.clip(error, -self.limit[targets, None], self.limit[targets, None], out=error)
                error *= scale[targets, None]
                total += np.einsum("i,ija,ija->a", weight[some], error, error)
        return total

    def _removed(self, block: Block, weight: Array) -> Array:
        """The weight that leaves with every row of a block."""
        if self.left_out is None:
            return np.minimum(weight, 1)
        return self.left_out[block.start : block.start + block.n_rows]

    def _slopes(self, targets: slice) -> Array:
        """Coefficients V'w of some targets and every penalty, shape (D, targets * a)."""
        cross = self.basis.cross[:, targets, None]
        slopes: Array = (cross * self.basis.inverse[:, None, :]).reshape(len(cross), -1).astype(self.dtype, copy=False)
        return slopes

    def add(self, total: Array, part: Array) -> Array:
        return np.add(total, part, out=total)

    def merge(self, total: Array, other: Array) -> Array:
        return np.add(total, other, out=total)
