"""Exact binomial limits of shares of rows: what is compatible with an observed share, and with a promised one."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from bochner._binomial import rate_at_least, rate_at_most
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
    return rate_at_least(hits, n, _TAIL), rate_at_most(hits, n, _TAIL)


def chance_band(promised: Array | float, n: float) -> tuple[Array, Array]:
    """Shares of n rows that are compatible with a promised one: the middle 95 % of the binomial law."""
    rows = max(1, round(n))
    return binom.ppf(_TAIL, rows, promised) / rows, binom.ppf(1 - _TAIL, rows, promised) / rows
