"""Classification losses as functions of the scores of all classes.

Scores have one column for two classes and one per class for more. Rows are weighted; classes are numbered from 0.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp, softmax

from bochner._typing import Array

__all__ = ["Logistic", "Hinge"]


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
        """Loss of each row, not weighted."""
        full = _with_zero(scores)
        losses: Array = logsumexp(full, axis=1) - full[np.arange(len(full)), self.labels]
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
            residual = softmax(scores, axis=1)
            residual[np.arange(len(labels)), labels] -= 1
        return self.weight[rows, None] * residual

    def probabilities(self, scores: Array) -> Array:
        return expit(scores) if scores.shape[1] == 1 else softmax(scores, axis=1)

    @staticmethod
    def curvature_product(p: Array, direction: Array) -> Array:
        """Second derivative of each row's loss applied to a direction: p d - p (p.d); p (1 - p) d with one column."""
        if p.shape[1] == 1:
            return p * (1 - p) * direction
        weighted = p * direction
        return weighted - p * np.sum(weighted, axis=1, keepdims=True)


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

    def value(self, scores: Array) -> Array:
        """Weighted sum of the losses of each column."""
        violation = np.maximum(0, 1 - self.signs * scores)
        return self.weight @ (violation**2 if self.squared else violation)

    def dual_value(self, dual: Array) -> Array:
        """sum_i (beta_i - diagonal_i beta_i^2 / 2) of each column: the dual objective without its quadratic form."""
        return np.sum(dual, axis=0) - 0.5 * self.diagonal @ dual**2


def _with_zero(scores: Array) -> Array:
    return np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
