"""Criteria for a penalty: GCV and noise variances by their formulas, and their limits."""

from dataclasses import replace

import numpy as np
import pytest

from bochner.solvers import BandedRidge
from bochner.solvers.criteria import calibrated_noise_variance, gcv_score, log_evidence, noise_variance
from tests import reference
from tests.solvers.problems import ridge_problem


@pytest.mark.parametrize("intercept", [True, False])
def test_gcv_and_noise_variances_are_their_formulas(intercept):
    Z, Y, problem = ridge_problem(0, 60, 20, intercept=intercept)
    alpha = 3.0
    coef, offset = reference.ridge(Z, Y, np.ones(60), alpha, intercept)
    centred = Z - Z.mean(axis=0) if intercept else Z
    smoother = centred @ np.linalg.solve(centred.T @ centred + alpha * np.eye(20), centred.T)
    dof = np.trace(smoother) + intercept
    squares = np.sum((Y - offset - Z @ coef) ** 2, axis=0)
    point = BandedRidge(problem).point(alpha)
    gcv = squares / 60 / (1 - dof / 60) ** 2
    assert gcv_score(problem, point) == pytest.approx(gcv.mean(), rel=1e-10)
    expected = (squares + alpha * np.sum(coef**2, axis=0)) / (60 - intercept)
    np.testing.assert_allclose(noise_variance(problem, point), expected, rtol=1e-10)
    # Error bars have the mean sigma^2 (1 + dof / n), which is to be the GCV estimate.
    np.testing.assert_allclose(calibrated_noise_variance(problem, point) * (1 + dof / 60), gcv, rtol=1e-10)


def test_a_model_that_interpolates_has_no_gcv():
    _, _, problem = ridge_problem(1, 20, 30)
    point = BandedRidge(problem).point(1e-6)
    assert point.dof > 0.99 * 20
    assert gcv_score(problem, point) == np.inf
    np.testing.assert_array_equal(calibrated_noise_variance(problem, point), noise_variance(problem, point))


def test_residuals_below_rounding_count_as_rounding():
    _, _, problem = ridge_problem(2, 60, 20)
    point = replace(BandedRidge(problem).point(1.0), residual=np.zeros(2))
    floor = 1e-10 * problem.energy
    spare = 1 - point.dof / 60
    assert gcv_score(problem, point) == pytest.approx(np.mean(floor) / 60 / spare**2, rel=1e-12)


def test_one_row_has_finite_criteria():
    _, _, problem = ridge_problem(3, 1, 4)
    point = BandedRidge(problem).point(1.0)
    assert np.all(np.isfinite(noise_variance(problem, point)))
    assert np.isfinite(log_evidence(problem, point))


def test_the_evidence_of_two_targets_is_the_sum_of_theirs():
    Z, Y, problem = ridge_problem(4, 50, 10, intercept=False)
    point = BandedRidge(problem).point(2.0)
    variances = noise_variance(problem, point)
    expected = sum(reference.log_evidence(Z, y, 2.0, variance) for y, variance in zip(Y.T, variances))
    assert log_evidence(problem, point) == pytest.approx(expected, rel=1e-10)
