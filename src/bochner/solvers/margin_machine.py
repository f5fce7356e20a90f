"""Squared hinge under the exact kernel where few rows are inside the margin: Newton's method on samples, then all rows.

    minimise over f:   sum_i s_i max(0, 1 - y_i f(x_i))^2 + alpha/2 ||f||^2,      f = w_0 + sum_{i in A} a_i k(x_i, .)

with w_0 = sum_i a_i as the weight of a constant feature: the kernel k + 1. On the rows A inside the margin, y f < 1, it
is ridge regression on their signs,

    (K_AA + 1 + alpha/2 diag(1/s)) a = y_A,

and all others have no coefficient: a step costs |A|^3 / 3 and one kernel value for every row and each of A, predictions
|A| values. A step ends at the exact minimum along the way to that solution, where A is another (Keerthi & DeCoste 2005;
Chapelle 2007). Random samples of the rows, each twice the one before, are solved first: what a sample says of the rows
beside it is a good start, and tells early if too many are inside the margin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bochner._typing import Array
from bochner.features.nystroem import KernelMap
from bochner.solvers.active_set import share_of_step
from bochner.solvers.kernel_matrix import KernelEquations, KernelMatrix
from bochner.solvers.linear import LinearSolution
from bochner.statistics.kernel_product import KernelProduct

__all__ = ["MarginMachine", "SupportRows"]

_FIRST = 3000  # rows of the first sample, at least
_MOST = 0.25  # of the rows of a sample inside the margin: factors of more cost as much as iterations with all rows
_STEPS = 40
_GAIN = 1e-3  # of the objective of a sample: less is not worth another step
_EDGE = 1e-3  # of the margin: rows so near to it may be on either side
_LARGEST_GAP = 0.05  # of the objective


@dataclass(frozen=True, eq=False)
class _Point:
    """Coefficients (n,) of all rows, and scores (m,) of the first m, on which they were found."""

    coef: Array
    scores: Array

    def towards(self, end: _Point, share: float) -> _Point:
        return _Point(self.coef + share * (end.coef - self.coef), self.scores + share * (end.scores - self.scores))


@dataclass(frozen=True, eq=False)
class _Ridge(_Point):
    """Ridge regression on the signs of the rows `inside`."""

    inside: Array
    equations: KernelEquations


@dataclass(frozen=True, eq=False)
class SupportRows:
    """The solution: rows that have a coefficient, and how it was found.

    Attributes
    ----------
    index : array of shape (m,)
        Of the rows that have a coefficient, ascending.
    solution : LinearSolution
        Coefficients (m, 1) of their kernel values.
    scores : array of shape (n,)
        Of all rows.
    inside : array of shape (k,)
        Rows inside the margin; none but these have a coefficient.
    equations : KernelEquations
        Of ridge regression on these.
    """

    index: Array
    solution: LinearSolution
    scores: Array
    inside: Array
    equations: KernelEquations

    def left_out_scores(self, removed: Array, signs: Array) -> Array:
        """Scores of the last rows by machines without each, with the weight (m,) that leaves.

        A row outside of the margin changes nothing; one inside is left out of ridge regression on the rows there.
        """
        first = len(self.scores) - len(removed)
        scores, own = self.scores[first:].copy(), self.inside[self.inside >= first] - first
        if len(own):
            coef = self.equations.solve(signs[self.inside, None])[0]
            scores[own] = signs[first:][own] - self.equations.left_out(coef, removed[own])[0][:, 0]
        return scores


@dataclass(frozen=True, eq=False)
class MarginMachine:
    """Rows of two classes, in random order, under the exact kernel.

    Attributes
    ----------
    values : KernelMap
        Kernel values against the rows.
    working : KernelProduct
        Of the steps, in float32 or float64.
    signs, weight : arrays of shape (n,)
    alpha : float
    intercept : bool
    most : int
        Rows inside the margin that are factorised.
    """

    values: KernelMap
    working: KernelProduct
    signs: Array
    weight: Array
    alpha: float
    intercept: bool
    most: int

    def solved(self) -> SupportRows | None:
        """The minimum; None if too many rows are inside the margin, or the steps are not enough."""
        point, n_steps = _Point(np.zeros(len(self.signs)), np.empty(0)), 0
        found: _Ridge | None = None
        for size in self._sizes():
            new = self._scores(slice(len(point.scores), size), point.coef)
            found, steps = self._minimum(_Point(point.coef, np.append(point.scores, new)))
            if found is None:
                return None
            point, n_steps = found, n_steps + steps
        return None if found is None else self._finished(found, n_steps)

    def _sizes(self) -> list[int]:
        sizes = [len(self.signs)]
        while sizes[0] >= 2 * _FIRST:
            sizes.insert(0, -(-sizes[0] // 2))
        return sizes

    def _minimum(self, point: _Point) -> tuple[_Ridge | None, int]:
        """The minimum of the first rows from a point nearby, that of a sample roughly, and steps.

        None if too many rows are inside the margin.
        """
        m, value, end = len(point.scores), self._objective(point), None
        for step in range(1, _STEPS + 1):
            inside = self._inside(point.scores)
            if len(inside) > self.most:
                return None, step
            end = self._ridge(inside, m)
            if self._is_minimum(end):
                break
            point = self._along(point, end)
            before, value = value, self._objective(point)
            if m < len(self.signs) and before - value <= _GAIN * value:
                break
        return end if end is not None and len(end.inside) <= _MOST * m else None, step

    def _inside(self, scores: Array) -> Array:
        return np.flatnonzero(self.signs[: len(scores)] * scores < 1)

    def _is_minimum(self, end: _Ridge) -> bool:
        """Whether its rows are inside the margin and no others are, but for those on its edge."""
        margins = self.signs[: len(end.scores)] * end.scores
        others = np.delete(margins, end.inside)
        return bool(np.all(margins[end.inside] < 1 + _EDGE) and np.all(others > 1 - _EDGE))

    def _ridge(self, inside: Array, m: int) -> _Ridge:
        """Ridge regression on the signs of some rows, and its scores of the first m."""
        among = KernelMatrix(self.values.with_points_at(inside), self.weight[inside], False, float(self.intercept))
        equations = among.raised(self.alpha / 2)
        coef = np.zeros(len(self.signs))
        coef[inside] = equations.solve(self.signs[inside, None])[0][:, 0]
        scores = self._scores(slice(0, m), coef)
        scores[inside] = self.signs[inside] - equations.alpha * coef[inside] / self.weight[inside]
        return _Ridge(coef, scores, inside, equations)

    def _scores(self, rows: slice, coef: Array) -> Array:
        index = np.flatnonzero(coef)
        if not len(index):
            return np.zeros(rows.stop - rows.start)
        among = replace(self.working, X=self.working.X[index], _counter=[0])
        found = among.cross_times(self.working.X[rows], coef[index, None])[:, 0]
        return found + self.intercept * float(coef.sum())

    def _along(self, point: _Point, end: _Point) -> _Point:
        """The least objective on the way from a point to another."""
        m = len(point.scores)
        own, across, other = (
            self.alpha * float(left.coef[:m] @ right.scores)
            for left, right in ((point, point), (point, end), (end, end))
        )
        moved = self.signs[:m] * (end.scores - point.scores)
        short = 1 - self.signs[:m] * point.scores
        return point.towards(end, share_of_step(across - own, own - 2 * across + other, short, moved, self.weight[:m]))

    def _objective(self, point: _Point) -> float:
        m = len(point.scores)
        short = np.maximum(0, 1 - self.signs[:m] * point.scores)
        return float(self.weight[:m] @ short**2 + self.alpha / 2 * (point.coef[:m] @ point.scores))

    def _finished(self, end: _Ridge, n_steps: int) -> SupportRows | None:
        """The machine without coefficients of the wrong sign, which rows on the edge of the margin may have.

        Those left are feasible dual variables, b_i = alpha y_i a_i >= 0, whose duality gap is the distance to the
        minimum. None if that is still large.
        """
        coef = np.where(self.signs * end.coef > 0, end.coef, 0.0)
        found = _Point(coef, self._scores(slice(0, len(coef)), coef))
        value, dual = self._objective(found), self.alpha * self.signs * coef
        limit = float(np.sum(dual - dual**2 / (4 * self.weight)) - self.alpha / 2 * (coef @ found.scores))
        if value - limit > _LARGEST_GAP * value:
            return None
        index = np.flatnonzero(coef)
        w_0 = np.array([self.intercept * float(coef.sum())])
        solution = LinearSolution(coef[index, None], w_0, value, max(value - limit, 0.0), n_steps, True)
        return SupportRows(index, solution, found.scores, end.inside, end.equations)
