"""Ridge solvers say what they need and what they can do, and refuse the rest by name."""

import numpy as np
import pytest

from bochner.data import scan_blocks
from bochner.errors import InvalidParameterError
from bochner.solvers import DirectSolver, IterativeSolver, PenaltyRule, RidgeSolver, SolverContext, solve_ridge
from bochner.statistics import Moments, StreamedNormal
from tests import reference
from tests.identity_features import identity_map, rows_of
from tests.strategies import rows

Z, Y = rows(0, 80, 5) + 1, rows(1, 80, 2)
ROWS = rows_of(Z, Y)


class Plain(RidgeSolver):
    """Solves at a number only."""

    needs = "moments"

    def solve(self, statistics, rule, context):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("solver", "alpha", "message"),
    [
        (Plain(), "gcv", "must be a number for solver='Plain'. Got 'gcv'"),
        (IterativeSolver(), "loo", "must be 'auto' or 'gcv' or a number for solver='iterative'. Got 'loo'"),
        (IterativeSolver(), "evidence", "must be 'auto' or 'gcv' or a number for solver='iterative'. Got 'evidence'"),
        (
            DirectSolver(),
            "aic",
            "must be 'auto' or 'evidence' or 'gcv' or 'loo' or a number for solver='direct'. Got 'aic'",
        ),
    ],
)
def test_a_criterion_that_a_solver_lacks_is_refused_with_both_names(solver, alpha, message):
    with pytest.raises(InvalidParameterError, match=f"'alpha' parameter of Model {message}"):
        solver.require(PenaltyRule(alpha), ROWS, "Model")


@pytest.mark.parametrize("solver", [Plain(), IterativeSolver(), DirectSolver()], ids=lambda solver: solver.name)
def test_numbers_and_own_criteria_are_welcome(solver):
    for alpha in (0.0, 1.0, *solver.criteria):
        solver.require(PenaltyRule(alpha), ROWS, "Model")


def test_a_solver_that_does_not_say_what_it_needs_is_refused():
    class Silent(Plain):
        needs = None

    with pytest.raises(InvalidParameterError, match=r"'solver'.*needs = 'moments' or 'products', as Silent does not"):
        Silent().require(PenaltyRule(1.0), ROWS, "Model")


def test_products_want_rows_that_can_be_read_again():
    once = scan_blocks(iter([(Z, Y)]))
    DirectSolver().require(PenaltyRule(1.0), once, "Model")
    with pytest.raises(InvalidParameterError, match="needs moments, for rows that can be read only 1 time"):
        IterativeSolver().require(PenaltyRule(1.0), once, "Model")


def test_a_solver_without_solve_is_none():
    with pytest.raises(TypeError, match="abstract"):
        RidgeSolver()


@pytest.mark.parametrize("intercept", [True, False])
def test_both_solvers_give_the_solution_of_the_normal_equations(intercept):
    rule = PenaltyRule(0.5, fit_intercept=intercept)
    coef, offset = reference.ridge(Z, Y, np.ones(80), 0.5, intercept)
    direct = DirectSolver().solve(Moments.empty(5, 2).update(Z, Y), rule, SolverContext())
    operator = StreamedNormal(ROWS, identity_map(5), fit_intercept=intercept)
    iterative = IterativeSolver(tol=1e-12).solve(operator, rule, SolverContext())
    for solution in (direct, iterative):
        np.testing.assert_allclose(solution.coef, coef, atol=1e-9)
        np.testing.assert_allclose(solution.intercept, offset * intercept, atol=1e-9)


def test_the_direct_solver_hands_on_criterion_and_penalties():
    moments, alphas = Moments.empty(5, 2).update(Z, Y), np.array([10.0, 0.1, 1.0])
    found = DirectSolver().solve(moments, PenaltyRule("evidence", alphas), SolverContext())
    same = solve_ridge(moments, fit_intercept=True, alpha="evidence", alphas=alphas)
    assert found.alpha == same.alpha
    np.testing.assert_array_equal(found.path.alphas, np.sort(alphas))


def test_the_iterative_solver_hands_on_its_limits_and_the_callback():
    states = []
    context = SolverContext(on_iteration=lambda state: states.append(state["stage"]))
    wide = StreamedNormal(
        rows_of(rows(2, 3000, 30) * np.geomspace(1, 0.01, 30), rows(3, 3000, 1)), identity_map(30), fit_intercept=True
    )
    solution = IterativeSolver(tol=1e-14, max_iter=3).solve(wide, PenaltyRule(1e-4), context)
    assert solution.iterations == len(states) == 3
    assert set(states) == {"final"}
