"""Losses of single rows by which a report judges a model: errors, pinball losses of a quantile, wrong classes.

abs(y - f) for a mean, with the root mean square of the rows as their error
max(tau (y - f), (tau - 1) (y - f)) for a quantile tau, and 1 for a wrong class, with the mean of the rows
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array, JsonDict, MatrixLike
from bochner.reporting.shares import true_shares
from bochner.reporting.view import ModelView
from bochner.solvers import pinball

__all__ = ["error_name", "error_of", "quantile_scores", "row_losses"]


def error_name(view: ModelView) -> str:
    """What `error_of` is, in words."""
    if view.kind == "classifier":
        return "share of wrong rows"
    return "RMS error" if view.drawn_quantile is None else "pinball loss"


def row_losses(view: ModelView, y: Array, predicted: Array) -> Array:
    """Losses (n,) of the answers for rows of one target."""
    if view.kind == "classifier":
        return (y.ravel().astype(str) != predicted.ravel().astype(str)).astype(float)
    residual = y.ravel().astype(float) - predicted.ravel()
    return np.abs(residual) if view.drawn_quantile is None else pinball(residual, np.array(view.drawn_quantile))


def error_of(view: ModelView, losses: Array) -> float:
    """The error of some rows, from their losses."""
    squared = view.kind == "regressor" and view.drawn_quantile is None
    return float(np.sqrt(np.mean(losses**2)) if squared else np.mean(losses))


def quantile_scores(view: ModelView, X: MatrixLike, y: Array, weight: Array | None, n_rows: float) -> list[JsonDict]:
    """Share of the targets up to each quantile, with the true shares it is compatible with, and the pinball losses.

    Where many targets are equal to their quantile, the share that is promised lies between that below and that up to
    it. The baseline is the best constant: the quantile of these targets. `n_rows` is the effective number of rows.
    """
    if not view.quantiles:
        return []
    found, targets = np.asarray(view.model.predict(X), dtype=float).reshape(len(y), -1), y.ravel().astype(float)
    return [_quantile_score(level, column, targets, weight, n_rows) for level, column in zip(view.quantiles, found.T)]


def _quantile_score(level: float, found: Array, y: Array, weight: Array | None, n_rows: float) -> JsonDict:
    weight = np.ones(len(y)) if weight is None else weight
    below, up_to = (float(np.average(hits, weights=weight)) for hits in (y < found, y <= found))
    constant = float(np.quantile(y, level, weights=weight, method="inverted_cdf"))
    loss, baseline = (
        float(np.average(pinball(y - each, np.array(level)), weights=weight)) for each in (found, constant)
    )
    return {
        "quantile": level,
        "observed": up_to,
        "true_low": float(true_shares(below, n_rows)[0]),
        "true_high": float(true_shares(up_to, n_rows)[1]),
        "pinball_loss": loss,
        "baseline_pinball_loss": baseline,
    }
