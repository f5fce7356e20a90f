"""Length scale of orbit features by leave-one-out errors of ridge regression on a narrow orbit map.

The median distance between rows is that of images in any position; what tells them apart is finer. With K = Z Z' of
centred features, K = U diag(s) U', and H = U diag(s / (s + alpha)) U' + 1/n, the error of row i left out is
(y_i - (H y)_i) / (1 - H_ii). Its frequencies, and transformations that were drawn, are not those of the map that is
certified: the caller gives the seed of tuning.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, ArrayLike, Rows
from bochner.features import draw_fourier_map, draw_orbit_map, transform
from bochner.groups import Transforms
from bochner.kernels import Stationary
from bochner.sampling import MonteCarlo

__all__ = ["learned_scale"]

_ROWS, _WIDTH = 600, 512
_MOST_CLASSES = 100
_FEWEST = 50  # rows that tell a scale
_FACTORS = 2.0 ** (np.arange(2, -6, -1) / 2)  # of the median distance
_PENALTIES = 10.0 ** np.arange(-7, 1)  # of the largest eigenvalue


def learned_scale(kernel: Stationary, transforms: Transforms, X: Rows, y: ArrayLike, seed: int) -> Stationary:
    """The kernel with the scale, around its own, whose orbit map predicts rows that are left out best."""
    targets = _targets(y)
    if X.shape[0] < _FEWEST:
        return kernel
    some = generator(seed, Purpose.SUBSAMPLE).permutation(X.shape[0])[:_ROWS]
    rows, targets = dense(X[some], np.float32), targets[some]
    scale = kernel.length_scale
    tried = [kernel.with_length_scale(float(factor * scale)) for factor in _FACTORS]
    return min(tried, key=lambda each: _left_out_error(_features(each, transforms, rows, seed), targets))


def _targets(y: ArrayLike) -> Array:
    """Numbers as they are, in units of their spreads; labels, or few different whole numbers, as indicators."""
    given = np.asarray(y)
    numbers = np.issubdtype(given.dtype, np.number)
    classes = np.empty(0) if np.issubdtype(given.dtype, np.floating) else np.unique(given)
    if len(classes) and (not numbers or len(classes) <= _MOST_CLASSES):
        return (given.reshape(-1, 1) == classes).astype(float)
    columns = given.reshape(len(given), -1).astype(float)
    return columns / np.where(np.ptp(columns, axis=0) > 0, columns.std(axis=0), 1.0)


def _features(kernel: Stationary, transforms: Transforms, X: Array, seed: int) -> Array:
    base = draw_fourier_map(
        kernel, MonteCarlo(), n_features=X.shape[1], n_components=_WIDTH, embedding="paired", seed=seed
    )
    return transform(draw_orbit_map(base, transforms), X, X.dtype).astype(float)


def _left_out_error(Z: Array, Y: Array) -> float:
    """Smallest sum of squared leave-one-out errors over penalties."""
    Z, Y = Z - Z.mean(axis=0), Y - Y.mean(axis=0)
    s, U = eigh(Z @ Z.T, check_finite=False)
    s, own = np.maximum(s, 0), U.T @ Y
    errors = []
    for alpha in _PENALTIES * max(float(s[-1]), np.finfo(float).tiny):
        shrunk = s / (s + alpha)
        leverage = np.minimum((U**2) @ shrunk + 1 / len(U), 1 - 1e-9)
        errors.append(float(np.sum(((Y - U @ (shrunk[:, None] * own)) / (1 - leverage)[:, None]) ** 2)))
    return min(errors)
