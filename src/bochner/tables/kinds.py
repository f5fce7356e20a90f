"""Column encoders by the kind that their fitted state names."""

from __future__ import annotations

from bochner._typing import JsonDict
from bochner.tables.columns import CategoryColumn, Column, DateColumn, NumberColumn
from bochner.tables.target_means import TargetMeans

__all__ = ["column_of"]


def column_of(state: JsonDict) -> Column:
    """Column encoder from its `to_dict`."""
    kinds: dict[str, type[Column]] = {kind.kind: kind for kind in (NumberColumn, CategoryColumn, DateColumn)}
    kinds[TargetMeans.tag] = TargetMeans
    return kinds[state["kind"]](**{name: value for name, value in state.items() if name != "kind"})
