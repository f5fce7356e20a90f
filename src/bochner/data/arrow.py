"""Arrow columns as NumPy arrays of numbers and labels."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from bochner._typing import Array, FloatType
from bochner.errors import InvalidDataError, MissingExtraError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["is_text", "label_column", "number_column", "number_columns", "number_dtype", "require_pyarrow"]


def require_pyarrow() -> ModuleType:
    """The pyarrow package, with all that reading takes."""
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "io") from None
    return pyarrow


def number_dtype(kind: pa.DataType) -> np.dtype[Any] | None:
    """The NumPy type of a column of numbers; None for texts, categories, dates and nested values."""
    from pyarrow import types

    if types.is_decimal(kind) or types.is_null(kind):
        return np.dtype(np.float64)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return np.dtype(kind.to_pandas_dtype())
    return None


def is_text(kind: pa.DataType) -> bool:
    """Whether values are texts, or categories with texts for names."""
    from pyarrow import types

    value = kind.value_type if types.is_dictionary(kind) else kind
    return types.is_string(value) or types.is_large_string(value) or types.is_string_view(value)


def number_columns(batch: pa.RecordBatch, names: list[str], dtype: FloatType) -> Array:
    """Columns of numbers as one C-ordered array (rows, columns); what is missing is nan."""
    out = np.empty((batch.num_rows, len(names)), dtype=dtype)
    for j, name in enumerate(names):
        out[:, j] = number_column(batch.column(name))
    return out


def number_column(column: pa.Array) -> Array:
    """A column of numbers as an array; what is missing is nan."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type) and column.null_count:
        column = column.cast(pa.int8())  # NumPy's bool has no nan
    elif pa.types.is_decimal(column.type) or pa.types.is_null(column.type):
        column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)


def label_column(column: pa.Array, name: str, origin: str) -> Array:
    """A column of texts as an array of objects; none may be missing."""
    if column.null_count:
        raise InvalidDataError(f"y must not have missing labels. Got one in column {name!r}, {origin}.")
    values = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=object)
