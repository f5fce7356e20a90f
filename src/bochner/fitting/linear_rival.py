"""Ridge regression as a kernel model, which every automatic choice has to beat on rows that were left out.

    k(x, y) = exp(-||(x - y) / u||^2 / (2 L^2)),      L^2 = 2 d 10^5,      u the columns' standard deviations

At so long a scale the kernel less its mean is x.y / (u L)^2 up to some 10^-5 of it: with an intercept, its machine with
penalty alpha is ridge regression on standardised columns with penalty alpha L^2, and d + 1 landmarks are all of it; at
penalties near rounding, which little noise asks for, polynomials of low degree (Driscoll & Fornberg 2002).
A weak or linear effect, which a search of scales on some hundred rows takes for noise, is learned from all rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bochner._dense import dense
from bochner._typing import Array
from bochner.data import ArrayRows, RowSource
from bochner.fitting.left_out import LeftOut, mean_errors
from bochner.kernels import Gaussian
from bochner.tuning import Tuning, is_clear_gain, outlier_limits
from bochner.tuning.result import rounded

__all__ = ["bears_tails_better", "beats_the_mean", "is_as_good", "linear_tuning", "linear_width"]

_LENGTH = 1e5  # L^2 / 2 d: the square of a distance is so many times smaller
_SPREAD_ROWS = 20_000
_FEWEST = 64  # landmarks
_MANY, _FAR_SMALLER = 1000, 0.9  # rows, and share of the squared error, at which the difference is not that of few rows


def linear_tuning(rows: RowSource, seed: int) -> Tuning:
    """A Gaussian kernel of a scale so long that its machine is ridge regression."""
    sample = ArrayRows.sampled(rows, _SPREAD_ROWS, seed)
    # Of all distinct rows, outliers included: none is far in these units, and a weight of 2 is a row given twice.
    spreads = np.std(np.unique(dense(sample.X, float), axis=0), axis=0)
    scale = rounded(np.sqrt(2 * rows.n_features * _LENGTH) * np.where(spreads > 0, spreads, 1.0))
    return Tuning(
        kernel=Gaussian(length_scale=scale),
        length_scale=scale,
        noise_variance=None,
        signal_variance=None,
        log_evidence=None,
        criterion="none: a linear model, as the limit of long length scales",
        stages=(),
        n_rows=sample.n_rows,
        n_frequencies=None,
        n_restarts=0,
        seconds=0.0,
    )


def linear_width(n_features: int) -> int:
    """Landmarks that hold a linear function of so many columns, with some to spare."""
    return max(_FEWEST, 2 * (n_features + 1))


def is_as_good(simple: LeftOut, other: LeftOut, n_errors: float = 0.0) -> bool:
    """Whether a simpler model predicts the same left-out rows as well: paired squared errors, outliers cut.

    Up to so many standard errors of the mean difference.
    """
    share = other.weight / other.weight.sum()
    limit = outlier_limits(other.targets, other.weight)
    more = _squares(simple, other, limit) - _squares(other, other, limit)
    mean = float(share @ more)
    return bool(mean <= n_errors * np.sqrt(float(np.sum((share * (more - mean)) ** 2))))


def beats_the_mean(left_out: LeftOut, n_errors: float) -> bool:
    """Whether errors are smaller than those of the mean of the targets, by more than so many standard errors."""
    share = left_out.weight / left_out.weight.sum()
    mean = replace(left_out, errors=left_out.targets - share @ left_out.targets)
    limit = outlier_limits(left_out.targets, left_out.weight)
    return is_clear_gain(_squares(mean, left_out, limit) - _squares(left_out, left_out, limit), share, n_errors)


def bears_tails_better(simple: LeftOut, other: LeftOut) -> bool:
    """Whether the mean squared error of many left-out rows, outliers included, is smaller by a tenth."""
    if len(other.errors) < _MANY:
        return False
    share, infinite = other.weight / other.weight.sum(), np.full(other.targets.shape[1], np.inf)
    plain = [float(share @ _squares(each, other, infinite)) for each in (simple, other)]
    return plain[0] < _FAR_SMALLER * plain[1]


def _squares(left_out: LeftOut, targets: LeftOut, limit: Array) -> Array:
    """Squared errors (m,) within limits (t,), in units of the variances of the targets, averaged over targets."""
    cut, variance = np.clip(left_out.errors, -limit, limit), mean_errors(targets.targets, targets.weight)
    found: Array = np.mean(cut**2 / np.where(variance > 0, variance, 1.0), axis=1)
    return found
