"""Rows of Dask arrays and data frames: partitions as checked blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bochner._typing import Array, FloatType
from bochner.data import Block, RowSource, checked_block
from bochner.engines.base import Engine
from bochner.engines.dask_loss import one_error_if_lost
from bochner.errors import InvalidDataError, MissingExtraError

try:
    import dask
    import dask.array
except ImportError as error:  # pragma: no cover
    raise MissingExtraError("dask", "dask") from error

__all__ = ["DaskRows", "delayed_task"]


class DaskRows(RowSource):
    """Rows of Dask arrays or data frames; computed by the current `distributed.Client` if there is one.

    Parameters
    ----------
    X : dask array of shape (n, d), or dask data frame
    y, sample_weight : dask or NumPy array, or dask series, in the same order; None for none
    """

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        self.client = _current_client()
        self.feature_names = _names(X)
        self.dtype = _float_type(X)
        parts = _partitions(X)
        self.lengths = _lengths(X, parts)
        self._starts = np.concatenate([[0], np.cumsum(self.lengths)]).astype(int)
        self._d = int(X.shape[1])
        others = [None if each is None else _aligned(each, name, self) for name, each in _named(y, sample_weight)]
        self._targets = 0 if y is None else (1 if np.ndim(y) == 1 else int(y.shape[1]))
        self._weighted = sample_weight is not None
        none = [None] * len(parts)
        rows = zip(parts, others[0] or none, others[1] or none, self._starts)
        self.parts = [delayed_task(_block)(x, y_, w, int(start), self.dtype.name, self._d) for x, y_, w, start in rows]
        self._persisted = False

    @property
    def engine(self) -> Engine | None:  # type: ignore[override]
        """The workers of the current client; without one, this process reads partition after partition."""
        from bochner.engines.dask import DaskEngine

        return None if self.client is None else DaskEngine(self.client)

    @property
    def n_rows(self) -> int:
        return int(self._starts[-1])

    def rows_of(self, partition: int) -> slice:
        """The rows of a partition."""
        return slice(int(self._starts[partition]), int(self._starts[partition + 1]))

    @property
    def n_features(self) -> int:
        return self._d

    @property
    def n_targets(self) -> int:
        return self._targets

    @property
    def weighted(self) -> bool:
        return self._weighted

    def read(self, block_rows: int) -> Iterator[Block]:
        """Fallback: fetch partitions to the client, one after the other."""
        for part in self.parts:
            block: Block = self.compute([part])[0]
            for start in range(0, block.n_rows, block_rows):
                rows = slice(start, start + block_rows)
                weight = None if block.sample_weight is None else block.sample_weight[rows]
                yield Block(block.X[rows], block.Y[rows], weight, block.start + start, block.origin)

    def n_blocks(self, block_rows: int) -> int | None:
        if self.client is not None:
            return 1
        return sum(-(-n // block_rows) for n in self.lengths)

    def take(self, index: Array) -> Any:
        """X of the rows of an index: each worker sends only those."""
        order = np.argsort(index, kind="stable")
        ascending = np.asarray(index)[order]
        cuts = np.searchsorted(ascending, self._starts)
        tasks = [
            delayed_task(_rows_of)(part, ascending[low:high] - start)
            for part, low, high, start in zip(self.parts, cuts[:-1], cuts[1:], self._starts)
            if high > low
        ]
        found = self.compute(tasks)
        rows = np.concatenate(found) if found else np.empty((0, self._d), dtype=self.dtype)
        return rows[np.argsort(order)]

    def targets(self) -> tuple[Array, Array | None]:
        found = self.compute([delayed_task(_targets_of)(part) for part in self.parts])
        weight = np.concatenate([w for _, w in found]) if self._weighted else None
        return np.concatenate([Y for Y, _ in found]), weight

    def compute(self, tasks: list[Any]) -> list[Any]:
        """Results of delayed tasks, by the cluster or here."""
        if self.client is None:
            return list(dask.compute(*tasks, scheduler="synchronous"))
        futures = list[Any]()
        with one_error_if_lost(self.client, futures):
            futures.extend(self.client.compute(tasks))
            return list(self.client.gather(futures))

    def persist(self) -> None:
        """Let the workers keep the partitions from now on; one that is lost with its worker is computed again."""
        if not self._persisted and self.client is not None:
            self.parts, self._persisted = list(self.client.persist(self.parts)), True

    def groups(self, n_groups: int, indices: list[int]) -> list[list[int]]:
        """Neighbouring partitions together, with about as many rows in each group."""
        share = np.cumsum([self.lengths[i] for i in indices]) / max(1, sum(self.lengths[i] for i in indices))
        label = np.minimum((share * n_groups - 1e-9).astype(int), n_groups - 1)
        return [[indices[j] for j in np.flatnonzero(label == g)] for g in np.unique(label)]


def delayed_task(function: Callable[..., Any]) -> Any:
    """A task that Dask may run again after a worker has died: what it returns depends on its arguments alone."""
    return dask.delayed(function, pure=False, traverse=False)


def _block(X: Any, y: Any, weight: Any, start: int, dtype: str, d: int) -> Block:
    """A partition as a checked block of rows."""
    rows = np.ascontiguousarray(np.asarray(X).reshape(-1, d), dtype=dtype)
    Y = np.empty((len(rows), 0)) if y is None else _columns(np.asarray(y), len(rows))
    weights = None if weight is None else np.asarray(weight, dtype=float).reshape(-1)
    lengths = {len(rows), len(Y)} | ({len(weights)} if weights is not None else set())
    if len(lengths) > 1:
        raise InvalidDataError(f"Partitions of X, y and sample_weight must have the same rows. Got {sorted(lengths)}.")
    return checked_block(Block(rows, Y, weights, start, f"the partition that begins at row {start}"), None)


def _columns(y: Array, n: int) -> Array:
    columns = y.reshape(n, 1 if y.ndim == 1 else y.shape[1])  # -1 is not known for a partition without rows
    return columns.astype(float) if y.dtype.kind in "fiub" else columns


def _rows_of(block: Block, index: Array) -> Array:
    return np.asarray(block.X[index])


def _targets_of(block: Block) -> tuple[Array, Array | None]:
    return block.Y, block.sample_weight


def _current_client() -> Any:
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None  # no client: partitions are computed here, one after the other


def _partitions(collection: Any) -> list[Any]:
    if hasattr(collection, "rechunk") and np.ndim(collection) == 2:
        collection = collection.rechunk({1: -1})
    return list(np.ravel(np.asarray(collection.to_delayed(), dtype=object)))


def _lengths(X: Any, parts: list[Any]) -> list[int]:
    known = getattr(X, "chunks", None)
    if known is not None and not np.isnan(known[0]).any():
        return [int(n) for n in known[0]]
    with one_error_if_lost(_current_client(), []):
        return [int(n) for n in dask.compute(*(dask.delayed(len)(part) for part in parts))]


def _aligned(other: Any, name: str, rows: DaskRows) -> list[Any]:
    """The partitions of y or sample_weight, cut as the rows are."""
    if not hasattr(other, "dask"):
        other = dask.array.from_array(np.asarray(other), chunks=-1)
    if hasattr(other, "rechunk"):
        if np.isnan(other.shape[0]):
            other = other.compute_chunk_sizes()
        if other.shape[0] != rows.n_rows:
            raise InvalidDataError(f"{name} must have {rows.n_rows} rows, as X has. Got {other.shape[0]}.")
        other = other.rechunk({0: tuple(rows.lengths)})
    parts = _partitions(other)
    if len(parts) != len(rows.lengths):
        raise InvalidDataError(f"{name} must have the {len(rows.lengths)} partitions of X. Got {len(parts)}.")
    return parts


def _named(y: Any, sample_weight: Any) -> list[tuple[str, Any]]:
    return [("y", y), ("sample_weight", sample_weight)]


def _names(X: Any) -> list[str] | None:
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def _float_type(X: Any) -> FloatType:
    """float32 if every column is; a column that is no number is refused."""
    if np.ndim(X) != 2:
        raise InvalidDataError(f"X must have rows and columns. Got {np.ndim(X)} dimension(s).")
    types = list(X.dtypes) if hasattr(X, "dtypes") else [X.dtype]
    names = _names(X) or ["X"]
    other = [name for name, each in zip(names, types) if getattr(each, "kind", "O") not in "fiub"]
    if other:
        raise InvalidDataError(
            f"X must have numbers. Got other columns: {', '.join(other[:8])}. Encode them first, for example with "
            "dask.dataframe.get_dummies."
        )
    return np.dtype(np.float32) if all(each == np.float32 for each in types) else np.dtype(float)
