"""Validation of the samples of a test: finite rows of one width and float type, never copied as a whole."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.utils import check_array

from bochner._dense import dense
from bochner._magnitude import largest_number, refuse_huge
from bochner._plain import require_plain
from bochner._random import Purpose, generator
from bochner._sklearn import naming_the_encoder, refuse_lazy
from bochner._typing import FloatType, MatrixLike, Rows
from bochner.errors import InvalidDataError

__all__ = ["as_column", "check_rows", "check_samples", "column_names", "pooled_rows"]

_POOLED = 1000

_FloatTypes: TypeAlias = type[np.floating] | tuple[type[np.floating], ...]


def check_rows(
    X: MatrixLike | Rows,
    name: str,
    *,
    least: int = 1,
    dtype: _FloatTypes = (np.float64, np.float32),
    huge: bool = False,
) -> Rows:
    """Finite rows, dense or CSR, in float32 or float64; a memory map stays one.

    `huge` lets numbers pass whose squares are none.
    """
    refuse_lazy(X, name)
    require_plain(X, name)
    with naming_the_encoder(f"The argument {name}", ": fit it to the rows of all samples", name):
        rows: Rows = check_array(
            X, accept_sparse="csr", dtype=list(dtype) if isinstance(dtype, tuple) else dtype, input_name=name,
            ensure_min_samples=0,
        )  # fmt: skip
    if rows.shape[0] < least:
        raise InvalidDataError(f"{name} must have at least {least} rows. Got {rows.shape[0]}.")
    if not huge:
        refuse_huge(rows, name, largest_number(rows.dtype, rows.shape[1]), getattr(X, "columns", None))
    return rows


def check_samples(
    X: MatrixLike, Y: MatrixLike, *, dtype: _FloatTypes = (np.float64, np.float32)
) -> tuple[Rows, Rows, FloatType]:
    """Two samples of at least two rows and of one width, and the float type to compute in; 1-d ones are columns."""
    first, second = (check_rows(as_column(S), name, least=2, dtype=dtype) for S, name in ((X, "X"), (Y, "Y")))
    if first.shape[1] != second.shape[1]:
        raise InvalidDataError(
            f"X and Y must have the same number of columns. Got {first.shape[1]} and {second.shape[1]}."
        )
    names, others = (column_names(S, rows.shape[1]) for S, rows in ((X, first), (Y, second)))
    if names != others and sorted(names) == sorted(others):
        raise InvalidDataError(f"X and Y must have their columns in the same order. Got {names[:8]} and {others[:8]}.")
    return first, second, np.result_type(first.dtype, second.dtype)


def as_column(X: MatrixLike) -> MatrixLike:
    """A 1-d sample as rows of one column, and anything else as it is."""
    return np.asarray(X)[:, None] if len(getattr(X, "shape", ())) == 1 else X


def column_names(X: MatrixLike, n_columns: int) -> tuple[str, ...]:
    """Names of the columns of a data frame, or "column 0", "column 1", ... where they have none."""
    names = getattr(X, "columns", None)
    if names is None or len(names) != n_columns:
        return tuple(f"column {j}" for j in range(n_columns))
    return tuple(map(str, names))


def pooled_rows(X: Rows, Y: Rows, seed: int) -> Rows:
    """Up to 1,000 rows of the two samples together, drawn without regard to which sample they come from.

    So the law of whatever is computed from them does not change when the labels of the rows are permuted.
    """
    n, total = X.shape[0], X.shape[0] + Y.shape[0]
    chosen = np.arange(total)
    if total > _POOLED:
        chosen = np.sort(generator(seed, Purpose.SUBSAMPLE).choice(total, size=_POOLED, replace=False))
    parts = X[chosen[chosen < n]], Y[chosen[chosen >= n] - n]
    if all(map(issparse, parts)):
        return vstack(parts, format="csr")
    return np.vstack([dense(part, float) for part in parts])
