"""Linear classifier on features, with its convergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bochner._typing import Array

__all__ = ["LinearSolution", "gap_scale"]


_NOTHING = 1e-20  # an objective that is 0 but for rounding: targets that are all the same, say


@dataclass(frozen=True)
class LinearSolution:
    """Linear classifier on features: coefficients, objective, duality gap.

    Attributes
    ----------
    coef : array of shape (D, t)
    intercept : array of shape (t,)
    objective : float
        Sum over the columns.
    gap : float
        Duality gap: the objective is at most so far above its minimum.
    n_iter : int
    converged : bool
    dual : array of shape (n, t) or None
        Dual variables divided by alpha, where the solver has them: what a next fit starts from.
    """

    coef: Array
    intercept: Array
    objective: float
    gap: float
    n_iter: int
    converged: bool
    dual: Array | None = None


def gap_scale(objective: Any, objective_at_zero: Any) -> Any:
    """Scale of a relative duality gap: the objective, or a thousandth of its value at zero if that is more.

    Separable classes with a small penalty have objectives near 0: a gap relative to those asks for margins of
    1 - 1e-10.
    """
    return np.maximum(np.maximum(objective, 1e-3 * objective_at_zero), _NOTHING)
