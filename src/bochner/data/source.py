"""Abstract row source: rows that are read block by block, in passes, as often as needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import vstack as stack_sparse

from bochner._magnitude import beyond, largest_number, too_large
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, JsonDict
from bochner.errors import InvalidDataError

if TYPE_CHECKING:
    from bochner.data.array_rows import ArrayRows
    from bochner.data.table import TableSource

__all__ = ["READ_ROWS", "Block", "RowSource", "checked_block"]

READ_ROWS = 65536
"""Default rows of a block."""

_MANY_ROWS = 2**40


@dataclass(frozen=True)
class Block:
    """Some rows: X (n, d) dense or CSR, targets Y (n, t) in float64, weights (n,) in float64 or None.

    `start` is the number of the first of them, `origin` where they come from, for messages: a file and row group, say.
    """

    X: Any
    Y: Array
    sample_weight: Array | None
    start: int
    origin: str = ""

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])


class RowSource(ABC):
    """Rows that can be read block by block, in the same order every time.

    A kind of storage is one subclass: its sizes and `read`. Nothing else knows where rows come from.

    Attributes
    ----------
    n_rows, n_features, n_targets : int
    dtype : float32 or float64
        The float type of the computation; blocks come in it.
    weighted : bool
        Whether the rows have weights.
    target_dtype : float64 or object
        The type of the targets: numbers, or labels of classes.
    feature_names : list of str or None
    passes : int or None
        How often the rows can be read: None for as often as one likes.
    """

    dtype: FloatType
    target_dtype: FloatType = np.dtype(np.float64)
    feature_names: list[str] | None = None
    passes: int | None = None
    engine: object | None = None
    """The `bochner.engines.Engine` that works on these rows; None: the threads of this process."""

    in_memory: bool = False
    """Whether the rows are arrays of this process (`ArrayRows`): any of them can be had without a pass."""

    read_bytes: int = 0
    """Bytes that reading holds beside the block in use: buffers of a file format, blocks read ahead."""

    @property
    def arrays(self) -> ArrayRows | None:
        """These rows as arrays, if they are in memory."""
        return None

    @property
    @abstractmethod
    def n_rows(self) -> int: ...

    @property
    @abstractmethod
    def n_features(self) -> int: ...

    @property
    @abstractmethod
    def n_targets(self) -> int: ...

    @property
    def weighted(self) -> bool:
        return False

    @abstractmethod
    def read(self, block_rows: int) -> Iterator[Block]:
        """All rows, in order, in blocks of at most `block_rows`. The same `block_rows` gives the same blocks."""

    # Optional powers, beside `arrays` and `weighted`: general answers by passes over `read`. A source that has a
    # cheaper one (arrays, partitions), or can give none (a one-shot iterator), overrides.

    def blocks(self, block_rows: int) -> Iterator[Block]:
        """The rows as `read` gives them, after a look at them: finite numbers and weights >= 0, or an error."""
        return (checked_block(block, self.feature_names) for block in self.read(block_rows))

    def take(self, index: Array) -> Any:
        """X of the rows of an index, in its order, as one array: one pass, ended after the last of them."""
        order = np.argsort(index, kind="stable")
        ascending, parts = np.asarray(index)[order], []
        for block in self.blocks(READ_ROWS):
            low, high = np.searchsorted(ascending, [block.start, block.start + block.n_rows])
            if high > low:
                parts.append(block.X[ascending[low:high] - block.start])
            if high == len(ascending):
                break
        if not parts:
            return np.empty((0, self.n_features), dtype=self.dtype)
        rows = stack_sparse(parts).tocsr() if hasattr(parts[0], "tocsr") else np.concatenate(parts)
        return rows[np.argsort(order)]

    def sample(self, size: int, seed: int) -> Any:
        """X of `size` rows of positive weight, drawn at random, in their order; of all of them if there are fewer."""
        weight = self.targets()[1] if self.weighted else None
        present = np.arange(self.n_rows) if weight is None else np.flatnonzero(weight)
        if len(present) > size:
            present = np.sort(generator(seed, Purpose.SUBSAMPLE).choice(present, size=size, replace=False))
        return self.take(present)

    def targets(self) -> tuple[Array, Array | None]:
        """Targets (n, t) and weights (n,) or None of all rows: one pass."""
        Y = np.empty((self.n_rows, self.n_targets), dtype=self.target_dtype)
        weight = np.empty(self.n_rows) if self.weighted else None
        for block in self.blocks(READ_ROWS):
            rows = slice(block.start, block.start + block.n_rows)
            Y[rows] = block.Y
            if weight is not None:
                weight[rows] = block.sample_weight
        return Y, weight

    @property
    def known_rows(self) -> int | None:
        """The number of rows, if it takes no pass to tell."""
        return self.n_rows

    @property
    def planned_rows(self) -> int:
        """Number of rows to plan blocks for: the true one if known, else a very large one."""
        return self.known_rows or _MANY_ROWS

    def n_blocks(self, block_rows: int) -> int | None:
        """About how many blocks a pass has, if that is known; for progress bars."""
        return None if self.known_rows is None else max(1, -(-self.known_rows // block_rows))

    def as_table(self) -> TableSource:
        """These rows as a table with named columns, which encoders take; an error for rows of numbers."""
        raise InvalidDataError(
            "An encoder takes scans of columns with names: scan_parquet, scan_csv or scan_frame. "
            f"Got a {type(self).__name__}, whose rows are numbers already."
        )

    def fingerprint(self) -> JsonDict:
        """Fingerprint of the rows, without reading them: plain data, the same for the same rows."""
        return {"n_rows": self.n_rows, **self._description()}

    def _description(self) -> JsonDict:
        return {
            "kind": type(self).__name__,
            "n_features": self.n_features,
            "n_targets": self.n_targets,
            "weighted": self.weighted,
            "dtype": self.dtype.name,
            "feature_names": self.feature_names,
        }


def checked_block(block: Block, names: list[str] | None) -> Block:
    """The block itself, if its numbers are finite and not too large to be squared, and its weights not negative."""
    sparse = hasattr(block.X, "indptr")
    entries: Array = block.X.data if sparse else np.asarray(block.X)
    limit = largest_number(entries.dtype, block.X.shape[1])
    _refuse_beyond(block, "X", entries, limit, None if sparse else names)
    _refuse_beyond(block, "y", block.Y, limit)
    if block.sample_weight is not None:
        _refuse_beyond(block, "sample_weight", block.sample_weight, largest_number(block.sample_weight.dtype))
        for first in np.argwhere(block.sample_weight < 0)[:1]:
            raise InvalidDataError(f"sample_weight must not be negative. Got one in {_place(block, first, None)}.")
    return block


def _refuse_beyond(block: Block, what: str, numbers: Array, limit: float, names: list[str] | None = None) -> None:
    """Raise an error for the first number that is nan, infinite or beyond the limit."""
    for where in beyond(numbers, limit)[:1]:
        value, place = numbers[tuple(where)], _place(block, where, names)
        if np.isfinite(value):
            raise too_large(what, value, place, limit)
        remedy = ", or mark what is missing: bochner.TableEncoder" if what == "X" and np.isnan(value) else " first"
        raise InvalidDataError(f"{what} must be finite. Got {value} in {place}. Impute or drop such rows{remedy}.")


def _place(block: Block, where: Array, names: list[str] | None) -> str:
    """A value's row, column and origin, in words. The entries of a sparse block have no row here."""
    row = "" if hasattr(block.X, "indptr") else f"row {block.start + int(where[0])}"
    column = f"column {names[where[1]]!r}" if names is not None and len(where) > 1 else ""
    origin = block.origin or f"the block that begins at row {block.start}"
    return ", ".join(part for part in (row, column, origin) if part)
