"""Compiled product of a tile of the kernel matrix with few columns: both halves of a symmetric product in one pass."""

from __future__ import annotations

import numpy as np

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = ["add_tile_products"]

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp", "afn", "reassoc"}  # sums in any order: rounding bounds allow it


@compiled(fastmath=_FAST)
def add_tile_products(tile: Array, V: Array, row: int, column: int, mirrored: bool, sums: Array) -> None:
    """Add tile V to `sums` (c, n) at its rows and, if mirrored, tile' V at its columns; V is (c, n), too.

    The tile (r, m) begins at `row` and `column` of the matrix. Sums within the tile are of its own float type. A row
    of the tile is read once for all columns of V: BLAS packs the tile first, which for two columns takes as long as
    computing it.
    """
    n_columns, width = len(V), tile.shape[1]
    across = np.zeros((n_columns, width), tile.dtype)
    for i in range(len(tile)):
        values = tile[i]
        for c in range(n_columns):
            right, below, own = V[c, column : column + width], across[c], V[c, row + i]
            total = tile.dtype.type(0)
            if mirrored:
                for j in range(width):
                    total += values[j] * right[j]
                    below[j] += values[j] * own
            else:
                for j in range(width):
                    total += values[j] * right[j]
            sums[c, row + i] += total
    if mirrored:
        for c in range(n_columns):
            for j in range(width):
                sums[c, column + j] += across[c, j]
