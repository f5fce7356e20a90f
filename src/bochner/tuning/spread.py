"""Column spreads: one robust scale per column, so that a length scale does not depend on units.

    spread_j = (q_75 - q_25) / 1.349 of column j;   its standard deviation where that is 0;   1 where it is constant

1.349 is the interquartile range of the standard normal law. A factor of a column is one of its spread, and an offset
changes nothing. An offset would fill the zeros of sparse rows: their spread is the root mean square, which knows
factors only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from bochner._dense import dense
from bochner._typing import Array, Rows

__all__ = ["NORMAL_RANGE", "SMALLEST_SPREAD", "column_spreads", "row_blocks"]

NORMAL_RANGE = 1.349
"""Interquartile range of the standard normal law."""

_BLOCK_ROWS = 8192
SMALLEST_SPREAD = 1e-302
"""What is divided by a smaller one, or by a part of this one, is infinite: it counts as no spread at all."""


def column_spreads(rows: Array, others: Iterable[Rows] = (), *, centred: bool = True) -> Array:
    """Spread of every column, positive, shape (d,).

    Parameters
    ----------
    rows : array of shape (n, d)
        A sample.
    others : iterable of rows, default=()
        Blocks of the table that it was drawn from, read only if a column is constant in the sample.
    centred : bool, default=True
        False: the root mean square, for rows that are sparse elsewhere.
    """
    usual = rows[0] if centred else np.zeros(rows.shape[1])
    spreads = _robust(rows) if centred else np.sqrt(np.mean(rows**2, axis=0))
    idle = np.flatnonzero(spreads == 0)
    if len(idle):
        spreads[idle] = _deviations(others, idle, usual[idle])
    return np.where(spreads > SMALLEST_SPREAD, spreads, 1.0)


def _robust(rows: Array) -> Array:
    """Interquartile range over that of the standard normal law, else the standard deviation; 0 of a constant column."""
    low, high = np.quantile(rows, [0.25, 0.75], axis=0)
    constant = np.all(rows == rows[0], axis=0)  # its standard deviation may be rounding
    deviation = np.where(constant, 0.0, np.std(rows, axis=0))
    spread: Array = np.where(high > low, (high - low) / NORMAL_RANGE, deviation)
    return spread


def _deviations(blocks: Iterable[Rows], columns: Array, usual: Array) -> Array:
    """Root mean squared distance of some columns from a value of each, over all rows of the blocks."""
    total, count = np.zeros(len(columns)), 0
    for block in blocks:
        values = dense(block[:, columns], float)
        total += np.sum((values - usual) ** 2, axis=0)
        count += len(values)
    deviations: Array = np.sqrt(total / max(count, 1))
    return deviations


def row_blocks(X: Rows, index: Array | None = None) -> Iterator[Rows]:
    """The rows, or some of them, a block at a time."""
    n = X.shape[0] if index is None else len(index)
    for start in range(0, n, _BLOCK_ROWS):
        part = slice(start, start + _BLOCK_ROWS)
        yield X[part] if index is None else X[index[part]]
