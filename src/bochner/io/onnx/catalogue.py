"""ONNX nodes of the feature maps of kernels that are not stationary: products, sketches, units, histograms.

A graph cannot refuse a row: of a negative number in a histogram, additive features are not a number.
"""

from __future__ import annotations

from functools import reduce
from typing import cast

import numpy as np

from bochner._typing import Array
from bochner.features import (
    AdditiveMap,
    ArcCosineMap,
    BinaryCodeMap,
    LaplaceMap,
    MaclaurinMap,
    PositiveMap,
    SignMap,
    SketchMap,
    TensorSketchMap,
)
from bochner.io.onnx.graph import Tensor
from bochner.io.onnx.maps import features

__all__: list[str] = []


@features.register
def _(feature_map: MaclaurinMap, X: Tensor) -> Tensor:
    d = len(feature_map.signs)
    blocks = _factors(feature_map, np.broadcast_to(feature_map.kernel.unit(d), (d,)))
    product = X @ blocks[-1]
    for block, shorter in zip(blocks[-2::-1], blocks[:0:-1]):  # from the highest degree on
        many = shorter.shape[1]
        both = X @ block[:, :many] * product
        product = both.beside(X @ block[:, many:]) if block.shape[1] > many else both
    constant = feature_map.n_components - blocks[0].shape[1]
    if constant:
        product = product.beside(X @ np.zeros((d, constant)) + 1.0)
    return cast("Tensor", product * feature_map.amplitude)


def _factors(feature_map: MaclaurinMap, unit: Array) -> list[Array]:
    """Matrices of the first, second, ... factors of all features that have one."""
    counts = [np.count_nonzero(feature_map.degrees > n) for n in range(int(feature_map.degrees.max(initial=0)))]
    if not counts:
        return [np.empty((len(unit), 0))]
    return np.split(feature_map.signs * unit[:, None], np.cumsum(counts)[:-1], axis=1)


@features.register
def _(feature_map: PositiveMap, X: Tensor) -> Tensor:
    d = feature_map.omega.shape[1]
    scaled = X * np.broadcast_to(feature_map.kernel.unit(d), (d,))
    exponent = scaled @ feature_map.omega.T - (scaled * scaled).sum(1, keepdims=True) * 0.5
    return cast("Tensor", np.exp(exponent) * (1 / np.sqrt(feature_map.n_components)))


@features.register
def _(feature_map: TensorSketchMap, X: Tensor) -> Tensor:
    """Count sketches and their Fourier transforms are linear: one matrix each for real and imaginary parts."""
    D, d = feature_map.n_components, feature_map.buckets.shape[1] - 1
    unit = np.append(np.broadcast_to(feature_map.kernel.unit(d), (d,)), np.sqrt(float(feature_map.kernel.coef0)))
    parts = []
    for buckets, signs in zip(feature_map.buckets, feature_map.signs):
        sketch = np.zeros((d + 1, D))
        sketch[np.arange(d + 1), buckets] = signs * unit
        spectrum = np.fft.rfft(sketch, axis=1)
        parts.append((X @ spectrum.real[:d] + spectrum.real[d], X @ spectrum.imag[:d] + spectrum.imag[d]))
    return _coordinates(*reduce(_product, parts), D)


def _product(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Product of complex numbers."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _coordinates(real: Tensor, imaginary: Tensor, D: int) -> Tensor:
    """Orthonormal coordinates, in the order of the map: 0, real parts, imaginary parts, the middle of an even D."""
    pairs = (D - 1) // 2
    scale = np.full(D, np.sqrt(2 / D))
    scale[0] = np.sqrt(1 / D)
    columns = [real.columns(range(pairs + 1))]
    if pairs:
        columns.append(imaginary.columns(range(1, pairs + 1)))
    if D % 2 == 0:
        columns.append(real.column(D // 2))
        scale[-1] = scale[0]
    return cast("Tensor", columns[0].beside(*columns[1:]) * scale)


@features.register
def _(feature_map: ArcCosineMap, X: Tensor) -> Tensor:
    projected = X @ feature_map.projection.matrix().T
    scale = np.sqrt(2 / feature_map.n_components)
    degree = feature_map.kernel.checked_degree()
    if degree == 0:
        return cast("Tensor", _is(projected, "Greater") * scale)
    positive = np.maximum(projected, 0.0)
    return cast("Tensor", (positive if degree == 1 else positive * positive) * scale)


@features.register
def _(feature_map: SignMap, X: Tensor) -> Tensor:
    return _signs(X @ feature_map.projection.matrix().T, feature_map.n_components)


@features.register
def _(feature_map: BinaryCodeMap, X: Tensor) -> Tensor:
    return _signs(features(feature_map.waves, X) + feature_map.thresholds, feature_map.n_components)


@features.register
def _(feature_map: SketchMap, X: Tensor) -> Tensor:
    return cast("Tensor", X @ (feature_map.projection.matrix().T / np.sqrt(feature_map.n_components)))


@features.register
def _(feature_map: AdditiveMap, X: Tensor) -> Tensor:
    logs, roots = np.log(np.maximum(X, float(np.finfo(X.dtype).tiny))), np.sqrt(X)
    columns = []
    for k, (frequency, height) in enumerate(zip(feature_map.frequencies.T, feature_map.amplitude)):
        angles = logs * frequency
        columns.append(np.cos(angles) * roots * height)
        if not (feature_map.grid and k == 0):
            columns.append(np.sin(angles) * roots * height)
    return columns[0].beside(*columns[1:])


@features.register
def _(feature_map: LaplaceMap, X: Tensor) -> Tensor:
    return cast("Tensor", np.exp(X @ -feature_map.rates.T) * (1 / np.sqrt(feature_map.n_components)))


def _signs(values: Tensor, width: int) -> Tensor:
    """1 / sqrt(D) with the sign of a number, positive for 0."""
    return cast("Tensor", (1 - _is(values, "Less") * 2.0) * (1 / np.sqrt(width)))


def _is(values: Tensor, comparison: str) -> Tensor:
    """1 where a number is greater, or less, than 0, else 0."""
    return values.apply(comparison, values, 0.0, dtype=bool).astype(values.dtype)
