"""Compiled loops of structured projections: the fast Hadamard transform of many rows side by side.

The transform of a vector of length p = 2^k is k rounds of sums and differences of entries that are 1, 2, 4, ... apart.
A group of rows lies transposed in a buffer, entry by entry, so that even the first round works on whole vector
registers, and the buffer (64 KB for 16 rows of 1,024 numbers in float32) stays in the cache of a core. Two rounds are
made at a time: half of the loads and stores.
"""

from __future__ import annotations

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = ["GROUP", "structured_project"]

GROUP = 16
"""Rows side by side."""


@compiled(inline="always")
def _two_rounds(v: Array, start: int, h: int) -> None:
    """Rounds of distance h and 2 h on the four runs of h entries from `start` on."""
    step = h * GROUP
    first = start * GROUP
    a, b = v[first : first + step], v[first + step : first + 2 * step]
    c, d = v[first + 2 * step : first + 3 * step], v[first + 3 * step : first + 4 * step]
    for i in range(step):
        ab, ba, cd, dc = a[i] + b[i], a[i] - b[i], c[i] + d[i], c[i] - d[i]
        a[i] = ab + cd
        b[i] = ba + dc
        c[i] = ab - cd
        d[i] = ba - dc


@compiled(inline="always")
def _one_round(v: Array, start: int, h: int) -> None:
    step = h * GROUP
    first = start * GROUP
    a, b = v[first : first + step], v[first + step : first + 2 * step]
    for i in range(step):
        total, difference = a[i] + b[i], a[i] - b[i]
        a[i] = total
        b[i] = difference


@compiled()
def _hadamard(v: Array, p: int) -> None:
    """Overwrite p entries of a group of rows by their Hadamard transform, without a factor."""
    h = 1
    while 4 * h <= p:
        for start in range(0, p, 4 * h):
            _two_rounds(v, start, h)
        h *= 4
    if h < p:
        for start in range(0, p, 2 * h):
            _one_round(v, start, h)


@compiled()
def _multiply(v: Array, diagonal: Array) -> None:
    """Multiply entry j of a group of rows by diagonal[j]."""
    for j in range(len(diagonal)):
        own, factor = v[j * GROUP : (j + 1) * GROUP], diagonal[j]
        for r in range(GROUP):
            own[r] *= factor


@compiled()
def structured_project(
    X: Array, diagonals: Array, permutations: Array, scales: Array, buffer: Array, spare: Array, out: Array
) -> None:
    """Products of rows X (n, d) with the frequencies of blocks of p, out (n, m).

    A block is  scales * H diag_k ... H diag_2 P H diag_1  on the row, padded to p; P is the block's permutation, or the
    identity if `permutations` has no rows. `buffer` and `spare` have room for GROUP rows of p numbers.
    """
    n, d = X.shape
    n_blocks, k, p = diagonals.shape
    m = out.shape[1]
    for start in range(0, n, GROUP):
        rows = min(GROUP, n - start)
        for block in range(n_blocks):
            for j in range(d):
                own, factor = buffer[j * GROUP : (j + 1) * GROUP], diagonals[block, 0, j]
                own[rows:] = 0
                for r in range(rows):
                    own[r] = X[start + r, j] * factor
            buffer[d * GROUP : p * GROUP] = 0
            _hadamard(buffer, p)
            for step in range(1, k):
                if step == 1 and len(permutations) > 0:
                    spare[:] = buffer
                    for j in range(p):
                        at = permutations[block, j] * GROUP
                        buffer[j * GROUP : (j + 1) * GROUP] = spare[at : at + GROUP]
                _multiply(buffer, diagonals[block, step])
                _hadamard(buffer, p)
            last = min(p, m - block * p)
            for r in range(rows):
                target = out[start + r, block * p : block * p + last]
                for j in range(last):
                    target[j] = buffer[j * GROUP + r] * scales[block * p + j]
