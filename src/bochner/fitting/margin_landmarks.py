"""Landmarks at small margins: what support vectors are to an SVM, for classes that few landmarks nearly tell apart.

Leave-one-out scores f_-i(x_i) of a least-squares classifier give every row its margin, the score of its class less the
largest other one. Rows of small margin are where the boundary is, and few: as landmarks they resolve it, where pivots
spread over all rows spend themselves on classes that are told apart already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bochner._typing import Array, Rows
from bochner.data import ArrayRows, RowSource
from bochner.fitting.features import DrawnFeatures
from bochner.fitting.left_out import LeftOut
from bochner.fitting.ridge_model import FittedRidge

__all__ = ["FEW_ROWS", "MARGIN_LANDMARKS", "MARGIN_ROWS", "SMALLEST_FALL", "START", "Counted", "with_hard_rows"]

EASY = 1e-3
"""Share of mistakes at which 256 landmarks are enough: no machine can gain more than them."""

COSTLIER = 1.5
"""Times as many mistakes are enough at every doubling, which costs four times the last fit."""

PROMISING = 3e-3
"""Share of mistakes up to which a few landmarks are enough, once more at small margins do not help."""

START = 1e-2
"""Share of mistakes of the first landmarks up to which more at small margins are tried."""

OF_MAJORITY = 0.02
"""Of the mistakes of predicting the most frequent class: few mistakes are no feat where the other classes are rare."""

SMALLEST_FALL = 0.25
"""Of the mistakes, that a step must take away for another one."""

MARGIN_LANDMARKS = (256, 512, 1024, 2048)
"""Landmarks in all, at most: the first of them pivots, the others at small margins."""

MARGIN_ROWS = 20_000
"""Rows that are left out, one by one: a thousandth of them can be counted."""

FEW_ROWS = 50_000
"""Rows that few landmarks are searched for on, after a short search of scales; they are fitted to all."""


@dataclass(frozen=True)
class Counted:
    """A fit, its features, and what it predicts for rows that were left out."""

    drawn: DrawnFeatures
    fit: FittedRidge
    left_out: LeftOut

    @cached_property
    def share(self) -> float:
        """Weighted share of mistakes."""
        return float(np.average(self.left_out.mistakes(), weights=self.left_out.weight))

    @cached_property
    def of_majority(self) -> float:
        """The mistakes over those of predicting the most frequent class; infinite if there is one class."""
        of_classes = np.average(self.left_out.targets > 0, axis=0, weights=self.left_out.weight)
        largest = float(np.max(of_classes if len(of_classes) > 1 else [of_classes[0], 1 - of_classes[0]]))
        return self.share / (1 - largest) if largest < 1 else np.inf

    @property
    def is_promising(self) -> bool:
        return self.share <= PROMISING and self.of_majority <= OF_MAJORITY

    def is_enough(self, width: int) -> bool:
        """Whether there are so few mistakes that so many landmarks in all are not worth their cost."""
        limit = EASY * COSTLIER ** np.log2(width / MARGIN_LANDMARKS[1])
        return self.share <= limit and self.of_majority <= OF_MAJORITY


def with_hard_rows(drawn: DrawnFeatures, rows: RowSource, left_out: LeftOut, n_more: int, seed: int) -> DrawnFeatures:
    """The landmarks and so many rows of least margin beside them, each once."""
    sample = ArrayRows.sampled(rows, MARGIN_ROWS, seed)
    hardest = np.array(list(_distinct(sample.X, np.argsort(left_out.margins(), kind="stable"), n_more)), dtype=np.intp)
    fitted = drawn.transformer.with_landmarks_at(sample.X[hardest], sample.X)
    return DrawnFeatures(fitted, fitted.map_)


def _distinct(X: Rows, order: Array, most: int) -> Iterator[int]:
    """Numbers of the first rows in an order that differ from those before them."""
    seen: set[bytes] = set()
    for i in order:
        key = np.ascontiguousarray(X[i]).tobytes()
        if key not in seen:
            seen.add(key)
            yield int(i)
        if len(seen) == most:
            return
