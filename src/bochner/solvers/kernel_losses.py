"""Classification losses for Newton's method with the exact kernel: curvature of every row, feasible dual variables.

    H_i = R_i R_i'   second derivative of the loss of row i in its scores, t x t

Logistic: H = s (diag p - p p'), so R = sqrt(s) diag(p)^(1/2) (I - u u') with u = p^(1/2), a projection in between.
Squared hinge: 2 s in rows that violate their margin. Dual variables that are feasible have a duality gap, which is the
sum over rows of loss and conjugate (Fenchel and Young), about r_i' H_i^-1 r_i / 2 of the gradient r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.solvers.exact_classifier import ExactGap, best_intercept, logistic_gap, margin_gap
from bochner.solvers.losses import Hinge, Logistic
from bochner.statistics.kernel_product import KernelProduct

__all__ = ["KernelLogistic", "KernelLoss", "KernelSquaredHinge", "RowCurvature", "logistic_scores"]

_SURE = 1e-6  # probabilities in curvatures are at least this: rows that are certain do not make the equations singular
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class RowCurvature:
    """The factors R of all rows: R_i b = scale_i (b - u_i (u_i . b)); without `unit`, scale_i b.

    Attributes
    ----------
    scale : array of shape (n, t)
    unit : array of shape (n, t) or None
    """

    scale: Array
    unit: Array | None = None

    @property
    def weight(self) -> Array:
        """Diagonals of H, (n, t)."""
        square = self.scale**2
        return square if self.unit is None else square * (1 - self.unit**2)

    def times(self, B: Array) -> Array:
        """R B."""
        return self.scale * self.projected(B)

    def adjoint(self, V: Array) -> Array:
        """R'V."""
        return self.projected(self.scale * V)

    def inverse(self, V: Array) -> Array:
        """R^+ V for V in the range of R; 0 in rows without curvature."""
        found = np.divide(V, self.scale, out=np.zeros_like(V), where=self.scale > 0)
        return self.projected(found)

    def total(self) -> Array:
        """sum_i H_i, (t, t)."""
        whole = np.diag(np.sum(self.scale**2, axis=0))
        if self.unit is None:
            return whole
        part = self.scale * self.unit
        return whole - part.T @ part

    def projected(self, V: Array) -> Array:
        """V without its part along `unit`."""
        return V if self.unit is None else V - self.unit * np.sum(self.unit * V, axis=1, keepdims=True)


class KernelLoss(ABC):
    """A loss of labelled rows under the exact kernel.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns of scores.
    coupled : bool
        Whether the columns are one problem, or one each.
    constant : float
        What a penalised intercept adds to the kernel.
    free_intercept : bool
        Whether there is an intercept without penalty.
    """

    shape: tuple[int, int]
    coupled: bool
    constant: float
    free_intercept: bool

    @abstractmethod
    def value(self, scores: Array) -> Array:
        """The weighted loss: one number for every problem."""

    @abstractmethod
    def gradient(self, scores: Array) -> Array:
        """Of the weighted loss in the scores, (n, t)."""

    @abstractmethod
    def curvature(self, scores: Array) -> RowCurvature:
        """Second derivatives at some scores."""

    @abstractmethod
    def best_intercept(self, scores: Array) -> Array:
        """The free intercept at which the loss of some scores is least, (t,); zeros if there is none."""

    @abstractmethod
    def gap(self, product: KernelProduct, dual: Array, scores: Array, alpha: float) -> ExactGap:
        """Duality gap of feasible dual variables near given, signed ones, whose scores are known roughly."""


class KernelLogistic(KernelLoss):
    """The (multinomial) logistic loss.

    Parameters
    ----------
    loss : Logistic
    n_columns : int
    intercept : bool
    """

    coupled, constant = True, 0.0

    def __init__(self, loss: Logistic, n_columns: int, *, intercept: bool) -> None:
        self.loss, self.free_intercept, self.shape = loss, intercept, (len(loss.labels), n_columns)

    def value(self, scores: Array) -> Array:
        return np.array([self.loss.value(scores)])

    def gradient(self, scores: Array) -> Array:
        return self.loss.gradient(scores)

    def curvature(self, scores: Array) -> RowCurvature:
        p, s = self.loss.probabilities(scores), self.loss.weight[:, None]
        if p.shape[1] == 1:
            return RowCurvature(np.sqrt(s * np.maximum(p * (1 - p), _SURE)))
        p = np.maximum(p, _SURE)
        unit = np.sqrt(p / p.sum(axis=1, keepdims=True))
        return RowCurvature(np.sqrt(s) * unit, unit)

    def best_intercept(self, scores: Array) -> Array:
        return best_intercept(self.loss, scores) if self.free_intercept else np.zeros(self.shape[1])

    def gap(self, product: KernelProduct, dual: Array, scores: Array, alpha: float) -> ExactGap:
        near = logistic_scores(self.loss, dual, self.loss.probabilities(scores))
        return logistic_gap(product, self.loss, near, alpha, intercept=self.free_intercept)


def logistic_scores(loss: Logistic, dual: Array, p: Array) -> Array:
    """Scores whose dual variables s (y - q) are given ones, with q at least a quarter of p in all classes."""
    given = loss.labels[:, None] == (np.array([1]) if dual.shape[1] == 1 else np.arange(dual.shape[1]))
    q = given - dual / loss.weight[:, None]
    if q.shape[1] == 1:
        q, p = np.hstack([1 - q, q]), np.hstack([1 - p, p])
    logs: Array = np.log(np.maximum(np.maximum(q, p / 4), _TINY))
    return logs[:, 1:] - logs[:, :1] if dual.shape[1] == 1 else logs


class KernelSquaredHinge(KernelLoss):
    """The squared hinge loss of one class against the rest; the intercept is penalised.

    Parameters
    ----------
    loss : Hinge
    intercept : bool
    """

    coupled, free_intercept = False, False

    def __init__(self, loss: Hinge, *, intercept: bool) -> None:
        assert loss.squared
        self.loss, self.constant, self.shape = loss, float(intercept), loss.signs.shape

    def value(self, scores: Array) -> Array:
        return self.loss.value(scores)

    def gradient(self, scores: Array) -> Array:
        violation = np.maximum(0, 1 - self.loss.signs * scores)
        return -2 * self.loss.weight[:, None] * self.loss.signs * violation

    def curvature(self, scores: Array) -> RowCurvature:
        active = self.loss.signs * scores < 1
        return RowCurvature(np.sqrt(2 * self.loss.weight[:, None] * active))

    def best_intercept(self, scores: Array) -> Array:
        return np.zeros(self.shape[1])

    def gap(self, product: KernelProduct, dual: Array, scores: Array, alpha: float) -> ExactGap:
        beta = np.where(self.loss.signs * scores < 1, self.loss.signs * dual, 0.0)
        return margin_gap(product, self.loss, beta, alpha, intercept=self.constant > 0)
