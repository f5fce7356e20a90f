"""ONNX nodes of kernel values k(x, p) against fixed points. A kernel of another kind registers here."""

from __future__ import annotations

from functools import singledispatch
from typing import cast

import numpy as np

from bochner._typing import Array
from bochner.errors import UnsupportedModelError
from bochner.io.onnx.graph import Tensor
from bochner.kernels import Cauchy, Isotropic, Laplacian, Metric, Product, Scaled, Stationary, Sum

__all__ = ["kernel_values"]


@singledispatch
def kernel_values(kernel: object, X: Tensor, points: Array) -> Tensor:
    """k(x, p) of every row and point, shape (n, n_points)."""
    raise UnsupportedModelError(f"The kernel {kernel!r} has no static graph.")


@kernel_values.register
def _(kernel: Isotropic, X: Tensor, points: Array) -> Tensor:
    scale = np.asarray(kernel.scales(points.shape[1]))
    points = points / scale
    middle = points.mean(axis=0)  # fewer digits cancel
    points, X = points - middle, X / scale - middle
    squared = (X * X).sum(1, keepdims=True) + np.sum(points**2, axis=1) - X @ (2 * points.T)
    try:
        return cast("Tensor", kernel.profile(np.sqrt(np.maximum(squared, 0.0))))
    except UnsupportedModelError as error:
        raise UnsupportedModelError(f"The kernel {kernel!r} has no static graph: {error}") from None


@kernel_values.register
def _(kernel: Metric, X: Tensor, points: Array) -> Tensor:
    factors = np.asarray(kernel.directions, dtype=float)
    return kernel_values(kernel.kernel, X @ factors, points @ factors)


@kernel_values.register
def _(kernel: Laplacian, X: Tensor, points: Array) -> Tensor:
    distances = [cast("Tensor", np.abs(difference)) for difference in _differences(kernel, X, points)]
    return cast("Tensor", np.exp(-_folded(np.add, distances)))


@kernel_values.register
def _(kernel: Cauchy, X: Tensor, points: Array) -> Tensor:
    return 1 / _folded(np.multiply, [1 + t * t for t in _differences(kernel, X, points)])


@kernel_values.register
def _(kernel: Scaled, X: Tensor, points: Array) -> Tensor:
    return kernel.factor * kernel_values(kernel.kernel, X, points)


@kernel_values.register
def _(kernel: Sum, X: Tensor, points: Array) -> Tensor:
    return kernel_values(kernel.left, X, points) + kernel_values(kernel.right, X, points)


@kernel_values.register
def _(kernel: Product, X: Tensor, points: Array) -> Tensor:
    return kernel_values(kernel.left, X, points) * kernel_values(kernel.right, X, points)


def _differences(kernel: Stationary, X: Tensor, points: Array) -> list[Tensor]:
    """(x_j - p_j) / length_scale_j, shape (n, n_points), for every j: a column at a time, as in the kernels."""
    scale = np.broadcast_to(kernel.scales(points.shape[1]), (points.shape[1],))
    return [(X.column(j) - points[:, j]) / scale[j] for j in range(points.shape[1])]


def _folded(combine: np.ufunc, tensors: list[Tensor]) -> Tensor:
    total = tensors[0]
    for each in tensors[1:]:
        total = combine(total, each)
    return total
