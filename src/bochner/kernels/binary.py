"""The kernel behind binary codes of a stationary kernel (Raginsky & Lazebnik 2009)."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.spatial.distance import cdist

from bochner._typing import Array
from bochner.kernels.base import Kernel, Stationary, require_stationary

__all__ = ["BinaryCode"]

_TERMS = 64  # of the series that are computed one by one
_OCTAVES, _CELLS = 24, 8  # the terms after them: so many doublings of m, each in so many cells


class BinaryCode(Kernel):
    """Mean agreement of the bits sign(cos(omega.x + b) + t), less their disagreement, of a stationary kernel k.

        k_code(x, y) = 1 - (16 / pi^2) sum_{m >= 1} (1 - k(m (x - y)) / k(0)) / (4 m^2 - 1)

    with omega from the spectral measure of k, b uniform on [0, 2 pi], t uniform on [-1, 1]. It falls with the distance
    as k does, from 1 to 1 - 8 / pi^2 = 0.19: codes of rows that k has nothing in common for still agree by chance.

    Parameters
    ----------
    kernel : Stationary

    Examples
    --------
    >>> from bochner import BinaryCode, Gaussian
    >>> BinaryCode(Gaussian())([[0.0], [1.0], [9.0]]).round(3)[0]
    array([1.   , 0.532, 0.189])
    """

    def __init__(self, kernel: Stationary) -> None:
        self.kernel = kernel

    def _matrix(self, X: Array, Y: Array) -> Array:
        kernel = require_stationary(self, "kernel", self.kernel).without_factor()
        if kernel.isotropic:  # a function of the scaled distance: points on a line, whatever the number of columns
            scale, line = kernel.scales(X.shape[1]), kernel.with_length_scale(1.0)
            rows = (cdist(row[None] / scale, Y / scale).T for row in X)
            agreements = [self._agreement(line, distances) for distances in rows]
        else:
            agreements = [self._agreement(kernel, row - Y) for row in X]
        return np.stack(agreements) if agreements else np.empty((0, len(Y)))

    def _diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    @staticmethod
    def _agreement(kernel: Stationary, delta: Array) -> Array:
        """The kernel at differences (n, d), to about 1e-6."""
        multiples, weights = _series()
        values = kernel.at(multiples[:, None, None] * delta) / kernel.variance
        return 1 - 16 / np.pi**2 * (weights @ (1 - values))


@cache
def _series() -> tuple[Array, Array]:
    """Multiples m and weights of the series: the first ones one by one, later ones in cells of a growing length.

    A cell [a, b) has the weight sum 1 / (4 m^2 - 1) = (1 / (2 a - 1) - 1 / (2 b - 1)) / 2, at its harmonic mean.
    """
    m = np.arange(1.0, _TERMS + 1)
    edges = np.unique(np.round((_TERMS + 1) * 2 ** (np.arange(_OCTAVES * _CELLS + 1) / _CELLS)))
    first, last = edges[:-1], edges[1:]
    cells = (1 / (2 * first - 1) - 1 / (2 * last - 1)) / 2
    rest = 1 / (2 * (2 * edges[-1] - 1))
    multiples = np.concatenate([m, np.sqrt((first - 0.5) * (last - 0.5)), edges[-1:]])
    return multiples, np.concatenate([1 / (4 * m**2 - 1), cells, [rest]])
