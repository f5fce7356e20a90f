"""The engine of a Dask cluster.

The workers do what threads do on one machine: each task reduces some neighbouring partitions, and totals are merged in
a tree. Feature maps are not sent where they can be drawn from a seed. What a task returns depends on its arguments
alone, so that Dask may run it again after a worker has died.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import dask
import dask.array
import joblib
import numpy as np

from bochner._threads import single_threaded_blas
from bochner._typing import Array, FloatType, Rows
from bochner.config import config_context
from bochner.data import ArrayRows, Block, RowSource
from bochner.engines.base import Engine, Ledger, OnPart, Part, Reduction, Total
from bochner.engines.cluster_shape import BRANCHES, TASKS_PER_THREAD
from bochner.engines.dask_loss import one_error_if_lost
from bochner.engines.dask_rows import DaskRows, delayed_task
from bochner.engines.dask_waves import Waves
from bochner.engines.local import LocalEngine
from bochner.features import FeatureMap
from bochner.features.base import MapRecipe

__all__ = ["DaskEngine", "ShippedMap"]

_DRAWN: dict[str, FeatureMap] = {}  # of a worker: tasks of one pass share their map
_MOST_DRAWN = 2


@dataclass(frozen=True)
class DaskEngine(Engine):
    """The workers behind a `distributed.Client`."""

    client: Any

    @property
    def in_process(self) -> bool:
        return False

    def reduce(
        self,
        rows: RowSource,
        reduction: Reduction[Total, Part],
        total: Total,
        *,
        on_part: OnPart | None = None,
        ledger: Ledger | None = None,
    ) -> Total:
        """A task for neighbouring partitions, merged in trees; with a ledger, wave after wave."""
        source, reduction, futures = _partitioned(rows), reduction.elsewhere(), list[Any]()
        with one_error_if_lost(self.client, futures):
            waves = self._waves(source, ledger, reduction, futures)
            try:
                for found in waves:
                    with nullcontext() if ledger is None else ledger.adding(found.done, found.n_rows, 0):
                        total = reduction.merge(total, found.total)
                    if ledger is not None:
                        ledger.reached(total)
                    if on_part is not None and on_part(found.n_rows):
                        break
            finally:
                if ledger is not None:
                    ledger.save(total)
                with suppress(Exception):  # of a cluster that is gone
                    self.client.cancel(futures)
        return total

    def _waves(
        self, source: DaskRows, ledger: Ledger | None, reduction: Reduction[Any, Any], futures: list[Any]
    ) -> Iterator[_Reduced]:
        """Totals of waves, two of them in flight; of one wave without a ledger. `futures` has those in flight."""
        threads, partitions = max(1, sum(self.client.nthreads().values())), _not_in(ledger, source)
        waves, sizes = Waves(partitions, len(partitions) if ledger is None else threads), list[int]()

        def submit() -> None:
            wave = waves.next()
            if wave:
                groups = source.groups(TASKS_PER_THREAD * threads, wave)
                tree = _tree([_group_task(source, group, reduction, ledger) for group in groups], reduction)
                futures.extend(self.client.compute([tree]))
                sizes.append(len(wave))

        submit()
        submit()
        while futures:
            found: _Reduced = futures[0].result()
            futures.pop(0)  # frees the worker's copy
            waves.finished(sizes.pop(0))
            submit()
            yield found

    def parts(self, rows: RowSource, reduction: Reduction[Total, Part]) -> Iterator[Total]:
        source, reduction = _partitioned(rows), reduction.elsewhere()
        for i in range(len(source.parts)):
            yield source.compute([_group_task(source, [i], reduction, None)])[0].total

    def ship(self, feature_map: FeatureMap) -> FeatureMap:
        recipe = feature_map.recipe
        content = feature_map if recipe is None else None
        return ShippedMap(joblib.hash(recipe or feature_map), recipe, content)

    def hold(self, rows: RowSource) -> None:
        _partitioned(rows).persist()

    def apply(
        self, rows: RowSource, function: Callable[[Rows], Array], shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Any:
        """A lazy Dask array, n values of the shape."""
        source, shared = _partitioned(rows), dask.delayed(function, traverse=False)
        pieces = [
            dask.array.from_delayed(delayed_task(_applied)(part, shared), (int(n), *shape), dtype)
            for part, n in zip(source.parts, source.lengths)
        ]
        return dask.array.concatenate(pieces)


class ShippedMap(FeatureMap):
    """Serialised feature map: its recipe, which a worker draws once for all of its tasks, or the map."""

    def __init__(self, key: str, how: MapRecipe | None, content: FeatureMap | None) -> None:
        self.key, self.how, self.content = key, how, content

    @property
    def drawn(self) -> FeatureMap:
        """The map, drawn once in a process; equal keys are equal maps."""
        if self.content is not None:
            return self.content
        assert self.how is not None
        if self.key not in _DRAWN:
            while len(_DRAWN) >= _MOST_DRAWN:
                _DRAWN.pop(next(iter(_DRAWN)))
            _DRAWN[self.key] = self.how.draw()
        return _DRAWN[self.key]

    @property
    def n_components(self) -> int:
        return self.drawn.n_components

    @property
    def scratch_width(self) -> int:
        return self.drawn.scratch_width

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        self.drawn.write(X, out, scratch)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.drawn.n_bytes(dtype)

    # Optional powers, as the map itself has them.

    def linear_form(self, coef: Array) -> tuple[FeatureMap, Array] | None:
        return self.drawn.linear_form(coef)


class _Reduced(NamedTuple):
    """Result of one task: a total, first row and checksum of every partition in it, and their rows."""

    total: Any
    done: dict[int, int]
    n_rows: int


# What runs on a worker.


@contextmanager
def _one_thread() -> Iterator[None]:
    """A worker runs as many tasks as it has threads, so a task takes one."""
    with config_context(n_threads=1), single_threaded_blas():
        yield


def _reduced(
    reductions: list[Reduction[Any, Any]], checksum: Callable[[Block], int] | None, *blocks: Block
) -> _Reduced:
    """Some partitions, each with the reduction for its rows."""
    total, engine = reductions[0].empty(), LocalEngine()
    with _one_thread():
        for i, block in enumerate(blocks):
            if block.n_rows:
                labels = block.Y.dtype.kind not in "fiub"  # texts are no numbers to sum
                Y = np.empty((block.n_rows, 0)) if labels else block.Y
                rows = ArrayRows(block.X, Y, block.sample_weight, block.X.dtype)
                total = engine.reduce(rows, reductions[i % len(reductions)], total)
    done = {block.start: 0 if checksum is None else checksum(block) for block in blocks if block.n_rows}
    return _Reduced(total, done, sum(block.n_rows for block in blocks))


def _merged(parts: list[_Reduced], reduction: Reduction[Any, Any]) -> _Reduced:
    """Totals together; the parts stay as they are, since Dask may use them again."""
    total = reduction.empty()
    done: dict[int, int] = {}
    for part in parts:
        total = reduction.merge(total, part.total)
        done |= part.done
    return _Reduced(total, done, sum(part.n_rows for part in parts))


def _applied(block: Block, function: Callable[[Rows], Array]) -> Array:
    with _one_thread():
        return function(block.X)


def _checksum(block: Block, checksum: Callable[[Block], int]) -> int:
    return checksum(block)


# What runs here.


def _partitioned(rows: RowSource) -> DaskRows:
    """Only `DaskRows` name this engine."""
    return cast(DaskRows, rows)


def _group_task(rows: DaskRows, group: list[int], reduction: Reduction[Any, Any], ledger: Ledger | None) -> Any:
    """One task for some partitions. A reduction that is the same for all rows is sent once."""
    own = [reduction.restricted(rows.rows_of(i)) for i in group]
    own = own[:1] if own[0] is reduction else own
    checksum = None if ledger is None else ledger.checksum
    return delayed_task(_reduced)(own, checksum, *(rows.parts[i] for i in group))


def _tree(tasks: list[Any], reduction: Reduction[Any, Any]) -> Any:
    """Merge tasks, a few at a time."""
    while len(tasks) > 1:
        tasks = [_merge_task(tasks[i : i + BRANCHES], reduction) for i in range(0, len(tasks), BRANCHES)]
    return tasks[0]


def _merge_task(tasks: list[Any], reduction: Reduction[Any, Any]) -> Any:
    if len(tasks) == 1:
        return tasks[0]
    return dask.delayed(_merged, pure=False)(tasks, dask.delayed(reduction.restricted(slice(0, 0)), traverse=False))


def _not_in(ledger: Ledger | None, rows: DaskRows) -> list[int]:
    """Partitions that are not in the ledger yet; those that are must not have changed."""
    if ledger is None or not ledger.done:
        return list(range(len(rows.parts)))
    filled = [i for i, n in enumerate(rows.lengths) if n]  # one without rows begins where the next one does
    inside = [i for i in filled if rows.rows_of(i).start in ledger.done]
    ledger.require_rows({rows.rows_of(i).start for i in inside}, sum(rows.lengths[i] for i in inside))
    found = rows.compute([delayed_task(_checksum)(rows.parts[i], ledger.checksum) for i in inside])
    for i, checksum in zip(inside, found):
        ledger.require_unchanged(rows.rows_of(i).start, checksum)
    return [i for i in filled if i not in set(inside)]
