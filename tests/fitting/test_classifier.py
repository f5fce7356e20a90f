"""Classifiers as functions of rows, labels and settings: against SciPy's minimum of the dense problem."""

import numpy as np
import pytest
from scipy.optimize import minimize

import bochner as bo
from bochner.data import scan_blocks
from bochner.errors import InvalidDataError, MemoryBudgetError
from bochner.fitting import Labels, add_labelled_rows, fit_classifier
from bochner.statistics import identify
from tests import reference
from tests.fitting.known_features import classifier_settings as settings
from tests.identity_features import rows_of
from tests.strategies import rows

N, D = 150, 4
Z = rows(0, N, D) + 0.3
WEIGHT = np.random.default_rng(1).integers(0, 3, N).astype(float)
SCORES = Z @ rows(2, D, 3) + rows(3, N, 3)


def labels(n_classes, weight=None):
    return Labels(np.argmax(SCORES[:, :n_classes], axis=1), np.ones(N) if weight is None else weight, n_classes)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_logistic_fit_is_the_minimum_of_the_objective(n_classes, weight, intercept):
    known = labels(n_classes, weight)
    fit = fit_classifier(rows_of(Z), known, settings(fit_intercept=intercept))
    columns = 1 if n_classes == 2 else n_classes
    coef, _ = reference.logistic_minimum(Z, known.labels, known.weight, 1.0, columns, intercept)
    np.testing.assert_allclose(fit.solution.coef, coef, atol=1e-4)
    scores = Z @ fit.solution.coef + fit.solution.intercept
    np.testing.assert_allclose(fit.response()(Z), scores, atol=1e-9)
    in_coef, in_offset = reference.logistic_gradient(
        Z, known.labels, known.weight, 1.0, fit.solution.coef, fit.solution.intercept
    )
    assert np.abs(in_coef).max() < 1e-4
    assert not intercept or np.abs(in_offset).max() < 1e-4
    assert intercept or not np.any(fit.solution.intercept)
    assert fit.row_identity == identify(rows_of(Z), known.labels, known.weight)


@pytest.mark.parametrize("squared", [True, False])
def test_a_hinge_fit_reaches_the_least_objective(squared):
    Z60, weight = Z[:60], WEIGHT[:60]
    known = Labels(labels(2).labels[:60], weight, 2)
    loss = "squared_hinge" if squared else "hinge"
    fit = fit_classifier(rows_of(Z60), known, settings(loss=loss, tol=1e-6, max_iter=2000))
    signs = np.where(known.labels == 1, 1.0, -1.0)
    least = reference.hinge_minimum(Z60, signs, weight, 1.0, True, squared)
    coef, offset = fit.solution.coef[:, 0], fit.solution.intercept[0]
    assert reference.hinge_objective(Z60, signs, weight, 1.0, coef, offset, squared) == pytest.approx(least, rel=1e-4)


def test_the_penalty_is_the_best_of_the_folds():
    alphas = np.array([1e-3, 1.0, 1e4])
    fit = fit_classifier(rows_of(Z), labels(3), settings(alpha=None, alphas=alphas))
    np.testing.assert_array_equal(fit.alphas, alphas[::-1])
    assert fit.cv_losses.shape == (3, 3)
    assert fit.alpha == fit.alphas[np.argmin(fit.cv_losses.mean(axis=1))] != 1e4
    given = fit_classifier(rows_of(Z), labels(3), settings(alpha=fit.alpha))
    np.testing.assert_allclose(fit.solution.coef, given.solution.coef, atol=1e-6)
    assert given.alphas is None


def test_held_out_losses_are_those_of_fits_without_the_fold():
    fold = np.arange(N) % 2 == 0
    folds = [(np.flatnonzero(fold), np.flatnonzero(~fold))]
    fit = fit_classifier(rows_of(Z), labels(2), settings(None, alphas=np.array([1.0]), folds=lambda problem: folds))
    y = labels(2).labels
    coef, offset = reference.logistic_minimum(Z[fold], y[fold], np.ones(fold.sum()), 1.0, 1, True)
    left_out = reference.logistic_objective(Z[~fold], y[~fold], np.ones((~fold).sum()), 0.0, coef, offset)
    assert fit.cv_losses[0, 0] == pytest.approx(left_out / (~fold).sum(), abs=2e-3)


