"""Rows on a Dask cluster: the only file that knows of Dask.

The workers do what threads do on one machine. They add up the moments of their rows, which are merged in a tree, or
multiply features by a few columns and back, round by round. Frequencies are not sent: each worker draws them from the
seed. Everything a task returns depends on its arguments alone, so that Dask may run it again after a worker has died.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any

import joblib
import numpy as np

from bochner._threads import single_threaded_blas
from bochner._typing import Array
from bochner.config import config_context
from bochner.data import ArrayRows, Block, RowSource, checked_block
from bochner.errors import CheckpointError, InvalidDataError, MissingExtraError
from bochner.features import FeatureMap, linear_response, transform
from bochner.features.fourier import FourierMap, FourierRecipe
from bochner.statistics.checkpoint import MomentsCheckpoint, block_checksum
from bochner.statistics.cluster import BRANCHES, TASKS_PER_THREAD, WAVES
from bochner.statistics.executor import accumulate, plan_pass
from bochner.statistics.feature_stream import FeatureStream, Part
from bochner.statistics.identity import RowIdentity
from bochner.statistics.moments import Moments

try:
    import dask
    import dask.array
except ImportError as error:  # pragma: no cover
    raise MissingExtraError("dask", "dask") from error

__all__ = ["DaskRows", "DistributedStream", "accumulate_on_workers", "identity_on_workers", "partition_checksums"]


class DaskRows(RowSource):
    """Rows of Dask arrays or data frames; computed by the current `distributed.Client` if there is one.

    Parameters
    ----------
    X : dask array of shape (n, d), or dask data frame
    y, sample_weight : dask or NumPy array, or dask series, in the same order; None for none
    """

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        self.client = _current_client()
        self.distributed = self.client is not None
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
        self.parts = [_task(_block)(x, y_, w, int(start), self.dtype.name, self._d) for x, y_, w, start in rows]
        self._persisted: list[Any] | None = None

    @property
    def n_rows(self) -> int:
        return int(self._starts[-1])

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
        """Partition after partition, brought here: for whoever has no better way."""
        for part in self.parts:
            block: Block = self.compute([part])[0]
            for start in range(0, block.n_rows, block_rows):
                rows = slice(start, start + block_rows)
                weight = None if block.sample_weight is None else block.sample_weight[rows]
                yield Block(block.X[rows], block.Y[rows], weight, block.start + start, block.origin)

    def n_blocks(self, block_rows: int) -> int | None:
        if self.distributed:
            return 1
        return sum(-(-n // block_rows) for n in self.lengths)

    def take(self, index: Array) -> Any:
        """X of the rows of an index: each worker sends only those."""
        order = np.argsort(index, kind="stable")
        ascending = np.asarray(index)[order]
        cuts = np.searchsorted(ascending, self._starts)
        tasks = [
            _task(_rows_of)(part, ascending[low:high] - start)
            for part, low, high, start in zip(self.parts, cuts[:-1], cuts[1:], self._starts)
            if high > low
        ]
        found = self.compute(tasks)
        rows = np.concatenate(found) if found else np.empty((0, self._d), dtype=self.dtype)
        return rows[np.argsort(order)]

    def targets(self) -> tuple[Array, Array | None]:
        found = self.compute([_task(_targets_of)(part) for part in self.parts])
        weight = np.concatenate([w for _, w in found]) if self._weighted else None
        return np.concatenate([Y for Y, _ in found]), weight

    def compute(self, tasks: list[Any]) -> list[Any]:
        """Results of delayed tasks, by the cluster or here."""
        if self.client is None:
            return list(dask.compute(*tasks, scheduler="synchronous"))
        return list(self.client.gather(self.client.compute(tasks)))

    def persisted(self) -> list[Any]:
        """The partitions, kept by the workers from now on; one that is lost with its worker is computed again."""
        if self._persisted is None:
            assert self.client is not None
            self._persisted = list(self.client.persist(self.parts))
        return self._persisted

    def response(self, feature_map: FeatureMap, coef: Array, offset: Array) -> Any:
        """z(x).coef + offset of all rows, a lazy Dask array (n, k)."""
        shipped, weights = _shipped(feature_map), dask.delayed((coef, offset))
        pieces = [
            dask.array.from_delayed(_task(_respond)(part, shipped, weights), (int(n), coef.shape[1]), self.dtype)
            for part, n in zip(self.parts, self.lengths)
        ]
        return dask.array.concatenate(pieces)

    def groups(self, n_groups: int, indices: list[int]) -> list[list[int]]:
        """Neighbouring partitions together, with about as many rows in each group."""
        share = np.cumsum([self.lengths[i] for i in indices]) / max(1, sum(self.lengths[i] for i in indices))
        label = np.minimum((share * n_groups - 1e-9).astype(int), n_groups - 1)
        return [[indices[j] for j in np.flatnonzero(label == g)] for g in np.unique(label)]


def accumulate_on_workers(
    rows: RowSource,
    feature_map: FeatureMap,
    total: Moments,
    *,
    on_block: Callable[[int], bool] | None,
    checkpoint: MomentsCheckpoint | None,
) -> Moments:
    """Add the moments of all rows to `total`: a task for neighbouring partitions, merged in trees."""
    assert isinstance(rows, DaskRows)
    assert rows.client is not None
    todo = _not_in(checkpoint, rows)
    shipped = _shipped(feature_map)
    n_tasks = TASKS_PER_THREAD * max(1, sum(rows.client.nthreads().values()))
    tasks = [
        _task(_moments_of)(shipped, rows.n_targets, *(rows.parts[i] for i in g)) for g in rows.groups(n_tasks, todo)
    ]
    per_wave = len(tasks) if checkpoint is None else -(-len(tasks) // WAVES)
    waves = [_tree(tasks[i : i + per_wave]) for i in range(0, len(tasks), max(1, per_wave))]
    futures = rows.client.compute(waves)
    try:
        for i, future in enumerate(futures):
            partial, done = future.result()
            futures[i] = None  # frees the worker's copy
            if checkpoint is None:
                total.merge(partial)
            else:
                with checkpoint.adding(done, total, block_rows=0):
                    total.merge(partial)
            if on_block is not None and on_block(partial.n_rows):
                break
    finally:
        rows.client.cancel([future for future in futures if future is not None])
        if checkpoint is not None:
            checkpoint.save(total)
    return total


class DistributedStream(FeatureStream):
    """Features of rows on a cluster, for many passes: columns go to the workers, products come back.

    Features are computed anew in every pass, each by the worker that holds the rows.
    """

    def __init__(self, rows: DaskRows, feature_map: FeatureMap) -> None:
        super().__init__(rows, feature_map, keep=False)
        self._parts, self._shipped = rows.persisted(), _shipped(feature_map)
        self._cuts = [slice(int(a), int(b)) for a, b in zip(rows._starts[:-1], rows._starts[1:])]

    def forward(self, W: Array) -> Array:
        weights = dask.delayed((W, np.zeros(W.shape[1])))
        return np.concatenate(self._round(lambda part, _: _task(_respond)(part, self._shipped, weights))).astype(float)

    def adjoint(self, R: Array) -> Array:
        def backward(part: Any, rows: slice) -> Any:
            return _task(_adjoint)(part, self._shipped, R[rows])

        return self._sum(backward)

    def normal_product(self, V: Array, shift: Array, weight: Array | None) -> tuple[Array, Array]:
        """As here, with the weights that the rows have where they are: a round of D x c numbers there and back."""
        columns = dask.delayed((V, shift))
        parts = self._round(lambda part, _: _task(_normal_product)(part, self._shipped, columns))
        return reduce(np.add, [total for total, _ in parts]), reduce(np.add, [moved for _, moved in parts])

    def gather_into(self, index: Array, out: Array) -> None:
        out[...] = transform(self.feature_map, self.rows.take(index), self.dtype)

    def for_each(self, work: Callable[[Array, slice], Part], finish: Callable[[Part], object] | None = None) -> None:
        """As in `FeatureStream`, here, with features that the workers computed."""
        self.n_passes += 1
        assert isinstance(self.rows, DaskRows)
        for part, rows in zip(self._parts, self._cuts):
            done = work(self.rows.compute([_task(_features_of)(part, self._shipped)])[0], rows)
            if finish is not None:
                finish(done)

    def _sum(self, task: Callable[[Any, slice], Any]) -> Array:
        return np.asarray(reduce(np.add, self._round(task)), dtype=float)

    def _round(self, task: Callable[[Any, slice], Any]) -> list[Any]:
        self.n_passes += 1
        assert isinstance(self.rows, DaskRows)
        return self.rows.compute([task(part, rows) for part, rows in zip(self._parts, self._cuts)])


# What runs on a worker.


@contextmanager
def _one_thread() -> Iterator[None]:
    """A worker runs as many tasks as it has threads, so a task takes one."""
    with config_context(n_threads=1), single_threaded_blas():
        yield


@dataclass(frozen=True)
class _Shipped:
    """A feature map on its way to a worker: its recipe if it has one. Equal keys are equal maps."""

    key: str
    content: Any = field(compare=False)


@lru_cache(maxsize=2)
def _unpacked(shipped: _Shipped) -> FeatureMap:
    """The map; a worker draws it once for all of its tasks."""
    content = shipped.content
    return content.draw() if isinstance(content, FourierRecipe) else content


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
    return y.reshape(n, -1).astype(float) if y.dtype.kind in "fiub" else y.reshape(n, -1)


def _moments_of(shipped: _Shipped, n_targets: int, *blocks: Block) -> tuple[Moments, dict[int, int]]:
    """The moments of some partitions, and their checksums."""
    feature_map = _unpacked(shipped)
    total = Moments.empty(feature_map.n_components, n_targets)
    with _one_thread():
        for block in blocks:
            if block.n_rows:
                rows = ArrayRows(block.X, block.Y, block.sample_weight, block.X.dtype)
                accumulate(rows, feature_map, total, plan_pass(block.n_rows, feature_map, n_targets, rows.dtype))
    return total, {block.start: block_checksum(block) for block in blocks}


def _merged(parts: list[tuple[Moments, dict[int, int]]]) -> tuple[Moments, dict[int, int]]:
    """Moments together; the parts stay as they are, since Dask may use them again."""
    total = Moments.empty(len(parts[0][0].z_mean), len(parts[0][0].y_mean))
    done: dict[int, int] = {}
    for moments, starts in parts:
        total.merge(moments)
        done |= starts
    return total, done


def _rows_of(block: Block, index: Array) -> Array:
    return np.asarray(block.X[index])


def _targets_of(block: Block) -> tuple[Array, Array | None]:
    return block.Y, block.sample_weight


def _checksum_of(block: Block) -> int:
    return block_checksum(block)


def _identity_of(block: Block, Y: Array | None, weight: Array | None) -> RowIdentity:
    weights = block.sample_weight if weight is None else weight
    return RowIdentity.of(replace(block, Y=block.Y if Y is None else Y, sample_weight=weights))


def _features_of(block: Block, shipped: _Shipped) -> Array:
    with _one_thread():
        return transform(_unpacked(shipped), block.X, block.X.dtype)


def _respond(block: Block, shipped: _Shipped, weights: tuple[Array, Array]) -> Array:
    with _one_thread():
        return linear_response(_unpacked(shipped), block.X, weights[0], weights[1], block.X.dtype)


def _adjoint(block: Block, shipped: _Shipped, R: Array) -> Array:
    with _one_thread():
        return _stream(block, shipped).adjoint(R)


def _normal_product(block: Block, shipped: _Shipped, columns: tuple[Array, Array]) -> tuple[Array, Array]:
    with _one_thread():
        return _stream(block, shipped).normal_product(*columns, block.sample_weight)


def _stream(block: Block, shipped: _Shipped) -> FeatureStream:
    rows = ArrayRows(block.X, np.empty((block.n_rows, 0)), block.sample_weight, block.X.dtype)
    return FeatureStream(rows, _unpacked(shipped), keep=False)


# What runs here.


def _task(function: Callable[..., Any]) -> Any:
    return dask.delayed(function, pure=False, traverse=False)


def _tree(tasks: list[Any]) -> Any:
    """Merge tasks, a few at a time."""
    while len(tasks) > 1:
        tasks = [_merge_task(tasks[i : i + BRANCHES]) for i in range(0, len(tasks), BRANCHES)]
    return tasks[0]


def _merge_task(tasks: list[Any]) -> Any:
    return tasks[0] if len(tasks) == 1 else dask.delayed(_merged, pure=False)(tasks)


def _shipped(feature_map: FeatureMap) -> Any:
    recipe = feature_map.recipe if isinstance(feature_map, FourierMap) else None
    content = feature_map if recipe is None else recipe
    return dask.delayed(_Shipped(joblib.hash(content), content), traverse=False)


def partition_checksums(rows: RowSource) -> list[int]:
    """CRC-32 of every partition."""
    assert isinstance(rows, DaskRows)
    return rows.compute([_task(_checksum_of)(part) for part in rows.parts])


def identity_on_workers(rows: RowSource, Y: Array | None, weight: Array | None) -> RowIdentity:
    """The identity of the rows, with other targets and weights where they are given."""
    assert isinstance(rows, DaskRows)
    cuts = [slice(int(a), int(b)) for a, b in zip(rows._starts[:-1], rows._starts[1:])]
    tasks = [
        _task(_identity_of)(part, None if Y is None else Y[cut], None if weight is None else weight[cut])
        for part, cut in zip(rows.parts, cuts)
    ]
    return sum(rows.compute(tasks), RowIdentity())


def _not_in(checkpoint: MomentsCheckpoint | None, rows: DaskRows) -> list[int]:
    """Partitions that are not in the checkpoint yet; those that are must not have changed."""
    if checkpoint is None or not checkpoint.done:
        return list(range(len(rows.parts)))
    inside = [i for i, start in enumerate(rows._starts[:-1]) if int(start) in checkpoint.done]
    for i, found in zip(inside, rows.compute([_task(_checksum_of)(rows.parts[i]) for i in inside])):
        if found != checkpoint.done[int(rows._starts[i])]:
            raise CheckpointError(
                f"The checkpoint {str(checkpoint.file.path)!r} belongs to other data: partition {i} has changed. "
                "Delete it, or give another path."
            )
    return [i for i in range(len(rows.parts)) if i not in set(inside)]


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


def _float_type(X: Any) -> np.dtype[Any]:
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
