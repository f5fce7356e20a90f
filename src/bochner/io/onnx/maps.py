"""ONNX nodes of feature maps. A new map registers here."""

from __future__ import annotations

from functools import singledispatch
from typing import cast

import numpy as np
from scipy.linalg import solve_triangular

from bochner._dense import dense
from bochner._typing import Array
from bochner.errors import UnsupportedModelError
from bochner.estimators.map_transformer import MapTransformer
from bochner.features import (
    FourierMap,
    OrbitFourierMap,
    OrbitMap,
    PatchGrid,
    PatchMap,
    PolarPatchGrid,
    Positions,
    RankWarp,
    SplineMap,
    TransformerMap,
    WarpedMap,
)
from bochner.features.nystroem import KernelMap, NystroemMap
from bochner.groups import Transforms
from bochner.io.onnx.graph import Tensor
from bochner.io.onnx.kernels import kernel_values
from bochner.kernels.spline import CosineSum

__all__ = ["features", "features_of"]


@singledispatch
def features(feature_map: object, X: Tensor) -> Tensor:
    """Features of the rows X (n, d), shape (n, D): in float64 where they are kernel values, else in their type."""
    raise UnsupportedModelError(f"Features of type {type(feature_map).__name__} have no static graph.")


@features.register
def _(feature_map: FourierMap, X: Tensor) -> Tensor:
    return _average_fourier(feature_map, feature_map.omega[None], np.ones(1), X)


@features.register
def _(feature_map: OrbitFourierMap, X: Tensor) -> Tensor:
    base, transforms = feature_map.base, feature_map.transforms
    moved = np.stack([matrix.T @ base.omega.T for matrix in transforms.matrices])
    return _average_fourier(base, np.swapaxes(moved, 1, 2), transforms.weights, X)


@features.register
def _(feature_map: OrbitMap, X: Tensor) -> Tensor:
    parts = [weight * features(feature_map.base, moved) for weight, moved in _orbit(feature_map.transforms, X)]
    return _sum(parts)


@features.register
def _(feature_map: TransformerMap, X: Tensor) -> Tensor:
    return features_of(feature_map.transformer, X)


@features.register
def _(feature_map: KernelMap, X: Tensor) -> Tensor:
    transforms, points = feature_map.transforms, feature_map.points
    X = X.astype(np.float64)  # whatever its type: near a point its distance is a difference of large numbers
    if transforms is None:
        return kernel_values(feature_map.kernel, X, points)
    moved = np.vstack([moved for _, moved in transforms.of(points)])

    def one_sided(x: Tensor) -> Tensor:
        return _average(kernel_values(feature_map.kernel, x, moved), transforms.weights, len(points))

    if feature_map.one_sided:
        return one_sided(X)
    return _sum([weight * one_sided(x) for weight, x in _orbit(transforms, X)])


@features.register
def _(feature_map: NystroemMap, X: Tensor) -> Tensor:
    # In float64 whatever the type of X: whitening magnifies the rounding of kernel values, and large coefficients that
    # nearly cancel that of its result.
    whitening = solve_triangular(feature_map.factor, np.eye(len(feature_map.factor)), lower=True).T
    return features(feature_map.values, X) @ whitening


@features.register
def _(feature_map: WarpedMap, X: Tensor) -> Tensor:
    return features(feature_map.base, _warped(feature_map.warp, X))


def _warped(warp: RankWarp, X: Tensor) -> Tensor:
    """Normal scores as sums of ramps: score_1 + sum_k slope_k min(max(x - knot_k, 0), knot_k+1 - knot_k), and tails."""
    in_float64, columns = X.astype(np.float64), []
    for j, (knots, scores) in enumerate(zip(warp.knots, warp.scores)):
        kept = np.append(np.diff(knots) > 0, True)
        values, heights = knots[kept], scores[kept]
        x = in_float64.column(j)
        score = np.log(1 + np.maximum(x - values[-1], 0.0) / warp.reach[j]) + heights[0]
        score = score - np.log(1 + np.maximum(values[0] - x, 0.0) / warp.reach[j])
        if len(values) > 1:
            slopes = np.diff(np.diff(heights) / np.diff(values), prepend=0.0)
            inside = values[-1] - np.maximum(values[-1] - x, 0.0)
            score = score + np.maximum(inside - values[:-1], 0.0) @ slopes[:, None]
        columns.append(score)
    return columns[0].beside(*columns[1:])


