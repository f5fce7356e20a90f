"""Sufficient statistics of the rows: a commutative monoid, gathered in one pass."""

from bochner.statistics.checkpoint import CheckpointFile
from bochner.statistics.checksums import rows_checksum
from bochner.statistics.feature_blocks import for_each_block
from bochner.statistics.feature_reduction import FeatureReduction, StreamReduction
from bochner.statistics.feature_stream import KEPT_FEATURES, FeatureStream
from bochner.statistics.fourier_checkpoint import FourierCheckpoint
from bochner.statistics.fourier_sums import (
    BoxOfRows,
    FourierReduction,
    FourierSums,
    add_fourier_sums,
    box_of,
    fourier_bill,
    fourier_cut,
    fourier_sums_of_boxes,
)
from bochner.statistics.identity import RowIdentity, identify
from bochner.statistics.moments import BlockMoments, Moments
from bochner.statistics.moments_checkpoint import MomentsCheckpoint
from bochner.statistics.moments_pass import MomentsReduction, PassPlan, accumulate, plan_of, plan_pass
from bochner.statistics.normal_equations import NormalOperator, NormalStart, StreamedNormal
from bochner.statistics.state_schema import ArrayRule, Flag, NumberRule, Schema, Word
from bochner.statistics.widening import widen

__all__ = [
    "KEPT_FEATURES",
    "ArrayRule",
    "BlockMoments",
    "BoxOfRows",
    "CheckpointFile",
    "FeatureReduction",
    "FeatureStream",
    "Flag",
    "FourierCheckpoint",
    "FourierReduction",
    "FourierSums",
    "Moments",
    "MomentsCheckpoint",
    "MomentsReduction",
    "NormalOperator",
    "NormalStart",
    "NumberRule",
    "PassPlan",
    "RowIdentity",
    "Schema",
    "StreamReduction",
    "StreamedNormal",
    "Word",
    "accumulate",
    "add_fourier_sums",
    "box_of",
    "for_each_block",
    "fourier_bill",
    "fourier_cut",
    "fourier_sums_of_boxes",
    "identify",
    "plan_of",
    "plan_pass",
    "rows_checksum",
    "widen",
]
