"""Compiled loops of the kernels: values of a profile in place of squared distances, float32 or float64.

Imported on first use, compiled once, cached on disk. NumPy has no vectorised float64 exponential on many machines (13
ns a value against 1.5 here), and needs several passes for a Matern profile. The argument of exp is reduced to
x = k log 2 + r, |r| <= log(2) / 2, with k rounded by adding and subtracting 1.5 * 2^(mantissa bits), so that its bits
are the exponent of the result; exp r is a polynomial: Taylor's of degree 13 in float64, off by 4e-18, and of degree 6
in float32, off by 1e-7. No `reassoc`: it would undo the reduction. Powers are exp(p log x), with

    log x = k log 2 + 2 atanh s,    s = (m - 1) / (m + 1),    x = m 2^k,   m between sqrt(1/2) and sqrt 2

and the series of atanh.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = [
    "cauchy_tile",
    "exp_of_minus_half",
    "exp_of_minus_power",
    "laplacian_tile",
    "matern_decay",
    "matern_profile",
    "power_decay",
    "power_of_one_plus",
]

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp", "afn"}
_MAGIC, _LOG2_E = 1.5 * 2**52, 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_BIAS, _MANTISSA = np.int64(1023), np.int64(52)
_SMALLEST = -708.0  # below it a double has no full mantissa left, and is 0: products with subnormal numbers are slow

_f = np.float32
_MAGIC32, _LOG2_E32 = _f(1.5 * 2**23), _f(1.4426950408889634)
_LN2_HIGH32, _LN2_LOW32 = _f(0.693359375), _f(-2.12194440e-4)
_BIAS32, _MANTISSA32 = np.int32(127), np.int32(23)
_SMALLEST32 = _f(-87.0)
_LARGEST_LOG, _LARGEST_POWER = 7.0, 1096.6331584284585  # of a power t, and its exponential: exp(-t) is 0 beyond
_SQRT_HALF_BITS = np.int64(np.float64(0.5**0.5).view(np.int64))
_SQRT_HALF_BITS32 = np.int32(_f(0.5**0.5).view(np.int32))
_TAYLOR32 = tuple(_f(1 / factorial) for factorial in (720, 120, 24, 6, 2, 1, 1))


def _exp(x: Any) -> Any:
    """exp x of a float32 or float64 scalar x <= 0; compiled code only."""


def _exp32(x: Any) -> Any:
    x = max(x, _SMALLEST32)
    shifted = x * _LOG2_E32 + _MAGIC32
    k = shifted - _MAGIC32
    r = (x - k * _LN2_HIGH32) - k * _LN2_LOW32
    p = _TAYLOR32[0]
    p = p * r + _TAYLOR32[1]
    p = p * r + _TAYLOR32[2]
    p = p * r + _TAYLOR32[3]
    p = p * r + _TAYLOR32[4]
    p = p * r + _TAYLOR32[5]
    p = p * r + _TAYLOR32[6]
    # The lowest bits of `shifted` are k: moved up, they are the exponent of 2^k.
    value = p * np.int32((np.float32(shifted).view(np.int32) + _BIAS32) << _MANTISSA32).view(np.float32)
    return value if x > _SMALLEST32 else _f(0.0)


def _exp64(x: Any) -> Any:
    x = max(x, _SMALLEST)
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
    value = p * np.int64((np.float64(shifted).view(np.int64) + _BIAS) << _MANTISSA).view(np.float64)
    return value if x > _SMALLEST else 0.0


def _log(x: Any) -> Any:
    """log x of a float32 or float64 scalar x > 0, no subnormal number; compiled code only."""


def _log32(x: Any) -> Any:
    bits = np.float32(x).view(np.int32)
    k = (bits - _SQRT_HALF_BITS32) >> _MANTISSA32
    m = np.int32(bits - (k << _MANTISSA32)).view(np.float32)
    s = (m - _f(1.0)) / (m + _f(1.0))
    z = s * s
    p = _f(2.0 / 9.0)
    p = p * z + _f(2.0 / 7.0)
    p = p * z + _f(2.0 / 5.0)
    p = p * z + _f(2.0 / 3.0)
    p = p * z + _f(2.0)
    return _f(k) * _f(0.6931471805599453) + s * p


def _log64(x: Any) -> Any:
    bits = np.float64(x).view(np.int64)
    k = (bits - _SQRT_HALF_BITS) >> _MANTISSA
    m = np.int64(bits - (k << _MANTISSA)).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 2.0 / 21.0
    p = p * z + 2.0 / 19.0
    p = p * z + 2.0 / 17.0
    p = p * z + 2.0 / 15.0
    p = p * z + 2.0 / 13.0
    p = p * z + 2.0 / 11.0
    p = p * z + 2.0 / 9.0
    p = p * z + 2.0 / 7.0
    p = p * z + 2.0 / 5.0
    p = p * z + 2.0 / 3.0
    p = p * z + 2.0
    # Two parts of log 2: the larger one times k is exact.
    e = np.float64(k)
    return e * _LN2_HIGH + (e * _LN2_LOW + s * p)


@overload(_log, jit_options={"fastmath": _FAST, "error_model": "numpy"})
def _log_of_type(x: Any) -> Any:
    return _log32 if x == types.float32 else _log64


@overload(_exp, jit_options={"fastmath": _FAST, "error_model": "numpy"})
def _exp_of_type(x: Any) -> Any:
    return _exp32 if x == types.float32 else _exp64


@compiled(fastmath=_FAST)
def exp_of_minus_half(values: Array) -> None:
    """Overwrite values (n, m) by exp(-value / 2), to 2e-16 of the result; 0 where it would be below 3e-308.

    float32: to 3e-7, and 2e-38. Values below 0, rounding errors of squares, count as 0.
    """
    for i in range(values.shape[0]):
        row = values[i]
        half, zero = row.dtype.type(-0.5), row.dtype.type(0.0)
        for j in range(row.shape[0]):
            row[j] = _exp(min(half * row[j], zero))


@compiled(fastmath=_FAST)
def matern_profile(values: Array, order: int) -> None:
    """Overwrite squared distances (n, m) by a Matern profile of nu = order + 1/2, order 0, 1 or 2.

    exp(-t), (1 + t) exp(-t), (1 + t + t^2/3) exp(-t),      t = sqrt(2 nu r^2)
    """
    linear = values.dtype.type(1.0 if order > 0 else 0.0)
    square = values.dtype.type(1.0 / 3.0 if order > 1 else 0.0)
    zero, one, factor = values.dtype.type(0.0), values.dtype.type(1.0), values.dtype.type(2 * order + 1)
    nothing = values.dtype.type(1e6)  # t^2 from which on exp(-t) is 0: beyond, infinity times 0 would be no number
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.shape[0]):
            t = np.sqrt(min(max(factor * row[j], zero), nothing))
            row[j] = (one + t * (linear + square * t)) * _exp(-t)


@compiled(fastmath=_FAST, error_model="numpy")  # a division that may raise is not vectorised
def matern_decay(values: Array, order: int) -> None:
    """Overwrite squared distances (n, m) > 0 by -k'(r) / r of a Matern profile of nu = order + 1/2, order 0, 1 or 2.

    exp(-t) / t, 3 exp(-t), 5/3 (1 + t) exp(-t),      t = sqrt(2 nu r^2)
    """
    factor, linear = values.dtype.type(2 * order + 1), values.dtype.type(5.0 / 3.0 if order > 1 else 0.0)
    inverse = values.dtype.type(1.0 if order == 0 else 0.0)
    constant = values.dtype.type(0.0 if order == 0 else 3.0 if order == 1 else 5.0 / 3.0)
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.shape[0]):
            t = np.sqrt(factor * row[j])
            row[j] = (inverse / t + constant + linear * t) * _exp(-t)


@compiled(fastmath=_FAST, error_model="numpy")
def exp_of_minus_power(values: Array, power: float) -> None:
    """Overwrite values (n, m) by exp(-value^power), power > 0; below the smallest normal number they count as that."""
    exponent, least = values.dtype.type(power), values.dtype.type(np.finfo(values.dtype).tiny)
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.shape[0]):
            # exp takes numbers up to 0: large powers are exp(log), cut where exp(-value^power) is 0 anyway.
            log = min(exponent * _log(max(row[j], least)), values.dtype.type(_LARGEST_LOG))
            t = _exp(log - values.dtype.type(_LARGEST_LOG)) * values.dtype.type(_LARGEST_POWER)
            row[j] = _exp(-t)


@compiled(fastmath=_FAST, error_model="numpy")
def power_decay(values: Array, power: float) -> None:
    """Overwrite squared distances s (n, m) > 0 by -k'(r) / r of exp(-s^power), 2 power t / s exp(-t), t = s^power."""
    exponent, least = values.dtype.type(power), values.dtype.type(np.finfo(values.dtype).tiny)
    factor, cut = values.dtype.type(2 * power), values.dtype.type(_LARGEST_LOG)
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.shape[0]):
            s = max(row[j], least)
            t = _exp(min(exponent * _log(s), cut) - cut) * values.dtype.type(_LARGEST_POWER)
            row[j] = factor * t / s * _exp(-t)


