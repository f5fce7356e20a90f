"""Compiled product of a tile of the kernel matrix with some columns: both halves of a symmetric product in one pass."""

from __future__ import annotations

import numpy as np

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = ["add_tile_products"]

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp", "afn", "reassoc"}  # sums in any order: rounding bounds allow it
_AT_ONCE = 4  # rows: columns of V and of the sums are read once for all of them


@compiled(fastmath=_FAST)
def add_tile_products(tile: Array, V: Array, row: int, column: int, mirrored: bool, sums: Array) -> None:
    """Add tile V to `sums` (c, n) at its rows and, if mirrored, tile' V at its columns; V is (c, n), too.

    The tile (r, m) begins at `row` and `column` of the matrix. Sums within the tile are of its own float type. Rows of
    the tile are read once for all columns of V: BLAS packs the tile first, for either half, which for two columns takes
    as long as computing it, and for ten as long as these products.
    """
    n_columns, width, zero = len(V), tile.shape[1], tile.dtype.type(0)
    across = np.zeros((n_columns, width), tile.dtype)
    whole = len(tile) - len(tile) % _AT_ONCE
    for i in range(0, whole, _AT_ONCE):
        p, q, r, s = tile[i], tile[i + 1], tile[i + 2], tile[i + 3]
        for k in range(n_columns):
            right, below = V[k, column : column + width], across[k]
            a, b, c, d = V[k, row + i], V[k, row + i + 1], V[k, row + i + 2], V[k, row + i + 3]
            of_p, of_q, of_r, of_s = zero, zero, zero, zero
            for j in range(width):
                v = right[j]
                of_p += p[j] * v
                of_q += q[j] * v
                of_r += r[j] * v
                of_s += s[j] * v
                below[j] += p[j] * a + q[j] * b + r[j] * c + s[j] * d
            sums[k, row + i] += of_p
            sums[k, row + i + 1] += of_q
            sums[k, row + i + 2] += of_r
            sums[k, row + i + 3] += of_s
    for i in range(whole, len(tile)):
        for k in range(n_columns):
            p, right, below, a, of_p = tile[i], V[k, column : column + width], across[k], V[k, row + i], zero
            for j in range(width):
                of_p += p[j] * right[j]
                below[j] += p[j] * a
            sums[k, row + i] += of_p
    if mirrored:
        for k in range(n_columns):
            for j in range(width):
                sums[k, column + j] += across[k, j]
