"""Dual coordinate ascent for quantiles, with restarts by Newton's method on less and less smoothed losses.

Of few rows or features, an interior-point method instead.

    rho_h(r) = max over b in [tau - 1, tau] of  b r - h b^2 / 2,     at b = clip(r / h, tau - 1, tau)

is the pinball loss with a parabola of width h for its kink. Its Newton steps do not mind that features are nearly
collinear (smooth kernels, small penalties), where coordinate ascent takes many thousand sweeps; and s b are dual
variables of the pinball loss itself, in their box, so that its own duality gap says how far they are from its minimum.
Coordinate ascent, whose sweeps cost less than a Newton step, is tried first. Where it stops short, h falls until the
gap is small enough, or falls no more, and coordinate ascent goes on from there.

Coordinate ascent visits rows in random order. Where neither these nor their features are in memory, the interior-point
method reads them block by block: some twenty steps of seven passes for a quantile.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bochner._typing import Array
from bochner.config import get_config
from bochner.solvers.dual import DualAscent
from bochner.solvers.interior_point import Bounds, interior_point, interior_point_work
from bochner.solvers.interior_rows import KeptRows, ProgramRows, StreamedRows
from bochner.solvers.linear import LinearSolution
from bochner.solvers.losses import BoxLoss
from bochner.solvers.newton import NewtonSolver, pilot_rows
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.progress import NO_PROGRESS, Progress
from bochner.statistics.feature_stream import FeatureStream

__all__ = ["SmoothPinballRows", "SmoothedAscent"]

_WIDTHS = 4.0 ** -np.arange(1, 10)
"""Of the parabolas, in units of the targets: down to a relative gap of some 1e-6."""

_STEPS = 20
"""Newton steps at each width."""

_SHARE = 0.02
"""Relative gap of a smoothed loss over its width: the pinball loss is not closer to it."""

_WORK_INSIDE = 2**28
"""Multiplications of a step up to which an interior-point method is used, and its gap, over |targets|."""

_GAP_INSIDE = 1e-10
_GAP_STREAMED = 1e-3
"""Gap, over |targets| and `tol`, of an interior-point method whose steps are passes over rows that are read."""

_SHARE_INSIDE = 0.125  # of the memory budget, for three copies of the features

_TRIAL_SWEEPS = 1000
"""Of coordinate ascent, before Newton's method is called for; they cost less, and are often enough."""


class SmoothPinballRows:
    """Smoothed pinball losses of weighted rows, one quantile: a `SmoothLoss`.

    Parameters
    ----------
    y, weight : arrays of shape (n,)
    quantile : float
    width : float
    """

    def __init__(self, y: Array, weight: Array, quantile: float, width: float) -> None:
        self.y, self.weight, self.low, self.high, self.width = y[:, None], weight, quantile - 1, quantile, width

    def dual(self, scores: Array) -> Array:
        """s clip(r / h, tau - 1, tau), shape (n, 1): dual variables of the pinball loss."""
        return self.weight[:, None] * np.clip((self.y - scores) / self.width, self.low, self.high)

    def value(self, scores: Array) -> float:
        """Weighted sum of the losses."""
        r = self.y - scores
        b = np.clip(r / self.width, self.low, self.high)
        return float(self.weight @ (b * r - 0.5 * self.width * b**2)[:, 0])

    def gradient(self, scores: Array) -> Array:
        return -self.dual(scores)

    def curvature(self, scores: Array) -> Array:
        """1 / h inside the parabola, else 0, shape (n, 1)."""
        u = (self.y - scores) / self.width
        return ((u > self.low) & (u < self.high)) / self.width

    @staticmethod
    def curvature_product(curvature: Array, direction: Array) -> Array:
        return curvature * direction

    @staticmethod
    def curvature_diagonal(curvature: Array) -> Array:
        return curvature


