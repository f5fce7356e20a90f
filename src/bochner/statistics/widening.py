"""Moments of a wider map from those of a narrower one: only the products with new columns are computed."""

from __future__ import annotations

from collections.abc import Callable

from bochner._blas import cross_gram, lower_gram
from bochner._typing import Array
from bochner.data import RowSource
from bochner.features import FourierMap
from bochner.statistics.moments import Moments
from bochner.statistics.moments_pass import PassPlan, accumulate

__all__ = ["widen"]


def widen(
    narrow: Moments,
    rows: RowSource,
    narrow_map: FourierMap,
    wide_map: FourierMap,
    plan: PassPlan,
    *,
    on_block: Callable[[int], bool] | None = None,
) -> Moments:
    """Moments of the paired map `wide_map` whose first frequencies are those of `narrow_map`, in one pass.

        narrow columns   [c s]          zz = [[cc], [sc, ss]]
        wide columns     [c c* s s*]    zz = [[cc], [c*c, c*c*], [sc, sc*, ss], [s*c, s*c*, s*s, s*s*]]

    The blocks without a new column (*) are those of `narrow`, times the ratio m / M of the numbers of frequencies; the
    pass computes the others. From m to M in any steps, all passes together do the products of a single one over the
    wide map. `narrow` is over the same rows, and stays as it is.
    """
    m, M = narrow_map.n_frequencies, wide_map.n_frequencies
    wide = Moments.empty(2 * M, len(narrow.y_mean))

    def new_products(Z: Array, gram: Array) -> None:
        _new_products(Z, gram, m)

    accumulate(rows, wide_map, wide, plan, on_block=on_block, product=new_products)
    old = ((slice(0, m), slice(0, m)), (slice(M, M + m), slice(m, 2 * m)))  # cosines and sines, in wide and narrow
    for wide_rows, narrow_rows in old:
        for wide_columns, narrow_columns in old:
            wide.zz[wide_rows, wide_columns] = narrow.zz[narrow_rows, narrow_columns]
            wide.zz[wide_rows, wide_columns] *= m / M
    return wide


def _new_products(Z: Array, gram: Array, m: int) -> None:
    """Write the blocks of the lower triangle of Z'Z that have a column of a frequency beyond the first m."""
    M = Z.shape[1] // 2
    cosines, sines = slice(m, M), slice(M + m, 2 * M)
    old_sines, before_sines = slice(M, M + m), slice(0, M + m)
    cross_gram(Z[:, cosines], Z[:, :m], gram[cosines, :m])
    lower_gram(Z[:, cosines], gram[cosines, cosines])
    cross_gram(Z[:, old_sines], Z[:, cosines], gram[old_sines, cosines])
    cross_gram(Z[:, sines], Z[:, before_sines], gram[sines, before_sines])
    lower_gram(Z[:, sines], gram[sines, sines])
