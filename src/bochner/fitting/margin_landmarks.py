"""Landmarks at small margins: what support vectors are to an SVM, for classes that few landmarks nearly tell apart.

Leave-one-out scores f_-i(x_i) of a least-squares classifier give every row its margin, the score of its class less the
largest other one. Rows of small margin are where the boundary is, and few: as landmarks they resolve it, where pivots
spread over all rows spend themselves on classes that are told apart already.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from bochner._typing import Rows
from bochner.data import ArrayRows, RowSource
from bochner.fitting.features import DrawnFeatures
from bochner.fitting.left_out import LeftOut

__all__ = ["EASY", "MARGIN_LANDMARKS", "MARGIN_ROWS", "share_of_mistakes", "with_hard_rows", "worth_a_step"]

EASY = 1e-3
"""Share of mistakes at which the search is over: no machine can gain more than them."""

MARGIN_LANDMARKS = (256, 512, 1024)
"""Landmarks in all: the first of them pivots, the others at small margins."""

MARGIN_ROWS = 20_000
"""Rows that are left out, one by one: a thousandth of them can be counted."""

_PROMISING = 10 * EASY  # shares of mistakes from which two steps come down to EASY: fivefold on shuttle
_FALL = 0.25  # of the mistakes, that a step must take away for another one


def share_of_mistakes(left_out: LeftOut) -> float:
    """Weighted share of rows whose class is not the one of the largest score."""
    return float(np.average(left_out.mistakes(), weights=left_out.weight))


def worth_a_step(shares: list[float]) -> bool:
    """Whether more landmarks at small margins may end with next to no mistakes, by the shares of mistakes so far."""
    if EASY < shares[-1] <= _PROMISING:
        return all(after <= (1 - _FALL) * before for before, after in pairwise(shares))
    return False


def with_hard_rows(drawn: DrawnFeatures, rows: RowSource, left_out: LeftOut, n_more: int, seed: int) -> DrawnFeatures:
    """The landmarks and so many rows of least margin beside them, each once."""
    sample = ArrayRows.sampled(rows, MARGIN_ROWS, seed)
    hardest = np.array(list(_distinct(sample.X, np.argsort(left_out.margins(), kind="stable"), n_more)), dtype=np.intp)
    fitted = drawn.transformer.with_landmarks_at(sample.X[hardest], sample.X)
    return DrawnFeatures(fitted, fitted.map_)


def _distinct(X: Rows, order: np.ndarray, most: int) -> Iterator[int]:
    """Numbers of the first rows in an order that differ from those before them."""
    seen: set[bytes] = set()
    for i in order:
        key = np.ascontiguousarray(X[i]).tobytes()
        if key not in seen:
            seen.add(key)
            yield int(i)
        if len(seen) == most:
            return
