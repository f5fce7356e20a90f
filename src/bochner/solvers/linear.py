"""A linear classifier on features, and how far its solver came."""

from __future__ import annotations

from dataclasses import dataclass

from bochner._typing import Array

__all__ = ["LinearSolution"]


@dataclass(frozen=True)
class LinearSolution:
    """A linear classifier on features.

    Attributes
    ----------
    coef : array of shape (D, k)
    intercept : array of shape (k,)
    objective : float
        Sum over the columns.
    gap : float
        Duality gap: the objective is at most so far above its minimum.
    n_iter : int
    converged : bool
    dual : array of shape (n, k) or None
        Dual variables divided by alpha, where the solver has them: what a next fit starts from.
    """

    coef: Array
    intercept: Array
    objective: float
    gap: float
    n_iter: int
    converged: bool
    dual: Array | None = None
