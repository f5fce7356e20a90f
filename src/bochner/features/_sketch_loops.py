"""Compiled loops of sketches, codes and histograms: imported on first use, compiled once, cached on disk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import intrinsic

from bochner._compiled import compiled
from bochner._typing import Array
from bochner.features._loops import _sincos

__all__ = [
    "additive_features",
    "differing_bits",
    "multiply_factors",
    "nearest_codes",
    "replace_by_signs",
    "sketch_dense_rows",
    "sketch_sparse_rows",
]

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
def additive_features(X: Array, logs: Array, frequencies: Array, amplitude: Array, phaseless: bool, out: Array) -> None:
    """Features of additive kernels: sqrt(x) (a_k cos(f_kj log x_j), a_k sin(f_kj log x_j)) of histograms X (n, d).

    out = [cosines of all columns, sines of all columns] of one frequency (m, d) after the other. With `phaseless` the
    first frequency is 0, and its sine is left out. `logs` are those of X, finite where X is 0: the root is 0 there.
    """
    m, d = frequencies.shape
    for i in range(X.shape[0]):
        x, log, row = X[i], logs[i], out[i]
        at = 0
        for k in range(m):
            frequency, height, cosines = frequencies[k], amplitude[k], row[at : at + d]
            at += d
            if phaseless and k == 0:
                for j in range(d):
                    cosines[j] = np.sqrt(x[j]) * height
                continue
            sines = row[at : at + d]
            at += d
            for j in range(d):
                c, s = _sincos(frequency[j] * log[j], np.sqrt(x[j]) * height)
                cosines[j] = c
                sines[j] = s


@compiled(fastmath=_FAST)
def multiply_factors(factors: Array, counts: Array, out: Array) -> None:
    """Multiply the first counts[l] entries of every row of `out` by the next counts[l] of `factors`, l = 0, 1, ..."""
    for i in range(out.shape[0]):
        row, own, start = out[i], factors[i], 0
        for count in counts:
            part, target = own[start : start + count], row[:count]
            for j in range(count):
                target[j] *= part[j]
            start += count


@compiled()
def replace_by_signs(values: Array, height: float) -> None:
    """Overwrite numbers by `height` with their sign. In place: with a second array the loop would not be vectorised."""
    for i in range(values.shape[0]):
        row = values[i]
        for j in range(len(row)):
            row[j] = math.copysign(height, row[j])


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(context: Any, word: Any) -> Any:
    """Number of ones of a 64-bit word: one machine instruction, and a vector of them where there is one."""

    def generate(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return word(word), generate


@compiled()
def differing_bits(first: Array, second: Array, out: Array) -> None:
    """Number of bits in which packed codes (n, w) and (m, w) of uint64 differ, out (n, m)."""
    for i in range(first.shape[0]):
        _distances(first[i], second, out[i])


@compiled(inline="always")
def _distances(query: Array, codes: Array, out: Array) -> None:
    for j in range(len(codes)):
        code, total = codes[j], np.uint64(0)
        for k in range(len(query)):
            total += _popcount(query[k] ^ code[k])  # type: ignore[call-arg]
        out[j] = total


@compiled()
def nearest_codes(queries: Array, codes: Array, distances: Array, counts: Array, found: Array, away: Array) -> None:
    """The k codes (n, w) with the fewest bits that differ from each query (q, w): `found` and `away`, (q, k).

    Distances are whole numbers, so that counting them sorts them: `counts` has room for one more than there are bits,
    `distances` for n. Of equal distances the first codes are taken.
    """
    n, k = len(codes), found.shape[1]
    for i in range(len(queries)):
        _distances(queries[i], codes, distances)
        counts[:] = 0
        for j in range(n):
            counts[distances[j]] += 1
        start, last = 0, 0
        for distance in range(len(counts)):  # counts become the place of the first code at each distance
            many = counts[distance]
            counts[distance] = start
            start += many
            last = distance
            if start >= k:
                break
        for j in range(n):
            distance = distances[j]
            if distance <= last and counts[distance] < k:
                place = counts[distance]
                found[i, place] = j
                away[i, place] = distance
                counts[distance] = place + 1
