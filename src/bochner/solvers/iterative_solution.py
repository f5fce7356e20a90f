"""Solutions of ridge regression by conjugate gradients: convergence, and error bars of low rank."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from bochner._typing import Array
from bochner.solvers.landmark_spread import LandmarkSpread
from bochner.solvers.low_rank_spread import LowRankSpread
from bochner.solvers.solution import Solution
from bochner.statistics.moments import Moments

__all__ = ["Ending", "IterativeSolution"]


class Ending(Enum):
    """Why the iterations ended; a value is the sentence for the user."""

    CONVERGED = "The residual is within the tolerance."
    SETTLED = "The validation error has settled."
    ROUNDING = (
        "Rounding in the features' float type keeps the residual above `tol`. Raise tol, or give rows in float64."
    )
    PRECISION = "Rounding in float64 keeps the residual above `tol`. Raise tol or alpha."
    STOPPED = "A callback asked to stop."
    MAX_ITER = "The residual is above `tol` after `max_iter` iterations. Raise max_iter, tol or alpha."


@dataclass(frozen=True, kw_only=True)
class IterativeSolution(Solution):
    """A ridge model by conjugate gradients: `Solution` with its convergence. The evidence is not known to it.

    Attributes
    ----------
    dof : float
        Effective degrees of freedom, estimated with random probes.
    residuals : array of shape (n_iter + 1, t)
        ||cross - (G + alpha) w|| / ||cross|| before every iteration and after the last, where it is recomputed from w.
    n_iter : int
        Iterations at the penalty of the model.
    n_passes : int
        Products with G in all: those of the search for a penalty, of all iterations, of recomputed residuals.
    outcome : str
        Name of the `ending`.
    condition : tuple of float
        Condition number of G + alpha, at most, and of the preconditioned system, at least (by its Lanczos matrix).
    rows : int
        Rows of the preconditioner.
    shift : float
        Its mu.
    spread : LowRankSpread or LandmarkSpread
        Error bars through the rows of the preconditioner; of an exact kernel machine, through its landmarks.
    """

    dof: float
    residuals: Array
    n_iter: int
    n_passes: int
    outcome: str
    condition: tuple[float, float]
    rows: int
    shift: float
    spread: LowRankSpread | LandmarkSpread

    @property
    def ending(self) -> Ending:
        return Ending[self.outcome]

    @property
    def converged(self) -> bool:
        return self.ending in (Ending.CONVERGED, Ending.SETTLED)

    # What an iterative solver knows of its way.

    @property
    def iterations(self) -> int:
        return self.n_iter

    @property
    def residual_history(self) -> Array:
        return self.residuals

    @property
    def condition_numbers(self) -> tuple[float, float]:
        return self.condition

    @property
    def status(self) -> str | None:
        if self.ending not in (Ending.MAX_ITER, Ending.ROUNDING, Ending.PRECISION):
            return None
        residual = float(np.max(self.residuals[-1]))
        return f"{self.ending.value} Relative residual {residual:.1e} after {self.n_iter} iterations."

    def without_own_row(self, Z: Array, leverage: Array, unseen: Array, removed: Array) -> tuple[Array, Array]:
        # Overrides: error bars through landmarks have parts of their own.
        return self.spread.without_own_row(Z, leverage, unseen, removed)

    def dof_of(self, moments: Moments | None, *, fit_intercept: bool) -> float:
        return self.dof

    def spread_of(self, moments: Moments | None, *, fit_intercept: bool) -> LowRankSpread | LandmarkSpread:
        return self.spread

    def spread_bytes(self) -> int:  # of low rank: no matrix of all features
        return self.spread.n_bytes
