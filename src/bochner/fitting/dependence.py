"""Partial dependence of a ridge model on a column, and its posterior standard deviation.

    p(v) = mean_i f(x_i with column j set to v)

(Friedman 2001), a linear function of f: its posterior mean is that of predictions, and its posterior deviation that of
functions drawn from the posterior law.
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.features import LinearResponse
from bochner.fitting.draws import FunctionDraws

__all__ = ["grid_of_column", "partial_dependence"]

_ENDS = (0.05, 0.95)  # quantiles of the column, as in scikit-learn: where there are hardly rows, nothing is averaged


def partial_dependence(
    response: LinearResponse, draws: FunctionDraws, X: Array, column: int, grid: Array
) -> tuple[Array, Array]:
    """Means and deviations (g, t) of the partial dependence on a column at the values of a grid (g,)."""
    rows = X.copy()
    mean, std = np.empty((len(grid), draws.n_targets)), np.empty((len(grid), draws.n_targets))
    for at, value in enumerate(grid):
        rows[:, column] = value
        mean[at] = response(rows).mean(axis=0, dtype=float)
        drawn = draws(rows).mean(axis=0, dtype=float)
        std[at] = np.sqrt(np.mean((drawn - mean[at][:, None]) ** 2, axis=1))
    return mean, std


def grid_of_column(values: Array, n_points: int) -> Array:
    """The distinct values of a column if they are few, else so many from its 5 % to its 95 % quantile."""
    distinct = np.unique(values)
    if len(distinct) <= n_points:
        return distinct
    low, high = np.quantile(values, _ENDS)
    return np.linspace(low, high, n_points).astype(values.dtype)