@features.register
def _(feature_map: PatchMap, X: Tensor) -> Tensor:
    grid, tiny = feature_map.grid, float(np.finfo(np.float32).tiny)
    patches = _windows(grid, X).reshape(-1, grid.shape[2], grid.patch**2)
    if grid.centred:
        patches = patches - patches.sum(2, keepdims=True) / grid.patch**2
    flat = patches.reshape(-1, grid.patch_size)
    length = np.sqrt((flat * flat).sum(1, keepdims=True))
    values = features(feature_map.base, flat / np.maximum(length, tiny)).astype(X.dtype) * length
    pooled = grid.weights() @ values.reshape(-1, grid.n_positions, feature_map.base.n_components)
    return pooled.reshape(-1, feature_map.n_components)


@singledispatch
def _windows(grid: Positions, X: Tensor) -> Tensor:
    """Pixels of all patches, one after the other."""
    raise UnsupportedModelError(f"Patches of a {type(grid).__name__} have no static graph.")


@_windows.register
def _(grid: PatchGrid, X: Tensor) -> Tensor:
    pixels = np.arange(grid.n_pixels, dtype=float)[None]
    return X.columns(list(grid.windows(pixels).astype(int).ravel()))


@_windows.register
def _(grid: PolarPatchGrid, X: Tensor) -> Tensor:
    return X @ grid.sampling.toarray().T


@features.register
def _(feature_map: SplineMap, X: Tensor) -> Tensor:
    kernel, centres = feature_map.kernel, feature_map.centres
    d = centres.shape[1]
    period = np.broadcast_to(kernel.length_scale, (d,))
    height = 1 / np.sqrt(len(centres) * kernel.variance ** (d - 1))
    waves = [_wave(X.column(j) / period[j] - centres[:, j], kernel.order / 2) for j in range(d)]
    total = waves[0] * np.full(len(centres), height)
    for wave in waves[1:]:
        total = total * wave
    return total


@singledispatch
def features_of(transformer: object, X: Tensor) -> Tensor:
    """Features of the rows X (n, d) by a fitted transformer, shape (n, D)."""
    raise UnsupportedModelError(
        f"Features by {type(transformer).__name__} have no graph of their own here: put the transformer into a "
        "Pipeline before the model, and export that."
    )


@features_of.register
def _(transformer: MapTransformer, X: Tensor) -> Tensor:
    return features(transformer.map_, X)


def _average_fourier(base: FourierMap, omega: Array, weights: Array, X: Tensor) -> Tensor:
    """sum_g weights_g z_g(x) of the maps with frequencies omega_g (r, m, d) and the amplitudes and phases of `base`."""
    m, n_phases, d = len(base.omega), len(base.phase), base.omega.shape[1]
    pairs, columns = m - n_phases, []
    if pairs:
        angles = X @ omega[:, :pairs].reshape(-1, d).T
        columns = [_average(part(angles), weights, pairs) * base.amplitude[:pairs] for part in (np.cos, np.sin)]
    if n_phases:
        angles = X @ omega[:, pairs:].reshape(-1, d).T + np.tile(base.phase, len(weights))
        columns.append(_average(np.cos(angles), weights, n_phases) * base.amplitude[pairs:])
    return columns[0].beside(*columns[1:])


def _average(values: Tensor, weights: Array, width: int) -> Tensor:
    """sum_g weights_g values_g for values (n, r width), transforms outermost: shape (n, width)."""
    if len(weights) == 1:
        return values
    return (values.reshape(0, len(weights), width) * weights[:, None]).sum(1)


def _orbit(transforms: Transforms, X: Tensor) -> list[tuple[float, Tensor]]:
    if not transforms.linear:
        raise UnsupportedModelError("Transformations that are functions have no static graph.")
    return [(float(w), cast("Tensor", X @ dense(A.T))) for w, A in zip(transforms.weights, transforms.matrices)]


def _sum(parts: list[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _wave(t: Tensor, order: float) -> Tensor:
    """Lambda_order(t), by the series of `CosineSum`: a polynomial in u^2 and one power of u, u = abs(t - round t)."""
    series = CosineSum(order)
    if series.at_pole:
        raise UnsupportedModelError(f"Splines of order {2 * order:g}, twice an odd number, have no static graph.")
    u = cast("Tensor", np.abs(t - np.rint(t)))
    square = u * u
    kept = series.significant(float(np.finfo(float).eps))
    total = square * 0.0 + kept[-1]
    for coefficient in kept[:-1][::-1]:
        total = total * square + coefficient
    return 1 + 2 * (total + series.singular_height() * u ** (series.q - 1))
