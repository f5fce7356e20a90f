"""The ridge path by reduction to band form, at the edges of its blocks of 64."""

import numpy as np
import pytest

from bochner.solvers import BandedRidge
from tests.solvers.problems import full_gram, ridge_problem

EDGES = [1, 2, 63, 64, 65, 127, 128, 129, 200]


@pytest.mark.parametrize("D", EDGES)
def test_a_point_and_a_solution_are_those_of_the_dense_matrix(D):
    _, _, problem = ridge_problem(0, 300, D)
    shifted = full_gram(problem) + 2.5 * np.eye(D)
    coef = np.linalg.solve(shifted, problem.cross)
    solver = BandedRidge(problem)
    point = solver.point(2.5)
    np.testing.assert_allclose(solver.solve(2.5), coef, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(point.penalty, np.sum(coef**2, axis=0), rtol=1e-9)
    rest = problem.energy - np.sum(coef * (problem.cross + 2.5 * coef), axis=0)
    np.testing.assert_allclose(point.residual, rest, rtol=1e-9)
    assert point.dof == pytest.approx(D - 2.5 * np.trace(np.linalg.inv(shifted)) + 1, rel=1e-10)
    assert point.log_det == pytest.approx(np.linalg.slogdet(shifted)[1], rel=1e-11)


def test_the_problem_is_left_as_it_was():
    _, _, problem = ridge_problem(1, 90, 70)
    before = problem.gram.copy(), problem.cross.copy()
    BandedRidge(problem).solve(1.0)
    np.testing.assert_array_equal(problem.gram, before[0])
    np.testing.assert_array_equal(problem.cross, before[1])


@pytest.mark.parametrize("D", [3, 70, 130])
def test_a_matrix_that_is_not_definite_has_no_point_and_a_named_error(D):
    _, _, problem = ridge_problem(2, 200, D)
    solver = BandedRidge(problem)
    below = -1.5 * float(np.linalg.eigvalsh(full_gram(problem))[0])
    assert solver.point(below) is None
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite at alpha = -"):
        solver.solve(below)


def test_numbers_that_are_not_finite_have_no_point():
    _, _, problem = ridge_problem(3, 90, 70)
    problem.gram[5, 5] = np.nan
    assert BandedRidge(problem).point(1.0) is None
