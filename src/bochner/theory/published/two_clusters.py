"""Ridge regression on rows in two clusters: the exact and the approximate prediction in closed form.

n/2 rows at 0 with target 1 and n/2 at `gap` with target -1; Gaussian kernel of length scale 1 on the line:

    h(x) = (n/2)(k(x) - k(x - gap)) / ((n/2)(1 - k(gap)) + lambda),        h^ with s = mean cos(omega_i .) for k

since k(0) = s(0) = 1.
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array

__all__ = ["prediction_errors"]


def prediction_errors(
    *, n_frequencies: int, n_draws: int, gap: float, n_rows: float, lam: float, seed: int, x: float = 1.0
) -> Array:
    """|h^(x) - h(x)| of independent draws of the frequencies.

    Differences of cosines are written as products of sines: 1 - cos loses all digits where the clusters are close.
    """
    omega = np.random.default_rng(seed).standard_normal((n_draws, n_frequencies))
    half = np.sin(omega * gap / 2)
    approximate = _prediction(
        -2 * np.mean(np.sin(omega * (x - gap / 2)) * half, 1), 2 * np.mean(half**2, 1), n_rows, lam
    )
    rise = np.exp(-(x**2) / 2) - np.exp(-((x - gap) ** 2) / 2)
    exact = _prediction(np.asarray(rise), np.asarray(-np.expm1(-(gap**2) / 2)), n_rows, lam)
    errors: Array = np.abs(approximate - exact)
    return errors


def _prediction(rise: Array, fall: Array, n_rows: float, lam: float) -> Array:
    """From k(x) - k(x - gap) and 1 - k(gap)."""
    value: Array = rise / (fall + 2 * lam / n_rows)
    return value
