"""Tiles of the kernel matrix that stay in memory from one product to the next: as many as there is room for.

Reading a value takes a fifth of the time of computing it, so that iterations on some ten thousand rows, whose matrix
has room in memory, spend most of their time on the first product. Kept values are those that would be computed: what is
kept changes no bit of a product.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bochner._typing import Array, FloatType

__all__ = ["KeptTiles"]


class KeptTiles:
    """The first tiles of a product, each computed once; made before the threads that use it.

    Parameters
    ----------
    n_tiles : int
    size : int
        Values of a tile, at most.
    dtype : dtype
    """

    def __init__(self, n_tiles: int, size: int, dtype: FloatType) -> None:
        self._values, self._known = np.empty((n_tiles, size), dtype), np.zeros(n_tiles, dtype=bool)

    def tile(self, number: int, shape: tuple[int, int], scratch: Array, computed: Callable[[Array], Array]) -> Array:
        """The tile of a number; `computed(space)` where it is not known, in `space` or an array of its own."""
        kept = number < len(self._values)
        space = (self._values[number] if kept else scratch)[: shape[0] * shape[1]].reshape(shape)
        if kept and self._known[number]:
            return space
        values = computed(space)
        if not kept:
            return values
        if values is not space:
            space[...] = values
        self._known[number] = True
        return space
