"""Exact kernel classifiers: the penalty from a sample of rows, then Newton's method with kernel tiles on all of them.

The model is linear in kernel values against all rows, as exact kernel ridge is: files have the rows and n numbers for
each column of scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import ArrayRows, RowSource, sampled_index
from bochner.errors import AssumptionError
from bochner.features.nystroem import KernelMap
from bochner.fitting.exact_iterative import landmark_numbers_among
from bochner.fitting.exact_problem import rows_of_exact
from bochner.fitting.features import DrawnFeatures
from bochner.kernels import Stationary
from bochner.memory import MemoryBill, fits, require_memory
from bochner.planning import PILOT_ROWS, require_time
from bochner.solvers import (
    Hinge,
    KernelBudget,
    KernelLogistic,
    KernelLoss,
    KernelNewton,
    KernelSquaredHinge,
    LandmarkFeatures,
    LinearSolution,
    Logistic,
    Progress,
    float32_penalty,
    inverse_temperature,
    kernel_budget,
    signs_of,
)
from bochner.statistics.kernel_product import KernelProduct
from bochner.tuning import Tuning

if TYPE_CHECKING:
    from bochner.fitting.classifier import ClassifierSettings, Labels

__all__ = ["KERNEL_LOSSES", "KernelClassification", "pilot_of"]

KERNEL_LOSSES = ("logistic", "squared_hinge")
"""Losses of exact classifiers of any number of rows: those with a curvature."""

_MOST_LANDMARKS = 2048  # of the preconditioner: its factors are made anew in every step
_ALL_LANDMARKS = 4  # columns up to which the preconditioner has all of its landmarks: it has a factor for each column
_FEWEST = 64
_COPIES = 3  # of the vectors of exact kernel ridge
_LEFT_OUT_ROWS, _LEFT_OUT_SHARE = 2000, 5
_REMEDY = "Use features='nystroem', or raise the budget with bochner.set_config(memory=...)."


def pilot_of(rows: RowSource, labels: Labels, settings: ClassifierSettings) -> tuple[ArrayRows, Labels, Array]:
    """The rows that a penalty is chosen on: 3,000 of positive weight, with their labels and numbers."""
    some = sampled_index(rows.n_rows, labels.weight, PILOT_ROWS, settings.features.seed)
    known = rows_of_exact(rows)
    few = replace(known, X=known.X[some], Y=known.Y[some], sample_weight=None)
    return few, replace(labels, labels=labels.labels[some], weight=labels.weight[some]), some


@dataclass(frozen=True, eq=False)
class KernelClassification:
    """Labelled rows of positive weight under the exact kernel.

    Attributes
    ----------
    drawn : DrawnFeatures
        Kernel values against the rows.
    labels : Labels
        Of the rows.
    loss : str
    intercept : bool
    product : KernelProduct
        In float64.
    working : KernelProduct
        In float32, of the iterations, with tiles that are kept.
    n_landmarks : int
        Of the preconditioner.
    keep : bool
        Whether their features are kept.
    seed : int
    """

    drawn: DrawnFeatures
    labels: Labels
    loss: str
    intercept: bool
    product: KernelProduct
    working: KernelProduct
    n_landmarks: int
    keep: bool
    seed: int

    @classmethod
    def of(
        cls,
        rows: RowSource,
        labels: Labels,
        kernel: Stationary | None,
        tuning: Tuning | None,
        settings: ClassifierSettings,
    ) -> KernelClassification:
        """The problem of rows in memory, after the memory bill is checked."""
        known, present, seed = rows_of_exact(rows), np.flatnonzero(labels.weight), settings.features.seed
        columns = 1 if labels.n_classes == 2 else labels.n_classes
        n_landmarks, budget = _affordable(len(present), rows.n_features, columns)
        require_time(len(present), rows.n_features, iterative=True, kept=budget.room > 0)
        some = replace(known, X=known.X[present], Y=known.Y[present], sample_weight=None)
        drawn = settings.features.draw_exact(kernel, some, tuning)
        values = drawn.map.kernel_values
        assert values is not None
        kept = replace(labels, labels=labels.labels[present].astype(np.intp), weight=labels.weight[present])
        product = _product(values)
        working = replace(product, precision=np.dtype(np.float32), room=budget.room, _counter=[0])
        models = settings.loss, settings.fit_intercept
        return cls(drawn, kept, *models, product, working, n_landmarks, budget.keep, seed)

    def fitted(self, alpha: float, settings: ClassifierSettings, progress: Progress) -> tuple[LinearSolution, float]:
        """The solution, and the temperature of its scores: 1, unless a hinge loss is to have probabilities."""
        features = self._features(alpha)
        solution = self._solved(self.labels.weight, features, alpha, settings, progress.within("solution"))
        if self.loss == "logistic" or not settings.probability:
            return solution, 1.0
        return solution, self._temperature(features, alpha, settings, progress.within("calibration"))

    def _features(self, alpha: float) -> LandmarkFeatures:
        """Of the preconditioner: in float64 for a penalty that float32 does not see."""
        values = self.drawn.map.kernel_values
        assert values is not None
        small = float32_penalty(self.product, self.labels.weight) > alpha
        dtype = np.dtype(np.float64 if small else np.float32)
        landmarks = landmark_numbers_among(values, self.n_landmarks, self.seed)
        return LandmarkFeatures(self.product, landmarks, dtype, self.keep)

    def _temperature(
        self, features: LandmarkFeatures, alpha: float, settings: ClassifierSettings, progress: Progress
    ) -> float:
        """Temperature of the scores of rows by a second machine, which has not seen them."""
        n, weight = len(self.labels.labels), self.labels.weight
        size = min(_LEFT_OUT_ROWS, max(1, n // _LEFT_OUT_SHARE))
        left_out = generator(self.seed, Purpose.LEFT_OUT).choice(n, size=size, replace=False)
        fewer = weight.copy()
        fewer[left_out] = 0.0
        found = self._solved(fewer, features, alpha, settings, progress)
        scores = self.product.cross_times(self.product.X[left_out], found.coef) + found.intercept
        return inverse_temperature(scores, Logistic(self.labels.labels[left_out], weight[left_out]))

    def _solved(
        self,
        weight: Array,
        features: LandmarkFeatures,
        alpha: float,
        settings: ClassifierSettings,
        progress: Progress,
    ) -> LinearSolution:
        solver = KernelNewton(self.product, self.working, self._loss(weight), features, alpha)
        return solver.solve(tol=settings.tol, max_iter=settings.max_iter, progress=progress)

    def _loss(self, weight: Array) -> KernelLoss:
        labels, n_classes = self.labels.labels, self.labels.n_classes
        if self.loss == "logistic":
            columns = 1 if n_classes == 2 else n_classes
            return KernelLogistic(Logistic(labels, weight), columns, intercept=self.intercept)
        return KernelSquaredHinge(Hinge(signs_of(labels, n_classes), weight, squared=True), intercept=self.intercept)


def _product(values: KernelMap) -> KernelProduct:
    """Products in float64, with bounds on their rounding if the kernel has any."""
    try:
        return KernelProduct(values.kernel, values.points)
    except AssumptionError:
        return KernelProduct(values.kernel, values.points, precision=np.dtype(float))


def _affordable(n: int, d: int, columns: int) -> tuple[int, KernelBudget]:
    """Landmarks of the preconditioner, and what is kept; refused if not even few fit."""
    width, budget, bill = _billed(n, d, columns, tiles=True)
    if not fits(bill.total):
        width, budget, bill = _billed(n, d, columns, tiles=False)
    while width > _FEWEST and not fits(bill.total):
        width //= 2
        bill = _bill(budget.bill, width, columns)
    require_memory(bill, _REMEDY)
    return max(1, width), budget


def _billed(n: int, d: int, columns: int, *, tiles: bool) -> tuple[int, KernelBudget, MemoryBill]:
    """Landmarks, what is kept beside them, and the bill with a factor for every column."""
    budget = kernel_budget(n, d, _COPIES * columns, PILOT_ROWS, tiles=tiles)
    width = int(min(budget.n_landmarks, _MOST_LANDMARKS) / np.sqrt(max(1.0, columns / _ALL_LANDMARKS)))
    return width, budget, _bill(budget.bill, width, columns)


def _bill(ridge: MemoryBill, width: int, columns: int) -> MemoryBill:
    return MemoryBill(ridge.items | {"factors of the preconditioner": 8 * (columns + 3) * (width + 1) ** 2})