def test_probabilities_of_a_hinge_loss_are_calibrated_on_request():
    known = labels(2)
    plain = fit_classifier(rows_of(Z), known, settings(loss="hinge", tol=1e-6))
    wanted = fit_classifier(rows_of(Z), known, settings(loss="hinge", tol=1e-6, probability=True))
    assert plain.inverse_temperature == 1
    assert wanted.inverse_temperature != 1
    np.testing.assert_array_equal(plain.solution.coef, wanted.solution.coef)
    scores = wanted.response()(Z)

    def log_loss(factor):
        return reference.logistic_objective(scores, known.labels, np.ones(N), 0.0, np.array([[factor]]), np.zeros(1))

    assert log_loss(wanted.inverse_temperature) < log_loss(1.0)


def first_and_rest(n_classes, cut=80):
    known = labels(n_classes, WEIGHT + 1)
    return [
        (rows_of(Z[part]), Labels(known.labels[part], known.weight[part], n_classes))
        for part in (slice(0, cut), slice(cut, N))
    ]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_first_labelled_rows_are_fitted_as_ever(n_classes):
    source, known = first_and_rest(n_classes)[0]
    added, fit = add_labelled_rows(None, source, known, settings()), fit_classifier(source, known, settings())
    np.testing.assert_allclose(added.solution.coef, fit.solution.coef, atol=1e-6)
    assert added.row_identity is None


def curvature(source, known, solution):
    """sum_i s_i mean_c p_ic (1 - p_ic) (z_i, 1)(z_i, 1)', row by row."""
    scores = reference.class_scores(source.X @ solution.coef + solution.intercept)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    total = np.zeros((D + 1, D + 1))
    for z, row, weight in zip(np.column_stack([source.X, np.ones(len(source.X))]), p, known.weight):
        total += weight * np.mean(row * (1 - row)) * np.outer(z, z)
    return total


@pytest.mark.parametrize("n_classes", [2, 3])
def test_earlier_rows_are_kept_as_their_solution_and_curvature(n_classes):
    (source, known), _ = first_and_rest(n_classes)
    fit = add_labelled_rows(None, source, known, settings(2.0))
    np.testing.assert_array_equal(fit.prior.centre, np.vstack([fit.solution.coef, fit.solution.intercept]))
    ridge = np.diag([2.0] * D + [0.0])
    np.testing.assert_allclose(fit.prior.matrix, ridge + curvature(source, known, fit.solution), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_added_labelled_rows_minimise_their_loss_and_the_distance_to_the_earlier_solution(n_classes):
    (source, known), (others, other_labels) = first_and_rest(n_classes)
    before = add_labelled_rows(None, source, known, settings())
    after = add_labelled_rows(before, others, other_labels, settings())
    centre, matrix = before.prior.centre, before.prior.matrix

    def objective(theta):
        theta = theta.reshape(centre.shape)
        loss = reference.logistic_objective(
            others.X, other_labels.labels, other_labels.weight, 0.0, theta[:-1], theta[-1]
        )
        return loss + 0.5 * np.sum((theta - centre) * (matrix @ (theta - centre)))

    found = np.vstack([after.solution.coef, after.solution.intercept])
    least = minimize(objective, centre.ravel(), method="BFGS", options={"gtol": 1e-7}).fun
    assert objective(found) == pytest.approx(least, rel=1e-8)
    assert after.n_rows == N - 80


def test_the_bill_comes_before_the_fit():
    with bo.config_context(memory="1kB"), pytest.raises(MemoryBudgetError, match=r"n_components \(now 4\)"):
        fit_classifier(rows_of(Z), labels(2), settings())


def test_a_hinge_loss_needs_rows_at_hand(monkeypatch):
    monkeypatch.setattr("bochner.statistics.feature_stream.can_be_kept", lambda size: False)
    stream = scan_blocks([Z])
    known = labels(2)
    with pytest.raises(InvalidDataError, match="visits rows in random order"):
        fit_classifier(stream, known, settings(loss="hinge"))
    assert fit_classifier(stream, known, settings()).solution.converged
