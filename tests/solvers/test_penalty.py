"""Quadratic penalties: value, gradient and Hessian belong together, and rows can be carried over as a penalty."""

import numpy as np
import pytest

from bochner.solvers import LinearSolution, QuadraticPenalty
from tests import reference
from tests.strategies import rows

D, K = 4, 2


def positive(seed):
    A = rows(seed, 2 * D, D + 1)
    return A.T @ A


PENALTIES = [QuadraticPenalty(0.7), QuadraticPenalty(0.7, rows(3, D + 1, K), positive(4))]


@pytest.mark.parametrize("penalty", PENALTIES, ids=["ridge", "carried over"])
def test_gradient_and_product_are_derivatives(penalty):
    theta, direction = rows(0, D + 1, K), rows(1, D + 1, K)
    slope = reference.derivative(penalty.value, theta, direction)
    assert np.sum(penalty.gradient(theta) * direction) == pytest.approx(slope, rel=1e-8)
    np.testing.assert_allclose(
        penalty.product(direction), reference.derivative(penalty.gradient, theta, direction), rtol=1e-7
    )


def test_a_ridge_leaves_the_intercept_alone():
    theta = rows(0, D + 1, K)
    penalty = QuadraticPenalty(0.7)
    assert penalty.value(theta) == pytest.approx(0.35 * np.sum(theta[:-1] ** 2), rel=1e-14)
    np.testing.assert_array_equal(penalty.gradient(theta)[-1], 0)


@pytest.mark.parametrize("penalty", PENALTIES, ids=["ridge", "carried over"])
def test_rows_carried_over_add_their_curvature_around_their_solution(penalty):
    theta, curvature, direction = rows(5, D + 1, K), positive(6), rows(7, D + 1, K)
    solution = LinearSolution(theta[:-1], theta[-1], 0.0, 0.0, 1, True)
    updated = penalty.updated(solution, curvature)
    assert updated.alpha == penalty.alpha
    assert updated.value(theta) == 0
    np.testing.assert_allclose(updated.product(direction), penalty.product(direction) + curvature @ direction)
