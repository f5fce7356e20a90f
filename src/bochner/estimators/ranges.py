"""Ranges and spreads of the columns of a fit, and the warning about rows far outside of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bochner._dense import dense
from bochner._typing import Array, Rows
from bochner.data import RowSource
from bochner.errors import ExtrapolationWarning
from bochner.tuning import column_spreads

__all__ = ["note_ranges", "note_target_ranges", "warn_of_far_predictions", "warn_of_far_rows"]

_SPREAD_ROWS = 4000
_FAR = 1 / 3  # of the range of the targets


def note_ranges(estimator: Any, rows: RowSource, *, reset: bool) -> None:
    """Keep the least and the largest number of every column of rows in memory, as `column_ranges_` (2, d).

    And spreads (d,) of some 4,000 of the first rows, evenly spread over them, as `column_spreads_`: units of gradients.
    Rows that are read once and gone leave none: a pass more would be its price.
    """
    arrays = rows.arrays
    if arrays is None:
        estimator.column_ranges_ = estimator.column_spreads_ = None
        return
    low, high = _least_and_largest(arrays.X)
    if reset:
        some = arrays.X[:: max(1, arrays.n_rows // _SPREAD_ROWS)]
        spreads = column_spreads(dense(some, float), centred=not issparse(some))
        estimator.column_spreads_ = np.where(high > low, spreads, 0.0)
    before = None if reset else getattr(estimator, "column_ranges_", None)
    if before is not None:
        low, high = np.minimum(low, before[0]), np.maximum(high, before[1])
    estimator.column_ranges_ = np.vstack([low, high]) if reset or before is not None else None


def note_target_ranges(estimator: Any, rows: RowSource, *, reset: bool) -> None:
    """Keep the least and the largest target of rows in memory, as `target_ranges_` (2, t); None: they are not known."""
    before = None if reset else getattr(estimator, "target_ranges_", None)
    if rows.arrays is None or not (reset or before is not None):
        estimator.target_ranges_ = None
        return
    Y, _ = rows.arrays.targets()
    found = np.vstack([Y.min(axis=0), Y.max(axis=0)])
    if before is not None:
        found = np.vstack([np.minimum(found[0], before[0]), np.maximum(found[1], before[1])])
    estimator.target_ranges_ = found


def warn_of_far_predictions(estimator: Any, means: Any) -> None:
    """Warn if predictions (n, t) are outside the range of the targets of the fit by more than a third of it."""
    ranges = getattr(estimator, "target_ranges_", None)
    if ranges is None or not isinstance(means, np.ndarray) or len(means) == 0:  # those of a cluster are lazy
        return
    width = _FAR * (ranges[1] - ranges[0])
    outside = (means < ranges[0] - width) | (means > ranges[1] + width)
    far = np.flatnonzero(np.any(outside & (width > 0), axis=1))
    if len(far):
        row = far[0]
        target = int(np.argmax(np.maximum(ranges[0] - means[row], means[row] - ranges[1]) - width))
        warnings.warn(
            f"{len(far):,} of {len(means):,} predictions are far outside the targets of the fit: row {row} has "
            f"{means[row, target]:.6g}, and targets were {ranges[0, target]:.6g} to {ranges[1, target]:.6g}. Look at "
            "return_std.",
            ExtrapolationWarning,
            stacklevel=3,
        )


def warn_of_far_rows(estimator: Any, X: Rows) -> None:
    """Warn if a number is outside the range of its column in the fit by more than that range is wide.

    Columns that were constant are left out: models have learned nothing from them.
    """
    ranges = getattr(estimator, "column_ranges_", None)
    if ranges is None or X.shape[0] == 0:
        return
    low, high = _least_and_largest(X)
    width = ranges[1] - ranges[0]
    far = (width > 0) & ((low < ranges[0] - width) | (high > ranges[1] + width))
    for column in np.flatnonzero(far)[:1]:
        names = getattr(estimator, "feature_names_in_", None)
        name = f"column {column}" if names is None else f"column {str(names[column])!r}"
        also = "" if far.sum() == 1 else f", and {far.sum() - 1} more columns"
        warnings.warn(
            f"Some rows are far outside the rows of the fit: {name} has {low[column]:.6g} to {high[column]:.6g}, and "
            f"had {ranges[0, column]:.6g} to {ranges[1, column]:.6g}{also}. A model knows nothing there: landmarks "
            "return to the mean, random features do not. Look at return_std.",
            ExtrapolationWarning,
            stacklevel=5,
        )


def _least_and_largest(X: Any) -> tuple[Array, Array]:
    """Of every column, in float64; a sparse matrix counts its zeros."""
    bounds = X.min(axis=0), X.max(axis=0)
    low, high = (np.asarray(bound.todense() if hasattr(bound, "todense") else bound, dtype=float) for bound in bounds)
    return low.reshape(-1), high.reshape(-1)
