"""Effective dimension and leverage, against their definitions and each other."""

import numpy as np
import pytest

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


def test_on_many_rows_it_is_estimated_with_an_error():
    large = rows(1, 3000, 2)
    exact = effective_dimension(large, kernel=KERNEL, penalty=PENALTY)
    pilot = effective_dimension(large, kernel=KERNEL, penalty=PENALTY, max_rows=1200)
    assert pilot.n_rows == 300
    assert pilot.standard_error > 0
    assert float(pilot) == pytest.approx(exact.value, rel=0.1)


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
