"""Kernel ridge regression on a circle in the Fourier basis: (2K + 1)^3 operations instead of n^3.

    phi(x) = [1, sqrt2 cos(2 pi k x), ..., sqrt2 sin(2 pi k x), ...],     k = 1 ... K

is orthonormal in L2[0, 1]. A kernel, exact or estimated by features, is A in k(x, y) = phi(x)' A phi(y): the diagonal
of the |k|^-q for a spline kernel, B B' for features z(x) = B' phi(x). With G = sum_i phi(x_i) phi(x_i)', kernel ridge
regression of y_i = phi(x_i)' f + sigma e_i with penalty lambda has the coefficients, and over the noise the mean risk,

    w = R A sum_i phi(x_i) y_i,       R = (A G + n lambda I)^-1
    E ||w - f||^2 = ||n lambda R f||^2 + sigma^2 tr(R A G A R'),      R A G = I - n lambda R

exactly but for the waves above K: a relative error of K^-q / lambda, and with 64 waves below 1e-3 for the features of
order 2, whose own waves fall slowest (tests/reproduce/test_circle.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh

from bochner._typing import Array

__all__ = ["CircleRows", "spline_coefficients", "spline_eigenvalues", "stacked"]

_BLOCK = 32


def stacked(waves: Array) -> Array:
    """Values of the waves 0 ... K, shape (K + 1,), as one for every function of the basis, shape (2K + 1,)."""
    return np.concatenate([waves, waves[1:]])


def spline_eigenvalues(order: float, n_waves: int) -> Array:
    """|k|^-order of every function of the basis, 1 for the constant: the diagonal of A of a spline kernel."""
    return stacked(np.maximum(np.arange(n_waves + 1.0), 1.0) ** -order)


def spline_coefficients(order: float, centres: Array, n_waves: int) -> Array:
    """Coefficients (2K + 1, m) of the functions Lambda_order(. - centre)."""
    angle = 2 * np.pi * np.outer(np.arange(1, n_waves + 1), centres)
    basis = np.concatenate([np.ones((1, len(centres))), np.sqrt(2) * np.cos(angle), np.sqrt(2) * np.sin(angle)])
    coefficients: Array = spline_eigenvalues(order, n_waves)[:, None] * basis
    return coefficients


@dataclass(frozen=True)
class CircleRows:
    """Sufficient statistics of n rows for ridge regression: G (2K + 1, 2K + 1)."""

    n: int
    gram: Array

    @classmethod
    def of(cls, x: Array, n_waves: int) -> Self:
        """From positions x (n,), in periods."""
        return cls(len(x), _gram(_exponential_sums(x, 2 * n_waves), n_waves))

    def risk(self, kernel: Array, penalty: float, truth: Array, noise: float) -> float:
        """E ||w - truth||^2 with kernel A, given by its matrix or its diagonal."""
        A = np.diag(kernel) if kernel.ndim == 1 else kernel
        shift, identity = self.n * penalty, np.eye(len(A))
        R = np.linalg.inv(A @ self.gram + shift * identity)
        variance = np.sum((identity - shift * R) * (R @ A))  # tr(X Y') is the sum of products
        return float(np.sum((shift * R @ truth) ** 2) + noise**2 * variance)

    def risk_path(self, eigenvalues: Array, penalties: Array, truth: Array, noise: float) -> Array:
        """E ||w - truth||^2 with a diagonal kernel, for many penalties."""
        root = np.sqrt(eigenvalues)
        values, vectors = eigh(root[:, None] * self.gram * root)
        axes = root[:, None] * vectors
        shifts = self.n * penalties
        inverse = 1 / (np.maximum(values, 0.0)[:, None] + shifts)
        bias = shifts * (axes @ (inverse * (vectors.T @ (truth / root))[:, None]))
        variance = np.sum(axes**2, axis=0) @ (np.maximum(values, 0.0)[:, None] * inverse**2)
        risk: Array = np.sum(bias**2, axis=0) + noise**2 * variance
        return risk


def _exponential_sums(x: Array, largest: int) -> Array:
    """sum_j exp(2 pi i k x_j) for k = 0 ... largest, by a product of two short tables."""
    fine = np.exp(2j * np.pi * np.outer(np.arange(_BLOCK), x))
    coarse = np.exp(2j * np.pi * np.outer(_BLOCK * np.arange(largest // _BLOCK + 1), x))
    sums: Array = (coarse @ fine.T).ravel()[: largest + 1]
    return sums


def _gram(sums: Array, n_waves: int) -> Array:
    """G from exponential sums up to 2K: a product of two waves is a wave of the sum and one of the difference."""
    k = np.arange(1, n_waves + 1)
    total, difference = k[:, None] + k, k[:, None] - k
    cos_total, sin_total = sums.real[total], sums.imag[total]
    cos_difference = sums.real[np.abs(difference)]
    sin_difference = np.sign(difference) * sums.imag[np.abs(difference)]
    mixed = sin_total - sin_difference
    inner = np.block([[cos_difference + cos_total, mixed], [mixed.T, cos_difference - cos_total]])
    edge = np.sqrt(2) * np.concatenate([sums[1 : n_waves + 1].real, sums[1 : n_waves + 1].imag])
    return np.block([[sums[:1, None].real, edge[None]], [edge[:, None], inner]])
