"""Rules for the feature maps of the catalogue: the arrays that their compiled loops index with, and take sizes from."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.features import (
    AdditiveMap,
    BinaryCodeMap,
    LaplaceMap,
    MaclaurinMap,
    PatchMap,
    Positions,
    PositiveMap,
    TensorSketchMap,
)
from bochner.io.shapes import finite, fits, shaped
from bochner.sampling import Frequencies, StructuredProjection

__all__: list[str] = []

_WIDEST = 2**26


@fits.register
def _(value: StructuredProjection) -> bool:
    if not finite(value.diagonals, None, None, None):
        return False
    blocks, steps, p = value.diagonals.shape
    sizes = min(blocks, steps, p) > 0 and p & (p - 1) == 0
    rows = blocks if len(value.permutations) else 0
    scales = finite(value.scales, None) and blocks == -(-len(value.scales) // p) if sizes else False
    units = finite(value.units, None) and len(value.units) <= p
    return sizes and scales and units and _indices(value.permutations, p, rows, p)


@fits.register
def _(value: Frequencies) -> bool:
    return value.weights is None or finite(value.weights, value.projection.n_frequencies)


@fits.register
def _(value: BinaryCodeMap) -> bool:
    return value.waves.is_phase and finite(value.thresholds, value.waves.n_components)


@fits.register
def _(value: TensorSketchMap) -> bool:
    if not shaped(value.buckets, None, None) or not 0 < value.width <= _WIDEST:
        return False
    sketches, columns = value.buckets.shape
    signs = shaped(value.signs, sketches, columns) and value.signs.dtype == np.int8
    return min(sketches, columns) > 0 and signs and _indices(value.buckets, value.width, sketches, columns)


@fits.register
def _(value: MaclaurinMap) -> bool:
    if not shaped(value.degrees, None) or value.degrees.dtype != np.int64:
        return False
    falling = bool(np.all(np.diff(value.degrees) <= 0)) and bool(np.all((value.degrees >= 0) & (value.degrees < 2**20)))
    if not falling or not shaped(value.signs, None, int(value.degrees.sum())):
        return False
    return value.signs.dtype == np.int8 and finite(value.amplitude, len(value.degrees))


@fits.register
def _(value: AdditiveMap) -> bool:
    if not finite(value.frequencies, None, None) or value.frequencies.shape[1] == 0:
        return False
    return finite(value.amplitude, value.frequencies.shape[1])


@fits.register
def _(value: PositiveMap) -> bool:
    return finite(value.omega, None, None)


@fits.register
def _(value: LaplaceMap) -> bool:
    return finite(value.rates, None, None) and bool(np.all(value.rates >= 0))


@fits.register
def _(value: Positions) -> bool:
    if min(*value.shape, value.patch, *value.pool) < 1 or value.n_pixels > _WIDEST:
        return False
    return all(m <= n for m, n in zip(value.pool, value.sides))


@fits.register
def _(value: PatchMap) -> bool:
    phi = (value.base.unwhitened or (value.base, None))[0]
    width, values = value.grid.patch_size, phi.kernel_values
    if values is not None:
        return values.points.shape[1] == width
    return phi.fourier is None or phi.fourier.n_features == width


def _indices(value: Array, below: int, *shape: int) -> bool:
    """Whole numbers from 0 to below this one, in an array of this shape."""
    if not shaped(value, *shape) or value.dtype != np.int64:
        return False
    return bool(np.all((value >= 0) & (value < below)))
