"""Regression on features by other losses than squares: what a loss has to say, and the problem of one target.

    minimise over w, w_0:   sum_i s_i loss(y_i, w.z_i + w_0) + alpha/2 ||w||^2

A loss is a value, one class a file: it brings the targets into units in which it is solved, has the solver, and takes
the solution back to the units of the user.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import RowSource
from bochner.solvers.dual import DualAscent
from bochner.solvers.linear import LinearSolution
from bochner.solvers.linear_problem import Fold, LinearProblem
from bochner.solvers.newton import NewtonSolver
from bochner.statistics.feature_stream import FeatureStream

__all__ = ["RegressionLoss", "RegressionProblem", "TargetUnits", "robust_units"]

_NORMAL_RANGE = 1.349  # interquartile range of the standard normal law
_LIMIT = 4.0  # spreads from the median at which targets are cut off before length scales are learned from them
_TIED = 0.1  # of the distinct rows whose inputs others have, too: these are no copies
_FEW = 4_000_000  # numbers of a table whose equal rows share a fold


@dataclass(frozen=True)
class TargetUnits:
    """Location and scale of targets: they are solved for as (y - location) / scale."""

    location: float = 0.0
    scale: float = 1.0


class RegressionLoss(ABC):
    """A loss of regression. Subclasses are frozen dataclasses of its parameters."""

    holds_shares: bool = False
    """Whether a given share of targets is to lie below the scores."""

    @property
    def n_columns(self) -> int:
        """Columns of the scores."""
        return 1

    def problem_with(self, y: Array, weight: Array) -> str | None:
        """What is wrong with targets of positive weight, if anything is."""
        return None

    @abstractmethod
    def units(self, y: Array, weight: Array, *, fit_intercept: bool) -> TargetUnits:
        """Units in which the targets are solved for."""

    def scaled(self, y: Array, units: TargetUnits) -> Array:
        """Targets in their units."""
        return (y - units.location) / units.scale

    def scaled_weight(self, weight: Array, units: TargetUnits) -> Array:
        """Row weights beside targets in these units; all penalties mean what they mean for those of the user."""
        return weight

    def restored(self, solution: LinearSolution, units: TargetUnits) -> LinearSolution:
        """The solution for targets in the units of the user."""
        return replace(
            solution, coef=solution.coef * units.scale, intercept=solution.intercept * units.scale + units.location
        )

    @abstractmethod
    def solver(
        self, stream: FeatureStream, y: Array, weight: Array, *, fit_intercept: bool, seed: int
    ) -> NewtonSolver | DualAscent:
        """The solver for targets in their units."""

    @abstractmethod
    def losses(self, y: Array, scores: Array) -> Array:
        """Losses of rows (m,), not weighted, by which models are compared."""

    @abstractmethod
    def constant(self, y: Array, weight: Array) -> Array:
        """Scores (t,) of the best constant prediction."""

    def shift(self, y: Array, scores: Array, weight: Array) -> Array:
        """What to add (t,) to scores (n, t) for the share of targets below them to be right, if it `holds_shares`."""
        return np.zeros(self.n_columns)

    def for_squares(self, y: Array) -> Array:
        """Targets in their units as least squares can learn length scales from them: no far outliers."""
        return np.clip(y, -_LIMIT, _LIMIT)

    def weight_for_squares(self, weight: Array) -> Array:
        """Weights for that; as they are, if they count copies of rows."""
        return weight

    def predictions(self, scores: Array) -> Array:
        """Predictions from scores in the units of the user, shape (n, t)."""
        return scores


def robust_units(y: Array, weight: Array, *, fit_intercept: bool) -> TargetUnits:
    """Median, and interquartile range over that of the normal law; the mean deviation where that is 0; 1 where both."""
    low, median, high = np.quantile(y, [0.25, 0.5, 0.75], weights=weight, method="inverted_cdf")
    if not fit_intercept:
        median, scale = 0.0, float(np.average(np.abs(y), weights=weight))
    else:
        scale = float(high - low) / _NORMAL_RANGE or float(np.average(np.abs(y - median), weights=weight))
    return TargetUnits(float(median), scale if scale > 0 else 1.0)


@dataclass(frozen=True)
class RegressionProblem(LinearProblem):
    """Weighted features, targets in their units and a loss.

    Attributes
    ----------
    stream : FeatureStream
    targets : array of shape (n,)
    weight : array of shape (n,)
    loss : RegressionLoss
    fit_intercept : bool
    seed : int
    """

    stream: FeatureStream
    targets: Array
    weight: Array
    loss: RegressionLoss
    fit_intercept: bool
    seed: int

    @property
    def split_targets(self) -> Array:
        return self.targets

    @property
    def n_columns(self) -> int:
        return self.loss.n_columns

    def solver(self, weight: Array) -> NewtonSolver | DualAscent:
        return self.loss.solver(self.stream, self.targets, weight, fit_intercept=self.fit_intercept, seed=self.seed)

    def folds(self, n_folds: int) -> list[Fold]:
        """Rows to fit and rows held out, at random. Equal rows of a small table are in one fold.

        A weight of 2 is then a row given twice, and one of 0 a row that is not there. Not where equal inputs have
        different targets, as in tables of few values: all rows of one target would be left out together.
        """
        group = _groups(self.stream.rows, self.targets, self.weight)
        order = generator(self.seed, Purpose.FOLDS).permutation(int(group.max(initial=0)) + 1)
        fold = order[group] % n_folds
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]

    def held_out_losses(self, scores: Array, rows: Array) -> Array:
        return self.loss.losses(self.targets[rows], scores)


def _groups(rows: RowSource, targets: Array, weight: Array) -> Array:
    """Numbers of the rows, the same for equal ones of positive weight in a small table in memory."""
    known = rows.arrays
    if known is None or known.n_rows * known.n_features > _FEW:
        return np.arange(rows.n_rows)
    present, group = np.flatnonzero(weight), np.zeros(len(weight), dtype=np.intp)
    table = np.column_stack([dense(known.X[present], float), targets[present]])
    distinct, own = np.unique(table, axis=0, return_inverse=True)
    group[present] = own.reshape(-1)
    several = len(distinct) - len(np.unique(distinct[:, :-1], axis=0))
    return np.arange(rows.n_rows) if several > _TIED * len(distinct) else group
