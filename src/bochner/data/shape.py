"""Shape and float type of rows before they are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from bochner._typing import FloatType
from bochner.errors import invalid_parameter

__all__ = ["Shape", "computation_dtype", "target_dtype"]


@dataclass(frozen=True)
class Shape:
    """Sizes, types and names of rows."""

    n_features: int
    n_targets: int
    weighted: bool
    dtype: FloatType
    target_dtype: np.dtype[Any]
    feature_names: list[str] | None = None


def computation_dtype(owner: str, given: DTypeLike | None, columns: Iterable[np.dtype[Any]]) -> FloatType:
    """The float type of the computation: `given`, else float32 if it holds all values of the columns, else float64."""
    if given is None:
        return np.dtype(np.float32 if all(np.can_cast(column, np.float32) for column in columns) else np.float64)
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        if _is_type(given, dtype):
            return dtype
    raise invalid_parameter(owner, "dtype", "float32, float64 or None", given)


def _is_type(given: DTypeLike, dtype: FloatType) -> bool:
    try:
        return np.dtype(given) == dtype
    except TypeError:
        return False


def target_dtype(column: np.dtype[Any]) -> np.dtype[Any]:
    """The type of targets: texts stay labels, everything else is float64."""
    return np.dtype(object if column.kind in "OUST" else np.float64)
