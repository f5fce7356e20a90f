"""Every solver against the normal equations written out, and the criteria against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.solvers import (
    BandedRidge,
    EigenRidge,
    PredictiveSpread,
    RidgeProblem,
    effective_dof,
    factorise,
    solve_ridge,
)
from bochner.solvers.criteria import gcv_score, log_evidence, noise_variance
from bochner.solvers.path import golden_section
from bochner.statistics import Moments, PassPlan
from bochner.testing import check_solver
from tests import reference
from tests.identity_features import leave_one_out, rows_of
from tests.strategies import seeds


def problem_of(seed, n, D, k=2, intercept=True):
    rng = np.random.default_rng(seed)
    Z, Y = rng.standard_normal((n, D)) + 0.3, rng.standard_normal((n, k)) + 5
    moments = Moments.empty(D, k).update(Z, Y)
    return Z, Y, moments, RidgeProblem.from_moments(moments, intercept)


@given(seeds, st.integers(1, 200), st.booleans(), st.floats(1e-3, 1e3))
@settings(max_examples=25, deadline=None)
def test_the_band_and_eigen_paths_agree_with_the_normal_equations(seed, D, intercept, alpha):
    Z, Y, _, problem = problem_of(seed, 150, D, intercept=intercept)
    coef, offset = reference.ridge(Z, Y, np.ones(150), alpha, intercept)
    residual = np.sum((Y - offset - Z @ coef) ** 2, axis=0)
    for solver in (BandedRidge(problem), EigenRidge(problem)):
        check_solver(solver, alpha=alpha)
        np.testing.assert_allclose(solver.solve(alpha), coef, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(solver.point(alpha).residual, residual, rtol=1e-6, atol=1e-7)


def test_the_solution_at_one_penalty_agrees_with_the_path():
    Z, Y, moments, _ = problem_of(0, 100, 80)
    direct = solve_ridge(moments, fit_intercept=True, alpha=0.7)
    path = solve_ridge(moments, fit_intercept=True, alpha="gcv", alphas=[0.7])
    np.testing.assert_allclose(direct.coef, path.coef, atol=1e-9)
    np.testing.assert_allclose(direct.intercept, path.intercept, atol=1e-9)
    assert direct.log_evidence == pytest.approx(path.log_evidence)
    assert effective_dof(moments, fit_intercept=True, alpha=0.7) == pytest.approx(path.path.dof[0])
    coef, offset = reference.ridge(Z, Y, np.ones(100), 0.7, True)
    np.testing.assert_allclose(direct.coef, coef, atol=1e-9)
    np.testing.assert_allclose(direct.intercept, offset, atol=1e-9)


def test_the_evidence_is_the_density_of_a_multivariate_normal():
    Z, Y, _, problem = problem_of(1, 60, 20, k=1, intercept=False)
    point = BandedRidge(problem).point(2.0)
    variance = noise_variance(problem, point)[0]
    expected = reference.log_evidence(Z, Y[:, 0], 2.0, variance)
    assert log_evidence(problem, point) == pytest.approx(expected)
    for other in (0.9 * variance, 1.1 * variance):
        assert reference.log_evidence(Z, Y[:, 0], 2.0, other) < expected


def test_the_evidence_with_an_intercept_is_the_limit_of_a_wide_prior_on_it():
    """A flat prior is a normal one of variance v -> infinity, less its log density at the origin."""
    Z, Y, _, problem = problem_of(2, 40, 10, k=1)
    solver, wide = BandedRidge(problem), 1e7

    def with_wide_prior(alpha):
        variance = noise_variance(problem, solver.point(alpha))[0]
        extended = np.hstack([Z, np.sqrt(wide * alpha / variance) * np.ones((40, 1))])
        return reference.log_evidence(extended, Y[:, 0], alpha, variance) + 0.5 * np.log(2 * np.pi * wide)

    for alpha in (0.1, 3.0):
        assert log_evidence(problem, solver.point(alpha)) == pytest.approx(with_wide_prior(alpha), abs=1e-3)


def test_gcv_is_its_formula_and_infinite_for_an_interpolating_model():
    _, _, _, problem = problem_of(3, 50, 20)
    point = BandedRidge(problem).point(1.0)
    assert gcv_score(problem, point) == pytest.approx(np.mean(point.residual) / 50 / (1 - point.dof / 50) ** 2)
    _, _, _, wide = problem_of(3, 30, 90)
    assert gcv_score(wide, BandedRidge(wide).point(1e-6)) == np.inf


@pytest.mark.parametrize("intercept", [True, False])
def test_leave_one_out_equals_refitting_without_each_row(intercept):
    Z, Y, _, _ = problem_of(4, 30, 8)
    w = np.random.default_rng(0).integers(1, 4, 30).astype(float)
    moments = Moments.empty(8, 2).update(Z, Y, w)
    solver = EigenRidge(RidgeProblem.from_moments(moments, intercept))
    alphas = np.array([0.1, 1.0, 10.0])
    got = leave_one_out(solver, rows_of(Z, Y, w), PassPlan(7, 2, 0), moments, alphas)
    expected = [reference.leave_one_out(Z, Y, w, alpha, intercept) for alpha in alphas]
    np.testing.assert_allclose(got, expected, rtol=1e-8)


def test_the_chosen_penalty_is_the_best_on_a_fine_grid():
    rng = np.random.default_rng(5)
    Z = rng.standard_normal((200, 60)) * np.geomspace(1, 0.01, 60)
    Y = Z @ rng.standard_normal((60, 1)) + 0.5 * rng.standard_normal((200, 1))
    moments = Moments.empty(60, 1).update(Z, Y)
    for criterion in ("gcv", "evidence"):
        chosen = solve_ridge(moments, fit_intercept=True, alpha=criterion)
        fine = solve_ridge(moments, fit_intercept=True, alpha=criterion, alphas=np.geomspace(1e-6, 1e4, 400))
        assert np.log(chosen.alpha) == pytest.approx(np.log(fine.alpha), abs=0.1)


def test_a_singular_problem_raises_the_penalty_to_the_noise_floor_and_says_so():
    _, _, moments, problem = problem_of(6, 20, 50)
    solution = solve_ridge(moments, fit_intercept=True, alpha=0.0)
    assert solution.raised
    assert 0 < solution.alpha < 1e-9 * np.trace(problem.gram)
    assert BandedRidge(problem).point(-1.0) is None


def test_the_predictive_spread_is_its_formula():
    Z, _, moments, problem = problem_of(7, 40, 12)
    spread = PredictiveSpread(moments, fit_intercept=True, alpha=0.5).of(Z[:5])
    shifted = np.tril(problem.gram) + np.tril(problem.gram, -1).T + 0.5 * np.eye(12)
    centred = Z[:5] - Z.mean(axis=0)
    np.testing.assert_allclose(spread, 1 + 1 / 40 + np.sum(centred * np.linalg.solve(shifted, centred.T).T, axis=1))


def test_factorising_gives_determinant_and_trace_of_the_inverse():
    _, _, _, problem = problem_of(8, 40, 12)
    factor = factorise(problem, 0.5)
    shifted = np.tril(problem.gram) + np.tril(problem.gram, -1).T + 0.5 * np.eye(12)
    assert factor.log_det() == pytest.approx(np.linalg.slogdet(shifted)[1])
    assert factor.trace_of_inverse() == pytest.approx(np.trace(np.linalg.inv(shifted)))


def test_golden_section_finds_a_minimum():
    assert golden_section(lambda t: (t - 0.3) ** 2, -1.0, 2.0, 40) == pytest.approx(0.3, abs=1e-2)


@pytest.mark.slow
def test_error_bars_cover_what_they_say():
    """90 % intervals on 4,000 new targets: 6 binomial standard errors are 3 points."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (6000, 2))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * rng.standard_normal(6000)
    mean, std = bo.KernelRegressor(random_state=0).fit(X[:2000], y[:2000]).predict(X[2000:], return_std=True)
    assert np.mean(np.abs(y[2000:] - mean) < 1.645 * std) == pytest.approx(0.9, abs=0.03)
