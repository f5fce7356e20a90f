"""Duality gap with the exact kernel: a bound on the distance of a classifier to the exact kernel machine.

    minimise over f, w_0:   P = sum_i s_i loss(y_i, f(x_i) + w_0) + alpha/2 ||f||^2

Dual variables A (n, t), one column for each column of scores, give f_A = 1/alpha sum_i A_i k(x_i, .) and a lower limit
D on the minimum, if they are feasible: a box for the hinge losses, probabilities for the logistic loss. Neither depends
on the kernel, so the dual variables of a model on features are feasible for the exact kernel too. One product K A gives
both sides, and

    P(f_A) - D(A) >= alpha ||f_A - f*||^2

half of it by the strong convexity of P in f, half by that of -D in K^(1/2) A. The intercept of the hinge losses is the
weight of a constant feature, k + 1 in place of k. That of the logistic loss is free: its dual has sum_i A_i = 0. Where
that holds only to rounding, with a sum of nu, every w_0 with P(f, w_0) <= P changes D by at most
||nu||_1 max |w_0j - w_0l|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax, xlogy

from bochner._typing import Array
from bochner.solvers.losses import Hinge, Logistic
from bochner.statistics.kernel_product import KernelProduct

__all__ = ["ExactGap", "best_intercept", "logistic_gap", "margin_gap"]

_NEWTON_STEPS = 50
_WIDEST_NEWTON = 64
_UNIT = 2.0**-53


@dataclass(frozen=True)
class ExactGap:
    """Dual variables, their duality gap with the exact kernel, and the distance of their function from its machine.

    Attributes
    ----------
    gap, objective : array of shape (1,) or (t,)
        P - D with all rounding errors, and P: one for all columns (logistic), or one for each.
    dual : array of shape (n, t)
    scores : array of shape (n, t)
        f_A + w_0 at the rows.
    rounding : array of shape (n, t)
        By how much `scores` may be off.
    intercept : array of shape (t,)
    constant : float
        What the constant feature of the intercept adds to the kernel: 0 or 1.
    free_intercept : bool
        The intercept is not penalised: only the function is bounded by the gap.
    slack : float
        How far the intercept may be from the best one for f_A; infinite if it is not known.
    alpha : float
    """

    gap: Array
    objective: Array
    dual: Array
    scores: Array
    rounding: Array
    intercept: Array
    constant: float
    free_intercept: bool
    slack: float
    alpha: float

    def radius(self, diagonal: Array) -> Array:
        """Limits on |f_A(x) - f*(x)|, (m, 1) or (m, t), for k(x, x) of m rows."""
        return np.sqrt((diagonal[:, None] + self.constant) * self.gap / self.alpha) * (1 + 1e-12)

    def intercept_radius(self, diagonal: Array) -> float:
        """Limit on the distance of the intercept from the exact one, for k(x, x) of all training rows.

        One column: the best intercept moves by no more than the largest change of the function, since the derivative
        in w_0 grows with all scores.
        """
        if not self.free_intercept:
            return 0.0
        return float(np.max(self.radius(diagonal))) + self.slack

    def at(self, product: KernelProduct, X: Array) -> tuple[Array, Array]:
        """Scores f_A + w_0 at other rows, and by how much rounding may have moved them."""
        V = self.dual / self.alpha
        return product.cross_times(X, V) + self.intercept, product.rounding(V, X) + 8 * _UNIT * np.abs(self.intercept)


def margin_gap(product: KernelProduct, loss: Hinge, dual: Array, alpha: float, *, intercept: bool) -> ExactGap:
    """The gap of each one-against-rest problem of a hinge loss; `dual` (n, t) within the bounds of the loss."""
    beta = np.clip(dual, 0.0, loss.upper[:, None])
    signed = loss.signs * beta
    w_0 = signed.sum(axis=0) / alpha if intercept else np.zeros(signed.shape[1])
    scores, rounding = _scores(product, signed, w_0, alpha)
    energy = np.sum(signed * scores, axis=0)
    violation = np.maximum(0, 1 - loss.signs * scores)
    slope = np.where(violation + rounding > 0, 2 * (violation + rounding) if loss.squared else 1.0, 0.0)
    objective = loss.value(scores) + energy / 2
    gap = objective - loss.dual_value(beta) + energy / 2
    slack = loss.weight @ (slope * rounding) + np.sum(beta * rounding, axis=0)
    slack += 64 * _UNIT * len(beta) ** 0.5 * (np.abs(objective) + np.abs(energy) + beta.sum(axis=0))
    constant = float(intercept)
    return ExactGap(np.maximum(gap, 0) + slack, objective, signed, scores, rounding, w_0, constant, False, 0.0, alpha)


def logistic_gap(product: KernelProduct, loss: Logistic, scores: Array, alpha: float, *, intercept: bool) -> ExactGap:
    """The gap of the (multinomial) logistic problem at the dual variables s (y - p) of some scores (n, t)."""
    if intercept:
        scores = scores + best_intercept(loss, scores)
    dual = -loss.gradient(scores)
    found, rounding = _scores(product, dual, np.zeros(scores.shape[1]), alpha)
    w_0 = best_intercept(loss, found) if intercept else np.zeros(scores.shape[1])
    energy = float(np.sum(dual * found))
    objective = loss.value(found + w_0) + energy / 2
    gap = objective - _entropy(loss, scores) + energy / 2
    slack = 2 * float(np.sum(loss.weight[:, None] * rounding)) + float(np.sum(np.abs(dual) * rounding))
    slack += 64 * _UNIT * len(dual) ** 0.5 * (abs(objective) + abs(energy) + float(loss.weight.sum()))
    if intercept:
        slack += float(np.abs(dual.sum(axis=0)).sum()) * _widest_intercept(loss, objective, product, alpha)
    total = np.array([max(gap, 0.0) + slack])
    one = scores.shape[1] == 1
    known = _intercept_slack(loss, found, w_0) if intercept and one else np.inf
    return ExactGap(total, np.array([objective]), dual, found + w_0, rounding, w_0, 0.0, intercept, known, alpha)


def _scores(product: KernelProduct, dual: Array, w_0: Array, alpha: float) -> tuple[Array, Array]:
    """f_A + w_0 at the rows, one product, and by how much rounding may have moved it."""
    V = dual / alpha
    scores = product.times(V) + w_0
    rounding = product.rounding(V) if product.precision is None else np.zeros_like(V)  # a kernel without a bound
    return scores, rounding + 8 * _UNIT * (np.abs(scores) + np.abs(w_0))


def _entropy(loss: Logistic, scores: Array) -> float:
    """sum_i s_i H(p_i): the dual value of the probabilities without its quadratic form."""
    p = loss.probabilities(scores)
    p = np.hstack([1 - p, p]) if p.shape[1] == 1 else p
    return float(-np.sum(loss.weight[:, None] * xlogy(p, p)))


def best_intercept(loss: Logistic, scores: Array) -> Array:
    """The intercept that minimises the loss at given scores, to rounding: the gradient then sums to zero.

    Newton steps, halved until the loss falls; for many classes, the logarithms of wanted over predicted counts.
    """
    w_0 = np.zeros(scores.shape[1])
    value = loss.value(scores + w_0)
    for _ in range(_NEWTON_STEPS):
        gradient = loss.gradient(scores + w_0).sum(axis=0)
        if np.abs(gradient).max() <= 1e-14 * loss.weight.sum():
            break
        step = _intercept_step(loss, scores + w_0, gradient)
        size, after = 1.0, loss.value(scores + w_0 + step)
        while after > value and size > 1e-6:
            size /= 2
            after = loss.value(scores + w_0 + size * step)
        if after > value:
            break
        w_0, value = w_0 + size * step, after
    return w_0


def _intercept_step(loss: Logistic, scores: Array, gradient: Array) -> Array:
    if scores.shape[1] == 1:
        p = expit(scores[:, 0])
        return -gradient / max(float(loss.weight @ (p * (1 - p))), 1e-300)
    p = softmax(scores, axis=1)
    counts = loss.weight @ p
    if len(counts) > _WIDEST_NEWTON:
        return np.log(np.maximum(counts - gradient, 1e-300)) - np.log(np.maximum(counts, 1e-300))
    curvature = np.diag(counts) - (loss.weight[:, None] * p).T @ p
    step: Array = -np.linalg.lstsq(curvature, gradient, rcond=1e-12)[0]
    return step


def _widest_intercept(loss: Logistic, objective: float, product: KernelProduct, alpha: float) -> float:
    """Limit on |w_0j - w_0l| of any model with at most this objective.

    A row of class y has log sum_c exp(h_c - h_y) <= P / s, so h_c - h_y <= P / s, and |f_c - f_y| <= sqrt(2 k) ||f||
    with ||f||^2 <= 2 P / alpha. With a row of every class all differences are bounded, from both sides.
    """
    n_classes = int(loss.labels.max()) + 1
    heaviest = np.zeros(n_classes)
    np.maximum.at(heaviest, loss.labels, loss.weight)
    lightest = float(np.min(heaviest[np.unique(loss.labels)]))
    largest = float(np.max(product.diagonal()))
    return objective / max(lightest, 1e-300) + 2 * float(np.sqrt(largest * objective / alpha))


def _intercept_slack(loss: Logistic, scores: Array, w_0: Array) -> float:
    """How far w_0 may be from the minimiser: a bracket in which the derivative changes its sign."""
    slack = 1e-12 * (1 + float(np.abs(w_0[0])))
    while slack < 1e6:
        below = float(loss.gradient(scores + w_0 - slack).sum())
        above = float(loss.gradient(scores + w_0 + slack).sum())
        if below < 0 < above:
            return slack
        slack *= 10
    return float("inf")
