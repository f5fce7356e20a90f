"""Support vector machines and quantile regression on features: dual coordinate ascent with a duality gap.

    minimise over w, w_0:   sum_i s_i max(0, 1 - y_i (w.z_i + w_0))^p + alpha/2 (||w||^2 + w_0^2),      p = 1 or 2

one problem for each column of signs y. The intercept is the weight of a constant feature, as in liblinear (Hsieh et
al. 2008), so the dual has only bounds:

    maximise over 0 <= beta_i <= u_i:   sum_i (beta_i - diagonal_i beta_i^2 / 2) - alpha/2 (||w||^2 + w_0^2),
    w = 1/alpha sum_i beta_i y_i z_i,  w_0 = 1/alpha sum_i beta_i y_i

with u_i = s_i, diagonal_i = 0 for the hinge, and no bound, diagonal_i = 1/(2 s_i) for its square. The pinball loss of
quantile regression has the same dual with targets t_i in place of 1, all signs 1 and the box [-(1 - tau) s_i, tau s_i]
(`BoxLoss` has both). Sweeps visit the rows in random order; rows whose margins stay away from the kink of their loss
are left out of the sweeps. Every few sweeps, w is computed anew from beta and all scores from w; these give the gap and
say which rows to visit next, so no row is left out by mistake for good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bochner._magnitude import require_finite
from bochner._random import Purpose, generator, position, set_position
from bochner._threads import run_in_threads
from bochner._typing import Array, JsonDict
from bochner.config import get_config
from bochner.solvers.linear import LinearSolution, gap_scale
from bochner.solvers.losses import BoxLoss
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.progress import NO_PROGRESS, Progress
from bochner.statistics.feature_stream import FeatureStream
from bochner.statistics.state_schema import POSITION, ArrayRule, Flag, NumberRule, Rule, Schema

__all__ = ["DualAscent"]

_WORTH_THREADS = 2**22  # products of numbers: fewer take less time than to start a thread
_SWEEPS = 4
"""Sweeps over all rows between two evaluations of the gap."""

_SMALL = 2**20
"""Multiplications of a sweep up to which sweeps go on until nothing moves: they cost less than the evaluation."""


@dataclass
class _State:
    """Dual variables (n, t), with their w (D, t), w_0 (t,) and scores (n, t), and how the sweeps went so far.

    `change` is that of the scores in the last sweeps, `moved` whether any dual variable moved in them.
    """

    dual: Array
    coef: Array
    intercept: Array
    scores: Array
    n_iter: int = 0
    change: float = np.inf
    moved: bool = True


class DualAscent:
    """Solver for the hinge loss, its square and the pinball loss.

    Parameters
    ----------
    stream : FeatureStream
    loss : BoxLoss
    fit_intercept : bool
    seed : int
        Of the order of the rows.
    """

    def __init__(self, stream: FeatureStream, loss: BoxLoss, *, fit_intercept: bool, seed: int) -> None:
        self.stream, self.loss, self.fit_intercept = stream, loss, fit_intercept
        self._random = generator(seed, Purpose.ORDER)
        self._small = np.count_nonzero(loss.weight) * stream.width * loss.signs.shape[1] <= _SMALL
        self._squares = np.maximum(self._squared_norms() + fit_intercept, np.finfo(float).tiny)
        self._lower = (loss.share - 1) * loss.weight[:, None]
        self._at_zero = loss.value(np.broadcast_to(loss.offset, loss.signs.shape))

    def solve(
        self,
        penalty: QuadraticPenalty,
        *,
        tol: float,
        max_iter: int,
        start: LinearSolution | None = None,
        progress: Progress = NO_PROGRESS,
    ) -> LinearSolution:
        """The minimiser to a duality gap of `tol` times the objective, or after `max_iter` sweeps.

        `progress` has the state of an interrupted solve, which then ends with the same bits.
        """
        alpha = penalty.alpha
        state, over = self._resumed(progress, alpha, max_iter) or self._first_state(start, alpha), False
        while True:
            open_ = self._open(state, alpha, tol)
            if over or state.n_iter >= max_iter or not (np.any(open_) or (self._small and state.moved)):
                progress.ended(partial(self._saved, state))
                return self._solution(state, alpha, tol)
            active = self._active(state, state.change, open_ | self._small)
            state = self._swept(state, alpha, active, min(self._sweeps(active), max_iter - state.n_iter))
            over = progress.reached(partial(self._saved, state))

    def _open(self, state: _State, alpha: float, tol: float) -> Array:
        """Which columns have a duality gap beyond `tol` times the objective."""
        objective, gap = self._gap(state, alpha)
        require_finite(*objective, *gap)
        return gap > tol * gap_scale(objective, self._at_zero)

    def _solution(self, state: _State, alpha: float, tol: float) -> LinearSolution:
        objective, gap = (float(each.sum()) for each in self._gap(state, alpha))
        converged = not np.any(self._open(state, alpha, tol))
        intercept = state.intercept + self.loss.offset
        return LinearSolution(state.coef, intercept, objective, gap, state.n_iter, converged, state.dual / alpha)

    def solution_at(self, dual: Array, alpha: float, *, tol: float, n_iter: int) -> LinearSolution:
        """The solution of given dual variables (n, t), found elsewhere in so many steps."""
        return self._solution(replace(self._evaluate(self._clipped(dual), alpha), n_iter=n_iter), alpha, tol)

    def gaps(self, dual: Array, alpha: float) -> tuple[Array, Array]:
        """Objective and duality gap of each column at some dual variables, relative ones of `tol` in the second."""
        objective, gap = self._gap(self._evaluate(self._clipped(dual), alpha), alpha)
        return objective, gap / gap_scale(objective, self._at_zero)

    def _first_state(self, start: LinearSolution | None, alpha: float) -> _State:
        dual = np.zeros(self.loss.signs.shape) if start is None or start.dual is None else alpha * start.dual
        return self._evaluate(self._clipped(dual), alpha)

    def _swept(self, state: _State, alpha: float, active: Array, sweeps: int) -> _State:
        """The state after some sweeps, evaluated anew."""
        before, dual = state.scores, state.dual.copy()
        self._sweep(state, alpha, active, sweeps)
        swept = self._evaluate(state.dual, alpha)
        still = 1e-14 if self.stream.dtype == np.float64 else 1e-6  # below: rounding in the features' float type
        swept.n_iter = state.n_iter + sweeps
        swept.change = float(np.quantile(np.abs(swept.scores - before), 0.99))
        swept.moved = bool(np.max(np.abs(swept.dual - dual)) > still * np.max(np.abs(dual), initial=1e-300))
        return swept

    def _saved(self, state: _State) -> JsonDict:
        """The state for a checkpoint: all else follows from the dual variables."""
        change = np.array([state.change])
        counts = {"n_iter": state.n_iter, "moved": state.moved, "change": change, "random": position(self._random)}
        return {"dual": state.dual, **counts}

    def _resumed(self, progress: Progress, alpha: float, max_iter: int) -> _State | None:
        """The state of an interrupted solve; None if there was none, or its numbers are beyond reason."""
        rules: dict[str, Rule] = {
            "dual": ArrayRule(self.loss.signs.shape, low=float(np.min(self._lower, initial=0))),
            "n_iter": NumberRule(0, max_iter, integer=True),
            "moved": Flag(),
            "change": ArrayRule((1,), low=0, high=np.inf),
            "random": POSITION,
        }
        saved = progress.resumed(Schema(rules))
        if saved is None:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            state = self._evaluate(self._clipped(saved["dual"]), alpha)
            if not np.all(np.isfinite(self._gap(state, alpha)[1])):
                return None
        set_position(self._random, saved["random"])
        state.n_iter, state.moved, state.change = saved["n_iter"], saved["moved"], float(saved["change"][0])
        return state

    def _gap(self, state: _State, alpha: float) -> tuple[Array, Array]:
        """Objective and duality gap of each column."""
        penalty = alpha * (np.sum(state.coef**2, axis=0) + state.intercept**2)
        objective = self.loss.value(state.scores) + 0.5 * penalty
        return objective, objective - (self.loss.dual_value(state.dual) - 0.5 * penalty)

    def _evaluate(self, dual: Array, alpha: float) -> _State:
        """w from the dual variables, and the scores of all rows: two passes."""
        weighted = self.loss.signs * dual / alpha
        coef = self.stream.adjoint(weighted)
        intercept = weighted.sum(axis=0) * self.fit_intercept
        return _State(dual, coef, intercept, self.stream.forward(coef) + intercept + self.loss.offset)

    def _clipped(self, dual: Array) -> Array:
        """The dual variables, moved into their bounds."""
        return np.clip(dual, self._lower, self._upper)

    @property
    def _upper(self) -> Array:
        return self.loss.share * self.loss.upper[:, None]

    def _active(self, state: _State, change: float, columns: Array) -> Array:
        """Rows to visit for each column: all but those that sit at a bound and whose margins are far on its side."""
        if not np.isfinite(change):
            return np.broadcast_to(columns & (self.loss.upper > 0)[:, None], state.dual.shape).copy()
        pull, slack = self.loss.targets[:, None] - self.loss.signs * state.scores, 2 * change
        resting = (state.dual == self._lower) & (pull < -slack)
        resting |= (state.dual == self._upper) & (pull > slack)
        active: Array = ~resting & columns
        return active

    def _sweeps(self, active: Array) -> int:
        """More sweeps as fewer rows are visited, to keep them in balance with the evaluation that follows.

        Where the rows come in parts, more sweeps of one part before the next would be spent on the wrong problem.
        """
        return _SWEEPS if self.stream.features is None else int(_SWEEPS / max(active.mean(), 1 / 16))

    def _sweep(self, state: _State, alpha: float, active: Array, sweeps: int) -> None:
        """Sweeps over the active rows, columns shared among threads; block by block if the features are not kept."""
        W, bias = np.ascontiguousarray(state.coef.T, dtype=self.stream.dtype), state.intercept + self.loss.offset
        rows = np.flatnonzero(active.any(axis=1))
        if self.stream.features is not None:
            orders = [self._random.permutation(rows) for _ in range(sweeps)]
            self._sweep_part(self.stream.features, orders, slice(None), active, state.dual, W, bias, alpha)
            return
        for part in _parts(rows, self.stream.width * self.stream.dtype.itemsize):
            orders = [self._random.permutation(len(part)) for _ in range(sweeps)]
            dual = state.dual[part]
            self._sweep_part(self.stream.gather(part), orders, part, active[part], dual, W, bias, alpha)
            state.dual[part] = dual

    def _sweep_part(
        self, Z: Array, orders: list[Array], rows: Any, active: Array, dual: Array, W: Array, bias: Array, alpha: float
    ) -> None:
        from bochner.solvers._loops import dual_sweep

        loss, squares = self.loss, self._squares[rows]
        of_rows = loss.signs[rows], loss.targets[rows], active, squares, loss.diagonal[rows], loss.weight[rows]
        upper, share = loss.upper[rows], loss.share
        work = len(orders) * len(orders[0]) * Z.shape[1] * dual.shape[1]
        threads = 1 if work < _WORTH_THREADS else min(dual.shape[1], get_config().threads())
        groups = np.array_split(np.arange(dual.shape[1]), threads)

        def handle(columns: Array, _: None) -> None:
            span = (float(self.fit_intercept), int(columns[0]), int(columns[-1]) + 1)
            for order in orders:
                dual_sweep(Z, order, *of_rows, upper, share, dual, W, bias, alpha, *span)

        run_in_threads(handle, groups, state=lambda: None)

    def _squared_norms(self) -> Array:
        squares = np.empty(self.stream.n_rows)

        def measure(Z: Array, rows: slice) -> None:
            squares[rows] = np.einsum("ij,ij->i", Z, Z)

        self.stream.for_each(measure)
        return squares


def _parts(rows: Array, row_bytes: int) -> list[Array]:
    """Rows in parts whose features take a quarter of the memory budget."""
    size = max(1, int(0.25 * get_config().memory_budget() / row_bytes))
    return [rows[start : start + size] for start in range(0, len(rows), size)]
