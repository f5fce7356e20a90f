"""An affine map of the plane as a sparse matrix on pixels (Raj et al. 2017, Lemma 2.1).

    (g I)(p) = abs(det L)^(-1/2) I(L^-1 (p - t)),      p -> L p + t the map, p = (row, column) from the middle

The factor makes the action unitary on images on the plane; pixels make it nearly so: values between pixels are
interpolated, what leaves the image is lost, and what enters is zero.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array, csr_array, eye_array, kron

from bochner._typing import Array

__all__ = ["INTERPOLATIONS", "affine_action"]

Kernel1D = Callable[[Array], Array]


def _linear(t: Array) -> Array:
    """The hat function: bilinear interpolation."""
    return np.maximum(1 - np.abs(t), 0)


def _cubic(t: Array) -> Array:
    """Keys' cubic convolution, a = -1/2: exact for quadratics, half the blur of the hat."""
    t = np.abs(t)
    inner, outer = (1.5 * t - 2.5) * t**2 + 1, ((-0.5 * t + 2.5) * t - 4) * t + 2
    return np.where(t <= 1, inner, np.where(t < 2, outer, 0.0))


INTERPOLATIONS: dict[str, tuple[Kernel1D, int]] = {"linear": (_linear, 1), "cubic": (_cubic, 2)}
"""Interpolating functions, and how many pixels they reach to each side."""


def affine_action(
    shape: tuple[int, ...], linear: Array, shift: Array, *, interpolation: str = "linear", wrap: bool = False
) -> csr_array:
    """The matrix (h w c, h w c) of one affine map; channels move alike.

    Parameters
    ----------
    shape : (h, w) or (h, w, c)
    linear : array of shape (2, 2)
        L, on (row, column).
    shift : array of shape (2,)
        t, in pixels.
    interpolation : {"linear", "cubic"}
    wrap : bool
        Whether what leaves on one side enters on the other.
    """
    h, w = shape[:2]
    middle = np.array([[h - 1], [w - 1]]) / 2
    target = np.indices((h, w)).reshape(2, -1) - middle
    source = np.linalg.solve(linear, target - np.reshape(shift, (2, 1))) + middle
    source = np.round(source, 9)  # quarter turns then meet pixels exactly
    rows, columns, values = _stencil(source, interpolation)
    if wrap:
        rows, columns = rows % h, columns % w
    kept = (values != 0) & (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w)
    at = np.broadcast_to(np.arange(h * w), values.shape)[kept]
    scale = abs(np.linalg.det(linear)) ** -0.5
    matrix = coo_array((scale * values[kept], (at, (rows * w + columns)[kept])), shape=(h * w, h * w)).tocsr()
    return matrix if len(shape) == 2 else csr_array(kron(matrix, eye_array(shape[2]), format="csr"))


def _stencil(source: Array, interpolation: str) -> tuple[Array, Array, Array]:
    """Rows, columns and weights (k, h w) of the pixels around points (2, h w)."""
    weight, reach = INTERPOLATIONS[interpolation]
    offsets = np.arange(1 - reach, reach + 1)
    down, right = (grid.reshape(-1, 1) for grid in np.meshgrid(offsets, offsets, indexing="ij"))
    base = np.floor(source).astype(int)
    rows, columns = base[0] + down, base[1] + right
    return rows, columns, weight(source[0] - rows) * weight(source[1] - columns)
