"""Effective dimension and leverage, against their definitions and each other."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.theory import effective_dimension, leverage_scores, maximum_feature_dimension
from tests.strategies import rows

X, KERNEL, PENALTY = rows(0, 200, 2), 2.0 * bo.Gaussian(), 1e-2


def test_the_effective_dimension_is_a_trace():
    K = KERNEL(X)
    expected = np.trace(K @ np.linalg.inv(K + 200 * PENALTY * np.eye(200)))
    estimate = effective_dimension(X, kernel=KERNEL, penalty=PENALTY)
    assert estimate.value == pytest.approx(expected)
    assert estimate.standard_error == 0


LARGE = rows(1, 1600, 2)


@pytest.mark.parametrize("penalty", [1e-2, 1e-3])
def test_on_many_rows_it_is_estimated_with_an_error_that_holds(penalty):
    exact = effective_dimension(LARGE, kernel=KERNEL, penalty=penalty).value
    pilot = effective_dimension(LARGE, kernel=KERNEL, penalty=penalty, max_rows=600)
    assert pilot.n_rows == 600
    assert 0 < pilot.standard_error < 0.1 * exact
    assert abs(pilot.value - exact) < 4 * pilot.standard_error


def test_scores_of_many_rows_are_estimated_with_errors_that_hold():
    omega = bo.MonteCarlo().draw(KERNEL.spectral_measure(2), 60, 2, seed=0).omega
    exact, none = leverage_scores(LARGE, omega, kernel=KERNEL, penalty=PENALTY, return_std=True)
    scores, errors = leverage_scores(LARGE, omega, kernel=KERNEL, penalty=PENALTY, max_rows=600, return_std=True)
    assert np.all(none == 0)
    assert np.mean(np.abs(scores - exact) < 4 * errors) >= 0.9  # quarters give three degrees of freedom only
    assert np.mean(np.abs(scores / exact - 1)) < 0.1


def test_the_largest_score_of_many_rows_is_near_that_of_all():
    exact = maximum_feature_dimension(LARGE, kernel=KERNEL, penalty=PENALTY, n_frequencies=300)
    pilot = maximum_feature_dimension(LARGE, kernel=KERNEL, penalty=PENALTY, n_frequencies=300, max_rows=600)
    assert pilot.value == pytest.approx(exact.value, abs=4 * pilot.standard_error)


def test_sparse_rows_and_float32_give_what_dense_rows_give():
    exact = effective_dimension(X, kernel=KERNEL, penalty=PENALTY).value
    assert effective_dimension(sp.csr_array(X), kernel=KERNEL, penalty=PENALTY).value == pytest.approx(exact)
    single = effective_dimension(X.astype(np.float32), kernel=KERNEL, penalty=PENALTY).value
    assert single == pytest.approx(exact, rel=1e-5)


def test_too_few_rows_for_a_pilot_are_refused():
    with pytest.raises(ValueError, match="'max_rows' parameter"):
        effective_dimension(X, kernel=KERNEL, penalty=PENALTY, max_rows=4)


def test_the_mean_leverage_is_the_effective_dimension():
    omega = bo.MonteCarlo().draw(KERNEL.spectral_measure(2), 20_000, 2, seed=0).omega
    scores = leverage_scores(X, omega, kernel=KERNEL, penalty=PENALTY)
    exact = effective_dimension(X, kernel=KERNEL, penalty=PENALTY).value
    assert scores.mean() == pytest.approx(exact, abs=6 * scores.std() / np.sqrt(20_000))
    assert np.all((scores >= 0) & (scores <= KERNEL.variance / PENALTY))


def test_the_largest_leverage_lies_between_the_mean_and_its_bound():
    largest = maximum_feature_dimension(X, kernel=KERNEL, penalty=PENALTY)
    assert effective_dimension(X, kernel=KERNEL, penalty=PENALTY).value < largest.value <= KERNEL.variance / PENALTY


def test_it_grows_as_the_penalty_falls():
    dimensions = [effective_dimension(X, kernel=KERNEL, penalty=p).value for p in (1.0, 1e-1, 1e-2, 1e-3)]
    assert np.all(np.diff(dimensions) > 0)


@pytest.mark.parametrize("penalty", [0.0, -1.0, np.inf, np.nan])
def test_a_bad_penalty_is_refused(penalty):
    with pytest.raises(ValueError, match="'penalty' parameter"):
        effective_dimension(X, kernel=KERNEL, penalty=penalty)
