"""Exact leave-one-out errors of ridge regression for many penalties: one more pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from bochner._typing import Array
from bochner.data import Block
from bochner.engines import Cut
from bochner.statistics.feature_reduction import FeatureReduction, FeatureSpace
from bochner.statistics.moments_pass import PassPlan, plan_pass

__all__ = ["LeaveOneOut", "RidgeBasis"]


class RidgeBasis(NamedTuple):
    """Ridge models of a list of penalties in the eigenbasis G = V diag(lam) V'.

    Attributes
    ----------
    vectors : array of shape (D, D)
        V.
    inverse : array of shape (D, a)
        1 / (lam + alpha), for a penalties.
    slopes : array of shape (D, t a)
        Coefficients V'w of every target and penalty.
    z_mean, y_mean : arrays of shape (D,), (t,)
        What is removed from features and targets; zeros without an intercept.
    of_mean : float
        1 / sum of weights with an intercept, else 0: the leverage that the mean gives every row.
    """

    vectors: Array
    inverse: Array
    slopes: Array
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

    with z_i centred, and the last term, only if there is an intercept. A weight counts copies of a row, of which one is
    left out; of a weight below 1 all of it, h_i times the weight.
    """

    basis: RidgeBasis = field(repr=False)
    plan: PassPlan | None

    def cut(self, n_rows: int) -> Cut:
        n_targets = len(self.basis.y_mean)
        plan = self.plan or plan_pass(n_rows, self.feature_map, n_targets, self.dtype)
        return Cut(plan.block_rows, plan.n_threads)

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
        fitted = (rotated @ basis.slopes).reshape(block.n_rows, -1, n_alphas)
        np.square(rotated, out=rotated)
        leverage = np.minimum(weight, 1)[:, None] * (rotated @ basis.inverse + basis.of_mean)
        error = (block.Y - basis.y_mean)[:, :, None] - fitted
        error /= np.maximum(1 - leverage, np.finfo(self.dtype).eps)[:, None, :]
        return np.einsum("i,ija->a", weight, error**2)

    def add(self, total: Array, part: Array) -> Array:
        return np.add(total, part, out=total)

    def merge(self, total: Array, other: Array) -> Array:
        return np.add(total, other, out=total)
