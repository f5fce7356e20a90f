"""Attribution of a difference to columns, against witness functions whose answer is known."""

import numpy as np

from bochner.comparison.attribution import column_shares

RNG = np.random.default_rng(0)


def test_a_linear_witness_shares_by_its_slopes_times_the_shifts():
    """w(x) = a.x falls by a_j times the shift of column j when that column comes from the reference."""
    reference, slopes = np.zeros((5, 3)), np.array([1.0, 2.0, 0.0])
    X = np.tile([3.0, 0.5, 7.0], (40, 1))
    shares = column_shares(X, reference, lambda rows: lambda points: points @ slopes)
    np.testing.assert_allclose(shares, [0.75, 0.25, 0.0])


def test_negative_parts_count_as_none_and_shares_sum_to_one():
    reference = np.zeros((5, 2))
    X = np.tile([1.0, -1.0], (10, 1))
    np.testing.assert_allclose(column_shares(X, reference, lambda rows: lambda points: points.sum(axis=1)), [1.0, 0.0])


def test_nothing_that_differs_has_equal_shares():
    X = RNG.standard_normal((30, 4))
    np.testing.assert_array_equal(
        column_shares(X, X, lambda rows: lambda points: np.zeros(len(points))), np.full(4, 0.25)
    )


def test_no_row_is_measured_by_a_witness_that_it_taught():
    taught, X = [], np.arange(20.0)[:, None]

    def witness_of(rows):
        taught.append(set(rows[:, 0]))

        def witness(points):
            assert not taught[-1] & set(points[:, 0])
            return points[:, 0]

        return witness

    column_shares(X, np.full((3, 1), -1.0), witness_of)
    assert taught == [set(X[::2, 0]), set(X[1::2, 0])]


def test_one_row_is_enough():
    np.testing.assert_allclose(column_shares(np.ones((1, 1)), np.zeros((1, 1)), lambda rows: lambda t: t[:, 0]), [1.0])
