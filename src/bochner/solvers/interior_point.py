"""Quadratic programs with bounds by a primal-dual interior-point method: the duals of quantile regression.

    minimise over lower <= b <= upper:     ||F'b||^2 / (2 alpha) - t'b

with features F (n, D). Multipliers p, q >= 0 of the two bounds make the conditions of the minimum

    F F'b / alpha - t = p - q,      (b - lower) p = (upper - b) q = 0,

whose products are held at a common value that falls to 0: some twenty Newton steps, however collinear the features
are, with Mehrotra's corrector (Nocedal & Wright 2006, chapter 16.6). A step solves

    (diag(d) + F F' / alpha) x = r,       d = p / (b - lower) + q / (upper - b),

by the Cholesky factor of this matrix, or of alpha I + F' diag(1/d) F where features are fewer than rows (Woodbury):
O(n D min(n, D)). Features may be read block by block (`interior_rows`): a step is then seven passes over them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.solvers.interior_rows import ProgramRows

__all__ = ["Bounds", "interior_point", "interior_point_work"]

_TO_THE_WALL = 0.995  # of the longest step that keeps all distances from the bounds positive
_FIRST_MARGIN = 1e-2  # of the first point from the bounds, in units of their distance
_PATIENCE = 5  # steps without a smaller gap before rounding has won


@dataclass(frozen=True)
class Bounds:
    """lower < b < upper of every variable, shape (n,)."""

    lower: Array
    upper: Array


def interior_point_work(n_rows: int, width: int) -> int:
    """Multiplications of a step."""
    return n_rows * width * min(n_rows, width)


def interior_point(
    F: ProgramRows, target: Array, bounds: Bounds, alpha: float, *, tol: float, max_iter: int
) -> tuple[Array, int]:
    """The minimiser (n,), to a duality gap of `tol` times the sum of |target| (upper - lower), and the steps taken."""
    state = _Point.first(target, bounds)
    best, smallest, since = state.b, np.inf, 0
    scale = float(np.abs(target) @ (bounds.upper - bounds.lower)) or 1.0
    for step in range(max_iter):
        slope = F.forward(F.adjoint(state.b)) / alpha - target
        gap = state.complementarity() + float(np.abs(slope - state.p + state.q) @ (bounds.upper - bounds.lower))
        best, smallest, since = (state.b, gap, 0) if gap < smallest else (best, smallest, since + 1)
        if smallest <= tol * scale or since >= _PATIENCE:
            return best, step
        solve = F.solver(state.weights(), alpha)
        if solve is None:
            return best, step
        state = state.stepped(solve, slope)
    return best, max_iter


@dataclass(frozen=True)
class _Point:
    """Variables, their distances from both bounds, and the multipliers of these."""

    b: Array
    below: Array
    above: Array
    p: Array
    q: Array

    @classmethod
    def first(cls, target: Array, bounds: Bounds) -> _Point:
        """0, if that is inside of the box, with multipliers as large as the targets are."""
        margin = _FIRST_MARGIN * (bounds.upper - bounds.lower)
        b = np.clip(0.0, bounds.lower + margin, bounds.upper - margin)
        size = np.full(len(target), float(np.mean(np.abs(target))) or 1.0)
        return cls(b, b - bounds.lower, bounds.upper - b, size, size)

    def complementarity(self) -> float:
        return float(self.below @ self.p + self.above @ self.q)

    def weights(self) -> Array:
        """d."""
        return self.p / self.below + self.q / self.above

    def stepped(self, solve: Callable[[Array], Array], slope: Array) -> _Point:
        """After a step: where it would lead without a barrier says how far the products are to fall."""
        mean = self.complementarity() / (2 * len(self.b))
        ahead = self._direction(solve, slope, 0.0, (np.zeros_like(self.b),) * 2)
        lengths = self._lengths(ahead)
        reached = self._moved(ahead, lengths).complementarity() / (2 * len(self.b))
        barrier = mean * (reached / mean) ** 3
        corrected = self._direction(solve, slope, barrier, (ahead[0] * ahead[1], -ahead[0] * ahead[2]))
        return self._moved(corrected, tuple(_TO_THE_WALL * length for length in self._lengths(corrected)))

    def _direction(
        self, solve: Callable[[Array], Array], slope: Array, barrier: float, products: tuple[Array, Array]
    ) -> tuple[Array, Array, Array]:
        """Steps of b, p and q, towards products of distances and multipliers of `barrier`."""
        low, high = ((barrier - each) for each in products)
        move = solve(low / self.below - high / self.above - slope)
        p = low / self.below - self.p - self.p / self.below * move
        q = high / self.above - self.q + self.q / self.above * move
        return move, p, q

    def _lengths(self, direction: tuple[Array, Array, Array]) -> tuple[float, ...]:
        """The longest steps, at most 1, of the variables and of the multipliers that keep all of them positive."""
        move, p, q = direction
        inside = min(_longest(self.below, move), _longest(self.above, -move))
        return inside, min(_longest(self.p, p), _longest(self.q, q))

    def _moved(self, direction: tuple[Array, Array, Array], lengths: tuple[float, ...]) -> _Point:
        (move, p, q), (along, of_multipliers) = direction, lengths
        move = along * move
        return _Point(
            self.b + move,
            self.below + move,
            self.above - move,
            self.p + of_multipliers * p,
            self.q + of_multipliers * q,
        )


def _longest(values: Array, steps: Array) -> float:
    """The longest step, at most 1, after which no value is negative."""
    falling = steps < 0
    return float(min(1.0, np.min(-values[falling] / steps[falling], initial=1.0)))
