"""Consistency checks of objects from model files: compiled loops trust the shapes of their arrays."""

from __future__ import annotations

from functools import singledispatch
from typing import TypeGuard

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from bochner._typing import Array
from bochner.errors import FileFormatError
from bochner.features import FourierMap, OrbitFourierMap, RankWarp
from bochner.groups import Transforms
from bochner.statistics import Moments

__all__ = ["check_object", "fits", "places"]

_PLACES = ("checkpoint", "memory")


def places(value: object) -> set[str]:
    """Parameters of an estimator that are paths for the files of a fit: checkpoints and caches.

    Model files have none: they are no part of the model, and the next fit would read whatever is in that place.
    """
    if not isinstance(value, BaseEstimator):
        return set()
    return {name for name in _PLACES if vars(value).get(name) is not None}


def check_object(value: object) -> None:
    """Raise `FileFormatError` if shapes within an object do not fit each other, or if it has paths for files."""
    for name in places(value):
        raise FileFormatError(f"was altered: a {type(value).__name__} has a {name!r}, which models in files have not.")
    if not fits(value):
        raise FileFormatError(f"was altered: the arrays of a {type(value).__name__} do not fit each other.")
    state = vars(value) if hasattr(value, "__dict__") else {}
    moments, feature_map = (
        state.get("moments", state.get("moments_")),
        state.get("feature_map", state.get("_feature_map")),
    )
    if moments is not None and feature_map is not None and len(moments.z_mean) != feature_map.n_components:
        raise FileFormatError("was altered: its moments are not those of its features.")


@singledispatch
def fits(value: object) -> bool:
    """Whether the arrays of an object are arrays, and have shapes that belong together."""
    return True


@fits.register
def _(value: FourierMap) -> bool:
    omega, amplitude, phase = arrays = value.omega, value.amplitude, value.phase
    m = len(omega)
    sized = omega.ndim == 2 and amplitude.shape == (m,) and phase.ndim == 1 and len(phase) <= m
    return sized and all(_is_array(array, np.dtype(float)) for array in arrays)


@fits.register
def _(value: RankWarp) -> bool:
    d = len(value.reach)
    arrays = all(_is_array(array, np.dtype(float)) for array in (value.knots, value.scores, value.reach))
    return arrays and value.knots.ndim == 2 and value.knots.shape == value.scores.shape and value.reach.shape == (d,)


@fits.register
def _(value: OrbitFourierMap) -> bool:
    d = value.base.omega.shape[1]
    linear = type(value.base) is FourierMap and value.transforms.linear
    return linear and all(matrix.shape == (d, d) for matrix in value.transforms.matrices)


@fits.register
def _(value: Transforms) -> bool:
    known = all(issparse(action) or callable(action) for action in value.actions)
    weights = _is_array(value.weights) and value.weights.shape == (len(value.actions),)
    return type(value.actions) is tuple and known and weights


@fits.register
def _(value: Moments) -> bool:
    D, t = value.zy.shape
    vectors = value.z_mean.shape == (D,) and value.y_mean.shape == value.yy.shape == (t,)
    arrays = all(_is_array(array) for array in (value.zy, value.z_mean, value.y_mean, value.yy))
    return vectors and arrays and _is_square(vars(value).get("zz"), D)


def _is_square(zz: object, D: int) -> bool:
    """A contiguous array (D, D) of float64, or none: a summary has none."""
    return zz is None or (_is_array(zz, np.dtype(float)) and zz.shape == (D, D) and zz.flags.c_contiguous)


def _is_array(value: object, dtype: np.dtype[np.generic] | None = None) -> TypeGuard[Array]:
    """A NumPy array, not an object of a forged file with such attributes."""
    return type(value) is np.ndarray and (dtype is None or value.dtype == dtype)
