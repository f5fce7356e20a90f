"""Orthogonal frequencies (Yu et al. 2016): each block of d rows has orthogonal directions."""

from __future__ import annotations

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.sampling.base import Sampler

__all__ = ["Orthogonal"]

_NUMBERS = 2**18  # of the blocks that are drawn at once


class Orthogonal(Sampler):
    """Blocks of Haar-orthogonal directions with independent chi lengths.

        normals = S Q,   Q Haar on O(d) (QR of a normal matrix with the signs of diag R),   S = diag(chi_d)

    Every row is N(0, I), so estimates stay unbiased for every kernel; rows of one block are dependent,
    blocks are independent. For kernels with independent coordinates (Laplacian, Cauchy) the rows are
    orthogonal before the coordinatewise quantile map.
    """

    independent = False
    orthogonal_blocks = True
    nested = True

    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        rng = generator(seed, Purpose.NORMALS)
        n_blocks, block = -(-m // d), min(m, d)
        # Rows are drawn in order, so a wider map begins with the narrower one (to the rounding of QR).
        normals, lengths = np.empty((m, n_vectors, d)), generator(seed, Purpose.LENGTHS)
        at_once = max(1, _NUMBERS // (block * n_vectors * d))
        for first in range(0, n_blocks, at_once):  # some blocks after the other: the same numbers as all at once
            count = min(at_once, n_blocks - first)
            raw = rng.standard_normal((count, block, n_vectors, d))
            length = np.linalg.norm(lengths.standard_normal((count * block, n_vectors, d)), axis=-1)
            directions = haar_rows(raw.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3).reshape(-1, n_vectors, d)
            part = normals[first * block : (first + count) * block]
            np.multiply(length[: len(part), :, None], directions[: len(part)], out=part)
        return normals, generator(seed, Purpose.UNIFORMS).random((m, n_uniforms))


def haar_rows(normal: Array) -> Array:
    """Orthonormal rows, Haar distributed, from standard normal matrices (..., k, d) with k <= d.

    QR alone is not Haar: R must have a positive diagonal (Mezzadri 2007).
    """
    q, r = np.linalg.qr(np.swapaxes(normal, -1, -2))
    signs = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
    rows: Array = np.swapaxes(q * signs[..., None, :], -1, -2)
    return rows
