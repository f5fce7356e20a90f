"""Dual coordinate ascent for the hinge losses: the minimum, its optimality conditions, and an honest gap."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers import dual
from bochner.solvers._loops import dual_sweep
from bochner.solvers.dual import DualAscent
from bochner.solvers.losses import Hinge
from bochner.solvers.penalty import QuadraticPenalty
from tests import reference
from tests.identity_features import stream_of
from tests.strategies import rows

SQUARED = pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared_hinge"])
INTERCEPT = pytest.mark.parametrize("intercept", [True, False])


def problem(columns=1, n=60, D=4, seed=0):
    """Features, signs that they explain in part, and weights of which some are 0."""
    rng = np.random.default_rng(seed)
    Z = rows(seed, n, D)
    signs = np.sign(Z @ rng.standard_normal((D, columns)) + 0.3 + rng.standard_normal((n, columns)))
    return Z, signs, rng.integers(0, 4, n).astype(float)


def solved(Z, signs, weight, alpha, squared, *, intercept=True, tol=1e-10, max_iter=4000, start=None, **stream):
    solver = DualAscent(stream_of(Z, **stream), Hinge(signs, weight, squared=squared), fit_intercept=intercept, seed=0)
    return solver.solve(QuadraticPenalty(alpha), tol=tol, max_iter=max_iter, start=start)


@SQUARED
@INTERCEPT
@pytest.mark.parametrize("alpha", [1.0, 30.0])
def test_the_solution_is_the_minimum(squared, intercept, alpha):
    Z, signs, weight = problem(columns=3)
    found = solved(Z, signs, weight, alpha, squared, intercept=intercept)
    least = sum(reference.hinge_minimum(Z, y, weight, alpha, intercept, squared) for y in signs.T)
    assert found.converged
    assert found.objective == pytest.approx(least, rel=1e-7)
    values = reference.hinge_objective(Z, signs, weight, alpha, found.coef, found.intercept, squared)
    assert found.objective == pytest.approx(values.sum(), rel=1e-12)


@SQUARED
@INTERCEPT
def test_the_dual_variables_satisfy_the_optimality_conditions(squared, intercept):
    Z, signs, weight = problem()
    alpha = 5.0
    found = solved(Z, signs, weight, alpha, squared, intercept=intercept)
    beta, slack = alpha * found.dual[:, 0], 1e-6
    margin = signs[:, 0] * (Z @ found.coef[:, 0] + found.intercept[0])
    np.testing.assert_allclose(found.coef[:, 0], Z.T @ (signs[:, 0] * beta) / alpha, atol=1e-10)
    assert found.intercept[0] == pytest.approx(intercept * (signs[:, 0] @ beta) / alpha, abs=1e-10)
    assert np.all(beta[weight == 0] == 0)
    if squared:
        np.testing.assert_allclose(beta, 2 * weight * np.maximum(0, 1 - margin), atol=slack)
        return
    assert np.all((beta >= 0) & (beta <= weight))
    assert np.all(margin[beta < weight] >= 1 - slack)
    assert np.all(margin[beta > 0] <= 1 + slack)


@SQUARED
@pytest.mark.parametrize("max_iter", [0, 1, 2, 5, 40])
def test_the_gap_bounds_what_is_left_to_gain_at_any_time(squared, max_iter):
    Z, signs, weight = problem(columns=2)
    found = solved(Z, signs, weight, 0.2, squared, tol=1e-14, max_iter=max_iter)
    least = sum(reference.hinge_minimum(Z, y, weight, 0.2, True, squared) for y in signs.T)
    assert found.n_iter <= max_iter
    assert found.objective - least <= found.gap + 1e-8 * least
    assert found.gap >= -1e-12 * found.objective
    loss, beta = Hinge(signs, weight, squared=squared), 0.2 * found.dual
    lower = loss.dual_value(beta) - 0.1 * (np.sum(found.coef**2, axis=0) + found.intercept**2)
    assert found.gap == pytest.approx(found.objective - lower.sum(), rel=1e-8, abs=1e-11 * found.objective)


@SQUARED
def test_a_weight_counts_copies_of_a_row(squared):
    Z, signs, weight = problem()
    again = np.repeat(np.arange(len(Z)), weight.astype(int))
    weighted = solved(Z, signs, weight, 0.3, squared)
    repeated = solved(Z[again], signs[again], np.ones(len(again)), 0.3, squared)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-9)
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-4)  # sqrt(2 gap / alpha)


@SQUARED
def test_features_that_are_not_kept_give_the_same_minimum(squared, monkeypatch):
    Z, signs, weight = problem(columns=2, n=100)
    kept = solved(Z, signs, weight, 30.0, squared, keep=True)
    monkeypatch.setattr(dual, "_parts", lambda rows, row_bytes: np.array_split(rows, 3))
    computed = solved(Z, signs, weight, 30.0, squared, keep=False, max_iter=500)
    assert computed.objective == pytest.approx(kept.objective, rel=1e-9)


@SQUARED
def test_a_large_problem_stops_at_the_tolerance(squared, monkeypatch):
    monkeypatch.setattr(dual, "_SMALL", 0)
    Z, signs, weight = problem(columns=2, n=400)
    found = solved(Z, signs, weight, 1.0, squared, tol=1e-4)
    least = sum(reference.hinge_minimum(Z, y, weight, 1.0, True, squared) for y in signs.T)
    assert found.converged
    assert found.objective <= least * (1 + 1e-3)
    warm = solved(Z, signs, weight, 1.0, squared, tol=1e-4, start=found)
    assert warm.n_iter == 0
    np.testing.assert_array_equal(warm.dual, found.dual)


def test_a_start_beyond_the_bounds_is_brought_back():
    """Dual variables are kept divided by alpha: those of a small penalty may not fit into the box of a large one."""
    Z, signs, weight = problem()
    first = solved(Z, signs, weight, 0.01, False)
    found = solved(Z, signs, weight, 10.0, False, start=first)
    assert found.objective == pytest.approx(solved(Z, signs, weight, 10.0, False).objective, rel=1e-9)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
def test_one_row_and_one_feature_have_a_closed_form(alpha):
    """max(0, 1 - w) + alpha/2 w^2 is least at min(1, 1/alpha), (1 - w)^2 + alpha/2 w^2 at 2 / (2 + alpha)."""
    one = np.ones((1, 1))
    hinge, squared = (solved(one, one, np.ones(1), alpha, kind, intercept=False).coef[0, 0] for kind in (False, True))
    assert hinge == pytest.approx(min(1.0, 1 / alpha), rel=1e-9)
    assert squared == pytest.approx(2 / (2 + alpha), rel=1e-9)


@SQUARED
def test_float32_features_reach_a_gap_of_their_precision(squared):
    Z, signs, weight = problem(columns=2)
    double, single = (
        solved(Z, signs, weight, 9.0, squared, tol=1e-5, max_iter=200, dtype=dtype) for dtype in (float, np.float32)
    )
    assert single.converged
    assert single.objective == pytest.approx(double.objective, rel=1e-4)


@SQUARED
def test_a_sweep_is_the_loop_written_out(squared):
    Z, signs, weight = problem(columns=3, n=25)
    loss, rng = Hinge(signs, weight, squared=squared), np.random.default_rng(1)
    active, order = rng.random(signs.shape) < 0.8, rng.permutation(25)
    squares = np.sum(Z**2, axis=1) + 1
    found, expected = ([np.zeros((25, 3)), np.zeros((3, 4)), np.zeros(3)] for _ in range(2))
    for sweep, state in ((dual_sweep, found), (reference.dual_sweep, expected)):
        of_rows = (signs, loss.targets, active, squares, loss.diagonal, weight, loss.upper, loss.share)
        sweep(Z, order, *of_rows, *state, 0.7, 1.0, 0, 2)
    for ours, theirs in zip(found, expected):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    assert not np.any(found[0][:, 2])


def test_parts_cover_all_rows_within_a_quarter_of_the_budget():
    index = np.arange(1000)
    with bo.config_context(memory=40_000):
        parts = dual._parts(index, 100)
    assert max(map(len, parts)) == 100
    np.testing.assert_array_equal(np.concatenate(parts), index)


def test_float32_features_end_where_rounding_begins():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 3)).astype(np.float32)
    model = bo.KernelClassifier(loss="squared_hinge", n_components=32, alpha=1.0, length_scale=2.0, random_state=0)
    assert model.fit(X, X[:, 0] > 0).n_iter_ < 1000  # 5,000 is the most that is allowed
