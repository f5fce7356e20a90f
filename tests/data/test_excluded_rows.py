"""Rows without some of them are the others, in their order, whatever they are read from."""

import numpy as np
import pytest
import scipy.sparse as sp

from bochner.data import ArrayRows, ExcludedRows

X = np.arange(60.0).reshape(20, 3)
Y = np.arange(20.0)
WEIGHT = np.arange(20.0) % 3
LEFT_OUT = np.array([0, 4, 5, 6, 7, 13, 19])
KEPT = np.setdiff1d(np.arange(20), LEFT_OUT)


@pytest.mark.parametrize("block_rows", [1, 4, 7, 100])
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_remainder_has_the_rows_that_are_not_left_out(block_rows, weight, sparse):
    rows = ExcludedRows(ArrayRows(sp.csr_array(X) if sparse else X, Y, weight, np.dtype(float)), LEFT_OUT)
    blocks = list(rows.blocks(block_rows))
    got = [block.X.toarray() if sparse else block.X for block in blocks]
    np.testing.assert_array_equal(np.concatenate(got), X[KEPT])
    np.testing.assert_array_equal(np.concatenate([block.Y[:, 0] for block in blocks]), Y[KEPT])
    assert [block.start for block in blocks] == list(np.cumsum([0, *(block.n_rows for block in blocks[:-1])]))
    assert all(0 < block.n_rows <= block_rows for block in blocks)
    if weight is not None:
        np.testing.assert_array_equal(np.concatenate([block.sample_weight for block in blocks]), weight[KEPT])


def test_a_remainder_has_the_shape_of_its_source():
    rows = ExcludedRows(ArrayRows(X, np.c_[Y, Y], WEIGHT, np.dtype(np.float32)), LEFT_OUT)
    assert (rows.n_rows, rows.n_features, rows.n_targets) == (13, 3, 2)
    assert rows.weighted
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows.targets()[0][:, 0], Y[KEPT])
