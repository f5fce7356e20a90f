"""Kernel and bandwidth selection for two-sample tests that keeps their level.

- Spreads of columns and the median distance are those of the pooled sample, and so cannot tell the labels apart.
- A set of kernels or bandwidths gives one fused statistic (`resampling.fused`): one test, not the best of many.
- A bandwidth learned on every other row is tested on the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from bochner._typing import Array, ArrayLike, Rows
from bochner.comparison.pool import FeaturePool
from bochner.comparison.samples import pooled_rows
from bochner.errors import invalid_parameter
from bochner.kernels import Stationary
from bochner.tuning import ScaleRule, row_blocks
from bochner.tuning.median import RowSample

__all__ = ["CHOICES", "candidates", "most_powerful"]

CHOICES = ("auto", "median", "aggregate", "fuse", "held_out")

_FUSED_KERNELS = ("gaussian", "laplacian")
_BANDWIDTHS = 10


def candidates(
    owner: str,
    kernel: str | Stationary | None,
    length_scale: ArrayLike,
    factors: Sequence[float],
    X: Rows,
    Y: Rows,
    seed: int,
) -> tuple[Stationary, ...]:
    """Candidate kernels: one, or with "aggregate" and "held_out" one for every factor, or those of "fuse"."""
    if not isinstance(length_scale, str) or length_scale in ("auto", "median"):
        return (_central(ScaleRule(owner, kernel, length_scale), X, Y, seed),)
    if length_scale not in CHOICES:
        rule = f"a positive number, one per feature, or one of {CHOICES}"
        raise invalid_parameter(owner, "length_scale", rule, length_scale)
    if length_scale == "fuse":
        families = _FUSED_KERNELS if kernel is None else (kernel,)
        return tuple(each for family in families for each in _bandwidths(ScaleRule(owner, family, "auto"), X, Y, seed))
    central = _central(ScaleRule(owner, kernel, "auto"), X, Y, seed)
    return tuple(central.scaled_by(float(factor)) for factor in _checked(owner, factors))


def _bandwidths(rule: ScaleRule, X: Rows, Y: Rows, seed: int) -> list[Stationary]:
    """A kernel at ten bandwidths, evenly spaced in the logarithm: from half the 5 % to twice the 95 % quantile.

    Quantiles are those of distances between pooled rows, in units of their median (Biggs, Schrab & Gretton 2023).
    """
    central = _central(rule, X, Y, seed)
    sample = RowSample.of(pooled_rows(X, Y, seed), seed, others=chain(row_blocks(X), row_blocks(Y)))
    low, high = sample.relative_distances(central, [0.05, 0.95])
    return [central.scaled_by(float(factor)) for factor in np.geomspace(low / 2, 2 * high, _BANDWIDTHS)]


def most_powerful(kernels: Sequence[Stationary], pool_of: Callable[[Stationary], FeaturePool]) -> Stationary:
    """The kernel with the largest ratio of the squared MMD to its standard deviation under the alternative.

        MMD^2 / sqrt(4 Var_x w(x) / n + 4 Var_y w(y) / m + c),    w the witness function

    (Liu et al. 2020, to first order), with the variances from those of the block means.
    """
    return max(kernels, key=lambda kernel: _power_ratio(pool_of(kernel)))


def _power_ratio(pool: FeaturePool) -> float:
    (n, m), (a, b) = pool.sizes, pool.n_blocks
    values = pool.sums @ pool.direction * (a / n)
    variance = _variance_of_mean(values[:a]) + _variance_of_mean(values[a:] * (b / m) / (a / n))
    floor = 1e-8 * pool.variance**2
    return pool.observed("unbiased") / float(np.sqrt(4 * variance + floor / min(n, m)))


def _variance_of_mean(values: Array) -> float:
    return float(np.var(values, ddof=1) / len(values)) if len(values) > 1 else 0.0


def _central(rule: ScaleRule, X: Rows, Y: Rows, seed: int) -> Stationary:
    """Kernel with its length scale, resolved on the pooled sample."""
    rows = pooled_rows(X, Y, seed) if rule.looks_at_rows else X
    return rule.resolve_sample(rows, seed=seed, others=chain(row_blocks(X), row_blocks(Y)))


def _checked(owner: str, factors: Sequence[float]) -> Array:
    values = np.asarray(factors, dtype=float)
    if values.ndim != 1 or len(values) == 0 or not np.all((values > 0) & np.isfinite(values)):
        raise invalid_parameter(owner, "factors", "a non-empty list of positive finite numbers", factors)
    return values
