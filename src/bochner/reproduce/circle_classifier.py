"""Kernel classification on G points of a circle in the Fourier basis: the cost does not grow with the rows.

x is uniform on 0, 1/G, ..., (G - 1)/G. A kernel is sum_k A_k e^(2 pi i k (x - y)) over |k| <= K < G/2, given by its
`eigenvalues` A_0 ... A_K; it may be exact, or that of random frequencies, where A_k is 0 for a wave that was not drawn.
The rows enter as counts: n+ and n- rows of either label at each point. The machine minimises, as in Zhu Li's eq 9,

    mean_j [a_j loss(f_j) + b_j loss(-f_j)] + lambda ||f||_H^2,       a = G n+ / n,  b = G n- / n

without offset, by alternating directions (Boyd et al. 2011) between values u and a function f of the kernel's space:

    f = the kernel smoother of u - w:  c_k -> c_k A_k / (A_k + 2 lambda / rho)
    u = argmin_u  a loss(u) + b loss(-u) + rho/2 (u - f - w)^2
    w = (slope of the loss at u) / rho

The slopes are also a point of the dual problem, so every fit comes with its duality gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np
from scipy.fft import irfft, rfft
from scipy.special import expit

from bochner._typing import Array

__all__ = ["CircleLabels", "Loss", "fit", "loss_values"]

Loss: TypeAlias = Literal["logistic", "hinge"]

_RELAXATION = 1.6
_STEP = {"logistic": 0.15, "hinge": 5.0}  # rho; within a factor 2 of these the number of rounds changes little
_ROUNDS_PER_CHECK = 25


def loss_values(loss: Loss, margin: Array) -> Array:
    """log(1 + e^-margin), or max(0, 1 - margin)."""
    values: Array = np.logaddexp(0, -margin) if loss == "logistic" else np.maximum(0.0, 1 - margin)
    return values


@dataclass(frozen=True)
class CircleLabels:
    """n rows: shares of either label at every point, times G."""

    n: int
    positive: Array
    negative: Array

    @classmethod
    def draw(cls, n: int, probability: Array, rng: np.random.Generator) -> Self:
        """Independent rows at uniform points, of label 1 with the point's `probability` (G,)."""
        G = len(probability)
        counts = rng.multinomial(n, np.full(G, 1 / G))
        positive = rng.binomial(counts, probability)
        return cls(n, G * positive / n, G * (counts - positive) / n)


def fit(
    labels: CircleLabels, eigenvalues: Array, penalty: float, loss: Loss, *, gap: float, max_rounds: int = 20_000
) -> tuple[Array, float]:
    """Values (B, G) of the functions fitted with B kernels (B, K + 1), and the largest duality gap among them.

    Stops when no gap is larger than `gap`, or after `max_rounds`.
    """
    G, rho = len(labels.positive), _STEP[loss]
    A = np.zeros((len(eigenvalues), G // 2 + 1))
    A[:, : eigenvalues.shape[1]] = eigenvalues
    smoother = A / (A + 2 * penalty / rho)
    active = np.arange(len(A))
    values, largest = np.zeros((len(A), G)), np.zeros(len(A))
    u = w = np.zeros((len(A), G))
    for round_ in range(1, max_rounds + 1):
        c = rfft(u - w) * smoother[active]
        f = irfft(c, G)
        towards = _RELAXATION * f + (1 - _RELAXATION) * u
        u, w = _values_and_slopes(loss, labels, towards + w, u, rho)
        if round_ % _ROUNDS_PER_CHECK == 0 or round_ == max_rounds:
            gaps = _gap(loss, labels, A[active], penalty, f, c, u, rho * w)
            values[active], largest[active] = f, gaps
            left = gaps > gap
            active, u, w = active[left], u[left], w[left]
            if len(active) == 0:
                break
    return values, float(largest.max())


def _values_and_slopes(loss: Loss, labels: CircleLabels, z: Array, u: Array, rho: float) -> tuple[Array, Array]:
    """argmin_u a loss(u) + b loss(-u) + rho/2 (u - z)^2, and the slope of the loss there divided by rho."""
    a, b = labels.positive, labels.negative
    if loss == "hinge":
        inside = np.clip(z + (a - b) / rho, -1.0, 1.0)
        u = np.where(z - b / rho > 1, z - b / rho, np.where(z + a / rho < -1, z + a / rho, inside))
        return u, z - u
    for _ in range(2):  # Newton steps from the last round's values; the error left vanishes with the rounds
        share = expit(u)
        u = u - ((a + b) * share - a + rho * (u - z)) / ((a + b) * share * (1 - share) + rho)
    return u, ((a + b) * expit(u) - a) / rho


def _gap(
    loss: Loss, labels: CircleLabels, A: Array, penalty: float, f: Array, c: Array, u: Array, slope: Array
) -> Array:
    """Primal value at f minus dual value at the slopes, which bounds how far f is from the least primal value.

    D = mean [l(u) - slope u] - sum_k A_k |slope_k|^2 / (4 lambda), where l is the weighted loss and slope = l'(u)
    """
    seen = A > 0
    norm = _wave_sum(np.where(seen, np.abs(c) ** 2 / np.where(seen, A, 1.0), 0.0)) / f.shape[1] ** 2
    primal = _mean_loss(loss, labels, f) + penalty * norm
    waves = np.abs(rfft(slope) / f.shape[1]) ** 2
    dual = _mean_loss(loss, labels, u) - np.mean(slope * u, axis=1) - _wave_sum(A * waves) / (4 * penalty)
    gap: Array = primal - dual
    return gap


def _mean_loss(loss: Loss, labels: CircleLabels, f: Array) -> Array:
    weighted = labels.positive * loss_values(loss, f) + labels.negative * loss_values(loss, -f)
    mean: Array = weighted.mean(axis=1)
    return mean


def _wave_sum(values: Array) -> Array:
    """Sum over waves k and -k, from those with k >= 0."""
    total: Array = values[:, 0] + 2 * values[:, 1:].sum(axis=1)
    return total
