"""Exact binomial limits of shares of rows: what is compatible with an observed share, and with a promised one."""

from __future__ import annotations

import numpy as np
from scipy.stats import beta, binom

from bochner._typing import Array

__all__ = ["chance_band", "true_shares"]

_TAIL = 0.025
"""On either side: 95 % limits."""


def true_shares(observed: Array | float, n: float) -> tuple[Array, Array]:
    """True shares that are compatible with an observed share of n rows, from the lowest to the highest.

    The limits of Clopper and Pearson (1934), of level 95 %: a true share outside them gives one as far off in less than
    2.5 % of samples. Weighted rows count as their effective number, which need not be whole.
    """
    hits = np.asarray(observed, dtype=float) * n
    misses = n - hits
    low = np.where(hits > 0, beta.ppf(_TAIL, np.maximum(hits, 1e-9), misses + 1), 0.0)
    high = np.where(misses > 0, beta.ppf(1 - _TAIL, hits + 1, np.maximum(misses, 1e-9)), 1.0)
    return low, high


def chance_band(promised: Array | float, n: float) -> tuple[Array, Array]:
    """Shares of n rows that are compatible with a promised one: the middle 95 % of the binomial law."""
    rows = max(1, round(n))
    return binom.ppf(_TAIL, rows, promised) / rows, binom.ppf(1 - _TAIL, rows, promised) / rows
