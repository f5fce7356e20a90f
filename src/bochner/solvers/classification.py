"""Linear classification on features for any loss: labels, folds, held-out losses, bill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType
from bochner.config import get_config
from bochner.features import FeatureMap
from bochner.memory import MemoryBill
from bochner.solvers.active_set import ActiveSetAscent
from bochner.solvers.dual import DualAscent
from bochner.solvers.linear_problem import Fold, LinearProblem, linear_bill
from bochner.solvers.losses import Hinge, Logistic
from bochner.solvers.newton import NewtonSolver
from bochner.statistics.feature_stream import FeatureStream

__all__ = ["ClassificationProblem", "classifier_bill", "signs_of"]


@dataclass(frozen=True)
class ClassificationProblem(LinearProblem):
    """Labelled, weighted features and a loss.

    Attributes
    ----------
    stream : FeatureStream
    labels : array of int of shape (n,)
        0 ... n_classes - 1.
    weight : array of shape (n,)
    n_classes : int
    loss : {"logistic", "hinge", "squared_hinge"}
    fit_intercept : bool
    seed : int
    """

    stream: FeatureStream
    labels: Array
    weight: Array
    n_classes: int
    loss: str
    fit_intercept: bool
    seed: int

    has_classes: ClassVar[bool] = True

    @property
    def split_targets(self) -> Array:
        return self.labels

    @property
    def n_columns(self) -> int:
        return 1 if self.n_classes == 2 else self.n_classes

    def signs(self) -> Array:
        return signs_of(self.labels, self.n_classes)

    def newton(self, weight: Array) -> NewtonSolver:
        loss = Logistic(self.labels, weight)
        return NewtonSolver(self.stream, loss, self.n_columns, fit_intercept=self.fit_intercept, seed=self.seed)

    def solver(self, weight: Array) -> NewtonSolver | DualAscent:
        if self.loss == "logistic":
            return self.newton(weight)
        squared = self.loss == "squared_hinge"
        loss, ascent = Hinge(self.signs(), weight, squared=squared), ActiveSetAscent if squared else DualAscent
        return ascent(self.stream, loss, fit_intercept=self.fit_intercept, seed=self.seed)

    def folds(self, n_folds: int) -> list[Fold]:
        """Rows to fit and rows held out, every class spread evenly over the folds."""
        shuffled = generator(self.seed, Purpose.FOLDS).permutation(len(self.labels))
        by_class = shuffled[np.argsort(self.labels[shuffled], kind="stable")]
        fold = np.empty(len(self.labels), dtype=np.intp)
        fold[by_class] = np.arange(len(by_class)) % n_folds
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]

    def held_out_losses(self, scores: Array, rows: Array) -> Array:
        """Of some rows, not weighted: log loss for the logistic loss, mistakes for the others."""
        labels = self.labels[rows]
        full = np.hstack([np.zeros_like(scores), scores]) if self.n_classes == 2 else scores
        if self.loss == "logistic":
            losses: Array = logsumexp(full, axis=1) - full[np.arange(len(labels)), labels]
            return losses
        return np.argmax(full, axis=1) != labels


def signs_of(labels: Array, n_classes: int) -> Array:
    """+1 where a row has the class of the column, else -1; one column, of the second class, if there are two."""
    classes = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    return np.where(labels[:, None] == classes, 1.0, -1.0)


def classifier_bill(
    feature_map: FeatureMap, *, n_rows: int, n_classes: int, dtype: FloatType, curvature: bool = False
) -> MemoryBill:
    """The bill of a classifier: features of all rows if they are kept, a pilot of rows and its equations, scores.

    `curvature` adds what `partial_fit` keeps for the rows to come: a matrix, one for each thread that sums it, and two
    copies of the one before in the equations.
    """
    columns = 1 if n_classes == 2 else n_classes
    bill = linear_bill(feature_map, n_rows=n_rows, n_columns=columns, dtype=dtype, scores="scores of the classes")
    if not curvature:
        return bill
    of_rows = 8 * (feature_map.n_components + 1) ** 2 * (3 + get_config().threads())
    return MemoryBill({**bill.items, "curvature of the rows": of_rows})
