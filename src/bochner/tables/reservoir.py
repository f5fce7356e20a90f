"""Random sample of the rows of a table that is read once, of unknown length (Vitter's reservoir, by random keys)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Reservoir", "rows_to_keep"]

_KEPT_SHARE, _MOST_KEPT, _FEWEST_KEPT = 1 / 20, 50_000, 100  # of the memory budget; rows


class Reservoir:
    """The rows with the smallest of random keys, at most `size`: a sample without replacement.

    Keys depend on the seed and on the number of the row among those that were offered, not on how these came in parts.
    """

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.size, self.n_offered = size, 0
        self._rng, self._limit, self._n_held = rng, np.inf, 0
        self._held: list[tuple[pa.Table, Array, Array]] = []

    def offer(self, rows: pa.Table, numbers: Array) -> None:
        """Rows of a batch, and their numbers in the file."""
        keys = self._rng.random(rows.num_rows)
        self.n_offered += rows.num_rows
        chosen = np.flatnonzero(keys < self._limit)
        if len(chosen):
            self._held.append((rows.take(chosen), numbers[chosen], keys[chosen]))  # a copy: the batch can go
            self._n_held += len(chosen)
        if self._n_held > 2 * self.size:
            self._trim()

    def drawn(self) -> tuple[pa.Table, Array]:
        """The sample in random order, and the numbers of its rows: the first k of them are a sample of k."""
        self._trim()
        (rows, numbers, _) = self._held[0]
        return rows, numbers

    def _trim(self) -> None:
        import pyarrow as pa

        keys = np.concatenate([part[2] for part in self._held])
        order = np.argsort(keys)[: self.size]
        rows = pa.concat_tables([part[0] for part in self._held]).take(order)
        self._held = [(rows, np.concatenate([part[1] for part in self._held])[order], keys[order])]
        self._n_held = len(order)
        if self._n_held == self.size:
            self._limit = keys[order[-1]]


def rows_to_keep(first: pa.Table | None, budget: int) -> int:
    """How many rows of a table to keep: as many as fit in a twentieth of the budget, by the size of its first ones."""
    if first is None or not first.num_rows:
        return _FEWEST_KEPT
    row_bytes = first.nbytes / first.num_rows + 8 * first.num_columns
    return int(np.clip(_KEPT_SHARE * budget / row_bytes, _FEWEST_KEPT, _MOST_KEPT))
