"""Reference sample of a drift detector: its mean map, the covariance of its features, and its windows.

Every other window teaches: it makes the mean that scores are distances from, and whatever else a score depends on. The
windows in between are then as new to a score as those of a stream.
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array, FloatType
from bochner.data import ArrayRows
from bochner.features import FeatureMap
from bochner.statistics import Moments, accumulate, plan_pass

__all__ = ["FEWEST_WINDOWS", "default_window", "largest_taught", "mean_and_eigenvalues", "teaching_rows"]

FEWEST_WINDOWS = 8
"""Windows that a reference must have."""

_DOUBLE: FloatType = np.dtype(np.float64)


def default_window(n_rows: int) -> int:
    """Default window: a two-hundredth of the reference, between 16 and 50 rows; fewer for at least eight windows."""
    return int(max(1, min(n_rows // FEWEST_WINDOWS, np.clip(n_rows // 200, 16, 50))))


def teaching_rows(n_rows: int, window: int) -> Array:
    """Mask of the rows in training windows: the complete windows of even number."""
    number = np.arange(n_rows) // window
    return (number % 2 == 0) & (number < n_rows // window)


def largest_taught(X: Array, window: int) -> Array:
    """Largest absolute value of every column in the training windows, shape (d,)."""
    starts = range(0, len(X) - window + 1, 2 * window)
    return np.max([np.max(np.abs(X[start : start + window]), axis=0) for start in starts], axis=0)


def mean_and_eigenvalues(X: Array, feature_map: FeatureMap) -> tuple[Array, Array]:
    """Mean of the features (D,), and eigenvalues of their covariance (D,), falling; in float64."""
    n = len(X)
    blocks = ArrayRows(X, np.broadcast_to(0.0, (n,)), None, _DOUBLE)
    empty, plan = Moments.empty(feature_map.n_components, 1), plan_pass(n, feature_map, 1, _DOUBLE)
    moments = accumulate(blocks, feature_map, empty, plan)
    eigenvalues = np.linalg.eigvalsh(moments.zz / (n - 1), UPLO="L")
    return moments.z_mean, np.maximum(eigenvalues[::-1], 0.0)
