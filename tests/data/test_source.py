"""Row sources: what every source offers on top of `read`, and the check of its blocks."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from bochner.data import ArrayRows, Block, ExcludedRows, RowSource, checked_block, scan_blocks
from bochner.errors import InvalidDataError

X, Y = np.arange(20.0).reshape(10, 2), np.arange(10.0)


class Countdown(RowSource):
    """The least that a source has: sizes and `read`."""

    dtype = np.dtype(np.float64)
    n_rows, n_features, n_targets = 5, 1, 1

    def read(self, block_rows):
        for start in range(0, 5, block_rows):
            rows = np.arange(start, min(start + block_rows, 5), dtype=float)
            yield Block(5 - rows[:, None], rows[:, None], None, start)


def test_sizes_and_read_are_enough_for_a_source():
    source = Countdown()
    assert source.take(np.array([4, 0, 4])).ravel().tolist() == [1, 5, 1]
    assert source.targets()[0].ravel().tolist() == [0, 1, 2, 3, 4]
    assert sorted(source.sample(3, seed=0).ravel()) == sorted(source.sample(3, seed=0).ravel())
    assert (source.n_blocks(2), source.known_rows, source.weighted) == (3, 5, False)
    with pytest.raises(TypeError, match="abstract"):
        RowSource()


def test_only_arrays_are_in_memory():
    rows = ArrayRows(X, Y, None, np.dtype(float))
    assert rows.in_memory
    assert not ExcludedRows(rows, np.array([1])).in_memory
    assert not Countdown().in_memory
    assert not scan_blocks([(X, Y)]).in_memory


def test_a_sample_has_no_rows_of_weight_zero():
    weight = np.array([0.0] * 7 + [1.0] * 3)
    rows = ArrayRows(X, Y, weight, np.dtype(float))
    np.testing.assert_array_equal(rows.sample(10, seed=0), X[7:])


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (Block(np.array([[1.0, np.nan]]), Y[:1, None], None, 7), "X must be finite. Got nan in row 7, column 'b'"),
        (Block(csr_matrix([[np.inf]]), Y[:1, None], None, 7), "X must be finite. Got inf in the block that begins"),
        (Block(X[:1], np.array([[-np.inf]]), None, 0, "f.csv"), "y must be finite. Got -inf in row 0, f.csv"),
        (Block(X[:1], Y[:1, None], np.array([-1.0]), 3), "sample_weight must not be negative. Got one in row 3"),
    ],
)
def test_a_bad_value_is_named_with_its_place(block, message):
    with pytest.raises(InvalidDataError) as refusal:
        checked_block(block, ["a", "b"])
    assert message in str(refusal.value)


def test_labels_need_not_be_numbers():
    block = Block(X[:1], np.array([["yes"]], dtype=object), None, 0)
    assert checked_block(block, None) is block
