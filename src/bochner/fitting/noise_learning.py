"""Learned noise function of a ridge model: a second model, of the logarithms of squared leave-one-out errors.

    log(e_i^2 / v_i) = log s^2(x_i) + log of a chi-squared variable,       v_i predictive variance in units of the noise

(Fan & Yao 1998 for local regression, with leave-one-out errors in place of residuals, which are too small where the
model follows its rows). The mean of the last term, and what smoothing the logarithm loses, is one factor: the one at
which squared errors are as large as predictive variances, in the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bochner.data import ArrayRows, RowSource
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.fitting.left_out import left_out_errors
from bochner.fitting.noise import NoiseFunction
from bochner.fitting.ridge_model import FittedRidge
from bochner.solvers import RidgeSolver

__all__ = ["require_left_out_errors", "with_learned_noise"]

_ROWS = 4000
_SMALLEST = 1e-4  # of a squared error, in units of the mean one: the logarithm of a hit says nothing of the noise
_LIMITS = (0.01, 0.99)  # quantiles of the logarithms of ratios at rows of the fit


def require_left_out_errors(owner: str, solver: RidgeSolver, rows: RowSource) -> None:
    """Refuse to learn the noise where there are no leave-one-out errors of rows to learn it from."""
    if solver.needs == "products":
        rule = f"'constant' for solver={solver.name!r}, which has estimates of error bars only"
        raise invalid_parameter(owner, "noise", rule, "learned")
    if rows.passes is not None:
        raise InvalidDataError("noise='learned' needs rows that can be read again, for their leave-one-out errors.")


def with_learned_noise(
    fit: FittedRidge, rows: RowSource, seed: int, fit_logarithms: Callable[[ArrayRows], FittedRidge]
) -> FittedRidge:
    """The fit with a noise function, learned by `fit_logarithms` from up to 4,000 rows.

    Noise stays constant where the second model predicts rows that are left out no better than their mean does. Scores
    of intervals, if leave-one-out errors gave them, are those of the new error bars; a ratio is then the one that the
    second model predicts for a row without that row.
    """
    sample = ArrayRows.sampled(rows, _ROWS, seed)
    left_out = left_out_errors(fit, sample, seed, _ROWS)
    noise_variance = fit.solution.noise_variance
    if not np.all(noise_variance > 0) or len(left_out.errors) == 0:
        return fit
    relative = left_out.errors**2 / (noise_variance * left_out.variances[:, None])
    logarithms = replace(sample, Y=np.log(np.maximum(relative, _SMALLEST)), dtype=np.dtype(np.float64))
    second = fit_logarithms(logarithms)
    again = left_out_errors(second, logarithms, seed, _ROWS)
    skill = again.relative_error()
    if skill is None or skill >= 1:
        return fit
    predicted = again.targets - again.errors
    low, high = np.quantile(predicted, _LIMITS, axis=0)
    predicted = np.clip(predicted, low, high)
    shift = np.log(np.average(relative / np.exp(predicted), axis=0, weights=left_out.weight))
    response = second.response()
    noise = NoiseFunction(replace(response, offset=response.offset + shift), low + shift, high + shift)
    if fit.conformal is None:
        return replace(fit, noise=noise)
    return replace(fit, noise=noise, conformal=left_out.scores(noise_variance, np.exp(predicted + shift)))
