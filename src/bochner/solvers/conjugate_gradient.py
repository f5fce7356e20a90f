"""Preconditioned conjugate gradients for many symmetric systems at once, each with a shift of its own.

    (G + alpha_j I) x_j = b_j,      j = 1, ..., c

All systems share the products with G, one pass over the rows per iteration; those that are solved drop out. The state
between iterations is a plain dict of arrays and numbers, from which a solution goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from bochner._typing import Array
from bochner.statistics.state_schema import ArrayRule, NumberRule, Rule

__all__ = ["ConjugateGradients", "State", "state_rules"]

State = dict[str, Any]
Product = Callable[[Array, Array], Array]
Precondition = Callable[[Array, Array], Array]

_PATIENCE = 12
"""Iterations without a smaller residual after which rounding is taken to have stopped a system."""


_AGREES = 0.1
"""Distance of the residuals of the recursion to recomputed ones, relative to them, that rounding has no part in."""


_LARGEST = 1e140
"""Entry of a state: products with rows and their squares are then finite."""


def state_rules(width: int, n_systems: int, n_iter: int) -> dict[str, Rule]:
    """Rules of the state after some iterations of systems of a width."""
    c, many = n_systems, ArrayRule((width, n_systems), low=-_LARGEST, high=_LARGEST)
    return {
        "x": many,
        "residual": many,
        "direction": many,
        "power": ArrayRule((c,), low=-(_LARGEST**2), high=_LARGEST**2),
        "n_iter": NumberRule(n_iter, n_iter, integer=True),
        "best": ArrayRule((c,), low=0),
        "best_at": ArrayRule((c,), "int64", 0, n_iter),
        "history": ArrayRule((n_iter + 1, c), low=0),
        "sizes": ArrayRule((n_iter, c)),
        "ratios": ArrayRule((n_iter, c), low=0),
    }


@dataclass
class ConjugateGradients:
    """The systems and how far their solution is.

    Parameters
    ----------
    product : callable
        (V (D, c), columns (c,)) -> the matrices G of the systems `columns` applied to V; mostly one for all.
    precondition : callable
        (R (D, c), columns (c,)) -> the approximate inverses of the systems `columns` applied to R.
    shifts : array of shape (c,)
    right : array of shape (D, c)
    tols : array of shape (c,)
        Residual, relative to the right side, at which a system is solved.
    solution : array of shape (D, c) or None
        Where to start; None: at 0.
    resumed : dict or None
        A state to go on from instead.

    Attributes
    ----------
    state : dict
        All that changes from one iteration to the next.
    """

    product: Product
    precondition: Precondition
    shifts: Array
    right: Array
    tols: Array
    solution: Array | None = None
    resumed: State | None = None
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self._size = np.linalg.norm(self.right, axis=0)
        self._size[self._size == 0] = 1.0
        self.state = self._first_state() if self.resumed is None else self.resumed

    @property
    def x(self) -> Array:
        """Solutions so far, (D, c)."""
        return self.state["x"]

    @property
    def residual(self) -> Array:
        """right - (G + alpha) x as the recursion has it, (D, c)."""
        return self.state["residual"]

    @property
    def relative(self) -> Array:
        """Norms of the residuals relative to those of the right sides, (c,)."""
        return np.sqrt(_dots(self.residual, self.residual)) / self._size

    @property
    def n_iter(self) -> int:
        return int(self.state["n_iter"])

    @property
    def running(self) -> Array:
        """Numbers of the systems that are not solved, nor stopped by rounding."""
        open_ = (self.relative > self.tols) & (self.n_iter - self.state["best_at"] < _PATIENCE)
        return np.flatnonzero(open_)

    def step(self) -> None:
        """One iteration of every running system: one product."""
        s, columns = self.state, self.running
        p, power = s["direction"][:, columns], s["power"][columns]
        q = self.product(p, columns) + self.shifts[columns] * p
        curvature = _dots(p, q)
        size = np.divide(power, curvature, out=np.zeros_like(power), where=curvature > 0)
        s["x"][:, columns] += size * p
        s["residual"][:, columns] -= size * q
        gradient = self.precondition(s["residual"][:, columns], columns)
        # Polak and Ribiere's quotient: the preconditioner is rounded to float32, so not quite the same at each step.
        ratio = np.divide(-size * _dots(gradient, q), power, out=np.zeros_like(power), where=power > 0)
        ratio = np.maximum(ratio, 0.0)
        s["direction"][:, columns] = gradient + ratio * p
        s["power"][columns] = _dots(s["residual"][:, columns], gradient)
        s["n_iter"] += 1
        self._record(columns, size, ratio)

    def forgive(self) -> bool:
        """Let systems go on that were stopped while their residuals are right: those oscillate. One product."""
        stopped = np.flatnonzero((self.relative > self.tols) & (self.n_iter - self.state["best_at"] >= _PATIENCE))
        if not len(stopped):
            return False
        away = np.linalg.norm((self._true_residual() - self.residual)[:, stopped], axis=0) / self._size[stopped]
        going = stopped[away <= _AGREES * self.relative[stopped]]
        self.state["best_at"][going] = self.n_iter
        return len(going) > 0

    def _true_residual(self) -> Array:
        return self.right - self.product(self.x, np.arange(len(self.shifts))) - self.shifts * self.x

    def replace_residual(self) -> None:
        """Residuals recomputed from the solutions (one product), and directions anew."""
        s = self.state
        s["residual"] = self._true_residual()
        s["direction"] = self.precondition(s["residual"], np.arange(len(self.shifts)))
        s["power"] = _dots(s["residual"], s["direction"])
        s["best"], s["best_at"] = self.relative, np.full(len(self.shifts), self.n_iter)
        s["history"][-1] = self.relative

    def condition(self, column: int) -> float:
        """Condition number of a preconditioned system as its Lanczos matrix shows it: a lower bound; nan if too early.

            T_ii = 1 / a_i + b_(i-1) / a_(i-1),    T_i,i+1 = sqrt(b_i) / a_i        (Golub & Van Loan, section 11.3)

        with a the step sizes and b the ratios.
        """
        sizes, ratios = self.state["sizes"][:, column], self.state["ratios"][:, column]
        n = int(np.argmax(~(sizes > 0))) if np.any(~(sizes > 0)) else len(sizes)
        if n < 2:
            return float("nan")
        a, b = sizes[:n], ratios[:n]
        diagonal = 1 / a
        diagonal[1:] += b[:-1] / a[:-1]
        values = eigvalsh_tridiagonal(diagonal, np.sqrt(b[:-1]) / a[:-1])
        return float(values[-1] / values[0]) if values[0] > 0 else float("nan")

    def _first_state(self) -> State:
        c = len(self.shifts)
        x = np.zeros_like(self.right) if self.solution is None else np.array(self.solution, dtype=float)
        residual = self.right.copy()
        if np.any(x):
            residual -= self.product(x, np.arange(c)) + self.shifts * x
        direction = self.precondition(residual, np.arange(c))
        relative = np.linalg.norm(residual, axis=0) / self._size
        return {
            "x": x,
            "residual": residual,
            "direction": direction,
            "power": _dots(residual, direction),
            "n_iter": 0,
            "best": relative,
            "best_at": np.zeros(c, dtype=int),
            "history": relative[None, :].copy(),
            "sizes": np.empty((0, c)),
            "ratios": np.empty((0, c)),
        }

    def _record(self, columns: Array, size: Array, ratio: Array) -> None:
        s, relative = self.state, self.relative
        sizes, ratios = np.zeros(len(self.shifts)), np.zeros(len(self.shifts))
        sizes[columns], ratios[columns] = size, ratio
        better = relative < s["best"]
        s["best_at"] = np.where(better, s["n_iter"], s["best_at"])
        s["best"] = np.minimum(relative, s["best"])
        s["history"] = np.vstack([s["history"], relative])
        s["sizes"], s["ratios"] = np.vstack([s["sizes"], sizes]), np.vstack([s["ratios"], ratios])


def _dots(A: Array, B: Array) -> Array:
    """Inner products of the columns of two matrices, (c,), without a temporary of their size."""
    return np.einsum("ij,ij->j", A, B)
