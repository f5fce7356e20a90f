"""Compiled loops of the kernels: imported on first use, compiled once, cached on disk.

NumPy has no vectorised float64 exponential on many machines (13 ns a value against 1.5 here). The argument is reduced
to x = k log 2 + r, |r| <= log(2) / 2, with k rounded by adding and subtracting 1.5 * 2^52, so that its bits are the
exponent of the result; exp r is its Taylor polynomial of degree 13, off by 4e-18. No `reassoc`: it would undo the
reduction.
"""

from __future__ import annotations

import numpy as np

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = ["exp_of_minus_half"]

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp", "afn"}
_MAGIC, _LOG2_E = 1.5 * 2**52, 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_BIAS, _MANTISSA = np.int64(1023), np.int64(52)
_SMALLEST = -708.0  # below it a double has no full mantissa left: exp(-708) = 3e-308 stands for 0


@compiled(fastmath=_FAST)
def exp_of_minus_half(values: Array) -> None:
    """Overwrite values (n, m) >= 0 by exp(-value / 2), to 2e-16 of the result; 3e-308 where it would be smaller."""
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.shape[0]):
            x = max(-0.5 * row[j], _SMALLEST)
            shifted = x * _LOG2_E + _MAGIC
            k = shifted - _MAGIC
            r = (x - k * _LN2_HIGH) - k * _LN2_LOW
            p = 1.0 / 6227020800.0
            p = p * r + 1.0 / 479001600.0
            p = p * r + 1.0 / 39916800.0
            p = p * r + 1.0 / 3628800.0
            p = p * r + 1.0 / 362880.0
            p = p * r + 1.0 / 40320.0
            p = p * r + 1.0 / 5040.0
            p = p * r + 1.0 / 720.0
            p = p * r + 1.0 / 120.0
            p = p * r + 1.0 / 24.0
            p = p * r + 1.0 / 6.0
            p = p * r + 0.5
            p = p * r + 1.0
            p = p * r + 1.0
            # The lowest bits of `shifted` are k: moved up, they are the exponent of 2^k.
            row[j] = p * np.int64((np.float64(shifted).view(np.int64) + _BIAS) << _MANTISSA).view(np.float64)
