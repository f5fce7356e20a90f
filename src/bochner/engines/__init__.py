"""Execution engines for blocks of rows: threads of one machine, or a Dask cluster."""

from typing import Any, cast

from bochner.data import RowSource
from bochner.engines.base import Cut, Engine, Ledger, OnPart, Reduction
from bochner.engines.local import LocalEngine

__all__ = ["Cut", "Engine", "Ledger", "LocalEngine", "OnPart", "Reduction", "collection_rows", "engine_of"]


def engine_of(rows: RowSource) -> Engine:
    """The engine that works on some rows: the one they name, else the threads of this process."""
    return LocalEngine() if rows.engine is None else cast(Engine, rows.engine)


def collection_rows(X: Any, y: Any = None, sample_weight: Any = None) -> RowSource | None:
    """The rows of a Dask array or data frame (Dask's collection protocol); None for anything else."""
    if not hasattr(X, "__dask_graph__"):
        return None
    from bochner.engines.dask_rows import DaskRows

    return DaskRows(X, y, sample_weight)
