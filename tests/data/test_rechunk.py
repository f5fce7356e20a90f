"""Blocks of one size from pieces of any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from bochner.data import Block
from bochner.data.rechunk import rechunked

sizes = st.lists(st.integers(0, 9), min_size=1, max_size=12)


def pieces_of(X, sizes, weighted, convert=np.asarray):
    start = 0
    for number, size in enumerate(sizes):
        rows = slice(start, start + size)
        yield Block(convert(X[rows]), X[rows, :1], X[rows, 1] if weighted else None, 0, f"piece {number}")
        start += size


@given(sizes=sizes, block_rows=st.integers(1, 30), weighted=st.booleans(), sparse=st.booleans())
def test_any_pieces_give_the_same_blocks(sizes, block_rows, weighted, sparse):
    n = sum(sizes)
    X = np.arange(2.0 * n).reshape(n, 2)
    blocks = list(rechunked(pieces_of(X, sizes, weighted, csr_matrix if sparse else np.asarray), block_rows))
    owner = np.repeat(np.arange(len(sizes)), sizes)
    assert [block.n_rows for block in blocks] == [min(block_rows, n - start) for start in range(0, n, block_rows)]
    for block, start in zip(blocks, range(0, n, block_rows), strict=True):
        rows = slice(start, start + block_rows)
        np.testing.assert_array_equal(block.X.toarray() if sparse else block.X, X[rows])
        np.testing.assert_array_equal(block.Y, X[rows, :1])
        assert block.start == start
        assert block.origin == f"piece {owner[start]}"
        if weighted:
            np.testing.assert_array_equal(block.sample_weight, X[rows, 1])
        else:
            assert block.sample_weight is None


@pytest.mark.parametrize("block_rows", [1, 3, 10])
def test_what_lies_within_one_piece_is_not_copied(block_rows):
    X = np.zeros((30, 2))
    for block in rechunked([Block(X, X, None, 0)], block_rows):
        assert np.shares_memory(block.X, X)


def test_no_rows_give_no_blocks():
    assert list(rechunked([Block(np.empty((0, 2)), np.empty((0, 1)), None, 0)], 5)) == []
