"""Classification problems: columns, folds, paths and cross-validation against their definitions."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import log_softmax

from bochner.solvers import ClassificationProblem, choose_penalty, default_penalties, out_of_fold_scores
from tests import reference
from tests.identity_features import stream_of
from tests.strategies import rows

LOSSES = pytest.mark.parametrize("loss", ["logistic", "hinge", "squared_hinge"])
SETTINGS = {"tol": 1e-9, "max_iter": 1000}


def problem(loss="logistic", n_classes=3, n=80, seed=0):
    rng = np.random.default_rng(seed)
    Z = rows(seed, n, 4)
    labels = np.argmax(Z @ rng.standard_normal((4, n_classes)) + rng.gumbel(size=(n, n_classes)), axis=1)
    labels[:n_classes] = np.arange(n_classes)
    weight = rng.integers(1, 4, n).astype(float)
    return ClassificationProblem(stream_of(Z), labels, weight, n_classes, loss, True, 0), Z


@pytest.mark.parametrize(("n_classes", "columns"), [(2, 1), (3, 3), (5, 5)])
def test_two_classes_share_one_column(n_classes, columns):
    asked, _ = problem(n_classes=n_classes)
    signs = asked.signs()
    assert signs.shape == (80, asked.n_columns) == (80, columns)
    positive = asked.labels[:, None] == (np.array([1]) if n_classes == 2 else np.arange(n_classes))
    np.testing.assert_array_equal(signs, np.where(positive, 1.0, -1.0))


def test_folds_are_a_partition_with_every_class_spread_evenly():
    asked, _ = problem(n=103)
    folds = asked.folds(5)
    np.testing.assert_array_equal(np.sort(np.concatenate([held for _, held in folds])), np.arange(103))
    for fitted, held in folds:
        np.testing.assert_array_equal(np.sort(np.concatenate([fitted, held])), np.arange(103))
    counts = np.array([np.bincount(asked.labels[held], minlength=3) for _, held in folds])
    assert np.all(np.ptp(counts, axis=0) <= 1)


@LOSSES
def test_a_fold_is_a_fit_to_its_rows_alone(loss):
    asked, Z = problem(loss)
    fitted, held = asked.folds(4)[0]
    weight = asked.weight_of(fitted)
    np.testing.assert_array_equal(weight[held], 0)
    alone = replace(asked, stream=stream_of(Z[fitted]), labels=asked.labels[fitted], weight=asked.weight[fitted])
    zeroed, separate = asked.solve(30.0, weight=weight, **SETTINGS), alone.solve(30.0, **SETTINGS)
    assert zeroed.objective == pytest.approx(separate.objective, rel=1e-8)
    np.testing.assert_allclose(zeroed.coef, separate.coef, atol=1e-3)
    np.testing.assert_allclose(asked.scores(zeroed, held), Z[held] @ zeroed.coef + zeroed.intercept, rtol=1e-12)


@LOSSES
def test_a_path_gives_the_solutions_of_its_penalties(loss):
    asked, _ = problem(loss)
    alphas = [10.0, 1.0, 0.1]
    for alpha, found in zip(alphas, asked.path(np.array(alphas), asked.weight, **SETTINGS), strict=True):
        alone = asked.solve(alpha, **SETTINGS)
        slack = max(alone.gap, found.gap) + 1e-12 * found.objective
        assert abs(found.objective - alone.objective) <= slack


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_held_out_loss_is_the_log_loss_or_the_share_of_errors(n_classes):
    for loss in ("logistic", "hinge", "squared_hinge"):
        asked, _ = problem(loss, n_classes)
        index = np.array([3, 50, 7, 20])
        scores = rows(5, 4, asked.n_columns)
        full, labels = reference.class_scores(scores), asked.labels[index]
        wrong = np.argmax(full, axis=1) != labels
        each = -log_softmax(full, axis=1)[np.arange(4), labels] if loss == "logistic" else wrong
        expected = np.average(each, weights=asked.weight[index])
        assert asked.held_out_loss(scores, index) == pytest.approx(expected, rel=1e-12)


def test_rows_without_weight_have_no_held_out_loss():
    asked, _ = problem()
    nothing = replace(asked, weight=np.zeros(80))
    assert nothing.held_out_loss(np.ones((2, 3)), np.array([0, 1])) == 0.0


def test_default_penalties_fall_by_half_decades_with_the_weight_of_the_rows():
    asked, _ = problem()
    penalties = default_penalties(asked)
    assert len(penalties) == 10
    np.testing.assert_allclose(penalties[1:] / penalties[:-1], 10**-0.5, rtol=1e-12)
    assert penalties[0] == pytest.approx(0.01 * asked.weight.sum(), rel=1e-14)


@LOSSES
def test_the_chosen_penalty_has_the_smallest_mean_loss_of_the_folds(loss):
    asked, _ = problem(loss)
    alphas, folds = np.array([10.0, 1000.0, 30.0, 300.0, 100.0]), asked.folds(3)
    chosen, falling, losses = choose_penalty(asked, alphas, folds, **SETTINGS)
    np.testing.assert_array_equal(falling, [1000, 300, 100, 30, 10])
    assert chosen == falling[np.argmin(losses.mean(axis=1))]
    for k, (fitted, held) in enumerate(folds):
        path = asked.path(falling, asked.weight_of(fitted), **SETTINGS)
        for found, loss_found in zip(path, losses[np.isfinite(losses[:, k]), k]):
            assert loss_found == pytest.approx(asked.held_out_loss(asked.scores(found, held), held), rel=1e-12)


def test_a_path_ends_after_two_penalties_that_are_worse():
    rng = np.random.default_rng(0)
    Z = rows(0, 60, 20)
    labels = (Z[:, 0] + 0.5 * rng.standard_normal(60) > 0).astype(int)
    asked = ClassificationProblem(stream_of(Z), labels, np.ones(60), 2, "logistic", True, 0)
    _, _, losses = choose_penalty(asked, 10.0 ** np.arange(3, -6, -1.0), asked.folds(2), **SETTINGS)
    assert np.all(np.isinf(losses[-1]))
    for column in losses.T:
        tried = column[np.isfinite(column)]
        assert tried[-2:].min() > tried.min()
        assert all(tried[i - 1 : i + 1].min() <= tried[: i + 1].min() for i in range(2, len(tried) - 1))


@LOSSES
def test_out_of_fold_scores_are_by_models_that_have_not_seen_the_rows(loss):
    asked, Z = problem(loss)
    folds, start = asked.folds(3), asked.solve(30.0, **SETTINGS)
    index, scores = out_of_fold_scores(asked, 30.0, folds, start, **SETTINGS)
    np.testing.assert_array_equal(np.sort(index), np.arange(80))
    at = 0
    for fitted, held in folds:
        model = asked.solve(30.0, weight=asked.weight_of(fitted), **SETTINGS)
        assert model.converged
        expected = Z[held] @ model.coef + model.intercept
        np.testing.assert_allclose(scores[at : at + len(held)], expected, atol=1e-3)
        at += len(held)
