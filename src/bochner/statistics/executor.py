"""One pass over row blocks in threads, reduced to moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bochner._blas import lower_gram
from bochner._threads import run_in_threads
from bochner._typing import Array
from bochner.config import get_config
from bochner.data import Block, RowSource
from bochner.features.base import FeatureMap, apply_map, new_scratch, tile_rows
from bochner.statistics.checkpoint import MomentsCheckpoint, block_checksum
from bochner.statistics.identity import RowIdentity
from bochner.statistics.moments import BlockMoments, GramProduct, Moments

__all__ = ["PassPlan", "accumulate", "add_blocks", "for_each_block", "plan_pass"]

Summary = TypeVar("Summary")

_BLOCK_BYTES = 2**26  # of features per thread and block: SYRK at full speed, and the float64 sum below 4 % of it


@dataclass(frozen=True)
class PassPlan:
    """How a pass is cut: rows of a block, threads, and the bytes that the pass holds."""

    block_rows: int
    n_threads: int
    bytes: int


def plan_pass(n_rows: int, feature_map: FeatureMap, n_targets: int, dtype: np.dtype[Any]) -> PassPlan:
    """The cut of a moments pass: equal blocks, a multiple of the threads, within the memory budget."""
    D, item = feature_map.n_components, dtype.itemsize
    fixed = 8 * D * (D + n_targets + 2)
    scratch = tile_rows(feature_map, dtype) * feature_map.scratch_width * item
    largest = int(np.clip(_BLOCK_BYTES // (D * item), 64, 32768))

    row, smallest = (D + 1) * item + 16 * n_targets, min(n_rows, largest, max(256, D // 2))

    def per_thread(rows: int) -> int:
        return D * D * item + rows * row + scratch

    budget = int(0.95 * get_config().memory_budget()) - fixed  # the rest is for frequencies and rows read ahead
    affordable = max(1, budget // per_thread(smallest))
    threads = int(min(get_config().threads(), affordable, max(1, -(-n_rows // 64))))
    largest = int(np.clip((budget // threads - per_thread(0)) // row, smallest, largest))
    blocks = threads * -(-n_rows // (threads * largest))
    rows = max(1, -(-n_rows // blocks))
    return PassPlan(rows, threads, fixed + threads * per_thread(rows))


def accumulate(
    rows: RowSource,
    feature_map: FeatureMap,
    total: Moments,
    plan: PassPlan,
    *,
    on_block: Callable[[int], bool] | None = None,
    checkpoint: MomentsCheckpoint | None = None,
) -> Moments:
    """Add the moments of all rows to `total`, in one pass: in threads, or on a cluster if the rows are there.

    Blocks are added in the order of the rows: one plan gives the same bits in every run. Plans for other numbers of
    threads or budgets cut the rows elsewhere, and agree to rounding.

    `on_block(rows)` is called after every block, in one thread at a time; True stops the pass there. With a checkpoint,
    blocks that are in it are not added again, and what was added is in it at the end, also at the end by an error.
    """
    if rows.distributed:
        from bochner.statistics.dask import accumulate_on_workers

        return accumulate_on_workers(rows, feature_map, total, on_block=on_block, checkpoint=checkpoint)
    if checkpoint is None:
        add_blocks(rows, feature_map, total, plan, on_block=on_block)
        return total
    try:
        add_blocks(rows, feature_map, total, plan, on_block=on_block, checkpoint=checkpoint)
    finally:
        checkpoint.save(total)
    return total


def add_blocks(
    rows: RowSource,
    feature_map: FeatureMap,
    total: Moments,
    plan: PassPlan,
    *,
    on_block: Callable[[int], bool] | None = None,
    checkpoint: MomentsCheckpoint | None = None,
    product: GramProduct = lower_gram,
) -> None:
    """As `accumulate`, in threads; what `product` leaves out of the second moments of a block counts as 0."""
    D = feature_map.n_components

    def summarise(block: Block, own: tuple[Array, Array]) -> tuple[Block, int, BlockMoments, RowIdentity]:
        Z, gram = own
        checksum, identity = 0 if checkpoint is None else block_checksum(block), RowIdentity.of(block)
        moments = BlockMoments.of(Z[: block.n_rows], block.Y, block.sample_weight, gram, product)
        return block, checksum, moments, identity

    def absorb(summary: tuple[Block, int, BlockMoments, RowIdentity]) -> bool:
        block, checksum, moments, identity = summary
        if checkpoint is None:
            total.absorb(moments, identity)
        else:
            with checkpoint.adding({block.start: checksum}, total, plan.block_rows):
                total.absorb(moments, identity)
        return bool(on_block(block.n_rows)) if on_block else False

    skip = None if checkpoint is None else checkpoint.contains
    extra = partial(np.zeros, (D, D), dtype=rows.dtype)
    for_each_block(rows, feature_map, plan, summarise, absorb, extra=extra, skip=skip)


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
