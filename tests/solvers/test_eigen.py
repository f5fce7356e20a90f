"""The ridge path in the eigenbasis: against the band path, and leave-one-out against refits."""

import numpy as np
import pytest

from bochner.solvers import BandedRidge, EigenRidge, RidgeProblem
from bochner.statistics import Moments, PassPlan
from tests import reference
from tests.identity_features import leave_one_out, rows_of
from tests.solvers.problems import full_gram, ridge_problem


@pytest.mark.parametrize("D", [1, 65])
@pytest.mark.parametrize("intercept", [True, False])
def test_both_paths_are_the_same(D, intercept):
    _, _, problem = ridge_problem(0, 90, D, intercept=intercept)
    eigen, band = EigenRidge(problem), BandedRidge(problem)
    np.testing.assert_allclose(eigen.eigenvalues, np.linalg.eigvalsh(full_gram(problem)), rtol=1e-10)
    for alpha in (1e-2, 1.0, 1e4):
        ours, theirs = eigen.point(alpha), band.point(alpha)
        np.testing.assert_allclose(eigen.solve(alpha), band.solve(alpha), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(ours.residual, theirs.residual, rtol=1e-9)
        np.testing.assert_allclose(ours.penalty, theirs.penalty, rtol=1e-9)
        assert ours.dof == pytest.approx(theirs.dof, rel=1e-9)
        assert ours.log_det == pytest.approx(theirs.log_det, rel=1e-10)


def test_no_eigenvalue_is_negative_and_a_singular_matrix_has_no_point_without_a_penalty():
    _, _, problem = ridge_problem(1, 5, 12)
    solver = EigenRidge(problem)
    assert np.all(solver.eigenvalues >= 0)
    assert solver.point(-1.0) is None
    constant = RidgeProblem.from_moments(Moments.empty(2, 1).update(np.ones((4, 2)), np.ones((4, 1))), True)
    assert EigenRidge(constant).point(0.0) is None


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("block_rows", [7, 40])
def test_leave_one_out_is_the_mean_over_refits(intercept, weighted, block_rows):
    Z, Y, _ = ridge_problem(2, 30, 6)
    weight = np.random.default_rng(0).integers(1, 4, 30).astype(float) if weighted else None
    moments = Moments.empty(6, 2).update(Z, Y, weight)
    solver = EigenRidge(RidgeProblem.from_moments(moments, intercept))
    alphas = np.array([0.1, 5.0])
    found = leave_one_out(solver, rows_of(Z, Y, weight), PassPlan(block_rows, 2, 0), moments, alphas)
    counts = np.ones(30) if weight is None else weight
    expected = [reference.leave_one_out(Z, Y, counts, alpha, intercept) for alpha in alphas]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