@compiled(fastmath=_FAST, error_model="numpy")
def power_of_one_plus(values: Array, factor: float, power: float) -> None:
    """Overwrite values (n, m) >= 0 by (1 + factor value)^-power, power > 0; values below 0 count as 0."""
    scale, exponent = values.dtype.type(factor), values.dtype.type(power)
    zero, one = values.dtype.type(0.0), values.dtype.type(1.0)
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(row.shape[0]):
            row[j] = _exp(-exponent * _log(one + scale * max(row[j], zero)))


@compiled(fastmath=_FAST)
def laplacian_tile(X: Array, Y: Array, out: Array) -> None:
    """Write exp(-sum_j |x_j - y_j|) of rows X (n, d) and columns Y (d, m) to `out` (n, m)."""
    for i in range(X.shape[0]):
        row = out[i]
        row[:] = row.dtype.type(0.0)
        for j in range(X.shape[1]):
            x, y = X[i, j], Y[j]
            for k in range(row.shape[0]):
                row[k] += abs(x - y[k])
        for k in range(row.shape[0]):
            row[k] = _exp(-row[k])


@compiled(fastmath=_FAST, error_model="numpy")
def cauchy_tile(X: Array, Y: Array, out: Array) -> None:
    """Write prod_j 1 / (1 + (x_j - y_j)^2) of rows X (n, d) and columns Y (d, m) to `out` (n, m)."""
    for i in range(X.shape[0]):
        row = out[i]
        one = row.dtype.type(1.0)
        row[:] = one
        for j in range(X.shape[1]):
            x, y = X[i, j], Y[j]
            for k in range(row.shape[0]):
                difference = x - y[k]
                row[k] *= one + difference * difference
        for k in range(row.shape[0]):
            row[k] = one / row[k]
