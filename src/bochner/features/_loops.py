"""All compiled loops: imported on first use, compiled once, cached on disk; NumPy twins are in tests/reference.py.

Sine and cosine together, vectorised. The argument is reduced by half turns, x = q pi + r with |r| <= pi/2, so
cos x = (-1)^q cos r and sin x = (-1)^q sin r need no exchange of the two and no branch; cos r and sin r are minimax
polynomials in r^2. Rounding is by adding and subtracting 1.5 * 2^(mantissa bits): `math.floor` is an int64 in
numba and stops vectorisation. The fast-math flags leave out `reassoc`, which would undo the reduction.
Row views (`out[i, :m]`) instead of two-dimensional indices are what lets the compiler prove the loop parallel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from bochner._typing import Array

__all__ = ["absorb_gram", "fourier_features"]

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp", "afn"}

_f = np.float32
_MAGIC32, _INV_PI32, _HALF32, _ONE32, _TWO32 = _f(1.5 * 2**23), _f(1 / np.pi), _f(0.5), _f(1), _f(2)
_PI32 = (_f(3.140625), _f(0.0009670257568359375), _f(np.pi - 3.140625 - 0.0009670257568359375))
_SIN32 = (_f(-0.16666657092825318), _f(0.008333017200117377), _f(-0.00019806608517491147), _f(2.6000398405570565e-06))
_COS32 = (_f(0.04166665576897569), _f(-0.0013888569069789706), _f(2.4769298062653944e-05), _f(-2.6193685603379434e-07))

_MAGIC64, _INV_PI64 = 1.5 * 2**52, 1 / np.pi
_PI64 = (3.1415926218032837, 3.1786509424591713e-08, 1.2246467991473532e-16)
_SIN64 = (
    -0.1666666666666581, 0.00833333333326284, -0.000198412698200841, 2.7557316075804426e-06,
    -2.505185142329894e-08, 1.604729895190592e-10, -7.364619549690364e-13,
)  # fmt: skip
_COS64 = (
    0.04166666666666583, -0.0013888888888830015, 2.4801587285776093e-05, -2.7557317067658613e-07,
    2.087659254381439e-09, -1.1463634037044335e-11, 4.616119048739701e-14,
)  # fmt: skip


def _sincos(x: Any) -> Any:
    """(cos x, sin x) of a float32 or float64 scalar; compiled code only."""


def _sincos32(x: Any) -> Any:
    q = (x * _INV_PI32 + _MAGIC32) - _MAGIC32
    odd = q - _TWO32 * ((q * _HALF32 + _MAGIC32) - _MAGIC32)
    sign = _ONE32 - _TWO32 * odd * odd
    r = ((x - q * _PI32[0]) - q * _PI32[1]) - q * _PI32[2]
    r = min(max(r, -_TWO32), _TWO32)  # bounded output where |x| > 1e7 has no phase left in float32
    z = r * r
    sin = r + r * z * (_SIN32[0] + z * (_SIN32[1] + z * (_SIN32[2] + z * _SIN32[3])))
    cos = (_ONE32 - _HALF32 * z) + z * z * (_COS32[0] + z * (_COS32[1] + z * (_COS32[2] + z * _COS32[3])))
    return sign * cos, sign * sin


def _sincos64(x: Any) -> Any:
    q = (x * _INV_PI64 + _MAGIC64) - _MAGIC64
    odd = q - 2.0 * ((q * 0.5 + _MAGIC64) - _MAGIC64)
    sign = 1.0 - 2.0 * odd * odd
    r = ((x - q * _PI64[0]) - q * _PI64[1]) - q * _PI64[2]
    r = min(max(r, -2.0), 2.0)
    z = r * r
    s, c = _SIN64, _COS64
    sin = r + r * z * (s[0] + z * (s[1] + z * (s[2] + z * (s[3] + z * (s[4] + z * (s[5] + z * s[6]))))))
    cos = (1.0 - 0.5 * z) + z * z * (c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * (c[4] + z * (c[5] + z * c[6]))))))
    return sign * cos, sign * sin


@overload(_sincos, inline="always", jit_options={"fastmath": _FAST})
def _choose_sincos(x: Any) -> Any:
    return _sincos32 if x == types.float32 else _sincos64


@njit(cache=True, nogil=True, fastmath=_FAST)
def fourier_features(projection: Array, amplitude: Array, phase: Array, out: Array) -> None:
    """Cosines and sines of the first columns of `projection` (n, m), cosines with a phase of its last len(phase).

    out = [amplitude cos(projection), amplitude sin(projection), amplitude cos(projection + phase)]
    """
    n, m = projection.shape
    pairs = m - len(phase)
    for i in range(n):
        row, cosines, sines = projection[i, :pairs], out[i, :pairs], out[i, pairs : 2 * pairs]
        for j in range(pairs):
            c, s = _sincos(row[j])
            cosines[j] = amplitude[j] * c
            sines[j] = amplitude[j] * s
        row, cosines, heights = projection[i, pairs:], out[i, 2 * pairs :], amplitude[pairs:]
        for j in range(m - pairs):
            cosines[j] = heights[j] * _sincos(row[j] + phase[j])[0]


@njit(cache=True, nogil=True, fastmath={"contract"})
def absorb_gram(total: Array, gram: Array, mean: Array, weight: float, shift: Array, factor: float) -> None:
    """total += gram - weight mean mean' + factor shift shift' on the lower triangle, summed in float64."""
    for i in range(len(total)):
        into, row = total[i, : i + 1], gram[i, : i + 1]
        a, b = weight * mean[i], factor * shift[i]
        for j in range(i + 1):
            into[j] += row[j] - a * mean[j] + b * shift[j]
