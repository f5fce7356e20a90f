"""Mean embeddings of the windows of a stream, as a function of the window's rows alone, to the last bit.

Windows are ranked by their distance from a reference. Ranks are fair only if the distance of a window is one and the
same function for all windows: equal windows must tie, whichever number type they came in and whichever rows were
beside them when they were computed. BLAS gives a row other last bits in a block of another shape, so there is none
here: rows are rounded to one type, projected one by one and added up in their order, in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array, FloatType
from bochner.features import FourierMap
from bochner.features.base import MapOnBase

__all__ = ["RoundedFourier", "harmless_in_float32", "window_means"]

_BLOCK_BYTES = 2**21  # of features per thread: they are summed while they are in cache
_HARMLESS = 1e-3


@dataclass(frozen=True)
class RoundedFourier(MapOnBase):
    """A Fourier map of rows that are rounded to one number type first.

    Attributes
    ----------
    base : FourierMap
    dtype : numpy dtype
        float32 or float64. With float32, a row and the float64 row that it was rounded from have the same features.
    """

    base: FourierMap
    dtype: np.dtype[Any]

    def write(self, X: Any, out: Array, scratch: Array) -> None:
        self.base.write(self.rounded(X), out, scratch)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.base.n_bytes(dtype)

    def rounded(self, X: Any) -> Array:
        """The rows in the number type; what lies beyond its range becomes its largest number."""
        rows = np.asarray(X)
        if rows.dtype == self.dtype:
            return rows
        limits = np.finfo(self.dtype)
        return np.clip(rows, limits.min, limits.max).astype(self.dtype)


def window_means(X: Array, features: RoundedFourier, window: int) -> Array:
    """Mean features of every complete window of consecutive rows, shape (len(X) // window, D), in float64.

    Any split of a stream into calls, blocks and threads gives the same bits.
    """
    n, D = len(X) // window, features.n_components
    means = np.empty((n, D))
    step = max(1, _BLOCK_BYTES // (8 * D * window))

    def average(start: int, scratch: Array) -> None:
        stop = min(start + step, n)
        Z = np.empty(((stop - start) * window, D))
        features.base.write_row_by_row(features.rounded(X[start * window : stop * window]), Z, scratch)
        windows = Z.reshape(stop - start, window, D)
        total = windows[:, 0].copy()
        for i in range(1, window):  # not `np.sum`, whose order depends on the shape
            total += windows[:, i]
        means[start:stop] = total / window

    run_in_threads(average, range(0, n, step), state=lambda: np.empty((1, features.scratch_width)))
    return means


def harmless_in_float32(largest: Array, fourier: FourierMap) -> bool:
    """Whether rounding rows to float32 moves no phase omega.x by more than 1/1000.

        abs(omega . (round(x) - x)) <= 2^-24 sum_j abs(omega_j) abs(x_j)

    `largest` (d,) is the largest size of every column.
    """
    return bool(np.max(fourier.phase_reach(largest)) * 2.0**-24 <= _HARMLESS)
