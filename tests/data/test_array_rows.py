"""Rows in memory: cut to blocks, cast to the float type, never copied whole."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from bochner.data import ArrayRows


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_blocks_have_the_rows_in_the_float_type(kind):
    X, Y = np.arange(21.0).reshape(7, 3), np.arange(14).reshape(7, 2)
    rows = ArrayRows(kind(X), Y, np.ones(7), np.dtype(np.float32))
    assert (rows.n_rows, rows.n_features, rows.n_targets, rows.weighted) == (7, 3, 2, True)
    blocks = list(rows.blocks(3))
    assert [(block.start, block.n_rows) for block in blocks] == [(0, 3), (3, 3), (6, 1)]
    assert {(block.X.dtype, block.Y.dtype) for block in blocks} == {(np.dtype("f4"), np.dtype("f8"))}
    taken = rows.take(np.array([5, 1]))
    np.testing.assert_array_equal(taken.toarray() if kind is csr_matrix else taken, X[[5, 1]])


def test_a_block_of_the_same_type_is_a_view():
    X = np.zeros((4, 2))
    (block,) = ArrayRows(X, np.zeros(4), None, X.dtype).blocks(10)
    assert np.shares_memory(block.X, X)
