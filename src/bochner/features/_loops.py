"""All compiled loops: imported on first use, compiled once, cached on disk; NumPy twins are in tests/reference.py.

Sine and cosine together, vectorised. The argument is reduced by half turns, x = q pi + r with |r| <= pi/2, so
cos x = (-1)^q cos r and sin x = (-1)^q sin r need no exchange of the two and no branch; cos r and sin r are minimax
polynomials in r^2. Rounding is by adding and subtracting 1.5 * 2^(mantissa bits): `math.floor` is an int64 in numba and
stops vectorisation; the sign is a bit operation on the amplitude. The fast-math flags leave out `reassoc`, which would
undo the reduction. Row views (`out[i, :m]`) instead of two-dimensional indices are what lets the compiler prove the
loop parallel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = ["absorb_gram", "fourier_features", "narrow_fourier_features", "orbit_pairs", "orbit_phases"]

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp", "afn"}

_f = np.float32
_MAGIC32, _INV_PI32, _HALF32, _ONE32, _TWO32 = _f(1.5 * 2**23), _f(1 / np.pi), _f(0.5), _f(1), _f(2)
_PI32 = (_f(3.140625), _f(0.0009670257568359375), _f(np.pi - 3.140625 - 0.0009670257568359375))
_SIN32 = (_f(-0.16666657092825318), _f(0.008333017200117377), _f(-0.00019806608517491147), _f(2.6000398405570565e-06))
_COS32 = (_f(0.04166665576897569), _f(-0.0013888569069789706), _f(2.4769298062653944e-05), _f(-2.6193685603379434e-07))

_SIGN32 = np.int32(31)

_MAGIC64, _INV_PI64, _SIGN64 = 1.5 * 2**52, 1 / np.pi, np.int64(63)
_PI64 = (3.1415926218032837, 3.1786509424591713e-08, 1.2246467991473532e-16)
_SIN64 = (
    -0.1666666666666581, 0.00833333333326284, -0.000198412698200841, 2.7557316075804426e-06,
    -2.505185142329894e-08, 1.604729895190592e-10, -7.364619549690364e-13,
)  # fmt: skip
_COS64 = (
    0.04166666666666583, -0.0013888888888830015, 2.4801587285776093e-05, -2.7557317067658613e-07,
    2.087659254381439e-09, -1.1463634037044335e-11, 4.616119048739701e-14,
)  # fmt: skip


def _sincos(x: Any, height: Any) -> Any:
    """(height cos x, height sin x) of float32 or float64 scalars; compiled code only."""


def _sincos32(x: Any, height: Any) -> Any:
    shifted = x * _INV_PI32 + _MAGIC32  # the last bit of its mantissa is the parity of q
    q = shifted - _MAGIC32
    flipped = np.int32(np.int32(np.float32(shifted).view(np.int32) << _SIGN32) ^ np.float32(height).view(np.int32))
    signed = flipped.view(np.float32)
    r = ((x - q * _PI32[0]) - q * _PI32[1]) - q * _PI32[2]
    r = min(max(r, -_TWO32), _TWO32)  # bounded output where |x| > 1e7 has no phase left in float32
    z = r * r
    sin = r + r * z * (_SIN32[0] + z * (_SIN32[1] + z * (_SIN32[2] + z * _SIN32[3])))
    cos = (_ONE32 - _HALF32 * z) + z * z * (_COS32[0] + z * (_COS32[1] + z * (_COS32[2] + z * _COS32[3])))
    return signed * cos, signed * sin


def _sincos64(x: Any, height: Any) -> Any:
    shifted = x * _INV_PI64 + _MAGIC64
    q = shifted - _MAGIC64
    flipped = (np.float64(shifted).view(np.int64) << _SIGN64) ^ np.float64(height).view(np.int64)
    signed = np.int64(flipped).view(np.float64)
    r = ((x - q * _PI64[0]) - q * _PI64[1]) - q * _PI64[2]
    r = min(max(r, -2.0), 2.0)
    z = r * r
    s, c = _SIN64, _COS64
    sin = r + r * z * (s[0] + z * (s[1] + z * (s[2] + z * (s[3] + z * (s[4] + z * (s[5] + z * s[6]))))))
    cos = (1.0 - 0.5 * z) + z * z * (c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * (c[4] + z * (c[5] + z * c[6]))))))
    return signed * cos, signed * sin


@overload(_sincos, inline="always", jit_options={"fastmath": _FAST})
def _choose_sincos(x: Any, height: Any) -> Any:
    return _sincos32 if x == types.float32 else _sincos64


@compiled(inline="always", fastmath=_FAST)
def _write_row(row: Array, amplitude: Array, phase: Array, out: Array) -> None:
    """Cosines and sines of the first entries of `row` (m,), cosines with a phase of its last len(phase)."""
    m, pairs = len(row), len(row) - len(phase)
    paired, cosines, sines = row[:pairs], out[:pairs], out[pairs : 2 * pairs]
    for j in range(pairs):
        c, s = _sincos(paired[j], amplitude[j])
        cosines[j] = c
        sines[j] = s
    phased, cosines, heights = row[pairs:], out[2 * pairs :], amplitude[pairs:]
    for j in range(m - pairs):
        cosines[j] = _sincos(phased[j] + phase[j], heights[j])[0]


@compiled(fastmath=_FAST)
def fourier_features(projection: Array, amplitude: Array, phase: Array, out: Array) -> None:
    """Features of projected rows (n, m).

    out = [amplitude cos(projection), amplitude sin(projection), amplitude cos(projection + phase)]

    the last for the last len(phase) frequencies, the others for the rest.
    """
    for i in range(len(projection)):
        _write_row(projection[i], amplitude, phase, out[i])


@compiled(fastmath=_FAST)
def narrow_fourier_features(
    X: Array, omega_t: Array, amplitude: Array, phase: Array, out: Array, projection: Array
) -> None:
    """Features of rows X (n, d) with few columns: projected here, into the row `projection` (m,), which stays in L1.

    At d = 8 GEMM takes as long as the trigonometric loop; this takes a fraction of it (benchmarks/transform.py).
    """
    for i in range(len(X)):
        x = X[i]
        _combine(x, omega_t, projection, 0)
        for k in range(4, len(x), 4):
            _combine(x, omega_t, projection, k)
        _write_row(projection, amplitude, phase, out[i])


@compiled(inline="always", fastmath=_FAST)
def _combine(x: Array, omega_t: Array, row: Array, k: int) -> None:
    """row = (row if k > 0) + x[k] omega_t[k] + ... + x[k+3] omega_t[k+3], as far as there are rows."""
    last = len(x) - 1
    one, two, three = min(k + 1, last), min(k + 2, last), min(k + 3, last)
    zero = x.dtype.type(0)
    a, b = x[k], (x[one] if k + 1 <= last else zero)
    c, d = (x[two] if k + 2 <= last else zero), (x[three] if k + 3 <= last else zero)
    w0, w1, w2, w3 = omega_t[k], omega_t[one], omega_t[two], omega_t[three]
    if k == 0:  # the row may hold anything, not a number included
        for j in range(len(row)):
            row[j] = a * w0[j] + b * w1[j] + c * w2[j] + d * w3[j]
    else:
        for j in range(len(row)):
            row[j] += a * w0[j] + b * w1[j] + c * w2[j] + d * w3[j]


@compiled(fastmath=_FAST)
def orbit_pairs(projection: Array, amplitude: Array, weights: Array, out: Array, cosine_at: int, sine_at: int) -> None:
    """Orbit averages of w paired frequencies; `projection` (n, r w) is on r transforms of each, transforms outermost.

    out[:, cosine_at : cosine_at + w] = sum_g weights_g amplitude cos(projection_g), sines likewise
    """
    w = len(amplitude)
    for i in range(len(projection)):
        row, cosines, sines = projection[i], out[i, cosine_at : cosine_at + w], out[i, sine_at : sine_at + w]
        cosines[:] = 0
        sines[:] = 0
        for g in range(len(weights)):
            part, weight = row[g * w : (g + 1) * w], weights[g]
            for j in range(w):
                c, s = _sincos(part[j], amplitude[j] * weight)
                cosines[j] += c
                sines[j] += s


@compiled(fastmath=_FAST)
def orbit_phases(projection: Array, amplitude: Array, phase: Array, weights: Array, out: Array, at: int) -> None:
    """Orbit averages with phases: out[:, at : at + w] = sum_g weights_g amplitude cos(projection_g + phase)."""
    w = len(amplitude)
    for i in range(len(projection)):
        row, cosines = projection[i], out[i, at : at + w]
        cosines[:] = 0
        for g in range(len(weights)):
            part, weight = row[g * w : (g + 1) * w], weights[g]
            for j in range(w):
                cosines[j] += _sincos(part[j] + phase[j], amplitude[j] * weight)[0]


@compiled(fastmath={"contract"})
def absorb_gram(total: Array, gram: Array, mean: Array, weight: float, shift: Array, factor: float) -> None:
    """total += gram - weight mean mean' + factor shift shift' on the lower triangle, summed in float64."""
    for i in range(len(total)):
        into, row = total[i, : i + 1], gram[i, : i + 1]
        a, b = weight * mean[i], factor * shift[i]
        for j in range(i + 1):
            into[j] += row[j] - a * mean[j] + b * shift[j]
