"""Fitted ridge models: predictions, error bars, intervals and degrees of freedom by their formulas."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from bochner.features import TransformerMap
from bochner.fitting import ConformalScores, fit_ridge, ridge_model
from bochner.solvers import DirectSolver, IterativeSolver
from tests import reference
from tests.fitting.known_features import ByProducts, ridge_settings, table
from tests.identity_features import Identity, rows_of
from tests.strategies import rows

Z, Y, WEIGHT = table()
NEW = rows(9, 2500, 6)  # more than are mapped at a time


def fitted(alpha=0.7, solver=None, intercept=True, dtype=float, **options):
    return fit_ridge(rows_of(Z, Y, WEIGHT, dtype), ridge_settings(alpha, solver, intercept=intercept, **options))


def spread(Z, w, alpha, intercept, new):
    """1 + (z - zbar)'(G + alpha)^-1 (z - zbar) + 1/n, the centring and the last term for an intercept."""
    mean = w @ Z / w.sum() if intercept else np.zeros(Z.shape[1])
    G = ((Z - mean) * w[:, None]).T @ (Z - mean) + alpha * np.eye(Z.shape[1])
    quadratic = np.einsum("ij,ij->i", new - mean, np.linalg.solve(G, (new - mean).T).T)
    return 1 + quadratic + intercept / w.sum()


def likelihood_noise(Z, Y, w, alpha, intercept):
    """(RSS + alpha ||w||^2) / (n - 1), or over n without an intercept."""
    coef, offset = reference.ridge(Z, Y, w, alpha, intercept)
    residual = w @ (Y - Z @ coef - offset * intercept) ** 2
    return (residual + alpha * np.sum(coef**2, axis=0)) / (w.sum() - intercept)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_response_is_linear_in_the_features(intercept):
    coef, offset = reference.ridge(Z, Y, WEIGHT, 0.7, intercept)
    found = fitted(intercept=intercept).response()(NEW)
    np.testing.assert_allclose(found, NEW @ coef + offset * intercept, atol=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
def test_standard_deviations_are_their_formula(intercept):
    noise = likelihood_noise(Z, Y, WEIGHT, 0.7, intercept)
    expected = np.sqrt(np.outer(spread(Z, WEIGHT, 0.7, intercept, NEW), noise))
    np.testing.assert_allclose(fitted(intercept=intercept).standard_deviations(NEW), expected, rtol=1e-9)


def test_all_rows_in_the_preconditioner_give_the_same_error_bars():
    """With every row in its subsample, the iterative solver knows G exactly; its noise rests on its tolerance."""
    found = fitted(solver=IterativeSolver(tol=1e-12)).standard_deviations(NEW)
    np.testing.assert_allclose(found, fitted().standard_deviations(NEW), rtol=1e-6)


class Landmarks(TransformerMap):
    """A map that leaves a variance unexplained."""

    def unseen_variance(self, X, Z, alpha):
        return X[:, 0] ** 2 / alpha


def test_what_a_map_leaves_unexplained_is_added_to_the_variance():
    fit = fitted()
    blind = replace(fit, feature_map=Landmarks(Identity(), 6))
    added = blind.standard_deviations(NEW) ** 2 - fit.standard_deviations(NEW) ** 2
    np.testing.assert_allclose(added, np.outer(NEW[:, 0] ** 2 / 0.7, fit.solution.noise_variance), rtol=0, atol=1e-9)


def test_no_rows_have_no_deviations():
    assert fitted().standard_deviations(NEW[:0]).shape == (0, 2)
    assert fitted().response()(NEW[:0]).shape == (0, 2)


@pytest.mark.parametrize("intercept", [True, False])
def test_degrees_of_freedom_are_the_trace(intercept):
    mean = WEIGHT @ Z / WEIGHT.sum() if intercept else np.zeros(6)
    eigenvalues = np.linalg.eigvalsh(((Z - mean) * WEIGHT[:, None]).T @ (Z - mean))
    expected = np.sum(eigenvalues / (eigenvalues + 0.7)) + intercept
    assert fitted(intercept=intercept).dof == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [0.1, 0.9, 0.999])
def test_intervals_are_normal_or_by_the_scores(level):
    fit, one = fitted(), np.ones((1, 2))
    np.testing.assert_allclose(fit.half_widths(one, level), norm.isf((1 - level) / 2) * one, rtol=1e-9)
    scores = ConformalScores(np.sort(np.abs(rows(3, 99, 2)), axis=0))
    found = replace(fit, conformal=scores).half_widths(one, level)
    np.testing.assert_array_equal(found[0], scores.factor(level))


def test_a_model_without_a_solution_solves_when_it_is_asked():
    fit = fitted()
    later = replace(fit, found=None)
    np.testing.assert_array_equal(later.solution.coef, fit.solution.coef)
    assert later.solution is later.solution


def test_leave_one_out_without_the_rows_becomes_gcv():
    fit = fitted("loo")
    later = replace(fit, found=None)
    assert later.solution.alpha == pytest.approx(fitted("gcv").solution.alpha, rel=1e-9)


def test_precision_is_that_of_the_products():
    assert fitted().precision == np.float64
    assert fitted(1.0, dtype=np.float32).precision == np.float32
    assert fitted(1.0, ByProducts(), dtype=np.float32).precision == np.float32


def test_predictions_have_the_float_type_of_the_rows():
    for dtype in (np.float32, np.float64):
        assert fitted().response()(NEW.astype(dtype)).dtype == dtype
        assert fitted().standard_deviations(NEW.astype(dtype)).dtype == dtype


def test_a_model_without_moments_knows_targets_and_rows_by_its_solution():
    direct, other = fitted(solver=DirectSolver()), fitted(solver=ByProducts())
    assert (other.moments, other.n_targets) == (None, 2)
    assert other.identity == direct.identity


def test_a_small_factor_of_error_bars_is_kept_but_not_pickled(monkeypatch):
    """A row costs O(D^2) then; added rows make a new value, and a factor above the limit is computed every time."""
    model = fitted()
    before = pickle.dumps(model)
    assert model.spread is model.spread
    assert len(pickle.dumps(model)) == len(before)
    assert replace(model).spread is not model.spread
    monkeypatch.setattr(ridge_model, "_KEPT_SPREAD", 8)
    large = fitted()
    assert large.spread is not large.spread
    np.testing.assert_array_equal(large.standard_deviations(NEW), model.standard_deviations(NEW))
