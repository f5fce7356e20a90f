"""Compiled loops over row blocks: checksums of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = ["add_dense_rows", "add_sparse_rows"]

_LANES = 2
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@compiled(inline="always")
def _mixed(h: Any) -> Any:
    """A bijection of 64-bit numbers in which every bit of the result depends on every bit (splitmix64's finaliser)."""
    h = (h ^ (h >> _S30)) * _M1
    h = (h ^ (h >> _S27)) * _M2
    return h ^ (h >> _S31)


@compiled()
def _combine(x: Any, y: Array, weight: Any, lane: int, y_keys: Array, totals: Array) -> None:
    """Add one row, whose columns have the hash x, to the sums of X, of (X, weight) and of (X, weight, Y)."""
    seed = np.uint64(lane + 1)
    rows = _mixed(x + seed)
    weighted = _mixed(rows ^ _mixed(weight + seed))
    target = seed
    for t in range(len(y)):
        target += (y[t] ^ (y[t] >> _S32)) * y_keys[lane, t]
    totals[0, lane] += rows
    totals[1, lane] += weighted
    totals[2, lane] += _mixed(weighted ^ _mixed(target))


@compiled()
def add_dense_rows(X: Array, Y: Array, weight: Array, keys: Array, y_keys: Array, totals: Array) -> None:
    """Add the checksums of the rows of positive weight to `totals` (3, 2), modulo 2^64.

    A number counts as its 64 bits in double precision, b; a row's columns have the hash

        h = sum_j key_j (b_j xor b_j / 2^32)      mod 2^64

    so that zeros add nothing: dense and sparse rows agree. Keys are odd, so no change of a single number goes unseen.
    """
    row, d = np.empty(X.shape[1]), X.shape[1]
    bits = row.view(np.uint64)
    targets = Y.view(np.uint64)
    weights = weight.view(np.uint64)
    for i in range(X.shape[0]):
        if weight[i] == 0.0:
            continue
        for j in range(d):
            row[j] = X[i, j] + 0.0  # -0.0 becomes 0.0
        first, second = np.uint64(0), np.uint64(0)
        for j in range(d):
            folded = bits[j] ^ (bits[j] >> _S32)
            first += folded * keys[0, j]
            second += folded * keys[1, j]
        _combine(first, targets[i], weights[i], 0, y_keys, totals)
        _combine(second, targets[i], weights[i], 1, y_keys, totals)


@compiled()
def add_sparse_rows(
    data: Array, indices: Array, indptr: Array, Y: Array, weight: Array, keys: Array, y_keys: Array, totals: Array
) -> None:
    """`add_dense_rows` for the rows of a CSR matrix."""
    one = np.empty(1)
    bits = one.view(np.uint64)
    targets = Y.view(np.uint64)
    weights = weight.view(np.uint64)
    for i in range(len(indptr) - 1):
        if weight[i] == 0.0:
            continue
        first, second = np.uint64(0), np.uint64(0)
        for at in range(indptr[i], indptr[i + 1]):
            one[0] = data[at] + 0.0
            folded = bits[0] ^ (bits[0] >> _S32)
            first += folded * keys[0, indices[at]]
            second += folded * keys[1, indices[at]]
        _combine(first, targets[i], weights[i], 0, y_keys, totals)
        _combine(second, targets[i], weights[i], 1, y_keys, totals)
