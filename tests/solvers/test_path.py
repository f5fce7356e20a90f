"""Penalty paths: their ends, ties, depth, and the search between neighbours."""

import numpy as np
import pytest

from bochner.solvers import BandedRidge, RidgePath, RidgeProblem
from bochner.solvers.criteria import gcv_score
from bochner.solvers.path import (
    best_of,
    choose_penalty,
    deepened,
    default_penalties,
    golden_section,
    penalty_grid,
    penalty_path,
)
from bochner.statistics import Moments
from tests.solvers.problems import ridge_problem
from tests.strategies import rows


def noiseless(n=400, D=20):
    """Targets that the features explain to the last digit: every penalty is too large."""
    Z = rows(0, n, D)
    return RidgeProblem.from_moments(Moments.empty(D, 1).update(Z, Z @ rows(1, D, 1)), True)


def test_default_penalties_run_from_rounding_to_the_trace():
    _, _, problem = ridge_problem(0, 100, 30)
    found, trace = default_penalties(problem), np.trace(problem.gram)
    assert len(found) == 25
    assert found[-1] == pytest.approx(trace, rel=1e-14)
    assert found[0] == pytest.approx(max(10 * problem.noise_floor(), 1e-9 * trace), rel=1e-12)
    np.testing.assert_allclose(np.diff(np.log(found)), np.log(found[1] / found[0]), rtol=1e-9)


@pytest.mark.parametrize(("trace", "floor"), [(0.0, 0.0), (1.0, 0.5), (1.0, 1e-16), (1e-300, 0.0)])
def test_a_grid_is_ascending_and_positive_whatever_is_known(trace, floor):
    grid = penalty_grid(trace, floor, 5)
    assert np.all(grid > 0)
    assert np.all(np.diff(grid) > 0)


def test_a_path_holds_what_the_solver_says_and_nan_where_it_says_nothing():
    _, _, problem = ridge_problem(1, 100, 30)
    solver = BandedRidge(problem)
    path = penalty_path(solver, np.array([-1e6, 1.0, 10.0]))
    assert np.isnan(path.gcv[0])
    assert np.isnan(path.dof[0])
    assert path.gcv[1] == gcv_score(problem, solver.point(1.0))
    assert path.dof[2] == solver.point(10.0).dof
    assert path.floor() == 1.0
    assert penalty_path(solver, np.array([-1e6])).floor() == np.inf


def test_of_equal_losses_the_largest_penalty_is_the_best():
    assert best_of(np.array([3.0, 1.0, 1.0 + 1e-7, 2.0])) == 2
    assert best_of(np.array([np.nan, 1.0, 2.0])) == 1
    assert best_of(np.array([0.0])) == 0


@pytest.mark.parametrize("criterion", ["gcv", "evidence"])
def test_the_chosen_penalty_is_at_least_as_good_as_any_on_the_path(criterion):
    _, _, problem = ridge_problem(2, 120, 40)
    solver = BandedRidge(problem)
    path = penalty_path(solver, default_penalties(problem))
    for refine in (False, True):
        chosen = choose_penalty(solver, path, criterion, refine=refine)
        own = penalty_path(solver, np.array([chosen])).losses(criterion)[0]
        assert own <= np.nanmin(path.losses(criterion)) + 2e-5
        assert refine or chosen in path.alphas


def test_a_path_without_any_number_ends_at_its_largest_penalty():
    nothing = np.full(3, np.nan)
    path = RidgePath(np.array([1.0, 2.0, 3.0]), nothing, nothing, nothing)
    assert choose_penalty(BandedRidge(noiseless()), path, "gcv", refine=True) == 3.0


@pytest.mark.parametrize("criterion", ["gcv", "evidence"])
def test_targets_without_noise_continue_the_path_to_the_floor(criterion):
    solver = BandedRidge(noiseless())
    path = penalty_path(solver, np.geomspace(1e-3, 1e3, 7))
    deeper = deepened(solver, path, criterion)
    assert deeper.alphas[0] == pytest.approx(10 * solver.problem.noise_floor(), rel=1e-12)
    np.testing.assert_array_equal(deeper.alphas[-7:], path.alphas)
    assert np.all(np.diff(deeper.alphas) > 0)


def test_a_path_is_left_alone_where_there_is_noise_or_a_feature_for_every_row():
    for n in (400, 30):
        _, _, problem = ridge_problem(3, n, 29)
        solver = BandedRidge(problem)
        path = penalty_path(solver, np.geomspace(1e-2, 1e4, 9))
        assert deepened(solver, path, "gcv") is path


@pytest.mark.parametrize("at", [-0.9, 0.3, 1.9])
def test_golden_section_finds_the_minimum_to_its_stated_width(at):
    """0.618^(n - 1) of the interval, and the square root of the tie where the loss is flat."""
    found = golden_section(lambda t: (t - at) ** 2, -1.0, 2.0, 30)
    assert abs(found - at) <= 3 * 0.6181**29 + 2 * np.sqrt(1e-5)
