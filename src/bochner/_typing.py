"""Types that signatures share, with the names of the field."""

from __future__ import annotations

from os import PathLike
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "Array",
    "ArrayLike",
    "Constraints",
    "FilePath",
    "FloatType",
    "Frame",
    "JsonDict",
    "MatrixLike",
    "Rows",
    "Seed",
    "SparseMatrix",
    "Transformer",
]

Array: TypeAlias = npt.NDArray[Any]
"""A NumPy array; docstrings give its shape and float type."""

ArrayLike: TypeAlias = npt.ArrayLike
"""Whatever NumPy makes an array of: lists, arrays, series and frames."""

FloatType: TypeAlias = np.dtype[Any]
"""float32 or float64: the type of a computation. (NumPy's stubs know no narrower type of `np.dtype(float)`.)"""

Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None
"""scikit-learn's `random_state`, or a NumPy generator."""

FilePath: TypeAlias = str | PathLike[str]

Constraints: TypeAlias = dict[str, list[Any]]
"""scikit-learn's rules for the parameters of a constructor."""

JsonDict: TypeAlias = dict[str, Any]
"""Plain data: None, numbers, texts, lists and dicts of such."""


class Rows(Protocol):
    """Rows in memory after validation: a NumPy array or memory map (n, d), or a SciPy CSR matrix or array."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __matmul__(self, other: Array, /) -> Any: ...

    def astype(self, dtype: Any, /, *, copy: bool = ...) -> Any: ...


class SparseMatrix(Protocol):
    """A SciPy sparse matrix or array."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def toarray(self) -> Array: ...


class Frame(Protocol):
    """A table with named columns: pandas, polars, pyarrow, Dask."""

    @property
    def columns(self) -> Any: ...


MatrixLike: TypeAlias = ArrayLike | SparseMatrix | Frame
"""A table of numbers (n_samples, n_features), dense or sparse, as scikit-learn takes it."""


class Transformer(Protocol):
    """A scikit-learn transformer."""

    def fit(self, X: Any, y: Any = None) -> Self: ...

    def transform(self, X: Any) -> Any: ...
