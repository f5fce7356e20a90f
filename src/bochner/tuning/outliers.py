"""Outliers among targets: limits within which they decide when scales and penalties are compared.

    limit = 10 (q_75 - q_25) / 1.349,      infinite where the quartiles are the same

1.349 is the interquartile range of the standard normal law, so that a limit is ten robust standard deviations. A few
targets far beyond it have nearly all of the squared error, and which of two models is better would be the luck of those
rows. Comparisons take winsorised targets or errors (Tukey 1962), moved to the limit; the model itself is fitted to
the targets as they are, so that it still estimates their mean.
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.tuning.spread import NORMAL_RANGE

__all__ = ["outlier_limits", "winsorised"]

_LIMIT = 10.0  # robust standard deviations: normal or uniform targets have none beyond, exponential ones one in 7,000


def outlier_limits(Y: Array, weight: Array | None) -> Array:
    """Distance (t,) from the median beyond which a target is an outlier; infinite if half of the targets are equal."""
    low, high = _quantiles(Y, weight, [0.25, 0.75])
    return np.where(high > low, _LIMIT * (high - low) / NORMAL_RANGE, np.inf)


def winsorised(Y: Array, weight: Array | None) -> Array:
    """Targets (n, t), with outliers moved to the limit."""
    limit, (median,) = outlier_limits(Y, weight), _quantiles(Y, weight, [0.5])
    return np.clip(Y, median - limit, median + limit)


def _quantiles(Y: Array, weight: Array | None, levels: list[float]) -> Array:
    """Quantiles (q, t) of the columns: a weight of 2 is a row given twice."""
    own = np.ones(len(Y)) if weight is None else weight
    quantiles = [np.quantile(column, levels, weights=own, method="inverted_cdf") for column in Y.T]
    return np.array(quantiles).reshape(-1, len(levels)).T
