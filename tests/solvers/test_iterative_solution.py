"""What an iterative solution says of its way: the ending, its remedy, and error bars without moments."""

from dataclasses import replace

import numpy as np
import pytest

from bochner.solvers import Ending, solve_ridge_iteratively
from bochner.statistics import StreamedNormal
from tests.identity_features import identity_map, rows_of
from tests.strategies import rows

Z, Y = rows(0, 300, 8), rows(1, 300, 2)


@pytest.fixture(scope="module")
def solution():
    operator = StreamedNormal(rows_of(Z, Y), identity_map(8), fit_intercept=True)
    return solve_ridge_iteratively(operator, alpha=0.5, tol=1e-9)


def test_a_converged_solution_has_no_status(solution):
    assert solution.ending is Ending.CONVERGED
    assert solution.converged
    assert solution.status is None
    assert solution.residuals[-1].max() <= 1e-9


@pytest.mark.parametrize("ending", Ending)
def test_only_endings_short_of_the_tolerance_have_a_status_with_the_remedy(solution, ending):
    found = replace(solution, outcome=ending.name, residuals=np.array([[1.0, 1.0], [0.02, 0.5]]), n_iter=1)
    assert found.ending is ending
    assert found.converged == (ending in (Ending.CONVERGED, Ending.SETTLED))
    if ending in (Ending.MAX_ITER, Ending.ROUNDING, Ending.PRECISION):
        assert found.status == f"{ending.value} Relative residual 5.0e-01 after 1 iterations."
        assert "Raise" in found.status
    else:
        assert found.status is None


def test_the_general_names_are_those_of_the_iterations(solution):
    assert solution.iterations == solution.n_iter
    assert solution.residual_history is solution.residuals
    assert len(solution.residuals) == solution.n_iter + 1
    assert solution.condition_numbers == solution.condition


def test_error_bars_and_degrees_of_freedom_need_no_moments(solution):
    """All 300 rows are in the preconditioner, so that both are exact."""
    mean = Z.mean(axis=0)
    inverse = np.linalg.inv((Z - mean).T @ (Z - mean) + 0.5 * np.eye(8))
    new = rows(2, 9, 8)
    expected = 1 + 1 / 300 + np.einsum("ij,jk,ik->i", new - mean, inverse, new - mean)
    np.testing.assert_allclose(solution.spread_of(None, fit_intercept=True).of(new), expected, rtol=1e-6)
    assert solution.dof_of(None, fit_intercept=True) == pytest.approx(9 - 0.5 * np.trace(inverse), rel=1e-6)
