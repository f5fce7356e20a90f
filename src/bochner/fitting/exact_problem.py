"""Exact kernel ridge regression as equations: kernel values against all rows, targets and weights.

Rows that are left out, one by one, stand last: their leave-one-out errors then cost O(m^3) beside the factor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import ArrayRows, RowSource, left_out_weight, new_row_weight, sampled_index, without_copies
from bochner.errors import InvalidDataError
from bochner.features import FeatureMap, linear_response
from bochner.features.nystroem import KernelMap
from bochner.fitting.left_out import LEFT_OUT_ROWS, LeftOut
from bochner.solvers import KernelEquations, KernelMatrix, KernelSolution
from bochner.tuning.learners import spread_of

__all__ = ["ExactProblem", "ordered_rows", "rows_of_exact", "targets_of"]


def targets_of(rows: ArrayRows) -> tuple[Array, Array]:
    """Targets (n, t) and weights (n,)."""
    Y, weight = rows.targets()
    return Y, np.ones(len(Y)) if weight is None else weight


def rows_of_exact(rows: RowSource) -> ArrayRows:
    """The rows, if they are in memory."""
    if rows.arrays is None:
        raise InvalidDataError(f"features='exact' needs rows in memory. Got {type(rows).__name__}.")
    return rows.arrays


def ordered_rows(rows: ArrayRows, seed: int) -> ArrayRows:
    """Rows of positive weight in random order, each of them once, those to be left out last, in float64."""
    rows = _distinct(rows, seed)
    weight = rows.sample_weight
    last = sampled_index(rows.n_rows, weight, LEFT_OUT_ROWS, seed)
    present = np.arange(rows.n_rows) if weight is None else np.flatnonzero(weight)
    if len(present) == 0:
        raise InvalidDataError("The sum of sample_weight must be positive. Got 0.")
    rest = generator(seed, Purpose.LEFT_OUT).permutation(np.setdiff1d(present, last, assume_unique=True))
    index = np.concatenate([rest, last])
    kept = None if weight is None else weight[index]
    return replace(rows, X=rows.X[index], Y=rows.Y[index], sample_weight=kept, dtype=np.dtype(np.float64))


def _distinct(rows: ArrayRows, seed: int) -> ArrayRows:
    """The rows, each of them once: the exact machine is the same, and its matrix smaller and better conditioned.

    Rows of weights are in a random order that does not depend on where a row was: the last of them are a sample.
    """
    Y, weight = rows.targets()
    present = slice(None) if weight is None else np.flatnonzero(weight)
    X, Y, weight = without_copies(rows.X[present], Y[present], None if weight is None else weight[present])
    if weight is None:
        return rows
    order = generator(seed, Purpose.TUNING_ROWS).permutation(len(weight))
    return replace(rows, X=X[order], Y=Y[order], sample_weight=weight[order])


@dataclass(frozen=True, eq=False)
class ExactProblem:
    """Kernel values against all rows, targets and weights: the last rows are those that are left out."""

    values: KernelMap
    Y: Array
    weight: Array
    intercept: bool

    @classmethod
    def of(cls, feature_map: FeatureMap, Y: Array, weight: Array, intercept: bool) -> ExactProblem:
        values = feature_map.kernel_values
        assert values is not None
        return cls(values, Y, weight, intercept)

    def matrix(self) -> KernelMatrix:
        return KernelMatrix(self.values, self.weight, self.intercept)

    def in_units(self, alike: bool) -> ExactProblem:
        """With targets in units of their spread, so that every one counts the same; unless they are alike."""
        return self if alike else replace(self, Y=self.Y / spread_of(self.Y, self.weight))

    def in_fewer_columns(self) -> ExactProblem:
        """With rows in fewer coordinates, where the kernel sees no more of them: tiles are then that much cheaper."""
        values = self.values
        fewer = None if values.transforms is not None else values.kernel.in_fewer_columns()
        if fewer is None:
            return self
        kernel, directions = fewer
        return replace(self, values=KernelMap(kernel, (values.points - values.points.mean(axis=0)) @ directions))

    def last(self, size: int) -> ExactProblem:
        """The problem of the last rows alone."""
        if size >= len(self.Y):
            return self
        rows = slice(len(self.Y) - size, None)
        values = replace(self.values, points=self.values.points[rows], _cast={})
        return ExactProblem(values, self.Y[rows], self.weight[rows], self.intercept)

    @cached_property
    def left_out_weight(self) -> Array:
        """Weight (n,) that leaves with every row that is left out."""
        return left_out_weight(self.values.points, self.Y, self.weight)

    @cached_property
    def new_row_weight(self) -> Array:
        """Weight (n,) of the new row that each of them stands for."""
        return new_row_weight(self.values.points, self.Y, self.left_out_weight)

    @property
    def n_left_out(self) -> int:
        return min(LEFT_OUT_ROWS, len(self.Y))

    def solution(self, equations: KernelEquations, *, raised: bool) -> tuple[KernelSolution, LeftOut]:
        """The model of factorised equations, and its leave-one-out errors."""
        m = self.n_left_out
        coef, offset = equations.solve(self.Y)
        errors, spare = equations.left_out(coef, self.left_out_weight[-m:])
        weight = self.weight[-m:]
        leverage = equations.leverage(m)
        solution = KernelSolution(
            alpha=equations.alpha,
            coef=coef,
            intercept=offset,
            noise_variance=equations.noise_variance(self.Y, coef, offset),
            log_evidence=equations.log_evidence(self.Y, coef, offset),
            raised=raised,
            values=self.values,
            row_weight=self.weight,
            target_mean=np.average(self.Y, axis=0, weights=self.weight),
            dof=float(np.sum(weight * leverage)) * len(self.Y) / m,
        )
        rounding = self._rounding(solution, m)
        errors = np.copysign(np.hypot(errors, rounding), errors)
        return solution, LeftOut(errors, 1 + self.new_row_weight[-m:] * leverage / spare, weight, self.Y[-m:])

    def _rounding(self, solution: KernelSolution, m: int) -> Array:
        """Numerical errors (m, t) of predictions of the last rows: f(x_i) = y_i - alpha a_i / w_i is known there.

        Where targets have no noise they are as large as leave-one-out errors, and intervals without them too narrow.
        """
        last = slice(len(self.Y) - m, None)
        known = self.Y[last] - solution.alpha * solution.coef[last] / self.weight[last, None]
        points, dtype = self.values.points[last], np.dtype(float)
        return linear_response(self.values, points, solution.coef, solution.intercept, dtype) - known
