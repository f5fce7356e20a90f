"""Logistic and hinge losses: values by definition, derivatives by differences, duals by Fenchel's inequality."""

import numpy as np
import pytest

from bochner.solvers.losses import Hinge, Logistic
from tests import reference
from tests.strategies import rows

N = 12


def logistic(columns, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, max(columns, 2), N)
    return Logistic(labels, rng.integers(0, 4, N).astype(float)), 3 * rows(seed, N, columns)


@pytest.mark.parametrize("columns", [1, 3, 7])
def test_the_logistic_loss_is_minus_the_log_of_the_probability_of_the_label(columns):
    loss, scores = logistic(columns)
    full = np.exp(reference.class_scores(scores))
    expected = -np.log(full[np.arange(N), loss.labels] / full.sum(axis=1))
    np.testing.assert_allclose(loss.losses(scores), expected, rtol=1e-12, atol=1e-14)
    assert loss.value(scores) == pytest.approx(loss.weight @ expected, rel=1e-13)
    probabilities = loss.probabilities(scores)
    np.testing.assert_allclose(probabilities, (full / full.sum(axis=1, keepdims=True))[:, -columns:], rtol=1e-12)


@pytest.mark.parametrize("columns", [1, 3])
def test_the_gradient_and_the_curvature_are_derivatives(columns):
    loss, scores = logistic(columns)
    direction = rows(1, N, columns)
    slope = reference.derivative(loss.value, scores, direction)
    assert np.sum(loss.gradient(scores) * direction) == pytest.approx(slope, rel=1e-8, abs=1e-8)
    bend = reference.derivative(loss.gradient, scores, direction)
    product = loss.weight[:, None] * loss.curvature_product(loss.probabilities(scores), direction)
    np.testing.assert_allclose(product, bend, atol=1e-8)
    part = slice(3, 8)
    np.testing.assert_array_equal(loss.gradient(scores[part], part), loss.gradient(scores)[part])


def test_one_column_is_two_columns_of_which_the_first_is_zero():
    loss, scores = logistic(1)
    both = reference.class_scores(scores)
    np.testing.assert_allclose(loss.losses(scores), loss.losses(both), rtol=1e-13)
    np.testing.assert_allclose(loss.gradient(scores), loss.gradient(both)[:, 1:], rtol=1e-12, atol=1e-15)


def test_certain_scores_overflow_nowhere():
    loss = Logistic(np.array([0, 1]), np.ones(2))
    scores = np.array([[800.0], [800.0]])
    np.testing.assert_array_equal(loss.losses(scores), [800.0, 0.0])
    np.testing.assert_array_equal(loss.gradient(scores), [[1.0], [0.0]])
    wide = Logistic(np.array([2]), np.ones(1))
    np.testing.assert_array_equal(wide.losses(np.array([[1e5, 0.0, -1e5]])), [2e5])


@pytest.mark.parametrize("squared", [False, True])
def test_a_weight_counts_copies_of_a_row(squared):
    copies = np.array([2, 0, 1, 3])
    scores, labels = rows(0, 4, 1), np.array([0, 1, 1, 0])
    signs = np.where(labels == 1, 1.0, -1.0)[:, None]
    again = np.repeat(np.arange(4), copies)
    weighted = Logistic(labels, copies.astype(float)).value(scores)
    assert weighted == pytest.approx(Logistic(labels[again], np.ones(6)).value(scores[again]), rel=1e-14)
    weighted = Hinge(signs, copies.astype(float), squared=squared).value(scores)
    np.testing.assert_allclose(weighted, Hinge(signs[again], np.ones(6), squared=squared).value(scores[again]))


@pytest.mark.parametrize("squared", [False, True])
def test_the_hinge_loss_is_its_definition(squared):
    signs, weight, scores = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([2.0, 0.5]), np.array([[0.3, 2.0], [2.0, 3]])
    violation = np.array([[0.7, 3.0], [3.0, 0.0]])
    value = Hinge(signs, weight, squared=squared).value(scores)
    np.testing.assert_allclose(value, weight @ violation ** (2 if squared else 1), rtol=1e-14)


@pytest.mark.parametrize("squared", [False, True])
def test_the_dual_touches_the_loss_from_below(squared):
    """s loss(m) >= beta (1 - m) - diagonal beta^2 / 2 for every feasible beta, with equality at minus its slope."""
    rng = np.random.default_rng(0)
    weight, margins = rng.uniform(0.1, 3, 50), rng.uniform(-3, 3, 50)
    loss = Hinge(np.ones((50, 1)), weight, squared=squared)
    own = weight * np.maximum(0, 1 - margins) ** (2 if squared else 1)

    def below(beta):
        return beta * (1 - margins) - loss.diagonal * beta**2 / 2

    for share in np.linspace(0, 1, 11):
        beta = share * (10 * weight if squared else loss.upper)
        assert np.all(below(beta) <= own + 1e-12)
        assert loss.dual_value(beta[:, None])[0] == pytest.approx(np.sum(below(beta) + beta * margins), rel=1e-12)
    best = 2 * weight * np.maximum(0, 1 - margins) if squared else weight * (margins < 1)
    np.testing.assert_allclose(below(best), own, rtol=1e-12)


@pytest.mark.parametrize("squared", [False, True])
def test_rows_without_weight_have_no_room_in_the_dual(squared):
    loss = Hinge(np.ones((3, 1)), np.array([0.0, 1.0, 0.0]), squared=squared)
    assert loss.upper[0] == loss.upper[2] == 0
    assert np.all(np.isfinite(loss.diagonal))


@pytest.mark.parametrize("columns", [1, 3])
def test_a_loss_next_to_zero_is_not_rounded_to_zero(columns):
    labels = np.array([max(columns - 1, 1)])
    scores = np.zeros((1, columns))
    scores[0, -1] = 60.0
    others = 1 if columns == 1 else columns - 1
    found = Logistic(labels, np.ones(1)).losses(scores)[0]
    assert found == pytest.approx(others * np.exp(-60.0), rel=1e-12)


def test_scores_in_blocks_have_the_losses_of_all_at_once(monkeypatch):
    loss, scores = logistic(7)
    whole = loss.losses(scores), loss.gradient(scores), loss.probabilities(scores)
    monkeypatch.setattr("bochner.solvers.losses._IN_CACHE", 1)
    for one, all_ in zip((loss.losses(scores), loss.gradient(scores), loss.probabilities(scores)), whole):
        np.testing.assert_array_equal(one, all_)
