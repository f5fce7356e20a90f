"""A random sample of rows that come one after another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array

__all__ = ["RowReservoir"]


@dataclass(frozen=True)
class RowReservoir:
    """A random sample of the rows seen so far: those with the smallest of random keys. Samples merge.

    Attributes
    ----------
    rows : array of shape (m, d)
    keys : array of shape (m,)
        Ascending.
    """

    rows: Array
    keys: Array

    def merge(self, other: RowReservoir, size: int) -> RowReservoir:
        """The sample, of at most `size` rows, of the rows behind both."""
        keys = np.concatenate([self.keys, other.keys])
        order = np.argsort(keys, kind="stable")[:size]
        return RowReservoir(np.concatenate([self.rows, other.rows])[order], keys[order])
