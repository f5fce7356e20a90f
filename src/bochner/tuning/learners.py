"""Length scales learned from the targets of a row source: the evidence of ridge, the held-out log loss of a classifier.

A learner draws a random subsample of the rows and hands it to `tune` or `tune_classifier`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.config import get_config
from bochner.data import RowSource
from bochner.kernels import Stationary
from bochner.tuning.automatic import tune_automatically
from bochner.tuning.choice import COMPARED_ROWS
from bochner.tuning.classifier import FEWEST_ROWS, tune_classifier
from bochner.tuning.metric import MomentMetric
from bochner.tuning.result import Tuning
from bochner.tuning.search import TUNING_ROWS, tune

__all__ = ["ClassifierScales", "RidgeScales", "ScaleLearner", "ScaleSearch", "Targets", "spread_of", "subsample"]

Targets: TypeAlias = tuple[Array, Array | None]
"""Targets (n, t) and weights (n,) of all rows; of a classifier, labels (n,) 0 ... n_classes - 1."""

_SHARE_OF_BUDGET = 0.125  # of memory, for the rows that a classifier's scales are learned from
_COPIES = 4  # of those rows, in float64


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
    """

    kernels: list[Stationary]
    per_feature: bool | None
    seed: int
    width: int
    warps: bool = True
    metric: bool = False

    def setting(self, rows: RowSource) -> dict[str, Any]:
        """Arguments of all ways to tune."""
        shared = {"kernels": self.kernels, "seed": self.seed, "width": self.width, "n_samples": rows.n_rows}
        chosen = {"warps": self.warps, "metric": self.metric}
        return shared | (chosen if self.per_feature is None else {"per_feature": self.per_feature})

    @property
    def required(self) -> bool:
        """Whether the median distance is no substitute: scales per feature, or a kernel to choose."""
        return bool(self.per_feature) or len(self.kernels) > 1


class ScaleLearner(ABC):
    """Learns kernels and length scales from rows and targets."""

    @abstractmethod
    def learn(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning | None:
        """The best kernel with its scales; None: there are too few rows to learn from, and the median will do."""


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
        X, Y, weight = subsample(rows, targets, TUNING_ROWS, search.seed)
        if search.metric and not self.exact:
            sample, size = (X, Y / spread_of(Y, weight), weight), (search.seed, search.width, self.penalty)
            return MomentMetric(rows, sample, search.kernels, *size).tuning()
        common = {"sample_weight": weight, "penalty": self.penalty, **search.setting(rows)}
        if search.per_feature is None:
            return tune_automatically(X, Y / spread_of(Y, weight), **common)  # every target counts the same
        return tune(X, Y, **common, exact=self.exact)


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
        affordable = int(_SHARE_OF_BUDGET * get_config().memory_budget() / (_COPIES * 8 * rows.n_features))
        available = min(affordable, len(labels) if weight is None else np.count_nonzero(weight))
        if available < FEWEST_ROWS and not search.required:
            return None
        size = int(np.clip(affordable, FEWEST_ROWS, 2 * TUNING_ROWS))  # half of them to choose among what others found
        X, labels, weight = subsample(rows, targets, size, search.seed)
        return tune_classifier(
            X,
            labels,
            sample_weight=weight,
            **search.setting(rows),
            penalty=None if isinstance(self.alpha, str) else float(self.alpha) / total,
        )

    def _automatic(self, rows: RowSource, targets: Targets, search: ScaleSearch) -> Tuning:
        """Least squares on the indicators of the classes."""
        X, labels, weight = subsample(rows, targets, TUNING_ROWS, search.seed)
        indicators = (labels[:, None] == np.unique(labels)).astype(float)
        indicators = indicators[:, 1:] if indicators.shape[1] == 2 else indicators
        return tune_automatically(X, indicators, sample_weight=weight, **search.setting(rows))


def spread_of(Y: Array, weight: Array | None) -> Array:
    """Standard deviations (t,) of targets, 1 for constant ones."""
    centred = Y - np.average(Y, axis=0, weights=weight)
    spread = np.sqrt(np.average(centred**2, axis=0, weights=weight))
    return np.where((spread > 0) & np.isfinite(spread), spread, 1.0)


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
