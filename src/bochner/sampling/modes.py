"""Real coordinates of Fourier modes -m, ..., m on each axis, of real functions.

    f(x) = sum_j c_j e^(i j.theta),   c_-j = conj(c_j),      v = (c_0, sqrt(2) Re c_j, -sqrt(2) Im c_j),   j > 0

with j > 0 in lexicographic order, the first axis first: v are the coefficients of the orthonormal functions 1,
sqrt(2) cos(j.theta) and sqrt(2) sin(j.theta), and ||v||^2 = sum |c_j|^2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from bochner._typing import Array

__all__ = ["full_modes", "half_modes", "positive_modes", "real_coordinates"]


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
    upper, rest = _positive(v), len(v) // shape[0] // 2
    half = np.concatenate([upper[:rest][::-1].conj(), [v[0]], upper])
    return half.reshape(shape[0] // 2 + 1, *shape[1:])


def real_coordinates(c: Array, zero: int) -> Array:
    """v from c of consecutive modes in their order that end with the last one; `zero` is where mode 0 is."""
    flat = c.reshape(-1)
    upper = flat[zero + 1 :]
    return np.concatenate([[flat[zero].real], sqrt(2) * upper.real, -sqrt(2) * upper.imag])


def _positive(v: Array) -> Array:
    """c of modes j > 0."""
    h = len(v) // 2
    return (v[1 : h + 1] - 1j * v[h + 1 :]) * sqrt(0.5)
