"""Exact kernel ridge by Cholesky factors, against dense formulas and refits."""

import numpy as np
import pytest

import bochner as bo
from bochner.features.nystroem import KernelMap
from bochner.solvers import KernelMatrix
from bochner.solvers.kernel_solution import KernelSolution
from tests.strategies import rows

KERNEL = bo.Matern(1.3, nu=1.5)


def problem(n=40, weighted=False):
    X, Y = rows(0, n, 3), rows(1, n, 2) + 2
    weight = np.random.default_rng(2).uniform(0.3, 3, n) if weighted else np.ones(n)
    return X, Y, weight


def reference(X, Y, weight, alpha, intercept):
    """Coefficients and intercept of the bordered system."""
    n = len(X)
    C = KERNEL(X) + alpha * np.diag(1 / weight)
    border = np.ones((n, 1)) if intercept else np.empty((n, 0))
    system = np.block([[C, border], [border.T, np.zeros((border.shape[1],) * 2)]])
    solved = np.linalg.solve(system, np.vstack([Y, np.zeros((border.shape[1], Y.shape[1]))]))
    return solved[:n], solved[n] if intercept else np.zeros(Y.shape[1])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_solution_is_that_of_the_bordered_system_at_every_penalty(weighted, intercept):
    X, Y, weight = problem(700, weighted)  # more than one block of the mirrored triangle
    matrix = KernelMatrix(KernelMap(KERNEL, X), weight, intercept)
    for alpha in (0.3, 1e-3, 5.0):  # one after the other in the same memory
        found, expected = matrix.factorised(alpha).solve(Y), reference(X, Y, weight, alpha, intercept)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-6, atol=1e-8 / alpha)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_leave_one_out_errors_are_those_of_refits(weighted, intercept):
    X, Y, weight = problem(weighted=weighted)
    equations = KernelMatrix(KernelMap(KERNEL, X), weight, intercept).factorised(0.1)
    removed = np.where(np.arange(25, 40) % 2, weight[25:], np.minimum(weight[25:], 1))  # all of a row, or a copy
    errors, spare = equations.left_out(equations.solve(Y)[0], removed)
    for i, found in zip(range(25, 40), errors):
        fewer = weight.copy()
        fewer[i] -= removed[i - 25]
        kept = fewer > 0
        coef, offset = reference(X[kept], Y[kept], fewer[kept], 0.1, intercept)
        np.testing.assert_allclose(found, Y[i] - KERNEL(X[i : i + 1], X[kept])[0] @ coef - offset, rtol=1e-8)
    assert np.all((spare > 0) & (spare < 1))


def test_looking_at_all_rows_leaves_the_equations_as_they_are():
    X, Y, weight = problem()
    matrix = KernelMatrix(KernelMap(KERNEL, X), weight, intercept=True)
    equations = matrix.factorised(0.1)
    before = equations.solve(Y)[0].copy()
    assert len(equations.inverse_diagonal(40)) == 40
    np.testing.assert_array_equal(equations.solve(Y)[0], before)
    np.testing.assert_allclose(matrix.factorised(0.1).solve(Y)[0], before, rtol=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_evidence_is_that_of_ridge_on_landmarks_of_all_rows(intercept):
    X, Y, weight = problem(60, weighted=True)
    equations = KernelMatrix(KernelMap(KERNEL, X), weight, intercept).factorised(0.2)
    coef, offset = equations.solve(Y)
    features = bo.NystroemFeatures(KERNEL, n_components=60)
    ridge = bo.KernelRegressor(features=features, alpha=0.2, fit_intercept=intercept).fit(X, Y, weight)
    assert equations.log_evidence(Y, coef, offset) == pytest.approx(ridge.log_marginal_likelihood_, rel=1e-6)
    np.testing.assert_allclose(equations.noise_variance(Y, coef, offset), ridge.noise_variance_, rtol=1e-6)
    assert np.sum(weight * equations.leverage(60)) == pytest.approx(ridge.dof_, rel=1e-5)


def test_a_singular_matrix_is_raised_and_none_without():
    X = np.ones((30, 2))
    matrix = KernelMatrix(KernelMap(KERNEL, X), np.ones(30), intercept=False)
    assert matrix.factorised(0.0) is None
    assert 0 < matrix.raised(0.0).alpha < 1e-10


def test_a_solution_forgets_its_factor_when_it_is_stored():
    X, Y, weight = problem()
    solution = KernelSolution(
        alpha=0.1,
        coef=Y,
        intercept=Y[0],
        noise_variance=Y[0],
        log_evidence=0.0,
        values=KernelMap(KERNEL, X),
        row_weight=weight,
    )
    first = solution.spread_of(None, fit_intercept=True)
    assert solution.spread_of(None, fit_intercept=True) is first
    assert not any(name.startswith("_spread") for name in solution.__getstate__())
