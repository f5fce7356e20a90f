"""The iterative ridge solver against the direct one, and what it says of itself against what it did."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bochner.solvers import (
    BandedRidge,
    Ending,
    PredictiveSpread,
    RidgeProblem,
    effective_dof,
    solve_ridge,
    solve_ridge_iteratively,
)
from bochner.solvers.conjugate_gradient import ConjugateGradients
from bochner.statistics import Moments, StreamedNormal
from tests import reference
from tests.identity_features import identity_map, rows_of
from tests.strategies import seeds


def decaying_rows(seed, n, D, k=2):
    """Features whose variances decay, and targets that they explain in part, all off centre."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, D)) * np.geomspace(1, 0.03, D) + 0.5
    Y = Z @ rng.standard_normal((D, k)) + rng.standard_normal((n, k)) + 7
    return Z, Y


def operator_of(Z, Y, weight=None, *, intercept=True, dtype=float):
    return StreamedNormal(rows_of(Z, Y, weight, dtype), identity_map(Z.shape[1]), fit_intercept=intercept)


def recomputed_residual(Z, Y, weight, solution, *, intercept=True):
    """||c - (G + alpha) w|| / ||c|| from the definition."""
    weight = np.ones(len(Z)) if weight is None else weight
    _, _, _, G, c, _ = reference.moments(Z, Y, weight)
    if not intercept:
        G, c = (Z * weight[:, None]).T @ Z, (Z * weight[:, None]).T @ Y
    rest = c - G @ solution.coef - solution.alpha * solution.coef
    return np.linalg.norm(rest, axis=0) / np.linalg.norm(c, axis=0)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_solution_is_the_direct_one(intercept, weighted):
    Z, Y = decaying_rows(0, 900, 300)
    weight = np.random.default_rng(1).integers(0, 4, 900).astype(float) if weighted else None
    operator = operator_of(Z, Y, weight, intercept=intercept)
    solution = solve_ridge_iteratively(operator, alpha=0.3, tol=1e-11, max_iter=500, n_rows=120)
    moments = Moments.empty(300, 2).update(Z, Y, weight)
    direct = solve_ridge(moments, fit_intercept=intercept, alpha=0.3)
    np.testing.assert_allclose(solution.coef, direct.coef, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(solution.intercept, direct.intercept, rtol=1e-6)
    np.testing.assert_allclose(solution.noise_variance, direct.noise_variance, rtol=1e-6)
    assert solution.converged
    assert solution.rows == 120


@given(seeds, st.integers(2, 60), st.integers(1, 40), st.floats(1e-3, 1e3), st.booleans())
@settings(max_examples=30, deadline=None)
def test_any_small_problem_is_solved(seed, n, D, alpha, intercept):
    Z, Y = decaying_rows(seed, n, D)
    solution = solve_ridge_iteratively(operator_of(Z, Y, intercept=intercept), alpha=alpha, tol=1e-10)
    coef, offset = reference.ridge(Z, Y, np.ones(n), alpha, intercept)
    np.testing.assert_allclose(solution.coef, coef, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(solution.intercept, offset, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("limits", [{"tol": 1e-7}, {"tol": 1e-12, "max_iter": 4}])
def test_the_reported_residual_is_the_recomputed_one(limits):
    Z, Y = decaying_rows(2, 600, 200)
    weight = np.random.default_rng(0).uniform(0.1, 3, 600)
    solution = solve_ridge_iteratively(operator_of(Z, Y, weight), alpha=0.1, n_rows=60, **limits)
    np.testing.assert_allclose(solution.residuals[-1], recomputed_residual(Z, Y, weight, solution), rtol=1e-3)
    assert len(solution.residuals) == solution.n_iter + 1
    assert solution.converged == bool(np.all(solution.residuals[-1] <= limits["tol"]))


def test_the_penalty_by_gcv_is_the_direct_one_within_a_grid_step():
    Z, Y = decaying_rows(3, 3000, 400, k=1)
    operator = operator_of(Z, Y)
    solution = solve_ridge_iteratively(operator, alpha="gcv", n_rows=150)
    moments = Moments.empty(400, 1).update(Z, Y)
    direct = solve_ridge(moments, fit_intercept=True, alpha="gcv")
    grid = solution.path.alphas
    assert abs(np.log(solution.alpha / direct.alpha)) < np.log(grid[1] / grid[0])
    exact = BandedRidge(RidgeProblem.from_moments(moments, True))
    dof = [exact.point(alpha).dof for alpha in grid]
    np.testing.assert_allclose(solution.path.dof, dof, rtol=0.15, atol=5)
    dof = effective_dof(moments, fit_intercept=True, alpha=solution.alpha)
    assert solution.dof == pytest.approx(dof, rel=0.1)


def test_given_penalties_are_the_only_ones():
    Z, Y = decaying_rows(4, 500, 60)
    solution = solve_ridge_iteratively(operator_of(Z, Y), alpha="gcv", alphas=np.array([3.0, 0.2]), n_rows=40)
    assert solution.alpha in (0.2, 3.0)
    assert list(solution.path.alphas) == [0.2, 3.0]


@pytest.mark.parametrize("alpha", [0.05, "gcv"])
@pytest.mark.parametrize("stop_at", [1, 4, 9])
def test_any_state_leads_to_the_same_solution(alpha, stop_at):
    Z, Y = decaying_rows(5, 700, 200)
    operator = operator_of(Z, Y)
    states = []
    settings_ = {"alpha": alpha, "tol": 1e-10, "n_rows": 50, "seed": 3}
    whole = solve_ridge_iteratively(operator, on_iteration=lambda s: states.append(copy.deepcopy(s)), **settings_)
    resumed = solve_ridge_iteratively(operator, state=states[min(stop_at, len(states) - 1)], **settings_)
    assert resumed.alpha == pytest.approx(whole.alpha, rel=1e-9)
    np.testing.assert_allclose(resumed.coef, whole.coef, rtol=1e-7, atol=1e-8)
    assert resumed.n_iter == whole.n_iter
    np.testing.assert_allclose(resumed.residuals, whole.residuals, rtol=1e-3, atol=1e-11)
    assert all(isinstance(v, (np.ndarray, int, float, str)) for v in states[-1].values())


def test_a_warm_start_saves_iterations_and_changes_nothing():
    Z, Y = decaying_rows(6, 700, 200)
    operator = operator_of(Z, Y)
    cold = solve_ridge_iteratively(operator, alpha=0.1, tol=1e-8, n_rows=50)
    warm = solve_ridge_iteratively(operator, alpha=0.11, tol=1e-8, n_rows=50, start=cold.coef)
    again = solve_ridge_iteratively(operator, alpha=0.1, tol=1e-8, n_rows=50, start=warm.coef)
    assert again.n_iter < cold.n_iter
    np.testing.assert_allclose(again.coef, cold.coef, atol=1e-4)


def test_float32_rows_end_at_their_rounding_and_say_so():
    Z, Y = decaying_rows(7, 2000, 150, k=1)
    solution = solve_ridge_iteratively(operator_of(Z, Y, dtype=np.float32), alpha=0.1, tol=1e-14, max_iter=300)
    assert solution.ending is Ending.ROUNDING
    assert not solution.converged
    assert 1e-12 < solution.residuals[-1, 0] < 1e-5


def test_the_iterations_end_when_the_validation_error_settles():
    Z, Y = decaying_rows(8, 3000, 300, k=1)
    held_Z, held_Y = Z[2000:], Y[2000:]
    error = lambda coef, intercept: float(np.mean((held_Y - held_Z @ coef - intercept) ** 2))  # noqa: E731
    operator = operator_of(Z[:2000], Y[:2000])
    whole = solve_ridge_iteratively(operator, alpha=0.1, tol=1e-10, n_rows=40)
    early = solve_ridge_iteratively(operator, alpha=0.1, tol=1e-10, n_rows=40, validation=error)
    assert early.ending is Ending.SETTLED
    assert early.n_iter < whole.n_iter
    # Over draws of the rows the errors differ by 0.2 % with a deviation of 1.3 %; before they settle, manyfold.
    assert error(early.coef, early.intercept) < 1.1 * error(whole.coef, whole.intercept)


def test_the_conditions_bracket_those_of_the_matrices():
    Z, Y = decaying_rows(9, 900, 120, k=1)
    operator = operator_of(Z, Y)
    solution = solve_ridge_iteratively(operator, alpha=0.5, tol=1e-12, n_rows=80)
    G = reference.moments(Z, Y, np.ones(900))[3] + 0.5 * np.eye(120)
    A = operator.sample(80, 0)
    preconditioned = np.linalg.eigvals(np.linalg.solve(A.T @ A + solution.shift * np.eye(120), G)).real
    condition = preconditioned.max() / preconditioned.min()
    assert 0.8 * condition < solution.condition[1] < 1.05 * condition
    assert solution.condition[0] > 0.8 * np.linalg.cond(G)
    assert solution.condition[1] < solution.condition[0]


def test_all_rows_in_the_preconditioner_need_next_to_no_iterations():
    Z, Y = decaying_rows(10, 300, 100)
    assert solve_ridge_iteratively(operator_of(Z, Y), alpha=1e-3, tol=1e-10, n_rows=1000).n_iter <= 3


def test_no_penalty_is_raised_to_the_noise_floor():
    Z, Y = decaying_rows(11, 50, 80)
    solution = solve_ridge_iteratively(operator_of(Z, Y), alpha=0.0)
    assert solution.raised
    assert 0 < solution.alpha < 1e-9 * np.sum(Z**2)


def test_large_and_tiny_targets_survive_float32():
    Z, Y = decaying_rows(12, 400, 60)
    scale = np.array([1e30, 1e-30])
    plain = solve_ridge_iteratively(operator_of(Z, Y, dtype=np.float32), alpha=1.0)
    scaled = solve_ridge_iteratively(operator_of(Z, Y * scale, dtype=np.float32), alpha=1.0)
    np.testing.assert_allclose(scaled.coef / scale, plain.coef, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("n_rows", [200, 2000])
def test_the_low_rank_spread_comes_close_to_the_exact_one(n_rows):
    Z, Y = decaying_rows(13, 2000, 300, k=1)
    solution = solve_ridge_iteratively(operator_of(Z, Y), alpha=60.0, n_rows=n_rows)
    exact = PredictiveSpread(Moments.empty(300, 1).update(Z, Y), fit_intercept=True, alpha=60.0)
    new = decaying_rows(14, 500, 300, k=1)[0]
    got, expected = solution.spread.of(new), exact.of(new)
    assert solution.spread.approximate
    # Of 200 rows: the largest of 500 deviations is 33 % +- 4 %, that of the mean -2 % +- 2 %, over draws of the rows.
    tolerance = 1e-6 if n_rows == 2000 else 0.75
    np.testing.assert_allclose(got - 1, expected - 1, rtol=tolerance)
    assert np.mean(got - 1) == pytest.approx(np.mean(expected - 1), rel=1e-6 if n_rows == 2000 else 0.15)


def test_residuals_that_oscillate_are_told_from_those_that_rounding_stopped():
    values = np.logspace(0, 6, 300)[:, None]
    given = {"shifts": np.zeros(1), "right": np.ones((300, 1)), "tols": np.full(1, 1e-8)}
    found = ConjugateGradients(lambda V, columns: values * V, lambda R, columns: R.copy(), **given)
    while len(found.running) or found.forgive():
        found.step()
    assert found.relative[0] <= 1e-8
    np.testing.assert_allclose(found.x, 1 / values, rtol=1e-4)
    stopped = ConjugateGradients(lambda V, columns: values * V, lambda R, columns: R.copy(), **given)
    while len(stopped.running):
        stopped.step()
    assert stopped.relative[0] > 1e-8  # it oscillates for longer than the patience
    stopped.state["x"] += 1.0
    assert not stopped.forgive()  # the residual is not that of the solution
