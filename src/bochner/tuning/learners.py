"""Length scales learned from the targets of a row source: the evidence of ridge, the held-out log loss of a classifier.

A learner draws a random subsample of the rows and hands it to `tune` or `tune_classifier`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.data import RowSource
from bochner.kernels import Stationary
from bochner.tuning.automatic import SETTLED, tune_automatically
from bochner.tuning.classifier import FEWEST_ROWS, tune_classifier
from bochner.tuning.columns import Columns
from bochner.tuning.easy import EASY_ROWS, tune_easily
from bochner.tuning.metric import MomentMetric
from bochner.tuning.result import Tuning
from bochner.tuning.sample import Targets, TuningSample, subsample
from bochner.tuning.search import TUNING_ROWS, tune

__all__ = ["ClassifierScales", "RidgeScales", "ScaleLearner", "ScaleSearch", "spread_of"]

_SHARE_OF_BUDGET = 0.125  # of memory, for the rows that a classifier's scales are learned from
_COPIES = 4  # of those rows, in float64
_SHARE_OF_AUTOMATIC, _COPIES_OF_AUTOMATIC = 0.5, 8  # in units of deviations and of ranges, by all threads
_FEWEST_AUTOMATIC = 64
_RARE = 0.03  # share of all other classes, below which one of them is rare
_RARE_SHARE, _FEWEST_USUAL = 0.05, 400  # of the rows that scales are then learned from; rows in all, at least
_MANY_ROWS = 10_000  # of classes: the last thousandths of an error are not worth half of a search


@dataclass(frozen=True)
class ScaleSearch:
    """Candidate kernels, and the size of the fit that their scales are for.

    Attributes
    ----------
    kernels : list of Stationary
        One, or more to choose the best of.
    per_feature : bool or None
        One scale per feature (ARD), or one for all; None: whatever rows that were not used say (`tune_automatically`).
    seed, width : int
        Of the final fit.
    warps : bool
        Whether rank-warped columns may be chosen, where `per_feature` is None.
    metric : bool
        Whether only metrics may be, where `per_feature` is None.
    rivals : bool
        Whether simpler kernels that come close are told (`Tuning.rivals`), where `per_feature` is None.
    """

    kernels: list[Stationary]
    per_feature: bool | None
    seed: int
    width: int
    warps: bool = True
    metric: bool = False
    rivals: bool = False

    def setting(self, rows: RowSource) -> dict[str, Any]:
        """Arguments of all ways to tune."""
        shared = {"kernels": self.kernels, "seed": self.seed, "width": self.width, "n_samples": rows.n_rows}
        chosen = {"warps": self.warps, "metric": self.metric, "rivals": self.rivals}
        return shared | (chosen if self.per_feature is None else {"per_feature": self.per_feature})

    def in_spreads(self, tune: Callable[..., Tuning], weight: Array | None) -> Callable[..., Tuning]:
        """A way to tune on columns in units of their spreads if one scale is for all: units do not matter then."""
        if self.per_feature:  # they start from the spreads by themselves
            return tune

        def tuned(X: Rows, Y: Array, **settings: Any) -> Tuning:
            columns = Columns.plain(dense(X, float), weight)
            return tune(columns.X, Y, **settings).in_units(columns.unit)

        return tuned

    @property
    def required(self) -> bool:
        """Whether the median distance is no substitute: scales per feature, or a kernel to choose."""
        return bool(self.per_feature) or len(self.kernels) > 1


class ScaleLearner(ABC):
    """Learns kernels and length scales from rows and targets."""

    @abstractmethod
    def learn(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning | None:
        """The best kernel with its scales; None: there are too few rows to learn from, and the median will do."""

    def learn_easily(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning | None:
        """A kernel with its scales by a short search, where that is known to do; None: it is not, as of regressions."""
        return None


@dataclass(frozen=True)
class RidgeScales(ScaleLearner):
    """Scales of the largest evidence of ridge regression.

    Attributes
    ----------
    penalty : float or None
        The penalty of the final fit, if it is given: the scales are then the best ones for it.
    exact : bool
        Whether the evidence is that of the kernel itself, for Nystroem features.
    fewest_rows : int
        Below so many rows the median distance will do, where it can.
    """

    penalty: float | None
    exact: bool = False
    fewest_rows: int = 0

    @classmethod
    def for_alpha(cls, alpha: float | str, *, exact: bool = False) -> Self:
        """For an estimator's `alpha`: a positive number is a penalty; 0 and rules to choose it are not."""
        return cls(None if isinstance(alpha, str) or alpha == 0 else float(alpha), exact)

    def learn(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning | None:
        present = rows.n_rows if targets[1] is None else np.count_nonzero(targets[1])
        if present < self.fewest_rows and not search.required:
            return None
        if search.metric and not self.exact:
            return self._metric(rows, targets, search)
        automatic = search.per_feature is None
        sample = TuningSample.drawn(
            rows, targets, _automatic_rows(rows.n_features) if automatic else TUNING_ROWS, search.seed
        )
        if automatic:  # every target counts the same
            way = partial(tune_automatically, sample.X, sample.Y / spread_of(sample.Y, sample.weight))
        else:
            sample = sample.shuffled(search.seed)
            way = partial(search.in_spreads(tune, sample.weight), sample.X, sample.Y, exact=self.exact)
        return sample.tuned(partial(way, **search.setting(rows)), self.penalty)

    def _metric(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning:
        """A metric from the moments of all rows."""
        X, Y, weight = subsample(rows, targets, TUNING_ROWS, search.seed)
        sample, size = (X, Y / spread_of(Y, weight), weight), (search.seed, search.width, self.penalty)
        return MomentMetric(rows, sample, search.kernels, *size).tuning()


@dataclass(frozen=True)
class ClassifierScales(ScaleLearner):
    """Scales of the smallest held-out log loss.

    Attributes
    ----------
    alpha : float or str
        The penalty of the final fit; a text: it is not known yet, and learned with the scales.
    """

    alpha: float | str

    def learn(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning | None:
        if search.per_feature is None:
            return self._automatic(rows, targets, search)
        labels, weight = targets
        total = float(len(labels) if weight is None else weight.sum())
        affordable = _affordable_rows(rows.n_features, _SHARE_OF_BUDGET, _COPIES)
        available = min(affordable, len(labels) if weight is None else np.count_nonzero(weight))
        if available < FEWEST_ROWS and not search.required:
            return None
        size = int(np.clip(affordable, FEWEST_ROWS, 2 * TUNING_ROWS))  # half of them to choose among what others found
        X, labels, weight = subsample(rows, targets, size, search.seed)
        return search.in_spreads(tune_classifier, weight)(
            X,
            labels,
            sample_weight=weight,
            **search.setting(rows),
            penalty=None if isinstance(self.alpha, str) else float(self.alpha) / total,
        )

    def learn_easily(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning | None:
        size = min(EASY_ROWS, _automatic_rows(rows.n_features))
        sample = _indicator_sample(rows, targets, size, search.seed)
        found = tune_easily(sample.X, sample.Y, sample.weight, search.kernels, seed=search.seed, warps=search.warps)
        return None if found is None else sample.in_given_unit(found)

    def _automatic(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning:
        """Least squares on the indicators of the classes."""
        sample = _indicator_sample(rows, targets, _automatic_rows(rows.n_features), search.seed)
        setting = search.setting(rows) | {"settled": SETTLED if rows.n_rows > _MANY_ROWS else 0.0}
        return sample.tuned(partial(tune_automatically, sample.X, sample.Y, **setting), None)


def _indicator_sample(rows: RowSource, targets: Targets, size: int, seed: int) -> TuningSample:
    """Some rows with the indicators of their classes, or of the second of two."""
    labels, weight = targets
    indicators = (labels[:, None] == np.unique(labels)).astype(float)
    indicators = indicators[:, 1:] if indicators.shape[1] == 2 else indicators
    some = _with_rare_rows(labels, weight, size, seed)
    if some is None:
        return TuningSample.drawn(rows, (indicators, weight), size, seed)
    return TuningSample(rows.take(some), indicators[some], None)


def _with_rare_rows(labels: Array, weight: Array | None, size: int, seed: int) -> Array | None:
    """Rows of which a twentieth are not of the class that nearly all are of; None where there is no such class.

    A sample by chance has a handful of them, from which no scale can be learned. What is learned then are scales at
    which the classes are told apart; their frequencies, and weights, are the fit's.
    """
    present = np.arange(len(labels)) if weight is None else np.flatnonzero(weight)
    largest = np.bincount(labels[present]).argmax()
    rare, usual = present[labels[present] != largest], present[labels[present] == largest]
    if len(rare) >= _RARE * len(present) or len(rare) == 0:
        return None
    rng = generator(seed, Purpose.TUNING_ROWS)
    rare = rng.permutation(rare)[: max(1, int(_RARE_SHARE * size))]
    n_usual = int(np.clip(len(rare) / _RARE_SHARE, _FEWEST_USUAL, size)) - len(rare)
    found: Array = rng.permutation(np.concatenate([rare, rng.permutation(usual)[:n_usual]]))
    return found


def _automatic_rows(n_features: int) -> int:
    """Rows of an automatic search: fewer than 4,000 where that many wide ones would not fit in memory."""
    affordable = _affordable_rows(n_features, _SHARE_OF_AUTOMATIC, _COPIES_OF_AUTOMATIC)
    return int(np.clip(affordable, _FEWEST_AUTOMATIC, TUNING_ROWS))


def _affordable_rows(n_features: int, share: float, copies: int) -> int:
    """Rows of which so many copies in float64 take a share of the memory budget."""
    return int(share * get_config().memory_budget() / (copies * 8 * max(n_features, 1)))


def spread_of(Y: Array, weight: Array | None) -> Array:
    """Standard deviations (t,) of targets, 1 for constant ones."""
    centred = Y - np.average(Y, axis=0, weights=weight)
    spread = np.sqrt(np.average(centred**2, axis=0, weights=weight))
    return np.where((spread > 0) & np.isfinite(spread), spread, 1.0)
