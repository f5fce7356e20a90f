"""Squared hinge on features: Newton's method on the rows inside the margin, after some sweeps of dual ascent.

    minimise over v:   sum_i s_i max(0, 1 - y_i v.z_i)^2 + alpha/2 ||v||^2

with the intercept as the weight of a constant feature. On the rows A whose margin is below 1 this is ridge regression
on their signs, whichever of the two systems is the smaller one:

    (Z_A'S Z_A + alpha/2 I) v = Z_A'S y_A        or        (Z_A Z_A' + alpha/2 S^-1) c = y_A,   v = Z_A'c

A step ends at the exact minimum along the way to that solution, where A is another; a few steps find the A of the
minimum, and with it the minimum itself (Keerthi & DeCoste 2005; Chapelle 2007). All other rows, whose dual variables
are zero, cost one product with v a step. Sweeps alone need thousands where alpha is small (letter, C = 100: 1,500).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bochner._blas import lower_gram, solve_cholesky
from bochner._definite import definite_cholesky
from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config
from bochner.memory import row_slices
from bochner.solvers.dual import DualAscent
from bochner.solvers.linear import LinearSolution
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.progress import NO_PROGRESS, Progress

__all__ = ["ActiveSetAscent", "MarginRows", "share_of_step"]

_SWEEPS = 32  # of dual ascent first: nearly all rows outside the margin are then known
_STEPS = 40
_HALVINGS = 60  # of the interval of a step
_BLOCK = 1024
_SHARE = 0.25  # of memory, for the systems of all threads


@dataclass(frozen=True)
class MarginRows:
    """Features, signs and weights of one column of the problem.

    Attributes
    ----------
    Z : array of shape (n, D)
    signs, weight : arrays of shape (n,)
    alpha : float
    intercept : bool
    """

    Z: Array
    signs: Array
    weight: Array
    alpha: float
    intercept: bool

    def minimum(self, v: Array) -> tuple[Array, int]:
        """Dual variables (n,) of the minimum, from weights v (D + 1,) of features and intercept; and steps."""
        scores = self._scores(v)
        for step in range(1, _STEPS + 1):
            inside = self._inside(scores)
            towards = self._ridge(inside)
            reached = self._scores(towards)
            if np.array_equal(self._inside(reached), inside):
                return self._dual(reached), step
            share = self._share_of_step(v, towards, scores, reached)
            v, scores = v + share * (towards - v), scores + share * (reached - scores)
        return self._dual(scores), _STEPS

    def _scores(self, v: Array) -> Array:
        found: Array = (self.Z @ v[:-1].astype(self.Z.dtype)).astype(float) + v[-1]
        return found

    def _inside(self, scores: Array) -> Array:
        return np.flatnonzero((self.weight > 0) & (self.signs * scores < 1))

    def _dual(self, scores: Array) -> Array:
        violation: Array = np.maximum(0, 1 - self.signs * scores)
        return 2 * self.weight * violation

    def _ridge(self, rows: Array) -> Array:
        """The solution (D + 1,) of ridge regression on the signs of some rows."""
        D, half = self.Z.shape[1] + self.intercept, self.alpha / 2
        if len(rows) <= D:
            F = self._features(rows)
            C = F @ F.T
            C[np.diag_indices_from(C)] += half / self.weight[rows]
            return self._whole(F.T @ _solved(C, self.signs[rows]))
        C, right, part = np.zeros((D, D)), np.zeros(D), np.zeros((D, D))
        for some in row_slices(len(rows), _BLOCK):
            F, root = self._features(rows[some]), np.sqrt(self.weight[rows[some]])[:, None]
            lower_gram(F * root, part)
            C += part
            right += F.T @ (root[:, 0] ** 2 * self.signs[rows[some]])
        C += np.tril(C, -1).T
        C[np.diag_indices_from(C)] += half
        return self._whole(_solved(C, right))

    def _features(self, rows: Array) -> Array:
        """Features of some rows in float64, the constant one last."""
        F = np.ones((len(rows), self.Z.shape[1] + self.intercept))
        F[:, : self.Z.shape[1]] = self.Z[rows]
        return F

    def _whole(self, v: Array) -> Array:
        return v if self.intercept else np.append(v, 0.0)

    def _share_of_step(self, v: Array, towards: Array, scores: Array, reached: Array) -> float:
        """The t in [0, 1] of the least objective at v + t (towards - v): its slope grows with t."""
        step = towards - v
        linear, square = self.alpha * float(v @ step), self.alpha * float(step @ step)
        return share_of_step(linear, square, 1 - self.signs * scores, self.signs * (reached - scores), self.weight)


def share_of_step(linear: float, square: float, short: Array, moved: Array, weight: Array) -> float:
    """The t in [0, 1] of the least t linear + t^2 square / 2 + sum_i s_i max(0, short_i - t moved_i)^2: slopes grow."""
    pull = 2 * weight * moved

    def slope(t: float) -> float:
        return linear + t * square - float(pull @ np.maximum(0, short - t * moved))

    low, high = 0.0, 1.0
    if slope(high) <= 0:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return low or high


def _solved(C: Array, right: Array) -> Array:
    """C^-1 right of a symmetric matrix that is definite up to rounding; it is overwritten."""
    floor = 1e-14 * float(np.max(np.diagonal(C), initial=0.0))
    return solve_cholesky(definite_cholesky(C, 0.0, floor=floor), right[:, None])[:, 0]


class ActiveSetAscent(DualAscent):
    """Solver for the squared hinge loss: a `DualAscent` that ends with Newton's method where it stops short.

    Features must be kept; where they are not, or the problem is small, there are sweeps alone.
    """

    def solve(
        self,
        penalty: QuadraticPenalty,
        *,
        tol: float,
        max_iter: int,
        start: LinearSolution | None = None,
        progress: Progress = NO_PROGRESS,
    ) -> LinearSolution:
        """The minimiser to a duality gap of `tol` times the objective, or after `max_iter` sweeps and steps."""
        if not self._takes_steps or max_iter <= _SWEEPS:
            return super().solve(penalty, tol=tol, max_iter=max_iter, start=start, progress=progress)
        trial = progress.within("trial")
        first = super().solve(penalty, tol=tol, max_iter=_SWEEPS, start=start, progress=trial)
        if first.converged:
            return first
        found = self._after_steps(first, penalty.alpha, tol)
        if found.converged:
            return found
        best = min(first, found, key=lambda each: each.gap)
        left = max(1, max_iter - found.n_iter)
        last = super().solve(penalty, tol=tol, max_iter=left, start=best, progress=progress.within("last"))
        return replace(last, n_iter=found.n_iter + last.n_iter)

    @property
    def _takes_steps(self) -> bool:
        size = 3 * 8 * (self.stream.width + 1) ** 2 * get_config().threads()
        fits = size <= _SHARE * get_config().memory_budget()
        return self.stream.features is not None and not self._small and fits

    def _after_steps(self, first: LinearSolution, alpha: float, tol: float) -> LinearSolution:
        """Newton's method on every column, from a solution that is not there yet."""
        loss, Z = self.loss, self.stream.features
        dual: Array = np.zeros(loss.signs.shape)
        assert Z is not None
        steps = np.zeros(dual.shape[1], dtype=np.intp)

        def descend(c: int, _: None) -> None:
            rows = MarginRows(Z, loss.signs[:, c], loss.weight, alpha, self.fit_intercept)
            dual[:, c], steps[c] = rows.minimum(np.append(first.coef[:, c], first.intercept[c]))

        run_in_threads(descend, range(dual.shape[1]), state=lambda: None)
        return self.solution_at(dual, alpha, tol=tol, n_iter=first.n_iter + int(steps.max()))
