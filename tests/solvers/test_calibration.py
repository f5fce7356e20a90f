"""Temperature scaling: the factor is the minimiser of the logistic loss, and follows the scale of the scores."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from bochner.solvers import Logistic, inverse_temperature
from tests.strategies import rows


def noisy_scores(columns, n=200, seed=0):
    """Scores of which some are wrong, so that a finite temperature is best."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, max(2, columns), n)
    signal = np.where(labels == 1, 1.0, -1.0)[:, None] if columns == 1 else np.eye(columns)[labels]
    return Logistic(labels, rng.uniform(0, 2, n)), signal + rows(seed, n, columns)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_factor_minimises_the_loss(columns, scale):
    loss, scores = noisy_scores(columns)
    scores = scale * scores
    found = inverse_temperature(scores, loss)
    other = minimize_scalar(lambda u: loss.value(np.exp(u) * scores), bracket=(-np.log(scale), 1 - np.log(scale)))
    assert np.log(found) == pytest.approx(other.x, abs=1e-5)  # a search by values sees roots of rounding errors
    slope = np.sum(loss.gradient(found * scores) * found * scores)
    assert abs(slope) <= 1e-9 * loss.weight.sum()


def test_a_weight_counts_copies_of_a_row():
    loss, scores = noisy_scores(1, n=30)
    copies = np.arange(30) % 3
    again = np.repeat(np.arange(30), copies)
    weighted = inverse_temperature(scores, Logistic(loss.labels, copies.astype(float)))
    repeated = inverse_temperature(scores[again], Logistic(loss.labels[again], np.ones(len(again))))
    assert weighted == pytest.approx(repeated, rel=1e-10)


def test_scores_that_are_all_zero_are_left_alone():
    assert inverse_temperature(np.zeros((5, 1)), Logistic(np.array([0, 1, 0, 1, 1]), np.ones(5))) == 1.0


def test_scores_that_are_never_wrong_end_at_a_finite_factor():
    labels = np.array([0, 1, 1])
    scores = np.array([[-1.0], [2.0], [1.0]])
    found = inverse_temperature(scores, Logistic(labels, np.ones(3)))
    assert np.isfinite(found)
    assert Logistic(labels, np.ones(3)).value(found * scores) < 1e-12


def test_scores_that_are_always_wrong_are_taken_to_say_nothing():
    found = inverse_temperature(np.array([[1.0], [-2.0]]), Logistic(np.array([0, 1]), np.ones(2)))
    assert 0 < found < 1e-5
