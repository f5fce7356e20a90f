"""Ridge fits as functions of rows and settings: against the normal equations, for any solver, in any order of rows."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError, MemoryBudgetError
from bochner.fitting import Silent, add_rows, calibration_split, fit_ridge, left_out_rows, require_moments
from bochner.solvers import IterativeSolver
from bochner.statistics import identify
from tests import reference
from tests.fitting.known_features import ByMoments, ByProducts, ridge_settings, table
from tests.identity_features import rows_of

Z, Y, WEIGHT = table()


def assert_solves(fit, Z, Y, weight, alpha, intercept=True, tolerance=1e-9):
    coef, offset = reference.ridge(Z, Y, np.ones(len(Z)) if weight is None else weight, alpha, intercept)
    np.testing.assert_allclose(fit.solution.coef, coef, rtol=0, atol=tolerance)
    np.testing.assert_allclose(fit.solution.intercept, offset * intercept, rtol=0, atol=tolerance)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("solver", [None, IterativeSolver(tol=1e-12), ByProducts()], ids=["direct", "iterative", "own"])
def test_a_fit_solves_the_normal_equations(solver, weight, intercept):
    fit = fit_ridge(rows_of(Z, Y, weight), ridge_settings(0.7, solver, intercept=intercept))
    assert_solves(fit, Z, Y, weight, 0.7, intercept)
    assert fit.n_targets == 2
    assert fit.identity == identify(rows_of(Z, Y, weight))


def test_a_solver_of_moments_is_given_moments():
    fit = fit_ridge(rows_of(Z, Y, WEIGHT), ridge_settings(0.7, ByMoments()))
    assert_solves(fit, Z, Y, WEIGHT, 0.7)
    assert fit.moments.weight == WEIGHT.sum()


def test_a_solver_of_products_leaves_no_moments_to_add_rows_to():
    fit = fit_ridge(rows_of(Z, Y), ridge_settings(0.7, ByProducts()))
    assert fit.moments is None
    with pytest.raises(InvalidDataError, match="no moments"):
        require_moments(fit)


def test_a_criterion_that_the_solver_lacks_is_refused_by_name():
    with pytest.raises(InvalidParameterError, match=r"'alpha' parameter of Test.*a number for solver='ByMoments'"):
        fit_ridge(rows_of(Z, Y), ridge_settings("gcv", ByMoments()))


@pytest.mark.parametrize("solver", [None, IterativeSolver()], ids=["direct", "iterative"])
def test_the_bill_comes_before_the_fit(solver):
    with bo.config_context(memory="1kB"), pytest.raises(MemoryBudgetError, match=r"Lower n_components \(now 6\)"):
        fit_ridge(rows_of(Z, Y), ridge_settings(0.7, solver))


@pytest.mark.parametrize("cuts", [[1], [120], [1, 7, 199]])
def test_rows_added_in_parts_give_the_fit_of_all(cuts):
    settings, fit = ridge_settings(0.7), None
    for part in np.split(np.arange(len(Z)), cuts):
        weight = WEIGHT[part] + 1
        fit = add_rows(fit, rows_of(Z[part], Y[part], weight), settings, watch=Silent(), publish=lambda fit: None)
    assert_solves(fit, Z, Y, WEIGHT + 1, 0.7)
    assert fit.identity == identify(rows_of(Z, Y, WEIGHT + 1))


def test_added_rows_are_solved_with_the_penalty_of_the_last_settings():
    fit = add_rows(None, rows_of(Z, Y), ridge_settings(0.7), watch=Silent(), publish=lambda fit: None)
    fit = add_rows(fit, rows_of(Z, Y), ridge_settings(5.0), watch=Silent(), publish=lambda fit: None)
    assert_solves(fit, np.vstack([Z, Z]), np.vstack([Y, Y]), None, 5.0)


def test_calibration_rows_are_not_fitted_and_give_the_scores():
    weight = WEIGHT + 1
    fit = fit_ridge(rows_of(Z, Y, weight), ridge_settings(0.7, interval="conformal"))
    used, held = calibration_split(rows_of(Z, Y, weight), 0)
    assert held.n_rows == 20
    assert_solves(fit, Z, Y, used.sample_weight, 0.7)
    errors = np.abs(held.Y - held.X @ fit.solution.coef - fit.solution.intercept)
    np.testing.assert_allclose(
        fit.conformal.scores, np.sort(errors / fit.standard_deviations(held.X), axis=0), rtol=1e-9
    )


def test_a_share_of_the_rows_is_left_out_for_validation():
    solver = ByProducts()
    fit = fit_ridge(rows_of(Z, Y, WEIGHT), ridge_settings(0.7, solver, validation_fraction=0.1))
    index, weight = left_out_rows(0.1, len(Z), 0), WEIGHT.copy()
    weight[index] = 0
    assert len(np.unique(index)) == 20
    assert_solves(fit, Z, Y, weight, 0.7)
    assert fit.identity == identify(rows_of(Z, Y, weight))
    error = Y[index] - fit.solution.intercept - Z[index] @ fit.solution.coef
    expected = np.average(np.mean(error**2, axis=1), weights=WEIGHT[index])
    assert solver.context_.validation(fit.solution.coef, fit.solution.intercept) == pytest.approx(expected, rel=1e-9)


def test_left_out_rows_are_a_share_and_no_more_than_4096():
    assert len(left_out_rows(0.25, 10, 0)) == 3
    assert len(np.unique(left_out_rows(0.5, 100_000, 0))) == 4096
    assert not np.array_equal(left_out_rows(0.5, 100, 0), left_out_rows(0.5, 100, 1))


def test_the_first_published_state_is_empty_and_the_last_is_the_fit():
    states = []
    fit = fit_ridge(rows_of(Z, Y), ridge_settings(0.7), publish=lambda fit: states.append((fit, fit.moments.n_rows)))
    assert (states[0][1], states[-1][1]) == (0, len(Z))
    assert states[-1][0] is fit
    assert states[0][0].moments is fit.moments


class Interrupting:
    """Raises after so many rows."""

    def __init__(self, most):
        self.most, self.seen = most, 0

    def begin(self, n_blocks):
        return self._on_block, lambda: None

    def _on_block(self, n_rows):
        self.seen += n_rows
        if self.seen >= self.most:
            raise KeyboardInterrupt
        return False


def test_what_an_interrupted_fit_has_published_is_the_model_of_the_rows_so_far():
    states, watch = [], Interrupting(60)
    with bo.config_context(n_threads=4), pytest.raises(KeyboardInterrupt):
        fit_ridge(rows_of(Z, Y), ridge_settings(0.7), watch=watch, publish=states.append)
    seen = states[-1].moments.n_rows
    assert 0 < seen < len(Z)
    assert_solves(states[-1], Z[:seen], Y[:seen], None, 0.7)
