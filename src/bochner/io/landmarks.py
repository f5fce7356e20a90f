"""Landmarks in place of whitened maps in model files: the Cholesky factor is computed again when a model is loaded.

A map of L landmarks has L d numbers of its own, and a factor of L^2 that follows from them. The factor is left out
where computing it again gives the same bits here. On another processor its last bits may differ, as those of any
product do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bochner._typing import Array
from bochner.features.nystroem import KernelMap, NystroemMap, draw_nystroem_map
from bochner.memory import MemoryBill, fits, require_memory, row_slices

__all__ = ["LandmarkMap", "without_factor"]

_ROWS = 512  # of a factor that are compared at once


@dataclass(frozen=True)
class LandmarkMap:
    """Stand-in of Nystroem features in a file: the landmarks, their kernel, and residual variances of other rows."""

    values: KernelMap
    median_shortfall: float
    mean_shortfall: float

    def restored(self) -> NystroemMap:
        """The map, whose factor takes L^3 / 3 operations."""
        bill = MemoryBill({"kernel matrix of the landmarks": 8 * self.values.n_components**2})
        require_memory(bill, "Raise the budget with bochner.set_config(memory=...).")
        drawn = draw_nystroem_map(self.values)
        return replace(drawn, median_shortfall=self.median_shortfall, mean_shortfall=self.mean_shortfall)


def without_factor(nystroem: NystroemMap) -> LandmarkMap | None:
    """The stand-in of a map, if its factor is the one that is computed from its landmarks; else None.

    None, too, if there is no room to compute it.
    """
    if not fits(8 * nystroem.n_components**2):
        return None
    again = draw_nystroem_map(nystroem.values).factor
    blocks = row_slices(len(again), _ROWS)
    if not all(np.array_equal(_lower(again, rows), _lower(nystroem.factor, rows)) for rows in blocks):
        return None
    return LandmarkMap(nystroem.values, nystroem.median_shortfall, nystroem.mean_shortfall)


def _lower(factor: Array, rows: slice) -> Array:
    """Some rows of a lower triangle."""
    return np.tril(factor[rows, : rows.stop], rows.start)
