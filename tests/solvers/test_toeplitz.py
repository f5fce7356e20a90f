"""Toeplitz systems of a grid of frequencies against dense matrices of its features."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.data import ArrayRows
from bochner.features import GridMap, transform
from bochner.sampling import choose_grid
from bochner.solvers import PenaltyRule, SolverContext, ToeplitzSolver, ToeplitzSystem
from bochner.solvers.grid_equations import GridEquations
from bochner.statistics import BoxOfRows, FourierReduction, add_fourier_sums, fourier_sums, fourier_sums_of_boxes

ALPHA = 0.1


class Problem:
    """Rows on a small grid, with the dense matrices of their features."""

    def __init__(self, d, intercept=True, n=150):
        rng = np.random.default_rng(d)
        self.X = rng.uniform(0, 1, (n, d))
        self.Y = np.stack([np.sin(5 * self.X.sum(axis=1)), self.X[:, 0] ** 2], axis=1) + 3
        self.Y += 0.1 * rng.standard_normal((n, 2))
        self.weight = rng.uniform(0.2, 2, n)
        kernel = bo.Matern(0.8, nu=1.5)
        grid = choose_grid(kernel.spectral_density(d), np.zeros(d), np.ones(d), eps=0.1, most=700)
        self.map = GridMap(kernel, grid)
        self.reduction = FourierReduction(grid, np.array([3.0, 2.0]) * intercept, np.array([1.0, 2.0]))
        self.sums = self.sums_of(slice(None))
        Z = transform(self.map, self.X, np.dtype(float))
        total = self.weight.sum()
        self.z_mean = self.weight @ Z / total * intercept
        self.y_mean = self.weight @ self.Y / total * intercept
        Z, R = Z - self.z_mean, self.Y - self.y_mean
        self.Z, self.R, self.intercept = Z, R, intercept
        self.gram = (Z * self.weight[:, None]).T @ Z
        self.right = (Z * self.weight[:, None]).T @ R
        self.matrix = self.gram + ALPHA * np.eye(len(self.gram))
        self.coef = np.linalg.solve(self.matrix, self.right)

    def sums_of(self, some):
        rows = ArrayRows(self.X[some], self.Y[some], self.weight[some], np.dtype(float))
        return add_fourier_sums(self.reduction.empty(), rows)

    def solution(self, tol=1e-10):
        rule = PenaltyRule(ALPHA, None, self.intercept)
        return ToeplitzSolver(tol).solve((self.map, self.sums), rule, SolverContext())


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_and_intercept_are_those_of_the_dense_equations(d, intercept):
    problem = Problem(d, intercept)
    found = problem.solution()
    np.testing.assert_allclose(found.coef, problem.coef, atol=1e-7 * np.abs(problem.coef).max())
    np.testing.assert_allclose(found.intercept, problem.y_mean - problem.z_mean @ problem.coef, atol=1e-7)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_products_and_blocks_are_those_of_the_dense_matrix(d):
    problem = Problem(d)
    system = ToeplitzSystem.of(problem.sums, problem.map.amplitude, True)
    V = np.random.default_rng(0).standard_normal((system.size, 2))
    np.testing.assert_allclose(system.product(V), problem.gram @ V, atol=1e-7 * np.abs(problem.gram).max())
    np.testing.assert_allclose(system.right, problem.right / [1.0, 2.0], atol=1e-8 * np.abs(problem.right).max())
    solve = GridEquations(system, ALPHA, block=system.size).preconditioner  # all features: the exact inverse
    np.testing.assert_allclose(solve.solve(problem.matrix @ V), V, atol=1e-6 * np.abs(V).max())


def test_a_small_block_solves_the_same_equations_in_more_steps():
    problem = Problem(2)
    system = ToeplitzSystem.of(problem.sums, problem.map.amplitude, True)
    small = GridEquations(system, ALPHA, block=11)
    assert small.preconditioner.factor.shape == (11, 11)
    found, ending = ToeplitzSolver(1e-10, 500)._iterate(small, SolverContext())
    assert ending.name == "CONVERGED"
    np.testing.assert_allclose(found.x * [1.0, 2.0], problem.coef, atol=1e-6 * np.abs(problem.coef).max())


def test_evidence_and_noise_are_those_of_the_dense_equations():
    for intercept in (True, False):
        problem = Problem(2, intercept)
        found, nu = problem.solution(), problem.weight.sum() - intercept
        energy = problem.weight @ problem.R**2
        variance = (energy - np.sum(problem.right * problem.coef, axis=0)) / nu
        log_det = np.linalg.slogdet(problem.matrix / ALPHA)[1] + intercept * np.log(problem.weight.sum())
        evidence = -nu / 2 * np.sum(np.log(2 * np.pi * variance) + 1) - log_det
        np.testing.assert_allclose(found.noise_variance, variance, rtol=1e-6)
        assert found.log_evidence == pytest.approx(evidence, rel=1e-6)  # all features are in the block
        small = GridEquations(found.equations.system, ALPHA, block=11).evidence(probes=64, tol=1e-8)
        assert abs(small.log_evidence - evidence) <= 6 * small.error + 1e-6


def test_draws_have_the_posterior_covariance():
    problem = Problem(1)
    equations = problem.solution().equations
    draws = equations.draws(4000)
    found, expected = draws @ draws.T / 4000, np.linalg.inv(problem.matrix)
    sizes = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.max(np.abs(found - expected) / sizes) < 0.15
    leverage = np.einsum("ij,jk,ik->i", problem.Z, expected, problem.Z)
    assert equations.dof(probes=64) == pytest.approx(problem.weight @ leverage + 1, rel=0.15)


def test_rows_of_boxes_are_summed_by_one_pass_and_large_grids_by_one_transform_of_all_threads(monkeypatch):
    problem = Problem(2)
    rows = ArrayRows(problem.X, problem.Y, problem.weight, np.dtype(float))
    boxes = [BoxOfRows(np.zeros(2), np.array([0.4, 1.0])), BoxOfRows(np.array([0.3, 0.5]), np.ones(2))]
    found = fourier_sums_of_boxes([replace(problem.reduction, box=box) for box in boxes], rows)
    for sums, box in zip(found, boxes, strict=True):
        np.testing.assert_allclose(sums.density, problem.sums_of(box.contains(problem.X)).density, atol=1e-9)
    monkeypatch.setattr(fourier_sums, "_LARGE_GRID", 1)
    again = add_fourier_sums(problem.reduction.empty(), rows)
    np.testing.assert_allclose(again.targets, problem.sums.targets, atol=1e-9)


def test_any_split_of_the_rows_gives_the_same_sums_and_rows_can_be_taken_away():
    problem = Problem(2)
    halves = [problem.sums_of(slice(None, 40)), problem.sums_of(slice(40, None))]
    both, all_ = halves[0] + halves[1], problem.sums
    for name in ("density", "targets", "weight", "y_sum", "yy", "low", "high"):
        np.testing.assert_allclose(getattr(both, name), getattr(all_, name), atol=1e-9)
    assert both.identity == all_.identity
    np.testing.assert_allclose((all_ - halves[0]).density, halves[1].density, atol=1e-9)
