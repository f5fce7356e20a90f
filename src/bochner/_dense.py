"""Sparse rows made dense, in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from bochner._typing import Array

__all__ = ["dense"]


def dense(X: Any, dtype: Any = None) -> Array:
    """The rows as a NumPy array of a type (None: their own); an array that has it already is handed back as it is."""
    return np.asarray(X.toarray() if issparse(X) else X, dtype=dtype)
