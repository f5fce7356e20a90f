"""One pass over the rows, reduced to moments of their features, in threads or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bochner._blas import lower_gram
from bochner._typing import Array, FloatType
from bochner.config import config_context, get_config
from bochner.data import Block, RowSource
from bochner.engines import Cut, OnPart, engine_of
from bochner.features.base import FeatureMap, tile_rows
from bochner.statistics.feature_reduction import FeatureReduction, FeatureSpace
from bochner.statistics.identity import RowIdentity
from bochner.statistics.moments import BlockMoments, GramProduct, Moments
from bochner.statistics.moments_checkpoint import MomentsCheckpoint

__all__ = ["MomentsReduction", "PassPlan", "accumulate", "plan_of", "plan_pass"]

_BLAS_BYTES = 3 * 2**24  # that BLAS and temporary kernel values take; the rest of the rest is for frequencies and rows
_BLOCK_BYTES = 2**26  # of features per thread and block: SYRK at full speed, and the float64 sum below 4 % of it


@dataclass(frozen=True)
class PassPlan:
    """Plan of a moments pass: rows of a block, threads, and the bytes that the pass holds."""

    block_rows: int
    n_threads: int
    bytes: int


def plan_pass(n_rows: int, feature_map: FeatureMap, n_targets: int, dtype: FloatType) -> PassPlan:
    """The cut of a moments pass: equal blocks, a multiple of the threads, within the memory budget."""
    D, item = feature_map.n_components, dtype.itemsize
    fixed = 8 * D * (D + n_targets + 2)
    scratch = tile_rows(feature_map, dtype) * feature_map.scratch_width * item
    largest = int(np.clip(_BLOCK_BYTES // (D * item), 64, 32768))

    row, smallest = (D + 1) * item + 16 * n_targets, min(n_rows, largest, max(256, D // 2))

    def per_thread(rows: int) -> int:
        return D * D * item + rows * row + scratch

    memory = get_config().memory_budget()
    budget = min(int(0.95 * memory), memory - min(int(0.25 * memory), _BLAS_BYTES))
    budget -= fixed + feature_map.n_bytes(dtype)
    affordable = max(1, budget // per_thread(smallest))
    threads = int(min(get_config().threads(), affordable, max(1, -(-n_rows // 64))))
    largest = int(np.clip((budget // threads - per_thread(0)) // row, smallest, largest))
    blocks = threads * -(-n_rows // (threads * largest))
    rows = max(1, -(-n_rows // blocks))
    return PassPlan(rows, threads, fixed + threads * per_thread(rows))


def plan_of(rows: RowSource, feature_map: FeatureMap) -> PassPlan:
    """The cut of a moments pass over a source: blocks are what reading leaves room for."""
    with config_context(memory=max(1, get_config().memory_budget() - rows.read_bytes)):
        return plan_pass(rows.planned_rows, feature_map, rows.n_targets, rows.dtype)


class _BlockSummary(NamedTuple):
    moments: BlockMoments
    identity: RowIdentity


class MomentsSpace(NamedTuple):
    """Space of one thread: features, scratch of the map, and the second moments of a block."""

    Z: Array
    scratch: Array
    gram: Array


@dataclass(frozen=True)
class MomentsReduction(FeatureReduction[Moments, _BlockSummary]):
    """The moments of features and targets, with the checksum of the rows.

    Attributes
    ----------
    n_targets : int
    plan : PassPlan or None
        None: the best one for the rows and the machine, there where they are worked on.
    product : GramProduct
        What it leaves out of the second moments of a block counts as 0.
    """

    n_targets: int
    plan: PassPlan | None = None
    product: GramProduct = lower_gram

    def cut(self, n_rows: int) -> Cut:
        plan = self.plan or plan_pass(n_rows, self.feature_map, self.n_targets, self.dtype)
        return Cut(plan.block_rows, plan.n_threads)

    def empty(self) -> Moments:
        return Moments.empty(self.feature_map.n_components, self.n_targets)

    def scratch(self, block_rows: int) -> MomentsSpace:  # type: ignore[override]
        D = self.feature_map.n_components
        return MomentsSpace(*super().scratch(block_rows), np.zeros((D, D), dtype=self.dtype))

    def part(self, block: Block, scratch: MomentsSpace) -> _BlockSummary:
        Z = self.features(block, FeatureSpace(scratch.Z, scratch.scratch))
        identity = RowIdentity.of(block)
        moments = BlockMoments.of(Z, block.Y, block.sample_weight, scratch.gram, self.product)
        return _BlockSummary(moments, identity)

    def add(self, total: Moments, part: _BlockSummary) -> Moments:
        return total.absorb(part.moments, part.identity)

    def merge(self, total: Moments, other: Moments) -> Moments:
        return total.merge(other)

    def elsewhere(self) -> MomentsReduction:  # the plan is for all rows on this machine
        return replace(self, plan=None)


def accumulate(
    rows: RowSource,
    feature_map: FeatureMap,
    total: Moments,
    plan: PassPlan,
    *,
    on_block: OnPart | None = None,
    checkpoint: MomentsCheckpoint | None = None,
    product: Callable[[Array, Array], None] = lower_gram,
) -> Moments:
    """Add the moments of all rows to `total`, in one pass: in threads, or on a cluster if the rows are there.

    Blocks are added in the order of the rows: one plan gives the same bits in every run. Plans for other numbers of
    threads or budgets cut the rows elsewhere, and agree to rounding.

    `on_block(rows)` is called after every block, in one thread at a time; True stops the pass there. With a checkpoint,
    blocks that are in it are not added again, and what was added is in it at the end, also at the end by an error.
    """
    engine = engine_of(rows)
    shipped, n_targets = engine.ship(feature_map), len(total.y_mean)
    reduction = MomentsReduction(shipped, rows.dtype, n_targets, plan, product)
    return engine.reduce(rows, reduction, total, on_part=on_block, ledger=checkpoint)
