"""A metric learned from gradients: the average gradient outer product (Radhakrishnan et al. 2024).

    G = (1/n) sum_i grad f(x_i) grad f(x_i)',      grad f(x_i) = -sum_j a_j decay(r_ij) (x_i - x_j)

of a kernel machine f = sum_j a_j k(r_j), with decay(r) = -k'(r) / r. Under the metric M = d G / tr G distances grow
along directions in which f changes, and the others are forgotten: what an irrelevant column is to a scale of its own,
an irrelevant direction is to M.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from bochner._typing import Array
from bochner.kernels import Isotropic
from bochner.tuning.kernel_evidence import squared_distances

__all__ = ["gradient_outer_product", "metric_root"]

_CLOSEST = 1e-14  # a squared distance within rounding of 0
_SMALLEST = 1e-12  # eigenvalue of a metric, of the largest: less is rounding


def gradient_outer_product(kernel: Isotropic, scaled: Array, coef: Array, weight: Array | None = None) -> Array:
    """G (d, d) in the coordinates of scaled rows (n, d), of machines with coefficients (n, t), summed over them.

    Parameters
    ----------
    kernel : Isotropic
        Of length scale 1.
    scaled : array of shape (n, d)
    coef : array of shape (n, t)
    weight : array of shape (n,), default=None
        Of the rows in the average.
    """
    squared = squared_distances(np.ascontiguousarray(scaled))
    np.fill_diagonal(squared, 1.0)  # where differences are 0 whatever the decay
    np.maximum(squared, _CLOSEST, out=squared)
    decay = kernel.decay_of_square(squared.T)
    np.fill_diagonal(decay, 0.0)
    share = np.full(len(scaled), 1 / len(scaled)) if weight is None else weight / np.sum(weight)
    total = np.zeros((scaled.shape[1], scaled.shape[1]))
    for a in coef.T:
        pull = decay * a
        gradient = pull @ scaled - pull.sum(axis=1)[:, None] * scaled
        total += gradient.T @ (share[:, None] * gradient)
    return total


def metric_root(outer: Array) -> Array:
    """The symmetric root of M = d G / tr G, which does not depend on signs of eigenvectors; the identity if G is 0."""
    d, size = len(outer), float(np.trace(outer))
    if not 0 < size < np.inf:
        return np.eye(d)
    eigenvalues, vectors = eigh(outer * (d / size), check_finite=False)
    kept = np.where(eigenvalues > _SMALLEST * eigenvalues[-1], eigenvalues, 0.0)
    return (vectors * np.sqrt(kept)) @ vectors.T
