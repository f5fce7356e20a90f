"""The way to a cluster: which rows are there, how a pass is cut. Only `bochner.statistics.dask` needs Dask."""

from __future__ import annotations

from typing import Any

from bochner._typing import Array
from bochner.data import RowSource
from bochner.features.base import FeatureMap

__all__ = ["BRANCHES", "TASKS_PER_THREAD", "WAVES", "distributed_rows", "response_on_workers"]

BRANCHES = 4
"""Moments that one task merges."""

TASKS_PER_THREAD = 4
"""Tasks of a pass: what a lost worker costs, against merges and traffic."""

WAVES = 8
"""Parts of a pass with a checkpoint, which is written between them."""


def distributed_rows(X: Any, y: Any = None, sample_weight: Any = None) -> RowSource | None:
    """The rows of Dask arrays or data frames; None for anything else."""
    if type(X).__module__.partition(".")[0] not in ("dask", "dask_expr"):
        return None
    from bochner.statistics.dask import DaskRows

    return DaskRows(X, y, sample_weight)


def response_on_workers(rows: RowSource, feature_map: FeatureMap, coef: Array, offset: Array) -> Any:
    """z(x).coef + offset of distributed rows, a lazy array (n, k)."""
    from bochner.statistics.dask import DaskRows

    assert isinstance(rows, DaskRows)
    return rows.response(feature_map, coef, offset)
