"""How many features when the data can say: twice as many, until rows that were held out see no gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.planning.width import default_width

__all__ = ["WidthCurve", "WidthSearch"]

_FIRST, _LARGEST = 256, 8192
_WORK = 2**45  # products of a pass, n D^2: a quarter of an hour at some 40 billion a second
_STANDARD_ERRORS, _WORTH = 2.0, 0.01


@dataclass(frozen=True)
class WidthCurve:
    """The widths that were tried, and what held-out rows said of them.

    Attributes
    ----------
    widths : array of int
    rmse : array
        Root mean squared error on the held-out rows, in standard deviations of the targets: predicting their mean
        has 1.
    against : array of int
        The width that each was compared with: the best one before it; 0 for the first.
    gain : array
        By how much the mean squared error is smaller than that of the width it was compared with, as a share of it.
    gain_std : array
        Standard error of the gain, from the differences of the two errors of every row.
    n_components : int
        The width that was chosen.
    n_held_out : int
    reason : str
        Why there is no wider one.
    """

    widths: Array
    rmse: Array
    against: Array
    gain: Array
    gain_std: Array
    n_components: int
    n_held_out: int
    reason: str


class WidthSearch:
    """Widths 256, 512, 1024, ... in turn; each is compared with the best one before it on the same held-out rows.

        gain = sum_i s_i (e_i - e*_i) / sum_i s_i e_i

    with e_i, e*_i the squared errors of a row at the best width so far and at the new one, and s_i its weight. A width
    is better if its gain is above two standard errors and above one percent; otherwise the narrower one stays. Small
    gains add up, since the comparison is with the best one. The search is over after one width without gain, and after
    two of them below the width of the rule (`default_width`): a pause there is no end yet, and costs less than the
    rule's own fit.

    Parameters
    ----------
    n_rows : int
        Rows to fit.
    sample_weight : array of shape (m,) or None
        Of the held-out rows.
    n_targets : int
    """

    def __init__(self, n_rows: int, sample_weight: Array | None = None, n_targets: int = 1) -> None:
        self._n_rows, self._n_targets, self._rule = n_rows, n_targets, default_width(n_rows)
        self._weight = sample_weight
        self._best = 0
        self._best_errors = np.empty(0)
        self._idle = 0
        self._steps: list[tuple[int, float, int, float, float]] = []

    @property
    def next_width(self) -> int:
        return 2 * self._steps[-1][0] if self._steps else _FIRST

    def is_better(self, errors: Array) -> bool:
        """Take the squared errors (m,) at the next width; True if it is the best one so far."""
        width, rmse = self.next_width, float(np.sqrt(np.average(errors, weights=self._weight) / self._n_targets))
        gain, std = _gain(self._best_errors, errors, self._weight) if self._steps else (np.nan, np.nan)
        better = not self._steps or gain > max(_STANDARD_ERRORS * std, _WORTH)
        self._steps.append((width, rmse, self._best, gain, std))
        self._idle = 0 if better else self._idle + 1
        if better:
            self._best, self._best_errors = width, errors
        return better

    def is_over(self) -> str | None:
        """Why the next width is not worth its price, if so."""
        widest, wider = self._steps[-1][0], self.next_width
        if self._idle >= (1 if widest >= self._rule else 2):
            return f"{widest:,} features are no better than {self._best:,}: the gain is within noise or below 1 %."
        if wider > _LARGEST:
            return f"{_LARGEST:,} features are the most that are tried."
        if wider > self._n_rows / 2:
            return f"{wider:,} features would be more than half of the {self._n_rows:,} rows to fit."
        if wider > self._rule and self._n_rows * wider**2 > _WORK:
            return f"{wider:,} features would take too long for {self._n_rows:,} rows."
        return None

    def curve(self, reason: str) -> WidthCurve:
        """What was tried, and how it ended."""
        widths, rmse, against, gain, std = (np.array(column) for column in zip(*self._steps, strict=True))
        held_out = len(self._best_errors)
        return WidthCurve(widths, rmse, against, gain, std, self._best, held_out, reason)


def _gain(before: Array, after: Array, weight: Array | None) -> tuple[float, float]:
    """Weighted mean of the differences and its standard error, as shares of the mean of `before`."""
    share = np.full(len(before), 1 / len(before)) if weight is None else weight / np.sum(weight)
    size, difference = float(share @ before), before - after
    if size == 0:
        return 0.0, 0.0
    mean = float(share @ difference)
    return mean / size, float(np.sqrt(np.sum((share * (difference - mean)) ** 2))) / size
