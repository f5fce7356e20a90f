"""Blocks of rows mapped to features in threads, for sums that are made in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.data import Block, RowSource
from bochner.features.base import FeatureMap, apply_map, new_scratch
from bochner.statistics.moments_pass import PassPlan

__all__ = ["for_each_block"]

Summary = TypeVar("Summary")


def for_each_block(
    rows: RowSource,
    feature_map: FeatureMap,
    plan: PassPlan,
    work: Callable[[Block, tuple[Array, Array]], Summary],
    finish: Callable[[Summary], object],
    *,
    extra: Callable[[], Array],
    skip: Callable[[Block], bool] | None = None,
) -> None:
    """Map every block to features, call `work(block, (Z, extra()))`, and `finish` with what it returned.

    Threads work on one block each, and finish block after block in the order of the rows, so that sums have the same
    bits in every run; True from `finish` ends the pass. Blocks with `skip(block)` are left out. `Z` and the extra array
    belong to the thread until its block is finished, and are used again.
    """

    def state() -> tuple[Array, Array, Array]:
        Z = np.empty((plan.block_rows, feature_map.n_components), dtype=rows.dtype)
        return Z, new_scratch(feature_map, rows.dtype), extra()

    def handle(block: Block, own: tuple[Array, Array, Array]) -> Summary | None:
        if skip is not None and skip(block):
            return None
        Z, scratch, other = own
        apply_map(feature_map, block.X, Z[: block.n_rows], scratch)
        return work(block, (Z, other))

    def end(summary: Summary | None) -> object:
        return StopIteration if summary is not None and finish(summary) is True else None

    run_in_threads(handle, rows.blocks(plan.block_rows), state=state, finish=end, n_threads=plan.n_threads)
