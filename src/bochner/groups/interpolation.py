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

__all__ = ["INTERPOLATIONS", "affine_action", "polar_samples", "sampled_points"]

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


def sampled_points(shape: tuple[int, ...], points: Array) -> csr_array:
    """Pixels between pixels: a matrix (k c l, h w c) of images at k x l points, channels before the last axis.

    `points` (k, l, 2) are (row, column) from the middle; bilinear, and zero outside of the image.
    """
    h, w, c = (*shape, 1)[:3]
    k, n_last, _ = points.shape
    source = points.reshape(-1, 2).T + np.array([[h - 1], [w - 1]]) / 2
    rows, columns, values = _stencil(source, "linear")
    kept = (values != 0) & (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w)
    at = np.broadcast_to(np.arange(k * n_last), values.shape)[kept]
    channel = np.arange(c)[:, None]
    targets = at // n_last * (c * n_last) + channel * n_last + at % n_last
    pixels = (rows * w + columns)[kept] * c + channel
    entries = np.broadcast_to(values[kept], targets.shape)
    size = k * c * n_last, h * w * c
    return coo_array((entries.ravel(), (targets.ravel(), pixels.ravel())), shape=size).tocsr()


def polar_samples(shape: tuple[int, ...], n_angles: int = 64, n_rings: int | None = None) -> csr_array:
    """Samples of images on rings around their middle as a matrix: turning an image is a cyclic shift of them.

    `X @ polar_samples(shape).T` has n_angles blocks of n_rings samples (times channels), for
    `CyclicShifts(block_size=...)`. They are weighted by the root of the area that they stand for, so that distances of
    samples are nearly those of images.

    Parameters
    ----------
    shape : (h, w) or (h, w, c)
    n_angles : int, default=64
    n_rings : int, default=None
        None: one pixel apart, up to the nearest side.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner.groups import polar_samples
    >>> image = np.zeros((9, 9))
    >>> image[1, 4] = 1.0
    >>> up, left = (polar_samples((9, 9), n_angles=4) @ turned.ravel() for turned in (image, image.T))
    >>> bool(np.allclose(up, np.roll(left, 4)) or np.allclose(up, np.roll(left, -4)))
    True
    """
    rings = max(1, min(shape[:2]) // 2) if n_rings is None else n_rings
    spacing = min(shape[:2]) / 2 / rings
    turn = 2 * np.pi * np.arange(n_angles)[:, None] / n_angles
    radius = spacing * (np.arange(rings) + 0.5)
    points = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1)
    area = np.sqrt(2 * np.pi * radius * spacing / n_angles)
    c = (*shape, 1)[2]
    matrix = sampled_points(shape, points)
    return csr_array(matrix.multiply(np.tile(area, n_angles * c)[:, None]))
