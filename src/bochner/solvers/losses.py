"""Smooth classification losses of the scores of all classes, with their gradients."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import expit, logsumexp, softmax

from bochner._typing import Array

__all__ = ["Logistic", "SmoothLoss"]


class SmoothLoss(Protocol):
    """A loss of scores (n, k) for labels (n,), classes numbered from 0; one score column if there are two classes."""

    def value(self, scores: Array, labels: Array, weight: Array) -> tuple[float, Array]:
        """Weighted sum of the losses, and its gradient with respect to the scores (n, k)."""
        ...

    def curvature(self, scores: Array, labels: Array) -> Array:
        """Second derivative of each row's loss in its scores, averaged over the scores: shape (n,)."""
        ...


class Logistic:
    """Multinomial logistic loss, log sum_j exp(s_j) - s_y; log(1 + exp(-+s)) with one score column."""

    def value(self, scores: Array, labels: Array, weight: Array) -> tuple[float, Array]:
        full = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
        rows = np.arange(len(labels))
        norm = logsumexp(full, axis=1)
        loss = float(weight @ (norm - full[rows, labels]))
        gradient = np.exp(full - norm[:, None])
        gradient[rows, labels] -= 1
        gradient *= weight[:, None]
        return loss, gradient[:, 1:] if scores.shape[1] == 1 else gradient

    def curvature(self, scores: Array, labels: Array) -> Array:
        p = expit(scores) if scores.shape[1] == 1 else softmax(scores, axis=1)
        return np.mean(p * (1 - p), axis=1)
