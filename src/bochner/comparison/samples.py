"""Two samples as they are given: checked, of one float type, never copied as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.errors import InvalidDataError

__all__ = ["check_rows", "check_samples", "pooled_rows"]

_POOLED = 1000


def check_rows(X: Any, name: str, *, least: int = 1, dtype: Any = (np.float64, np.float32)) -> Any:
    """Finite rows, dense or CSR, in float32 or float64; a memory map stays one."""
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        raise InvalidDataError(f"{name} must be a table in memory. Got a {type(X).__name__}: call .collect() first.")
    X = check_array(
        X, accept_sparse="csr", dtype=list(dtype) if isinstance(dtype, tuple) else dtype, input_name=name,
        ensure_min_samples=0,
    )  # fmt: skip
    if X.shape[0] < least:
        raise InvalidDataError(f"{name} must have at least {least} rows. Got {X.shape[0]}.")
    return X


def check_samples(X: Any, Y: Any, *, dtype: Any = (np.float64, np.float32)) -> tuple[Any, Any, np.dtype[Any]]:
    """Two samples of at least two rows and of one width, and the float type to compute in."""
    X, Y = check_rows(X, "X", least=2, dtype=dtype), check_rows(Y, "Y", least=2, dtype=dtype)
    if X.shape[1] != Y.shape[1]:
        raise InvalidDataError(f"X and Y must have the same number of columns. Got {X.shape[1]} and {Y.shape[1]}.")
    return X, Y, np.result_type(X.dtype, Y.dtype)


def pooled_rows(X: Any, Y: Any, seed: int) -> Array:
    """Up to 1,000 rows of the two samples together, drawn without regard to which sample they come from.

    So the law of whatever is computed from them does not change when the labels of the rows are permuted.
    """
    n, total = X.shape[0], X.shape[0] + Y.shape[0]
    chosen = np.arange(total)
    if total > _POOLED:
        chosen = np.sort(generator(seed, Purpose.SUBSAMPLE).choice(total, size=_POOLED, replace=False))
    return np.vstack([_dense(X[chosen[chosen < n]]), _dense(Y[chosen[chosen >= n] - n])])


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if issparse(rows) else rows, dtype=float)
