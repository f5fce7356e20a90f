"""Real coordinates of Fourier modes -m, ..., m on each axis, of real functions.

    f(x) = sum_j c_j e^(i j.theta),   c_-j = conj(c_j),      v = (c_0, sqrt(2) Re c_j, -sqrt(2) Im c_j),   j > 0

with j > 0 in lexicographic order, the first axis first: v are the coefficients of the orthonormal functions 1,
sqrt(2) cos(j.theta) and sqrt(2) sin(j.theta), and ||v||^2 = sum |c_j|^2.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import sqrt

import numpy as np

from bochner._typing import Array

__all__ = ["from_corners", "full_modes", "half_modes", "in_corners", "positive_modes", "real_coordinates"]


def positive_modes(extent: Array) -> Array:
    """Modes j > 0 of a grid, in their order, shape ((M - 1) / 2, d)."""
    axes = [np.arange(-m, m + 1) for m in extent]
    modes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(extent))
    return modes[len(modes) // 2 + 1 :]


def full_modes(v: Array, shape: tuple[int, ...]) -> Array:
    """c of all modes, shape `shape`, from real coordinates (M,)."""
    upper = _positive(v)
    return np.concatenate([upper[::-1].conj(), [v[0]], upper]).reshape(shape)


def half_modes(v: Array, shape: tuple[int, ...]) -> Array:
    """c of the modes with j_1 >= 0, as real Fourier transforms store them, shape (m_1 + 1, 2 m_2 + 1, ...)."""
    h, rest = len(v) // 2, len(v) // shape[0] // 2
    half = np.empty(rest + 1 + h, dtype=complex)
    np.multiply(v[1 : h + 1], sqrt(0.5), out=half.real[rest + 1 :])
    np.multiply(v[h + 1 :], -sqrt(0.5), out=half.imag[rest + 1 :])
    half[rest] = v[0]
    np.conj(half[rest + 1 : 2 * rest + 1][::-1], out=half[:rest])
    return half.reshape(shape[0] // 2 + 1, *shape[1:])


def real_coordinates(c: Array, zero: int) -> Array:
    """v from c of consecutive modes in their order that end with the last one; `zero` is where mode 0 is."""
    flat = c.reshape(-1)
    upper = flat[zero + 1 :]
    v, h = np.empty(2 * len(upper) + 1), len(upper)
    v[0] = flat[zero].real
    np.multiply(upper.real, sqrt(2), out=v[1 : h + 1])
    np.multiply(upper.imag, -sqrt(2), out=v[h + 1 :])
    return v


def in_corners(c: Array, shape: tuple[int, ...]) -> Array:
    """Modes with zeros between them, in the order of Fourier transforms of a larger shape; the first axis is halved."""
    padded = np.zeros((c.shape[0], *shape[1:]), dtype=complex)
    for own, there in _corners(c.shape, shape):
        padded[there] = c[own]
    return padded


def from_corners(padded: Array, shape: tuple[int, ...]) -> Array:
    """The modes of `in_corners` again, of their shape."""
    c = np.empty(shape, dtype=complex)
    for own, there in _corners(shape, padded.shape):
        c[own] = padded[there]
    return c


def _corners(shape: tuple[int, ...], padded: tuple[int, ...]) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Places of the modes j >= 0 and j < 0 of every axis but the first, in both orders."""
    first = slice(0, shape[0])
    sides = [
        ((slice(n // 2, n), slice(0, n // 2 + 1)), (slice(0, n // 2), slice(size - n // 2, size)))
        for n, size in zip(shape[1:], padded[1:])
    ]
    for corner in product(*sides):
        yield (first, *(own for own, _ in corner)), (first, *(there for _, there in corner))


def _positive(v: Array) -> Array:
    """c of modes j > 0."""
    h = len(v) // 2
    return (v[1 : h + 1] - 1j * v[h + 1 :]) * sqrt(0.5)
