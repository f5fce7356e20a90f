"""What is taken for granted of objects, checked when they come from a file: compiled loops trust the shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from bochner.errors import FileFormatError
from bochner.features import FourierMap, OrbitFourierMap
from bochner.groups import Transforms
from bochner.statistics import Moments

__all__ = ["check_object", "places"]

_PLACES = ("checkpoint", "memory")


def places(value: Any) -> set[str]:
    """Parameters of an estimator that name a place for the files of a fit.

    Model files have none: they say nothing of the model, and the next fit would read whatever is in that place.
    """
    if not isinstance(value, BaseEstimator):
        return set()
    return {name for name in _PLACES if vars(value).get(name) is not None}


def check_object(value: Any) -> None:
    """Raise `FileFormatError` if shapes within an object do not fit each other, or if it names places for files."""
    for name in places(value):
        raise FileFormatError(f"was altered: a {type(value).__name__} has a {name!r}, which models in files have not.")
    for type_, fits in _RULES.items():
        if isinstance(value, type_) and not fits(value):
            raise FileFormatError(f"was altered: the arrays of a {type(value).__name__} do not fit each other.")
    moments, feature_map = getattr(value, "moments_", None), getattr(value, "_feature_map", None)
    if isinstance(moments, Moments) and feature_map is not None and len(moments.z_mean) != feature_map.n_components:
        raise FileFormatError("was altered: its moments are not those of its features.")


def _fourier_map(value: FourierMap) -> bool:
    omega, amplitude, phase = value.omega, value.amplitude, value.phase
    m = len(omega)
    sized = omega.ndim == 2 and amplitude.shape == (m,) and phase.ndim == 1 and len(phase) <= m
    return sized and all(array.dtype == np.float64 for array in (omega, amplitude, phase))


def _orbit_map(value: OrbitFourierMap) -> bool:
    d = value.base.omega.shape[1]
    linear = isinstance(value.base, FourierMap) and value.transforms.linear
    return linear and all(action.shape == (d, d) for action in value.transforms.actions)  # type: ignore[union-attr]


def _transforms(value: Transforms) -> bool:
    known = all(issparse(action) or callable(action) for action in value.actions)
    return isinstance(value.actions, tuple) and known and value.weights.shape == (len(value.actions),)


def _moments(value: Moments) -> bool:
    D, k = value.zy.shape
    vectors = value.z_mean.shape == (D,) and value.y_mean.shape == value.yy.shape == (k,)
    zz = vars(value).get("zz")  # a summary has none
    return vectors and (zz is None or (zz.shape == (D, D) and zz.dtype == np.float64 and zz.flags.c_contiguous))


_RULES: dict[type, Callable[[Any], bool]] = {
    FourierMap: _fourier_map,
    OrbitFourierMap: _orbit_map,
    Transforms: _transforms,
    Moments: _moments,
}
