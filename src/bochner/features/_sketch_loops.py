"""Compiled loops of sketches, codes and histograms: imported on first use, compiled once, cached on disk."""

from __future__ import annotations

import math

import numpy as np

from bochner._compiled import compiled
from bochner._typing import Array
from bochner.features._loops import _sincos

__all__ = ["additive_features", "differing_bits", "sketch_dense_rows", "sketch_sparse_rows"]

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp", "afn"}


@compiled()
def sketch_dense_rows(X: Array, buckets: Array, values: Array, sketches: Array) -> None:
    """Add values[p, j] X[i, j] to sketches[i, p, buckets[p, j]]."""
    for i in range(X.shape[0]):
        for p in range(values.shape[0]):
            sketch = sketches[i, p]
            for j in range(X.shape[1]):
                sketch[buckets[p, j]] += values[p, j] * X[i, j]


@compiled()
def sketch_sparse_rows(
    data: Array, indices: Array, indptr: Array, buckets: Array, values: Array, sketches: Array
) -> None:
    """As `sketch_dense_rows`, for the stored numbers of CSR rows."""
    for i in range(len(indptr) - 1):
        for p in range(values.shape[0]):
            sketch = sketches[i, p]
            for place in range(indptr[i], indptr[i + 1]):
                j = indices[place]
                sketch[buckets[p, j]] += values[p, j] * data[place]


@compiled(fastmath=_FAST)
def additive_features(X: Array, frequencies: Array, amplitude: Array, phaseless: bool, out: Array) -> None:
    """Features of additive kernels: sqrt(x) (a cos(f log x), a sin(f log x)) of every column and frequency.

    With `phaseless` the first frequency of every column is 0, and its sine is left out. A zero has features 0.
    """
    d, m = frequencies.shape
    width = 2 * m - 1 if phaseless else 2 * m
    first = 1 if phaseless else 0
    for i in range(X.shape[0]):
        for j in range(d):
            own = out[i, j * width : (j + 1) * width]
            x = X[i, j]
            if x <= 0:
                own[:] = 0
                continue
            root, log = math.sqrt(x), math.log(x)
            if phaseless:
                own[0] = root * amplitude[0]
            cosines, sines = own[first:m], own[m:]
            for k in range(first, m):
                c, s = _sincos(frequencies[j, k] * log, root * amplitude[k])
                cosines[k - first] = c
                sines[k - first] = s


@compiled()
def differing_bits(first: Array, second: Array, out: Array) -> None:
    """Number of bits in which packed codes (n, w) and (m, w) of uint64 differ, out (n, m)."""
    for i in range(first.shape[0]):
        for j in range(second.shape[0]):
            total = np.uint64(0)
            for k in range(first.shape[1]):
                v = first[i, k] ^ second[j, k]
                v = v - ((v >> np.uint64(1)) & np.uint64(0x5555555555555555))
                v = (v & np.uint64(0x3333333333333333)) + ((v >> np.uint64(2)) & np.uint64(0x3333333333333333))
                v = (v + (v >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
                total += (v * np.uint64(0x0101010101010101)) >> np.uint64(56)
            out[i, j] = total
