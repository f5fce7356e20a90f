"""The Cholesky factor of G + alpha I against dense linear algebra, and the penalty it raises if it must."""

import numpy as np
import pytest

from bochner.solvers import RidgeProblem, factorise
from bochner.statistics import Moments
from tests.solvers.problems import full_gram, ridge_problem
from tests.strategies import rows


@pytest.mark.parametrize("D", [1, 2, 70])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1e6])
def test_a_factor_is_that_of_the_shifted_matrix(D, alpha):
    Z, _, problem = ridge_problem(0, 200, D)
    shifted = full_gram(problem) + alpha * np.eye(D)
    factor = factorise(problem, alpha)
    assert factor.alpha == alpha
    np.testing.assert_allclose(np.triu(factor.upper).T @ np.triu(factor.upper), shifted, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(shifted @ factor.solve(problem.cross), problem.cross, rtol=1e-9, atol=1e-9)
    norms = np.einsum("ij,ij->i", Z, np.linalg.solve(shifted, Z.T).T)
    np.testing.assert_allclose(factor.squared_norms(Z.astype(np.float32)), norms, rtol=1e-5)
    np.testing.assert_allclose(factor.squared_norms(Z), norms, rtol=1e-10)
    assert factor.trace_of_inverse() == pytest.approx(np.trace(np.linalg.inv(shifted)), rel=1e-10)
    assert factor.log_det() == pytest.approx(np.linalg.slogdet(shifted)[1], rel=1e-11)


def test_only_the_lower_triangle_is_read_and_nothing_is_changed():
    _, _, problem = ridge_problem(1, 50, 8)
    problem.gram[np.triu_indices(8, 1)] = np.nan
    before = problem.gram.copy()
    assert np.all(np.isfinite(factorise(problem, 1.0).solve(problem.cross)))
    np.testing.assert_array_equal(problem.gram, before)


def test_a_singular_matrix_raises_the_penalty_to_the_noise_floor():
    Z = np.repeat(rows(0, 40, 3), 3, axis=1)  # every feature three times
    problem = RidgeProblem.from_moments(Moments.empty(9, 1).update(Z, np.ones((40, 1))), True)
    factor = factorise(problem, 0.0)
    assert problem.noise_floor() <= factor.alpha <= 1e4 * problem.noise_floor()


def test_features_that_are_all_zero_still_have_a_factor():
    problem = RidgeProblem.from_moments(Moments.empty(3, 1).update(np.zeros((5, 3)), np.ones((5, 1))), True)
    factor = factorise(problem, 0.0)
    assert factor.alpha > 0
    np.testing.assert_array_equal(factor.solve(problem.cross), 0)
