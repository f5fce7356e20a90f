"""Gradients of functions that are linear in features, f(x) = z(x).w: the mean of a model, and its error bars.

    df(x) / dx_j = (dz(x) / dx_j).w

Where derivatives of features are combinations of features (cosines and sines), a gradient is a response of the map
itself, with other coefficients (`FeatureMap.gradient_form`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array, FloatType, Rows
from bochner.memory import row_slices, rows_within

if TYPE_CHECKING:
    from bochner.features.base import FeatureMap

__all__ = ["ColumnSlopes", "gradient_response", "slope_blocks"]

_COPIES = 5  # of the derivatives of a block, in float64


@dataclass(frozen=True, eq=False)
class ColumnSlopes:
    """Derivatives of features by one column.

    Attributes
    ----------
    values : array of shape (n, D)
        dz(x) / dx_j.
    unseen : array of shape (n,) or float
        d^2 (k(x, y) - z(x).z(y)) / dx_j dy_j at y = x: variance of slopes beyond the features, of a function drawn from
        the kernel. Infinite for a kernel without slopes.
    """

    values: Array
    unseen: Array | float = 0.0


def gradient_response(feature_map: FeatureMap, X: Rows, coef: Array, dtype: FloatType) -> Array:
    """Gradients (n, t, d) of z(x).coef, of all rows and coefficients (D, t), computed in a float type."""
    from bochner.features.base import linear_response

    n, d, t = X.shape[0], X.shape[1], coef.shape[1]
    form = feature_map.gradient_form(coef)
    if form is not None:
        flat = linear_response(feature_map, X, form.reshape(t * d, -1).T, np.zeros(t * d), dtype)
        return flat.reshape(n, t, d)
    cheaper = feature_map.linear_form(coef)
    if cheaper is not None:
        feature_map, coef = cheaper
    feature_map.check_rows(X)
    found = np.empty((n, t, d), dtype=dtype)
    for part in slope_blocks(n, feature_map.n_components):
        for j, slopes in enumerate(feature_map.slopes(X[part], dtype)):
            found[part, :, j] = slopes.values @ coef
    return found


def slope_blocks(n_rows: int, width: int) -> list[slice]:
    """Blocks of rows whose derivatives fit in a share of the memory budget."""
    return list(row_slices(n_rows, rows_within(8 * _COPIES * width, most=1024)))
