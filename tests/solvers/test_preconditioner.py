"""Subsampled preconditioners against dense inverses, in both shapes and float types, and how many rows they take."""

import pickle

import numpy as np
import pytest

import bochner as bo
from bochner.solvers import LowRankSpread, SubsampleGram
from bochner.solvers.preconditioner import best_rows, expected_iterations, first_rows, most_rows
from tests.strategies import rows

SHAPES = pytest.mark.parametrize("shape", [(1, 5), (20, 50), (50, 20), (30, 30), (7, 1)])


def dense(A, shift):
    A = A.astype(float)
    return A.T @ A + shift * np.eye(A.shape[1])


@SHAPES
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_factor_inverts_the_shifted_gram(shape, dtype):
    A = rows(0, *shape).astype(dtype)
    V, Z = rows(1, shape[1], 3), rows(2, 6, shape[1])
    tolerance = 1e-10 if dtype == np.float64 else 1e-3
    for shift, factor in zip((0.5, 20.0), SubsampleGram(A).factors(np.array([0.5, 20.0])), strict=True):
        inverse = np.linalg.inv(dense(A, shift))
        assert factor.shift == shift
        np.testing.assert_allclose(factor.solve(V), inverse @ V, rtol=tolerance, atol=tolerance)
        norms = np.einsum("ij,jk,ik->i", Z, inverse, Z)
        np.testing.assert_allclose(factor.squared_norms(Z), norms, rtol=10 * tolerance, atol=10 * tolerance)
        assert factor.trace_of_inverse() == pytest.approx(np.trace(inverse), rel=tolerance)


@SHAPES
def test_trace_and_largest_eigenvalue_are_those_of_the_gram(shape):
    A = rows(0, *shape)
    gram = SubsampleGram(A)
    assert gram.by_rows == (shape[0] < shape[1])
    assert gram.trace == pytest.approx(np.sum(A**2), rel=1e-12)
    largest = np.linalg.eigvalsh(A.T @ A)[-1]
    assert gram.largest_eigenvalue(n_iter=20) <= largest * (1 + 1e-12)  # power iteration comes from below
    assert gram.largest_eigenvalue(n_iter=3000) == pytest.approx(largest, rel=1e-6)


def test_columns_of_any_size_survive_float32():
    A = rows(0, 20, 50).astype(np.float32)
    V = rows(1, 50, 2) * [1e30, 1e-30]
    (factor,) = SubsampleGram(A).factors(np.array([1.0]))
    np.testing.assert_allclose(
        factor.solve(V) / [1e30, 1e-30], np.linalg.solve(dense(A, 1.0), V / [1e30, 1e-30]), atol=1e-4
    )


def test_a_shift_below_rounding_is_raised_to_the_floor():
    A = np.repeat(rows(0, 10, 4).astype(np.float32), 3, axis=1)
    gram = SubsampleGram(A)
    (factor,) = gram.factors(np.zeros(1))
    assert factor.shift >= gram.floor > 0
    assert np.all(np.isfinite(factor.solve(rows(1, 12, 1))))


def test_features_that_are_all_zero_have_a_factor_and_no_eigenvalue():
    gram = SubsampleGram(np.zeros((4, 6)))
    assert gram.largest_eigenvalue() == 0.0
    assert gram.sampling_shift(0.3) == 0.3
    (factor,) = gram.factors(np.array([2.0]))
    np.testing.assert_allclose(factor.solve(np.ones((6, 1))), 0.5)


def test_the_sampling_shift_stops_where_rows_are_seen_by_themselves_only():
    """Mean leverage of the rows at the shift is below 0.6, and at a quarter of it not, unless that is below `least`."""
    A = rows(0, 64, 200) * np.geomspace(1, 1e-3, 200)
    gram = SubsampleGram(A)

    def leverage(shift):
        return np.mean(np.einsum("ij,ji->i", A, np.linalg.solve(dense(A, shift), A.T)))

    shift = gram.sampling_shift(1e-12)
    assert leverage(shift) < 0.6 <= leverage(shift / 4)
    assert gram.sampling_shift(10 * shift) == 10 * shift
    assert SubsampleGram(A, exact=True).sampling_shift(1e-5) == 1e-5


def test_a_gram_survives_pickling_without_its_products():
    gram = SubsampleGram(rows(0, 20, 30))
    gram.factors(np.array([1.0]))
    again = pickle.loads(pickle.dumps(gram))
    assert set(again.__dict__) == {"A", "exact"}
    assert again.trace == gram.trace


def test_the_spread_of_all_rows_is_the_exact_one():
    A, Z, mean = rows(0, 40, 12), rows(1, 7, 12), rows(2, 1, 12)[0]
    spread = LowRankSpread(SubsampleGram(A, exact=True), alpha=0.7, dof=9.0, mean=mean, offset=1.025)
    centred = Z - mean
    expected = 1.025 + np.einsum("ij,ji->i", centred, np.linalg.solve(dense(A, 0.7), centred.T))
    np.testing.assert_allclose(spread.of(Z), expected, rtol=1e-10)
    assert spread.rows == 40


def test_the_spread_of_a_subsample_is_its_formula():
    A, Z = rows(0, 20, 50), rows(1, 7, 50)
    for dof, spare in ((8.0, 0.6), (19.9, 0.1)):
        spread = LowRankSpread(SubsampleGram(A), alpha=2.0, dof=dof, mean=np.zeros(50), offset=1.0)
        expected = 1 + spare * np.einsum("ij,ji->i", Z, np.linalg.solve(dense(A, 2.0 * spare), Z.T))
        np.testing.assert_allclose(spread.of(Z), expected, rtol=1e-9)
        np.testing.assert_allclose(pickle.loads(pickle.dumps(spread)).of(Z), spread.of(Z), rtol=1e-14)


def test_rows_of_a_subsample_stay_within_an_eighth_of_the_budget():
    with bo.config_context(memory="800MB"):
        assert most_rows(1000, 8) == 12500
        assert first_rows(1000, 8) == 1024
        assert first_rows(8000, 8) == 1562
    with bo.config_context(memory=1):
        assert first_rows(1000, 8) == most_rows(1000, 8) == 256


def test_more_rows_are_taken_only_where_they_save_iterations():
    sizes = {"most": 10**6, "n_rows": 10**6, "width": 10**5, "tol": 1e-6}
    assert best_rows(1000, 1e-3, 1.0, **sizes) == 1000  # the first subsample sees all that the penalty lets through
    assert best_rows(1000, 1e6, 1.0, **sizes) == 4000
    assert best_rows(1000, 1e6, 1.0, **{**sizes, "most": 2500}) == 2000
    assert best_rows(1000, 1e6, 1.0, **{**sizes, "width": 1500}) == 1000


def test_expected_iterations_grow_with_the_shift_and_the_accuracy():
    assert expected_iterations(0.1, 1.0, 1e-6) == expected_iterations(1.0, 1.0, 1e-6)
    assert expected_iterations(1.0, 1.0, 1e-6) < expected_iterations(100.0, 1.0, 1e-6)
    assert expected_iterations(10.0, 1.0, 1e-3) < expected_iterations(10.0, 1.0, 1e-9)