class SmoothedAscent(DualAscent):
    """Solver for the pinball loss: a `DualAscent` that goes on from smoothed losses where it stops short.

    Parameters
    ----------
    stream : FeatureStream
    loss : BoxLoss
    fit_intercept : bool
    seed : int
    """

    def __init__(self, stream: FeatureStream, loss: BoxLoss, *, fit_intercept: bool, seed: int) -> None:
        super().__init__(stream, loss, fit_intercept=fit_intercept, seed=seed)
        self._seed = seed
        present = int(np.count_nonzero(loss.weight))
        self._few_rows = present <= pilot_rows(stream.width, stream.dtype.itemsize)
        fits = 3 * 8 * present * (stream.width + 1) <= _SHARE_INSIDE * get_config().memory_budget()
        self._inside = fits and interior_point_work(present, stream.width) <= _WORK_INSIDE

    def solve(
        self,
        penalty: QuadraticPenalty,
        *,
        tol: float,
        max_iter: int,
        start: LinearSolution | None = None,
        progress: Progress = NO_PROGRESS,
    ) -> LinearSolution:
        """The minimiser to a duality gap of `tol` times the objective, or after `max_iter` sweeps."""
        present = np.flatnonzero(self.loss.weight)
        if not (self.stream.kept or self.stream.rows.in_memory):
            read = StreamedRows(self.stream, present, fit_intercept=self.fit_intercept)
            return self._from_inside(read, penalty.alpha, tol, max_iter, goal=_GAP_STREAMED * tol)
        if self._inside and self.stream.features is not None:
            Z = self.stream.features[present].astype(float)
            kept = KeptRows(np.column_stack([Z, np.ones((len(Z), int(self.fit_intercept)))]))
            start = self._from_inside(kept, penalty.alpha, tol, max_iter, goal=_GAP_INSIDE)
            if start.converged:
                return start
        sweeps = max_iter if self._small else min(max_iter, _TRIAL_SWEEPS)
        start = super().solve(penalty, tol=tol, max_iter=sweeps, start=start, progress=progress.within("trial"))
        if start.converged:
            return start
        dual = self._smoothed_dual(penalty.alpha, tol, start)
        first = LinearSolution(np.empty(0), np.empty(0), np.nan, np.nan, 0, False, dual / penalty.alpha)
        found = super().solve(penalty, tol=tol, max_iter=max_iter, start=first, progress=progress.within("last"))
        return replace(found, n_iter=start.n_iter + found.n_iter)

    def _from_inside(self, F: ProgramRows, alpha: float, tol: float, max_iter: int, *, goal: float) -> LinearSolution:
        """The solution by the interior-point method to a gap of `goal`, column by column."""
        loss, rows = self.loss, np.flatnonzero(self.loss.weight)
        dual, steps = np.zeros_like(loss.signs, dtype=float), 0
        for c in range(len(loss.share)):
            bounds = Bounds(self._lower[rows, c], self._upper[rows, c])
            target = loss.targets[rows] - loss.offset[c]
            dual[rows, c], taken = interior_point(F, target, bounds, alpha, tol=goal, max_iter=max_iter)
            steps = max(steps, taken)
        return self.solution_at(dual, alpha, tol=tol, n_iter=steps)

    def _smoothed_dual(self, alpha: float, tol: float, start: LinearSolution) -> Array:
        """Dual variables (n, t) with the smallest gaps of those of smoothed losses, and of the start."""
        assert start.dual is not None
        thetas, dual, columns = _columns(start, self.loss.offset), alpha * start.dual, range(len(self.loss.share))
        smallest, last = self.gaps(dual, alpha)[1], np.full(len(columns), np.inf)
        for width in _WIDTHS:
            found = [self._smoothed(c, float(width), alpha, tol, thetas[c]) for c in columns]
            thetas = [theta for theta, _ in found]
            trial = np.hstack([own for _, own in found])
            gap = self.gaps(trial, alpha)[1]
            dual[:, gap < smallest] = trial[:, gap < smallest]
            smallest, fallen = np.minimum(gap, smallest), np.any(gap < 0.8 * last)
            if np.all(smallest <= tol) or not (fallen or self._few_rows):
                break
            last = gap
        return dual

    def _smoothed(
        self, column: int, width: float, alpha: float, tol: float, start: LinearSolution
    ) -> tuple[LinearSolution, Array]:
        """The solution of a smoothed loss of one column, and the dual variables (n, 1) at it."""
        y, quantile = self.loss.targets - self.loss.offset[column], float(self.loss.share[column])
        loss = SmoothPinballRows(y, self.loss.weight, quantile, width)
        newton = NewtonSolver(self.stream, loss, 1, fit_intercept=self.fit_intercept, seed=self._seed)
        penalty = QuadraticPenalty(alpha, of_intercept=True)
        found = newton.solve(penalty, tol=max(0.1 * tol, _SHARE * width), max_iter=_STEPS, start=start, polish=False)
        return found, loss.dual(self.stream.forward(found.coef) + found.intercept)


def _columns(solution: LinearSolution, offset: Array) -> list[LinearSolution]:
    """Each column of a solution on its own, its intercept without the offset."""
    return [
        replace(solution, coef=solution.coef[:, [c]], intercept=solution.intercept[[c]] - offset[c], dual=None)
        for c in range(len(offset))
    ]
