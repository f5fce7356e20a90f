"""Newton's method for logistic regression against SciPy, its optimality conditions and its own statements."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidDataError
from bochner.solvers import Logistic, QuadraticPenalty, newton
from bochner.solvers.newton import NewtonSolver
from tests import reference
from tests.identity_features import stream_of
from tests.strategies import rows


def problem(columns, n=90, D=6, seed=0):
    """Features, labels that they explain in part, and weights of which some are 0."""
    rng = np.random.default_rng(seed)
    Z = rows(seed, n, D)
    scores = reference.class_scores(Z @ rng.standard_normal((D, columns)) + 0.5)
    labels = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    return Z, labels, rng.integers(0, 4, n).astype(float)


def solver(Z, labels, weight, columns, *, intercept=True, dtype=float, keep=None):
    return NewtonSolver(stream_of(Z, dtype, keep), Logistic(labels, weight), columns, fit_intercept=intercept, seed=0)


def solved(Z, labels, weight, columns, alpha, *, tol=1e-10, max_iter=100, **options):
    return solver(Z, labels, weight, columns, **options).solve(QuadraticPenalty(alpha), tol=tol, max_iter=max_iter)


@pytest.mark.parametrize("columns", [1, 3, 5])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-2, 1.0, 100.0])
def test_the_solution_is_the_minimum(columns, intercept, alpha):
    Z, labels, weight = problem(columns)
    found = solved(Z, labels, weight, columns, alpha, intercept=intercept)
    coef, offset = reference.logistic_minimum(Z, labels, weight, alpha, columns, intercept)
    least = reference.logistic_objective(Z, labels, weight, alpha, coef, offset)
    assert found.converged
    assert found.objective == pytest.approx(least, rel=1e-9)
    assert found.objective == pytest.approx(
        reference.logistic_objective(Z, labels, weight, alpha, found.coef, found.intercept), rel=1e-13
    )
    in_coef, in_offset = reference.logistic_gradient(Z, labels, weight, alpha, found.coef, found.intercept)
    # Strong convexity: the distance to the minimiser is at most the gradient over alpha.
    assert np.linalg.norm(in_coef) / alpha <= 1e-5 * (1 + np.linalg.norm(found.coef))
    assert np.linalg.norm(in_offset) * intercept <= 1e-5 * weight.sum()
    assert intercept or not np.any(found.intercept)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("max_iter", [0, 1, 2])
def test_the_gap_bounds_what_is_left_to_gain_at_any_time(columns, max_iter):
    Z, labels, weight = problem(columns)
    found = solved(Z, labels, weight, columns, 0.5, tol=1e-12, max_iter=max_iter, intercept=False)
    coef, offset = reference.logistic_minimum(Z, labels, weight, 0.5, columns, False)
    left = found.objective - reference.logistic_objective(Z, labels, weight, 0.5, coef, offset)
    assert found.n_iter == max_iter
    assert left <= found.gap + 1e-13 * found.objective
    in_coef, _ = reference.logistic_gradient(Z, labels, weight, 0.5, found.coef, found.intercept)
    # ||gradient||^2 / (2 alpha), with alpha = 1/2
    assert found.gap == pytest.approx(np.sum(in_coef**2), rel=1e-6, abs=1e-13 * found.objective)


@pytest.mark.parametrize("columns", [1, 3])
def test_every_iteration_lowers_the_objective(columns):
    Z, labels, weight = problem(columns)
    values = [solved(Z, labels, weight, columns, 1e-3, tol=1e-12, max_iter=i).objective for i in range(6)]
    assert np.all(np.diff(values) <= 1e-14 * values[0])
    assert values[3] < values[2] < values[1] < values[0]


def test_a_weight_counts_copies_of_a_row():
    Z, labels, weight = problem(3)
    again = np.repeat(np.arange(len(Z)), weight.astype(int))
    weighted = solved(Z, labels, weight, 3, 0.3)
    repeated = solved(Z[again], labels[again], np.ones(len(again)), 3, 0.3)
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-6)
    np.testing.assert_allclose(weighted.intercept, repeated.intercept, atol=1e-6)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("keep", [True, False])
def test_a_pilot_of_some_rows_leads_to_the_same_minimum(columns, keep, monkeypatch):
    """The gradient is that of all rows: a pilot decides how many iterations it takes, not where they end."""
    Z, labels, weight = problem(columns, n=1500)
    exact = solved(Z, labels, weight, columns, 1.0)
    monkeypatch.setattr(newton, "pilot_rows", lambda width, itemsize: 200)
    assert not solver(Z, labels, weight, columns).exact
    found = solved(Z, labels, weight, columns, 1.0, tol=1e-8, keep=keep)
    assert found.converged
    assert 0 <= found.objective - exact.objective + 1e-12 * exact.objective <= 2e-8 * exact.objective


def test_a_start_from_the_solution_takes_no_iteration():
    Z, labels, weight = problem(3)
    penalty, newton_solver = QuadraticPenalty(0.3), solver(Z, labels, weight, 3)
    found = newton_solver.solve(penalty, tol=1e-8, max_iter=50)
    again = newton_solver.solve(penalty, tol=1e-8, max_iter=50, start=found, polish=False)
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.coef, found.coef)


@pytest.mark.parametrize("columns", [1, 3])
def test_the_hessian_is_the_derivative_of_the_gradient(columns):
    """H (H^-1 v) = v with H v by differences of the gradient."""
    Z, labels, weight = problem(columns)
    penalty, newton_solver = QuadraticPenalty(0.8), solver(Z, labels, weight, columns)
    theta, right = 0.3 * rows(1, 7, columns), rows(2, 7, columns)
    if columns > 1:  # the same number added to all intercepts changes nothing: no curvature there
        right[-1] -= right[-1].mean()
    found = newton_solver.hessian_solve(Z @ theta[:-1] + theta[-1], penalty, right, accuracy=1e-12)

    def gradient(at):
        return np.vstack(reference.logistic_gradient(Z, labels, weight, 0.8, at[:-1], at[-1]))

    np.testing.assert_allclose(reference.derivative(gradient, theta, found), right, atol=1e-5)


@pytest.mark.parametrize("columns", [1, 3])
def test_the_curvature_is_its_sum_over_rows(columns):
    Z, labels, weight = problem(columns)
    newton_solver = solver(Z, labels, weight, columns)
    found = newton_solver.solve(QuadraticPenalty(1.0), tol=1e-8, max_iter=50)
    p = Logistic(labels, weight).probabilities(Z @ found.coef + found.intercept)
    extended = np.column_stack([Z, np.ones(len(Z))])
    expected = sum(w * np.mean(q * (1 - q)) * np.outer(z, z) for w, q, z in zip(weight, p, extended))
    np.testing.assert_allclose(newton_solver.curvature(found), expected, rtol=1e-11, atol=1e-12)


def test_a_penalty_around_earlier_rows_is_minimised_too():
    Z, labels, weight = problem(1)
    A = rows(5, 20, 7)
    penalty = QuadraticPenalty(0.4, rows(6, 7, 1), A.T @ A + 0.4 * np.eye(7))
    found = solver(Z, labels, weight, 1).solve(penalty, tol=1e-12, max_iter=50)
    theta = np.vstack([found.coef, found.intercept])
    of_loss = np.vstack(reference.logistic_gradient(Z, labels, weight, 0.0, found.coef, found.intercept))
    assert np.linalg.norm(of_loss + penalty.matrix @ (theta - penalty.centre)) <= 1e-5 * weight.sum()


def test_float32_features_end_at_their_own_precision():
    Z, labels, weight = problem(3)
    double, single = (solved(Z, labels, weight, 3, 1.0, tol=1e-6, dtype=dtype) for dtype in (float, np.float32))
    assert single.converged
    np.testing.assert_allclose(single.coef, double.coef, atol=1e-3)


def test_one_row_and_one_feature_have_a_closed_form():
    """log(1 + exp(-w)) + w^2 / 2 is least where w = 1 / (1 + exp(w))."""
    found = solved(np.ones((1, 1)), np.array([1]), np.ones(1), 1, 1.0, intercept=False)
    # A relative gap of 1e-14 is a distance of sqrt(2e-14).
    assert found.coef[0, 0] == pytest.approx(1 / (1 + np.exp(found.coef[0, 0])), abs=2e-7)


def test_the_intercept_alone_is_the_logarithm_of_the_odds():
    labels = np.array([0, 1, 1, 1])
    found = solved(np.zeros((4, 1)), labels, np.array([2.0, 1.0, 2.0, 3.0]), 1, 1.0)
    assert found.intercept[0] == pytest.approx(np.log(6 / 2), rel=1e-7)
    assert not np.any(found.coef)


def test_a_pilot_stays_within_an_eighth_of_the_budget():
    assert newton.pilot_rows(10, 8) == 4096
    assert newton.pilot_rows(5000, 8) == 20000
    with bo.config_context(memory="80MB"):
        assert newton.pilot_rows(1000, 8) == 10**7 // 8000
        assert newton.pilot_rows(10**6, 8) == 256


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the overflow
def test_a_solve_that_left_the_numbers_ends_with_an_error():
    Z, labels, weight = problem(1)
    with pytest.raises(InvalidDataError, match="not finite"):
        solved(1e200 * Z, labels, weight, 1, 1.0, max_iter=10**6)
