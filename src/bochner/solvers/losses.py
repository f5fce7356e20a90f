"""Losses as functions of scores: what the two solvers ask of one, and the losses of classification.

Scores have one column for two classes and one per class for more. Rows are weighted; classes are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from scipy.special import expit

from bochner._typing import Array
from bochner.memory import row_slices

__all__ = ["BoxLoss", "Hinge", "Logistic", "SmoothLoss"]

_IN_CACHE = 2**15  # scores at once


class SmoothLoss(Protocol):
    """A convex loss with two derivatives, for Newton's method: a function of the scores (n, t) of all rows."""

    weight: Array

    def value(self, scores: Array) -> float:
        """Weighted sum of the losses."""
        ...

    def gradient(self, scores: Array) -> Array:
        """Gradient of the weighted sum, shape (n, t)."""
        ...

    def curvature(self, scores: Array) -> Array:
        """What the second derivatives of the rows are made of, shape (n, t), without their weights."""
        ...

    def curvature_product(self, curvature: Array, direction: Array) -> Array:
        """Second derivatives of some rows, by their curvature, applied to a direction."""
        ...

    def curvature_diagonal(self, curvature: Array) -> Array:
        """Second derivatives of some rows in each score."""
        ...


class BoxLoss(Protocol):
    """A piecewise linear or quadratic loss, whose dual has only bounds, for dual coordinate ascent.

        loss(f) = s max over b in [share - 1, share] of b (target - sign (f - offset)),   f the score

    or one without an upper bound and with a quadratic term, in which `upper` is infinite and `diagonal` is not 0.

    Attributes
    ----------
    signs : array of shape (n, t)
    targets : array of shape (n,)
        Without the offset.
    weight, upper, diagonal : arrays of shape (n,)
    share, offset : arrays of shape (t,)
        The bounds; where the scores of the zero model are.
    """

    signs: Array
    targets: Array
    weight: Array
    upper: Array
    diagonal: Array
    share: Array
    offset: Array

    def value(self, scores: Array) -> Array:
        """Weighted sum of the losses of each column."""
        ...

    def dual_value(self, dual: Array) -> Array:
        """Dual objective of each column without its quadratic form in w."""
        ...


class Logistic:
    """Multinomial logistic loss, log sum_j exp(s_j) - s_y; log(1 + exp(-+s)) with one column.

    Parameters
    ----------
    labels : array of int of shape (n,)
    weight : array of shape (n,)
    """

    def __init__(self, labels: Array, weight: Array) -> None:
        self.labels, self.weight = labels, weight

    def losses(self, scores: Array) -> Array:
        """Loss of each row, not weighted, to a small relative error where it is next to 0."""
        if scores.shape[1] == 1:
            found: Array = np.logaddexp(0, np.where(self.labels == 1, -scores[:, 0], scores[:, 0]))
            return found
        losses = np.empty(len(scores))
        for some in _blocks(scores):
            labels = self.labels[some]
            own = np.arange(len(labels)), labels
            ahead = scores[some] - scores[some][own][:, None]  # of the score of the label
            ahead[own] = -np.inf
            most = np.maximum(ahead.max(axis=1), 0)
            ahead -= most[:, None]
            losses[some] = most + np.log1p(np.expm1(-most) + np.exp(ahead, out=ahead).sum(axis=1))
        return losses

    def value(self, scores: Array) -> float:
        """Weighted sum of the losses."""
        return float(self.weight @ self.losses(scores))

    def gradient(self, scores: Array, rows: slice = slice(None)) -> Array:
        """Gradient of the weighted sum in the scores of some rows: weight (p - indicator of the label)."""
        labels = self.labels[rows]
        if scores.shape[1] == 1:
            residual = expit(scores) - (labels == 1)[:, None]
        else:
            residual = _softmax(scores)
            residual[np.arange(len(labels)), labels] -= 1
        residual *= self.weight[rows, None]
        return residual

    def probabilities(self, scores: Array) -> Array:
        return expit(scores) if scores.shape[1] == 1 else _softmax(scores)

    curvature = probabilities

    @staticmethod
    def curvature_diagonal(p: Array) -> Array:
        return p * (1 - p)

    @staticmethod
    def curvature_product(p: Array, direction: Array) -> Array:
        """Second derivative of each row's loss applied to a direction: p d - p (p.d); p (1 - p) d with one column."""
        if p.shape[1] == 1:
            return p * (1 - p) * direction
        product: Array = direction - np.einsum("ij,ij->i", p, direction)[:, None]
        product *= p
        return product


class Hinge:
    """Hinge loss max(0, 1 - y s) of one class against the rest, or its square, and its dual.

    Parameters
    ----------
    signs : array of shape (n, t)
        +1 where the row has the class of the column, else -1.
    weight : array of shape (n,)
    squared : bool
    """

    def __init__(self, signs: Array, weight: Array, *, squared: bool) -> None:
        self.signs, self.weight, self.squared = signs, weight, squared
        positive = weight > 0
        self.diagonal = np.divide(0.5 * squared, weight, out=np.zeros(len(weight)), where=positive)
        self.upper = np.where(positive, np.inf, 0.0) if squared else weight
        self.targets, columns = np.ones(len(weight)), signs.shape[1]
        self.share, self.offset = np.ones(columns), np.zeros(columns)

    def value(self, scores: Array) -> Array:
        """Weighted sum of the losses of each column."""
        violation = np.maximum(0, 1 - self.signs * scores)
        return self.weight @ (violation**2 if self.squared else violation)

    def dual_value(self, dual: Array) -> Array:
        """sum_i (beta_i - diagonal_i beta_i^2 / 2) of each column: the dual objective without its quadratic form."""
        return np.sum(dual, axis=0) - 0.5 * self.diagonal @ dual**2


def _softmax(scores: Array) -> Array:
    """exp(s_j) / sum exp(s) of every row, a new array and nothing beside it."""
    p = np.empty_like(scores)
    for some in _blocks(scores):
        own = np.subtract(scores[some], scores[some].max(axis=1, keepdims=True), out=p[some])
        np.exp(own, out=own)
        own /= own.sum(axis=1, keepdims=True)
    return p


def _blocks(scores: Array) -> Iterator[slice]:
    """Rows whose scores stay in cache."""
    return row_slices(len(scores), max(1, _IN_CACHE // scores.shape[1]))
