"""Classes and probabilities from scores: the largest one, a softmax with one temperature (Guo et al. 2017)."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from bochner._typing import Array
from bochner.solvers.losses import Logistic

__all__ = ["chosen_classes", "inverse_temperature", "probabilities"]


def inverse_temperature(scores: Array, loss: Logistic) -> float:
    """The factor t >= 0 that minimises the logistic loss of t times the scores of rows the model has not seen.

    Probabilities are then softmax(t scores): one parameter for all classes, so that the most probable class is always
    the one with the largest score. The logarithm of t is found by Newton's method, safeguarded by bisection.
    """
    scale = float(np.sqrt(np.mean(scores**2)))
    if scale == 0:
        return 1.0
    low, high, log_t = np.log(1e-6 / scale), np.log(1e6 / scale), -np.log(scale)
    for _ in range(200):
        t = np.exp(log_t)
        slope = float(np.sum(loss.gradient(t * scores) * scores))
        low, high = (low, log_t) if slope > 0 else (log_t, high)
        product = loss.curvature_product(loss.probabilities(t * scores), scores)
        bend = t * float(loss.weight @ np.sum(scores * product, axis=1))
        trial = log_t - slope / (bend + abs(slope))
        trial = trial if low < trial < high else 0.5 * (low + high)
        if abs(trial - log_t) <= 1e-13 * (1 + abs(log_t)):
            break
        log_t = trial
    return float(np.exp(log_t))


def chosen_classes(classes: Array, scores: Array) -> Array:
    """The classes of the largest scores; of two classes, by the sign of the score of the second."""
    return classes[(scores[:, 0] > 0).astype(np.intp) if len(classes) == 2 else np.argmax(scores, axis=1)]


def probabilities(inverse_temperature: float, scores: Array) -> Array:
    """Softmax of the scores times a factor, shape (n, n_classes)."""
    scaled = scores.astype(float) * inverse_temperature
    return softmax(np.hstack([np.zeros_like(scaled), scaled]) if scaled.shape[1] == 1 else scaled, axis=1)
