"""Sufficient statistics of the rows: a commutative monoid, gathered in one pass."""

from bochner.statistics.checkpoint import CheckpointFile, MomentsCheckpoint, rows_checksum
from bochner.statistics.executor import PassPlan, accumulate, for_each_block, plan_pass
from bochner.statistics.feature_stream import FeatureStream, open_stream
from bochner.statistics.identity import RowIdentity, identify
from bochner.statistics.moments import BlockMoments, Moments
from bochner.statistics.normal_equations import NormalOperator, NormalStart, StreamedNormal
from bochner.statistics.widening import widen

__all__ = [
    "BlockMoments",
    "CheckpointFile",
    "FeatureStream",
    "Moments",
    "MomentsCheckpoint",
    "NormalOperator",
    "NormalStart",
    "PassPlan",
    "RowIdentity",
    "StreamedNormal",
    "accumulate",
    "for_each_block",
    "identify",
    "open_stream",
    "plan_pass",
    "rows_checksum",
    "widen",
]
