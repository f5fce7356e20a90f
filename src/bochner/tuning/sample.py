"""The rows that scales are learned from, with weights in units of a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.data import RowSource, weights_count_copies, without_copies
from bochner.tuning.choice import COMPARED_ROWS
from bochner.tuning.result import Tuning, rounded

__all__ = ["Targets", "TuningSample", "subsample"]

Targets: TypeAlias = tuple[Array, Array | None]
"""Targets (n, t) and weights (n,) of all rows; of a classifier, labels (n,) 0 ... n_classes - 1."""

_FEW_AND_COPIES = 1500  # rows of which few may be distinct


def subsample(rows: RowSource, targets: Targets, size: int, seed: int) -> tuple[Rows, Array, Array | None]:
    """Rows of positive weight in random order, at most `size` of them: X, targets, weights.

    Few rows, of which every stage of the tuning sees all, keep their order: a weight of 2 is a row given twice.
    """
    Y, weight = targets
    present = np.arange(rows.n_rows) if weight is None else np.flatnonzero(weight)
    if len(present) > min(size, COMPARED_ROWS):
        size = min(size, len(present))
        present = generator(seed, Purpose.TUNING_ROWS).choice(present, size=size, replace=False)
    return rows.take(present), Y[present], None if weight is None else weight[present]


@dataclass(frozen=True)
class TuningSample:
    """Rows that scales are learned from by least squares.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, d)
    Y : array of shape (n, t)
    weight : array of shape (n,) or None
        In units of a row: noise is told from signal by the number of rows.
    unit : float
        The weight that counts for one row: 1 of copies; of precisions and exposures their mean.
    """

    X: Rows
    Y: Array
    weight: Array | None
    unit: float = 1.0

    @classmethod
    def drawn(cls, rows: RowSource, targets: Targets, size: int, seed: int) -> Self:
        """At most `size` rows in random order; few rows without copies, in the order of their values."""
        X, Y, weight = subsample(rows, targets, size, seed)
        if len(Y) <= _FEW_AND_COPIES:
            X, Y, weight = without_copies(dense(X, float), Y, weight)
        if weight is None or weights_count_copies(X, Y, weight):
            return cls(X, Y, weight)
        unit = float(np.mean(weight))
        return cls(X, Y, weight / unit, unit)

    def shuffled(self, seed: int) -> Self:
        """In random order, unless all of them serve every stage."""
        if len(self.Y) <= COMPARED_ROWS:
            return self
        order = generator(seed, Purpose.TUNING_ROWS).permutation(len(self.Y))
        return replace(
            self, X=self.X[order], Y=self.Y[order], weight=None if self.weight is None else self.weight[order]
        )

    def tuned(self, tune: Callable[..., Tuning], penalty: float | None) -> Tuning:
        """What `tune` learns, with penalty and noise in the unit of the weights that were given."""
        return self.in_given_unit(
            tune(sample_weight=self.weight, penalty=None if penalty is None else penalty / self.unit)
        )

    def in_given_unit(self, found: Tuning) -> Tuning:
        """With the noise in the unit of the weights that were given, of its rivals too."""
        if self.unit == 1:
            return found
        rivals = tuple(map(self.in_given_unit, found.rivals))
        if found.noise_variance is None:
            return replace(found, rivals=rivals)
        noise = float(rounded(np.array(found.noise_variance * self.unit)))
        return replace(found, noise_variance=noise, rivals=rivals)
