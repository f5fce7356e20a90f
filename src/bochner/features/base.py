"""What a feature map is: a function X -> Z on blocks of rows, and the blocked, threaded way to apply one."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config

__all__ = [
    "FeatureMap",
    "TransformerMap",
    "apply_map",
    "linear_response",
    "map_of",
    "new_scratch",
    "tile_rows",
    "transform",
]

_SCRATCH_BYTES = 2**21  # of one tile: stays near a core; larger tiles amortise the packing of GEMM
_SPAN_BYTES = 2**24  # of output that one thread writes at a time: threads then rarely fault on the same huge page


@runtime_checkable
class FeatureMap(Protocol):
    """A map of rows to features."""

    @property
    def n_components(self) -> int:
        """Output width D."""
        ...

    @property
    def scratch_width(self) -> int:
        """Columns of scratch space that one row needs while it is mapped."""
        ...

    def write(self, X: Any, out: Array, scratch: Array) -> None:
        """Write the features of the rows `X` (b, d) to `out` (b, D) on this thread.

        `scratch` (b, scratch_width) is free to use; it and `out` have the float type of the computation.
        """
        ...


class TransformerMap:
    """Any fitted scikit-learn transformer as a feature map."""

    scratch_width = 0

    def __init__(self, transformer: Any, n_components: int) -> None:
        self.transformer = transformer
        self.n_components = n_components

    def write(self, X: Any, out: Array, scratch: Array) -> None:
        Z = self.transformer.transform(X)
        out[...] = Z.toarray() if hasattr(Z, "toarray") else np.asarray(Z)


def map_of(transformer: Any, X: Any) -> FeatureMap:
    """The map of a fitted transformer: its own `map_` if that is a feature map, else its `transform` on blocks."""
    own = getattr(transformer, "map_", None)
    if isinstance(own, FeatureMap):
        return own
    return TransformerMap(transformer, int(np.shape(transformer.transform(X[:1]))[1]))


def transform(feature_map: FeatureMap, X: Any, dtype: np.dtype[Any]) -> Array:
    """Features of all rows: a new array (n, D) of the given float type, computed on all threads."""
    n = X.shape[0]
    Z = np.empty((n, feature_map.n_components), dtype=dtype)
    span = min(_SPAN_BYTES // max(1, Z.itemsize * Z.shape[1]), -(-n // get_config().threads()))
    rows = max(tile_rows(feature_map, dtype), span)

    def write_span(start: int, scratch: Array) -> None:
        apply_map(feature_map, X[start : start + rows], Z[start : start + rows], scratch)

    run_in_threads(write_span, range(0, n, rows), state=lambda: new_scratch(feature_map, dtype))
    return Z


def linear_response(feature_map: FeatureMap, X: Any, coef: Array, offset: Array, dtype: np.dtype[Any]) -> Array:
    """z(x).coef + offset of all rows, shape (n, k), without holding the features of more than a tile a thread.

    A map with a `linear_form` gives a cheaper map and its coefficients, to be summed in float64.
    """
    response = np.empty((X.shape[0], coef.shape[1]), dtype=dtype)
    if hasattr(feature_map, "linear_form"):
        (feature_map, coef), dtype = feature_map.linear_form(coef), np.dtype(float)
    n, rows = X.shape[0], tile_rows(feature_map, dtype)
    weights = coef.astype(dtype)

    def state() -> tuple[Array, Array]:
        return np.empty((rows, feature_map.n_components), dtype=dtype), new_scratch(feature_map, dtype)

    def respond(start: int, own: tuple[Array, Array]) -> None:
        stop = min(start + rows, n)
        Z = own[0][: stop - start]
        feature_map.write(X[start:stop], Z, own[1][: stop - start])
        response[start:stop] = Z @ weights + offset

    run_in_threads(respond, range(0, n, rows), state=state)
    return response


def apply_map(feature_map: FeatureMap, X: Any, out: Array, scratch: Array) -> None:
    """Write the features of the rows `X` to `out`, tile by tile, on this thread."""
    n, rows = X.shape[0], len(scratch)
    for start in range(0, n, rows):
        tile = slice(start, min(start + rows, n))
        feature_map.write(X[tile], out[tile], scratch[: tile.stop - start])


def new_scratch(feature_map: FeatureMap, dtype: np.dtype[Any]) -> Array:
    """Scratch space of one thread: as many rows as one tile has."""
    return np.empty((tile_rows(feature_map, dtype), feature_map.scratch_width), dtype=dtype)


def tile_rows(feature_map: FeatureMap, dtype: np.dtype[Any]) -> int:
    """Rows of a tile whose scratch space stays in cache."""
    if feature_map.scratch_width == 0:
        return 4096
    return max(16, _SCRATCH_BYTES // (feature_map.scratch_width * dtype.itemsize))
