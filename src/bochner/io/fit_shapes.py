"""Shapes of the parts of fitted models from a file: solutions, noise functions and interval scores belong together."""

from __future__ import annotations

import numpy as np

from bochner.fitting import (
    ConformalScores,
    DeviationPower,
    FittedClassifier,
    FittedRegression,
    FittedRidge,
)
from bochner.io.shapes import finite, fits, shaped
from bochner.solvers import Pinball, Solution


@fits.register
def _(value: FittedRidge) -> bool:
    return _is_sized(value) and value.row_type.kind == "f" and _noise_of(value) and _far_of(value)


def _is_sized(value: FittedRidge) -> bool:
    D, moments, found = value.feature_map.n_components, value.moments, value.found
    known = moments is not None or found is not None
    return known and (moments is None or len(moments.z_mean) == D) and (found is None or _of_width(found, D))


def _far_of(fit: FittedRidge) -> bool:
    return fit.far_variance is None or finite(fit.far_variance, fit.n_targets)


def _noise_of(fit: FittedRidge) -> bool:
    if (noise := fit.noise) is None:
        return True
    t = fit.n_targets
    return finite(noise.low, t) and finite(noise.high, t) and noise.response.coef.shape[1] == t


def _of_width(found: Solution, D: int) -> bool:
    spread = vars(found).get("spread")
    if not np.all(vars(spread).get("landmarks", np.zeros(1)) < D if spread is not None else True):
        return False
    return len(found.coef) == D and ("mean" not in vars(spread or found) or len(spread.mean) == D)  # type: ignore[union-attr]


@fits.register
def _(value: FittedClassifier) -> bool:
    prior = None if value.prior is None else value.prior.centre
    D = value.feature_map.n_components
    return len(value.solution.coef) == D and (prior is None or len(prior) == D + 1)


@fits.register
def _(value: FittedRegression) -> bool:
    return value.solution.coef.shape == (value.feature_map.n_components, value.loss.n_columns)


@fits.register
def _(value: Pinball) -> bool:
    levels = value.quantiles
    return len(levels) > 0 and all(0 < level < 1 for level in levels) and sorted(set(levels)) == list(levels)


@fits.register
def _(value: ConformalScores) -> bool:
    return shaped(value.scores, None, None) and (value.power is None or len(value.power.power) == value.scores.shape[1])


@fits.register
def _(value: DeviationPower) -> bool:
    t = len(value.power)
    return all(finite(part, t) for part in (value.power, value.low, value.high)) and bool(np.all(value.low > 0))
