"""A metric learned from gradients: the average gradient outer product (Radhakrishnan et al. 2024).

    G = (1/n) sum_i grad f(x_i) grad f(x_i)'

Under the metric M = d G / tr G distances grow along directions in which f changes, and the others are forgotten: what
an irrelevant column is to a scale of its own, an irrelevant direction is to M. Of a kernel machine, with
decay(r) = -k'(r) / r, and of Fourier features, for which the moments of a fit are enough,

    grad f(x) = -sum_j a_j decay(r_j) (x - x_j)
    grad f(x) = B z(x),  B = Omega' [diag b, -diag a],      G = B (Z'Z / n) B'
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dsymm

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.features import FeatureMap
from bochner.kernels import DistanceKernel
from bochner.statistics import Moments

__all__ = [
    "gradient_outer_product",
    "gradients",
    "metric_root",
    "outer_product_of_moments",
    "second_moment_product",
]

_SMALLEST = 1e-12  # eigenvalue of a metric, of the largest: less is rounding


def gradients(decay: Array, at: Array, points: Array, coef: Array) -> Array:
    """Gradients (t, n, d) of machines sum_j a_j k(x, x_j) with coefficients (m, t), in the kernel's coordinates."""
    pulls = (decay * a for a in coef.T)
    return np.stack([pull @ points - pull.sum(axis=1)[:, None] * at for pull in pulls])


def gradient_outer_product(kernel: DistanceKernel, scaled: Array, coef: Array, weight: Array | None = None) -> Array:
    """G (d, d) in the coordinates of scaled rows (n, d), of machines with coefficients (n, t), summed over them.

    Parameters
    ----------
    kernel : DistanceKernel
        Of length scale 1.
    scaled : array of shape (n, d)
    coef : array of shape (n, t)
    weight : array of shape (n,), default=None
        Of the rows in the average.
    """
    found = gradients(kernel.decays(scaled, scaled), scaled, scaled, coef)
    share = np.full(len(scaled), 1 / len(scaled)) if weight is None else weight / np.sum(weight)
    return np.einsum("tni,n,tnj->ij", found, share, found, optimize=True)


def outer_product_of_moments(feature_map: FeatureMap, coef: Array, moments: Moments) -> Array:
    """G (d, d) of models with coefficients (D, t) on features behind moments, summed over them; every row counts."""
    forms = feature_map.gradient_form(coef)
    if forms is None:
        raise AssumptionError(f"Gradients of this {type(feature_map).__name__} are not linear in its features.")
    found = np.zeros((forms.shape[1], forms.shape[1]))
    for form in forms:
        found += form @ second_moment_product(moments, form.T)
    return (found + found.T) / 2


def second_moment_product(moments: Moments, right: Array) -> Array:
    """(Z'Z / n) V of the features behind moments, for V (D, k)."""
    centred: Array = dsymm(1.0 / moments.weight, moments.zz.T, right, lower=0)
    return centred + np.outer(moments.z_mean, moments.z_mean @ right)


def metric_root(outer: Array) -> Array:
    """The symmetric root of M = d G / tr G, which does not depend on signs of eigenvectors; the identity if G is 0."""
    d, size = len(outer), float(np.trace(outer))
    if not 0 < size < np.inf:
        return np.eye(d)
    eigenvalues, vectors = eigh(outer * (d / size), check_finite=False)
    kept = np.where(eigenvalues > _SMALLEST * eigenvalues[-1], eigenvalues, 0.0)
    return (vectors * np.sqrt(kept)) @ vectors.T
