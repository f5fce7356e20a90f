"""Exact limits of a probability from counted events (Clopper & Pearson 1934).

Numbers of events and trials need not be whole: weighted rows count as their effective number.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import beta

from bochner._typing import Array

__all__ = ["rate_at_least", "rate_at_most"]

_NONE = 1e-9  # in place of no event, of which the limit is known: the law has none


def rate_at_least(events: Array | float, trials: float, tail: float) -> Array:
    """Lower limit: it exceeds the true probability with probability at most `tail`."""
    events = np.asarray(events, dtype=float)
    return np.where(events > 0, beta.ppf(tail, np.maximum(events, _NONE), trials - events + 1), 0.0)


def rate_at_most(events: Array | float, trials: float, tail: float) -> Array:
    """Upper limit: it is below the true probability with probability at most `tail`."""
    others = trials - np.asarray(events, dtype=float)
    return np.where(others > 0, beta.ppf(1 - tail, trials - others + 1, np.maximum(others, _NONE)), 1.0)
