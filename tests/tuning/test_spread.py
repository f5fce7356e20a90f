"""Column spreads: robust, of the columns' units, and never zero."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bochner as bo
from bochner.tuning import column_spreads, row_blocks
from bochner.tuning.median import RowSample

X = np.random.default_rng(0).standard_normal((500, 3))


def test_the_spread_of_normal_columns_is_their_standard_deviation():
    np.testing.assert_allclose(column_spreads(X * [1, 10, 100]), [1, 10, 100], rtol=0.1)


def test_outliers_do_not_count():
    wild = np.vstack([X, np.full((5, 3), 1e9)])
    np.testing.assert_allclose(column_spreads(wild), column_spreads(X), rtol=0.05)


def test_a_rare_value_has_the_standard_deviation_and_a_constant_one():
    rows = np.c_[np.r_[np.zeros(90), np.ones(10)], np.full(100, 0.1)]
    np.testing.assert_allclose(column_spreads(rows), [0.3, 1.0])


def test_a_column_that_is_constant_in_the_sample_is_looked_up_in_the_table():
    table = np.c_[X[:, 0], np.full(500, 7.0)]
    table[400, 1] = 7.0 + 5e6
    assert column_spreads(table[:300])[1] == 1.0
    assert column_spreads(table[:300], row_blocks(table))[1] == pytest.approx(5e6 / np.sqrt(500))
    assert column_spreads(table[:300], row_blocks(table, np.arange(400)))[1] == 1.0


def test_the_table_is_left_alone_where_no_column_is_constant():
    def unread():
        raise AssertionError("read")
        yield

    column_spreads(X, unread())


@given(
    factor=st.floats(1e-9, 1e9),
    offset=st.floats(-1e6, 1e6),
    column=st.sampled_from([X[:, 0], np.round(X[:, 0]), (X[:, 0] > 1.5) * 1.0, np.exp(3 * X[:, 0]), np.zeros(500)]),
)
def test_spreads_and_scales_follow_factors_and_ignore_offsets(factor, offset, column):
    rows = np.c_[column, X[:, 1:]]
    moved = np.c_[factor * (column + offset * (column_spreads(rows)[0])), X[:, 1:]]
    kernel = bo.Gaussian()
    found, expected = (RowSample.of(each, 0).column_scales(kernel) for each in (moved, rows))
    if np.ptp(column):
        expected = expected * [factor, 1, 1]
    np.testing.assert_allclose(found, expected, rtol=1e-8)
