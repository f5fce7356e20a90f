"""Median heuristic: the median distance between rows as length scale of a kernel, for all columns or for each.

one for all:     median_ij ||x_i - x_j||
one per column:  spread_j * median_ij ||(x_i - x_j) / spread||         whatever the units of the columns
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import pdist

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.kernels import Stationary
from bochner.tuning.spread import SMALLEST_SPREAD, column_spreads, row_blocks

__all__ = ["MEDIAN_ROWS", "RowSample", "median_length_scale"]

MEDIAN_ROWS = 1000


def median_length_scale(X: Rows, kernel: Stationary, seed: int, sample_weight: Array | None = None) -> float:
    """Median distance between distinct rows of a random subsample of 1,000, in the metric of the kernel.

    Rows of weight 0 are left out, and a repeated row counts once, so that a weight of 2 is a row given twice.
    1.0 where all rows are equal.
    """
    return RowSample.of(X, seed, sample_weight).median_distance(kernel)


@dataclass(frozen=True)
class RowSample:
    """Distinct rows of a random subsample of 1,000, to measure length scales on.

    Attributes
    ----------
    given : rows
        The rows that they were drawn from.
    rows : array of shape (n, d)
    others : iterable of rows
        Blocks of all rows there are, of which `given` may be a sample itself.
    """

    given: Rows
    rows: Array
    others: Iterable[Rows]

    @classmethod
    def of(cls, X: Rows, seed: int, sample_weight: Array | None = None, others: Iterable[Rows] | None = None) -> Self:
        """The sample of rows of positive weight. `others`: None for X, where that is no sample itself."""
        present = np.arange(X.shape[0]) if sample_weight is None else np.flatnonzero(sample_weight)
        chosen = present
        if len(present) > MEDIAN_ROWS:
            chosen = np.sort(generator(seed, Purpose.SUBSAMPLE).choice(present, size=MEDIAN_ROWS, replace=False))
        rows = np.unique(dense(X[chosen], float), axis=0)
        return cls(X, rows, row_blocks(X, present) if others is None else others)

    def median_distance(self, kernel: Stationary) -> float:
        """The median distance between the rows, in the metric of the kernel; 1.0 where all are equal."""
        return _median_distance(self.rows, kernel)

    def relative_distances(self, kernel: Stationary, probabilities: Sequence[float]) -> Array:
        """Quantiles of distances in units of the columns' spreads over their median; 1 where all rows are equal."""
        if len(self.rows) < 2:
            return np.ones(len(probabilities))
        distances = pdist(self.rows / self._spreads(), metric=kernel.metric)
        quantiles: Array = np.quantile(distances, probabilities)
        return quantiles / np.median(distances)

    def column_scales(self, kernel: Stationary) -> Array | float:
        """One length scale per column: its spread times the median distance of rows in units of the spreads."""
        if len(self.rows) == 0:
            return 1.0
        spreads = self._spreads()
        scales: Array = spreads * _median_distance(self.rows / spreads, kernel)
        return float(scales[0]) if len(scales) == 1 else scales

    def _spreads(self) -> Array:
        return column_spreads(self.rows, self.others, centred=not issparse(self.given))


def _median_distance(rows: Array, kernel: Stationary) -> float:
    distance = _median(pdist(rows, metric=kernel.metric)) if len(rows) > 1 else 1.0
    return distance if distance > SMALLEST_SPREAD else 1.0  # squares of tiny differences are 0


def _median(values: Array) -> float:
    """The bits of np.median, five times as fast: it partitions at three places at once. Reorders the values."""
    half = len(values) // 2
    values.partition(half)
    return float(values[half]) if len(values) % 2 else float(np.mean([np.max(values[:half]), values[half]]))
