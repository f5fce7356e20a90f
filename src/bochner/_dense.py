"""Sparse rows made dense, and their number of columns checked for compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from bochner._typing import Array
from bochner.errors import InvalidDataError

__all__ = ["dense", "require_columns"]


def dense(X: Any, dtype: Any = None) -> Array:
    """The rows as a NumPy array of a type (None: their own); an array that has it already is handed back as it is."""
    return np.asarray(X.toarray() if issparse(X) else X, dtype=dtype)


def require_columns(X: Any, n_columns: int) -> None:
    """Refuse rows of another number of columns: a compiled loop would read beyond an array."""
    if X.shape[1] != n_columns:
        raise InvalidDataError(f"Rows must have {n_columns} columns, as the features do. Got {X.shape[1]}.")
