"""What is known of rows before they are read: sizes, types, names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bochner.errors import invalid_parameter

__all__ = ["Shape", "computation_dtype", "target_dtype"]


@dataclass(frozen=True)
class Shape:
    """Sizes, types and names of rows."""

    n_features: int
    n_targets: int
    weighted: bool
    dtype: np.dtype[Any]
    target_dtype: np.dtype[Any]
    feature_names: list[str] | None = None


def computation_dtype(owner: str, given: Any, columns: Iterable[np.dtype[Any]]) -> np.dtype[Any]:
    """The float type of the computation: `given`, else float32 if it holds all values of the columns, else float64."""
    if given is None:
        return np.dtype(np.float32 if all(np.can_cast(column, np.float32) for column in columns) else np.float64)
    try:
        dtype = np.dtype(given)
    except TypeError:
        dtype = None
    if dtype not in (np.float32, np.float64):
        raise invalid_parameter(owner, "dtype", "float32, float64 or None", given)
    return dtype


def target_dtype(column: np.dtype[Any]) -> np.dtype[Any]:
    """The type of targets: texts stay labels, everything else is float64."""
    return np.dtype(object if column.kind in "OUST" else np.float64)
