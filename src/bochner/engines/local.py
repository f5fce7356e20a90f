"""The engine of one machine: blocks of rows in the threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array, Rows
from bochner.data import READ_ROWS, Block, RowSource
from bochner.engines.base import Engine, Ledger, OnPart, Part, Reduction, Total
from bochner.features import FeatureMap

__all__ = ["LocalEngine"]


class _Done(NamedTuple):
    """Result of one block: rows, checksum, partial sum."""

    start: int
    n_rows: int
    checksum: int
    part: Any


class LocalEngine(Engine):
    """Threads of this process.

    Blocks are added in the order of the rows, so that one cut gives the same bits in every run.
    """

    @property
    def in_process(self) -> bool:
        return True

    def reduce(
        self,
        rows: RowSource,
        reduction: Reduction[Total, Part],
        total: Total,
        *,
        on_part: OnPart | None = None,
        ledger: Ledger | None = None,
    ) -> Total:
        cut, stopped = reduction.cut(rows.planned_rows), False

        def work(block: Block, scratch: Any) -> _Done | None:
            if ledger is not None and ledger.contains(block):
                return None
            checksum = 0 if ledger is None else ledger.checksum(block)
            return _Done(block.start, block.n_rows, checksum, reduction.part(block, scratch))

        def finish(done: _Done | None) -> object:
            nonlocal total, stopped
            if done is None:
                return None
            entry = {done.start: done.checksum}
            with nullcontext() if ledger is None else ledger.adding(entry, done.n_rows, cut.block_rows):
                total = reduction.add(total, done.part)
            if ledger is not None:
                ledger.reached(total)
            stopped = on_part is not None and on_part(done.n_rows) is True
            return StopIteration if stopped else None

        try:
            run_in_threads(
                work,
                rows.blocks(cut.block_rows),
                state=lambda: reduction.scratch(cut.block_rows),
                finish=finish,
                n_threads=cut.n_threads,
            )
            if ledger is not None and not stopped:
                ledger.require_all_met()
        finally:
            if ledger is not None:
                ledger.save(total)
        return total

    def parts(self, rows: RowSource, reduction: Reduction[Total, Part]) -> Iterator[Total]:
        cut = reduction.cut(rows.planned_rows)
        scratch = reduction.scratch(cut.block_rows)
        for block in rows.blocks(cut.block_rows):
            yield reduction.add(reduction.empty(), reduction.part(block, scratch))

    def ship(self, feature_map: FeatureMap) -> FeatureMap:
        return feature_map

    def hold(self, rows: RowSource) -> None:
        return

    def apply(
        self, rows: RowSource, function: Callable[[Rows], Array], shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Any:
        found = [function(block.X) for block in rows.blocks(READ_ROWS)]
        return np.concatenate(found) if found else np.empty((0, *shape), dtype=dtype)
