"""Random features of a kernel that is not stationary, without an estimator: for plans."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bochner._typing import Rows
from bochner.features.base import FeatureMap
from bochner.features.histograms import additive_grid, draw_laplace_map
from bochner.features.maclaurin import draw_maclaurin_map, squared_norms
from bochner.features.tensor_sketch import draw_tensor_sketch_map
from bochner.features.units import ArcCosineMap, SignMap, SketchMap, draw_code_map, draw_units
from bochner.kernels import (
    AdditiveKernel,
    Angular,
    ArcCosine,
    BinaryCode,
    Exponential,
    Hellinger,
    Linear,
    Polynomial,
    SemigroupKernel,
)
from bochner.sampling.projection import DenseProjection

__all__ = ["draw_map_of_kernel"]

_Draw = Callable[..., FeatureMap]


def draw_map_of_kernel(kernel: object, X: Rows, n_components: int, seed: int) -> FeatureMap | None:
    """The map that a model of `kernel` draws for rows like X; None for what is no kernel of the catalogue.

    Additive kernels have the width of two frequencies a column, whatever `n_components`.
    """
    sizes = {"n_features": X.shape[1], "n_components": n_components, "seed": seed}
    for kind in type(kernel).__mro__:
        if kind in _DRAWN:
            return _DRAWN[kind](kernel, X, sizes)
    return None


def _units(sizes: dict[str, int]) -> DenseProjection:
    return draw_units(sizes["n_features"], sizes["n_components"], sizes["seed"])


def _mean_norm(kernel: Exponential, X: Rows) -> float:
    return float(np.mean(squared_norms(X, np.broadcast_to(kernel.unit(X.shape[1]), (X.shape[1],)))))


def _additive(kernel: AdditiveKernel, X: Rows, sizes: dict[str, int]) -> FeatureMap:
    m = 1 if type(kernel) is Hellinger else 2
    return additive_grid(kernel, n_features=sizes["n_features"], n_frequencies=m, interval=0.5)


_DRAWN: dict[type, _Draw] = {
    Polynomial: lambda kernel, X, sizes: draw_tensor_sketch_map(kernel, **sizes),
    Exponential: lambda kernel, X, sizes: draw_maclaurin_map(kernel, squared_norm=_mean_norm(kernel, X), **sizes),
    Linear: lambda kernel, X, sizes: SketchMap(_units(sizes)),
    ArcCosine: lambda kernel, X, sizes: ArcCosineMap(_units(sizes), kernel),
    Angular: lambda kernel, X, sizes: SignMap(_units(sizes)),
    BinaryCode: lambda kernel, X, sizes: draw_code_map(kernel.kernel, **sizes),
    SemigroupKernel: lambda kernel, X, sizes: draw_laplace_map(kernel, **sizes),
    AdditiveKernel: _additive,
}
