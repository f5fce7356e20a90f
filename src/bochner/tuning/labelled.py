"""Labelled rows for tuning a classifier: some to fit, some held out to compare, some reserved for the choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.solvers import Logistic
from bochner.tuning.search import TUNING_ROWS

__all__ = ["LabelledRows", "LabelledSample", "held_out_rows"]


@dataclass(frozen=True)
class LabelledRows:
    """Rows with their classes, some of them held out.

    Attributes
    ----------
    X : array of shape (n, d)
        Its float type is that of the computation.
    labels : array of int of shape (n,)
        0 ... n_classes - 1.
    weight : array of shape (n,)
    held_out : array of bool of shape (n,)
    n_classes : int
    """

    X: Array
    labels: Array
    weight: Array
    held_out: Array
    n_classes: int

    @property
    def n_columns(self) -> int:
        return 1 if self.n_classes == 2 else self.n_classes

    def fitted_loss(self) -> Logistic:
        """Weighted sum over the rows that are fitted."""
        return Logistic(self.labels, np.where(self.held_out, 0.0, self.weight))

    def held_out_loss(self) -> Logistic:
        """Weighted mean over the rows that are held out."""
        weight = np.where(self.held_out, self.weight, 0.0)
        return Logistic(self.labels, weight / weight.sum())


def held_out_rows(labels: Array, seed: int) -> Array:
    """Which rows to hold out: a third of every class by chance, never its only row, so that all classes are fitted."""
    shuffled = generator(seed, Purpose.FOLDS).permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    sizes = np.bincount(labels)
    within_class = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    held_out = np.empty(len(labels), dtype=bool)
    held_out[by_class] = within_class % 3 == 1
    return held_out


@dataclass(frozen=True)
class LabelledSample:
    """Rows to learn scales from: those of positive weight in random order, centred.

    A fifth of them, and those beyond 4,000, are reserved: descents do not see them, the choice among what they found
    does.

    Attributes
    ----------
    X : array of shape (n, d)
    labels : array of int of shape (n,)
        0 ... n_classes - 1, of the classes that are there.
    weight : array of shape (n,)
    seed : int
        Of the rows that are held out.
    """

    X: Array
    labels: Array
    weight: Array
    seed: int

    @classmethod
    def of(cls, X: Rows, labels: Array, sample_weight: Array | None, seed: int) -> LabelledSample:
        weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        order = generator(seed, Purpose.ORDER).permutation(np.flatnonzero(weight))
        rows = dense(X[order])
        centred = rows - rows.mean(axis=0, dtype=float)  # a large mean costs digits in the sines
        return cls(centred, np.unique(labels[order], return_inverse=True)[1], weight[order], seed)

    @property
    def n_searched(self) -> int:
        return min(TUNING_ROWS, len(self.labels) - len(self.labels) // 5)

    def indicators(self) -> Array:
        """One column per class, or of the second of two."""
        indicators = (self.labels[:, None] == np.arange(self.labels.max() + 1)).astype(float)
        return indicators[:, 1:] if indicators.shape[1] == 2 else indicators

    def can_be_held_out(self, n: int) -> bool:
        """Whether the first n rows have two classes, and rows to hold out, and the reserved ones a class of those."""
        sizes = np.bincount(self.labels[: min(n, self.n_searched)], minlength=self.labels.max() + 1)
        reserved = self.labels[self.n_searched :]
        return bool(np.count_nonzero(sizes) > 1 and sizes.max() > 1 and sizes[reserved].any())

    def to_descend(self, n: int) -> LabelledRows:
        """The first rows, a third of them held out."""
        rows = np.arange(min(n, self.n_searched))
        return self._labelled(rows, held_out_rows(self.labels[rows], self.seed))

    def to_choose(self, n: int) -> LabelledRows:
        """The first rows, and the reserved ones held out, as far as they have classes of those."""
        fitted, reserved = np.arange(min(n, self.n_searched)), np.arange(self.n_searched, len(self.labels))
        known = reserved[np.isin(self.labels[reserved], self.labels[fitted])]
        return self._labelled(np.append(fitted, known), np.arange(len(fitted) + len(known)) >= len(fitted))

    def _labelled(self, rows: Array, held_out: Array) -> LabelledRows:
        classes, labels = np.unique(self.labels[rows], return_inverse=True)
        return LabelledRows(self.X[rows].astype(np.float32), labels, self.weight[rows], held_out, len(classes))
