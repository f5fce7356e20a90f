"""Width search: double the number of features until held-out rows see no gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.planning.width import default_width

__all__ = ["WIDTHS", "WidthCurve", "WidthSearch", "relative_gain"]

_FIRST, _LARGEST = 256, 8192
WIDTHS = (_LARGEST // _FIRST).bit_length()
"""How many widths a search can choose from."""

_WORK = 2**45  # products of a pass, n D^2: a quarter of an hour at some 40 billion a second
_QUANTILE = 0.99
_LARGE_GAIN = 0.2  # of the squared error, by one step


@dataclass(frozen=True)
class WidthCurve:
    """Held-out errors of the widths that were tried.

    Attributes
    ----------
    widths : array of int
    rmse : array
        Root mean squared error on the held-out rows, in standard deviations of the targets: predicting their mean
        has 1.
    against : array of int
        The width that each was compared with: the best one before it; 0 for the first.
    gain : array
        By how much the mean squared error is smaller than that of the width it was compared with, as a share of it;
        errors beyond the 99 % quantile count as that.
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

    @property
    def ended_early(self) -> bool:
        """Whether a limit of memory, time or number ended the search, and the last step had been a large gain."""
        limited = any(words in self.reason for words in ("memory budget", "too long", "the most that are tried"))
        return bool(limited and self.n_components == self.widths[-1] and self.gain[-1] > _LARGE_GAIN)


class WidthSearch:
    """Widths 256, 512, 1024, ... in turn; each is compared with the best one before it on the same held-out rows.

        gain = sum_i s_i (e_i - e*_i) / sum_i s_i e_i

    with e_i, e*_i the squared errors of a row at the best width so far and at the new one, and s_i its weight. A few
    rows far from all others can have errors that hide what happens to the rest, so those beyond the 99 % quantile of
    e count as that. A width is better if its gain is beyond noise and its plain mean squared error is not larger;
    otherwise the narrower one stays. Small gains add up, since the comparison is with the best one.

    Widths up to that of the rule (`default_width`) are all tried, as a pause there need not be the end; together they
    cost no more than a fit at the rule's width, and as they are fitted anyway, a gain of one standard error is enough.
    To go beyond the rule, and on from there, takes a clear gain every time: two standard errors and one percent.

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
        self._best, self._best_mean, self._best_errors = 0, np.inf, np.empty(0)
        self._clear = True
        self._steps: list[tuple[int, float, int, float, float]] = []

    @property
    def next_width(self) -> int:
        return 2 * self._steps[-1][0] if self._steps else _FIRST

    def is_better(self, errors: Array) -> bool:
        """Take the squared errors (m,) at the next width; True if it is the best one so far."""
        width, mean = self.next_width, float(np.average(errors, weights=self._weight))
        gain, std = relative_gain(self._best_errors, errors, self._weight) if self._steps else (np.nan, np.nan)
        not_worse, first = mean <= self._best_mean, not self._steps
        self._clear = first or (not_worse and gain > max(2 * std, 0.01))
        better = self._clear or (not_worse and gain > std and width <= self._rule)
        self._steps.append((width, float(np.sqrt(mean / self._n_targets)), self._best, gain, std))
        if better:
            self._best, self._best_mean, self._best_errors = width, mean, errors
        return better

    def is_over(self) -> str | None:
        """Reason to stop the search before the next width, or None."""
        widest, wider = self._steps[-1][0], self.next_width
        if wider > self._rule and not self._clear:
            before = self._steps[-1][2]
            return f"{widest:,} features are not clearly better than {before:,}: a gain within noise, or below 1 %."
        if wider > _LARGEST:
            return f"{_LARGEST:,} features are the most that are tried."
        if wider > self._n_rows / 2:
            return f"{wider:,} features would be more than half of the {self._n_rows:,} rows to fit."
        if wider > self._rule and self._n_rows * wider**2 > _WORK:
            return f"{wider:,} features would take too long for {self._n_rows:,} rows."
        return None

    def curve(self, reason: str) -> WidthCurve:
        """Widths that were tried with their errors, and why the search ended."""
        widths, rmse, against, gain, std = (np.array(column) for column in zip(*self._steps, strict=True))
        held_out = len(self._best_errors)
        return WidthCurve(widths, rmse, against, gain, std, self._best, held_out, reason)


def relative_gain(before: Array, after: Array, weight: Array | None, *, cut: bool = True) -> tuple[float, float]:
    """Weighted mean of the differences and its standard error, as shares of the mean of `before`.

    Errors beyond the 99 % quantile count as that, where large ones are `cut`.
    """
    share = np.full(len(before), 1 / len(before)) if weight is None else weight / np.sum(weight)
    limit = np.quantile(before, _QUANTILE, weights=share, method="inverted_cdf") if cut else np.inf
    before, after = np.minimum(before, limit), np.minimum(after, limit)
    size, difference = float(share @ before), before - after
    if size == 0:
        return 0.0, 0.0
    mean = float(share @ difference)
    return mean / size, float(np.sqrt(np.sum((share * (difference - mean)) ** 2))) / size
