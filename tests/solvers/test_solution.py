"""Solutions of ridge regression: what every one answers, and what only some of them know."""

from dataclasses import dataclass

import numpy as np
import pytest

from bochner.errors import AssumptionError
from bochner.solvers import RidgeSolution, Solution, solve_ridge
from bochner.statistics import Moments
from tests.strategies import rows

Z, Y = rows(0, 60, 4) + 1, rows(1, 60, 2)
MOMENTS = Moments.empty(4, 2).update(Z, Y)


@dataclass(frozen=True)
class Least(Solution):
    """The least that a solution has."""

    def dof_of(self, moments, *, fit_intercept):
        return 1.0

    def spread_of(self, moments, *, fit_intercept):
        return None


def test_a_new_solution_has_the_answers_of_a_direct_one():
    solution = Least(1.0, np.zeros((4, 2)), np.zeros(2), np.ones(2), float("nan"))
    assert solution.iterations == 1
    assert solution.residual_history is None
    assert solution.condition_numbers is None
    assert solution.status is None
    assert (solution.path, solution.loo, solution.raised, solution.at_floor) == (None, None, False, False)


def test_a_solution_without_error_bars_is_none():
    with pytest.raises(TypeError, match="abstract"):
        Solution(1.0, np.zeros((4, 2)), np.zeros(2), np.ones(2), 0.0)


@pytest.mark.parametrize("intercept", [True, False])
def test_degrees_of_freedom_and_spread_come_from_the_moments(intercept):
    solution = solve_ridge(MOMENTS, fit_intercept=intercept, alpha=0.5)
    mean = Z.mean(axis=0) * intercept
    G = (Z - mean).T @ (Z - mean)
    inverse = np.linalg.inv(G + 0.5 * np.eye(4))
    assert solution.dof_of(MOMENTS, fit_intercept=intercept) == pytest.approx(np.trace(G @ inverse) + intercept)
    new = rows(2, 9, 4)
    expected = 1 + intercept / 60 + np.einsum("ij,jk,ik->i", new - mean, inverse, new - mean)
    np.testing.assert_allclose(solution.spread_of(MOMENTS, fit_intercept=intercept).of(new), expected, rtol=1e-9)


def test_a_direct_solution_without_moments_says_what_it_lacks():
    solution = solve_ridge(MOMENTS, fit_intercept=True, alpha=0.5)
    assert isinstance(solution, RidgeSolution)
    for ask in (solution.dof_of, solution.spread_of):
        with pytest.raises(AssumptionError, match="need the moments"):
            ask(None, fit_intercept=True)
