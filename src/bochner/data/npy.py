"""Streaming of .npy files, memory maps and arrays in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from bochner._typing import Array, JsonDict
from bochner.data.chunks import ArrayParts, Chunks, chunks_of
from bochner.data.pieces import PieceSource
from bochner.data.shape import Shape, computation_dtype, target_dtype
from bochner.data.source import Block, RowSource
from bochner.errors import InvalidDataError, invalid_parameter

__all__ = ["NpySource", "scan_npy"]


def scan_npy(
    path: ArrayParts,
    *,
    target: ArrayParts | int | list[int] | None = None,
    columns: list[int] | None = None,
    weight: ArrayParts | int | None = None,
    dtype: DTypeLike | None = None,
) -> RowSource:
    """Rows of .npy files, memory maps or arrays in pieces, for tables larger than memory.

    Parameters
    ----------
    path : path, array, or list of them
        A file, a directory of .npy files, a pattern, arrays or memory maps; several are rows on top of each other.
    target : int, list of int, path, array, list of these, or None, default=None
        The column (or columns) of the targets, or files or arrays that hold them, cut in any way.
    columns : list of int or None, default=None
        The columns of features, in this order. None: all others.
    weight : int, path, array, list of these, or None, default=None
        The sample weights: a column, or files or arrays.
    dtype : float32, float64 or None, default=None
        The float type of the computation, as in `scan_parquet`.

    Returns
    -------
    source : RowSource
        Give it to `fit`, `predict` or `transform` in place of X and y.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> first, second = np.zeros((2, 3)), np.ones((4, 3))
    >>> source = bo.scan_npy([first, second], target=-1)
    >>> source.n_rows, source.n_features
    (6, 2)
    """
    X = chunks_of("scan_npy", "path", path)
    targets, weights = _part("target", target, X), _part("weight", weight, X)
    features = _feature_part(X, columns, targets, weights)
    if X.dtype.kind not in "biuf":
        raise InvalidDataError(f"Features must be numbers. Got {X.dtype}.")
    if weights is not None and (len(weights.columns) != 1 or weights.chunks.dtype.kind not in "biuf"):
        raise invalid_parameter("scan_npy", "weight", "one column of numbers", weight)
    return NpySource(features, targets, weights, dtype)


@dataclass(frozen=True)
class _Part:
    """Some columns of an array in pieces."""

    chunks: Chunks
    columns: list[int]

    def of(self, table: Array) -> Array:
        """These columns of rows that have been read."""
        return table if self.columns == list(range(table.shape[1])) else table[:, self.columns]


class NpySource(PieceSource):
    """Rows of arrays in pieces: features, and targets and weights beside them or among their columns."""

    def __init__(self, features: _Part, targets: _Part | None, weights: _Part | None, dtype: DTypeLike | None) -> None:
        self.feature_part, self.target_part, self.weight_part = features, targets, weights
        shape = Shape(
            n_features=len(features.columns),
            n_targets=0 if targets is None else len(targets.columns),
            weighted=weights is not None,
            dtype=computation_dtype("scan_npy", dtype, [features.chunks.dtype]),
            target_dtype=np.dtype(float) if targets is None else target_dtype(targets.chunks.dtype),
        )
        row_bytes = 16 * (features.chunks.width + shape.n_targets + 1)  # as stored and as handed on
        super().__init__(shape, features.chunks.n_rows, row_bytes=row_bytes)

    def fingerprint(self) -> JsonDict:
        parts = {"features": self.feature_part, "targets": self.target_part, "weights": self.weight_part}
        found = {name: part and [part.columns, part.chunks.fingerprint()] for name, part in parts.items()}
        return {**super().fingerprint(), **found}

    def _pieces(self) -> Iterator[Block]:
        n_rows = self.feature_part.chunks.n_rows
        for start in range(0, n_rows, self.piece_rows):
            yield self._piece(start, min(start + self.piece_rows, n_rows))

    def _piece(self, start: int, stop: int) -> Block:
        table = self.feature_part.chunks.read(start, stop)

        def rows_of(part: _Part) -> Array:
            among = part.chunks is self.feature_part.chunks
            return part.of(table if among else part.chunks.read(start, stop))

        X = np.ascontiguousarray(self.feature_part.of(table), dtype=self.dtype)
        Y = np.empty((len(X), 0)) if self.target_part is None else rows_of(self.target_part).astype(self.target_dtype)
        weight = None if self.weight_part is None else rows_of(self.weight_part)[:, 0].astype(np.float64)
        return Block(X, Y, weight, start, self.feature_part.chunks.origin(start))


def _feature_part(X: Chunks, columns: list[int] | None, targets: _Part | None, weights: _Part | None) -> _Part:
    """The columns given, or all that are neither targets nor weights."""
    taken = [j for part in (targets, weights) if part is not None and part.chunks is X for j in part.columns]
    others = [j for j in range(X.width) if j not in taken]
    features = _Part(X, others if columns is None else _indices("columns", columns, X.width))
    if not features.columns or set(features.columns) & set(taken):
        raise invalid_parameter("scan_npy", "columns", "at least one column, neither target nor weight", columns)
    return features


def _part(parameter: str, value: ArrayParts | int | list[int] | None, X: Chunks) -> _Part | None:
    """Targets or weights: columns of X, or arrays of their own with as many rows."""
    if value is None:
        return None
    if isinstance(value, Integral) or (isinstance(value, (list, tuple)) and value and isinstance(value[0], Integral)):
        return _Part(X, _indices(parameter, value, X.width))
    chunks = chunks_of("scan_npy", parameter, value)
    if chunks.n_rows != X.n_rows:
        raise InvalidDataError(f"The {parameter!r} of scan_npy must have {X.n_rows} rows. Got {chunks.n_rows}.")
    return _Part(chunks, list(range(chunks.width)))


def _indices(parameter: str, value: Any, width: int) -> list[int]:
    """Column numbers, those from the end made positive."""
    given = [value] if isinstance(value, Integral) else list(value)
    if not all(isinstance(j, Integral) and -width <= int(j) < width for j in given):
        raise invalid_parameter("scan_npy", parameter, f"column numbers below {width}", value)
    return [int(j) % width for j in given]
