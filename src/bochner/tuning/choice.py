"""Kernel selection by the log evidence of exact Gaussian processes on a few rows.

A narrow map flatters smooth kernels: the frequencies of a rough one are too many for it. So candidates whose scales
were learned with narrow maps are compared without maps.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from bochner._typing import Array
from bochner.kernels import Stationary

__all__ = ["COMPARED_ROWS", "best_kernel", "exact_loss"]

COMPARED_ROWS = 700
_FACTORS = (0.35, 0.6, 1.0, 1.7, 2.8)  # of the scales that a narrow map found: it tends to long ones for rough kernels
_ALPHAS = np.geomspace(1e-6, 1e1, 36)


def best_kernel(kernels: list[Stationary], X: Array, Y: Array) -> tuple[int, float]:
    """Index of the kernel of the largest evidence, and the factor of its scales that gives it."""
    X, Y = X[:COMPARED_ROWS], Y[:COMPARED_ROWS]
    losses = np.array([[exact_loss(kernel.scaled_by(c), X, Y) for c in _FACTORS] for kernel in kernels])
    kernel, factor = np.unravel_index(np.argmin(losses), losses.shape)
    return int(kernel), _FACTORS[factor]


def exact_loss(kernel: Stationary, X: Array, Y: Array) -> float:
    """Minus the log evidence of a Gaussian process per row and target, up to a constant.

        y ~ N(w_0, s (K + alpha I)),  w_0 flat:   (nu log s + log det(K + alpha I)) / (2 nu)
        s = y'(K + alpha I)^-1 y / nu

    with K centred, at the best of 36 noise levels alpha.
    """
    K = kernel(X)
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    spectrum, vectors = eigh(K, driver="evd", check_finite=False)
    nu = max(len(X) - 1, 1)
    energy = (vectors.T @ (Y - Y.mean(axis=0))) ** 2
    shifted = np.maximum(spectrum, 0)[:, None] + _ALPHAS
    scale = np.einsum("ij,ia->ja", energy, 1 / shifted) / nu
    losses = np.log(np.maximum(scale, np.finfo(float).tiny)).mean(axis=0) + np.log(shifted[1:]).sum(axis=0) / nu
    return float(np.min(losses) / 2)
