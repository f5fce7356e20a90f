"""Sums of random features over consecutive groups of rows, in one pass."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array, FloatType, Rows
from bochner.config import get_config
from bochner.data import ArrayRows, Block
from bochner.features import FeatureMap
from bochner.statistics import PassPlan, for_each_block

__all__ = ["group_sums"]

_TILE_BYTES = 2**21  # of features per thread: they are summed while they are in cache


def group_sums(
    X: Rows,
    feature_map: FeatureMap,
    group_rows: int,
    dtype: FloatType,
    *,
    sample_weight: Array | None = None,
    diagonal: float | None = None,
) -> tuple[Array, Array]:
    """Sums of the features over consecutive groups of rows, and their energies, in one pass over X.

    Group j has rows j g ... (j + 1) g - 1; the last may be shorter. `diagonal` is z(x).z(x), if it is known to be the
    same for every row.

    Returns
    -------
    sums : array of shape (n_groups, D)
        sum_i w_i z(x_i), in float64.
    energies : array of shape (n_groups,)
        sum_i w_i^2 z(x_i).z(x_i).
    """
    n, D = X.shape[0], feature_map.n_components
    sums, energies = np.zeros((max(1, -(-n // group_rows)), D)), np.zeros(max(1, -(-n // group_rows)))

    def parts(block: Block, own: tuple[Array, Array]) -> list[tuple[slice, Array, Array]]:
        Z, w = own[0][: block.n_rows], block.sample_weight
        energy = _energy(Z, w, diagonal)
        if w is not None:
            Z *= w[:, None].astype(Z.dtype)
        return [
            (groups, _sum_rows(Z[rows], size), energy[rows].reshape(-1, size).sum(axis=1))
            for groups, rows, size in _group_slices(block, group_rows)
        ]

    def add(parts: list[tuple[slice, Array, Array]]) -> None:
        for groups, total, energy in parts:
            sums[groups] += total
            energies[groups] += energy

    blocks = ArrayRows(X, np.broadcast_to(0.0, (n,)), sample_weight, dtype)
    for_each_block(blocks, feature_map, _plan(n, D, group_rows, dtype), parts, add, extra=lambda: np.empty(0))
    return sums, energies


def _plan(n_rows: int, width: int, group_rows: int, dtype: FloatType) -> PassPlan:
    """Blocks whose features stay in cache, of whole groups if these are smaller."""
    rows = max(64, _TILE_BYTES // (width * dtype.itemsize))
    rows = min(n_rows, rows if group_rows > rows else rows // group_rows * group_rows)
    threads = get_config().threads()
    return PassPlan(max(1, rows), threads, threads * rows * width * dtype.itemsize)


def _group_slices(block: Block, group_rows: int) -> list[tuple[slice, slice, int]]:
    """The block cut where groups end: (groups, rows of the block, rows per group), the whole groups in one piece."""
    start, stop = block.start, block.start + block.n_rows
    first_end = min(stop, -(-start // group_rows) * group_rows)
    whole_end = max(first_end, stop // group_rows * group_rows)
    pieces = []
    for low, high in ((start, first_end), (first_end, whole_end), (whole_end, stop)):
        if high > low:
            size = min(group_rows, high - low)
            groups = slice(low // group_rows, low // group_rows + (high - low) // size)
            pieces.append((groups, slice(low - start, high - start), size))
    return pieces


def _sum_rows(Z: Array, size: int) -> Array:
    """Sums over groups of so many rows, by BLAS: many times faster than `np.add.reduceat`."""
    return Z if size == 1 else np.ones(size, dtype=Z.dtype) @ Z.reshape(-1, size, Z.shape[1])


def _energy(Z: Array, weight: Array | None, diagonal: float | None) -> Array:
    """w^2 z.z of every row."""
    energy = np.einsum("ij,ij->i", Z, Z).astype(float) if diagonal is None else np.full(len(Z), diagonal)
    return energy if weight is None else weight**2 * energy
