"""The iterative ridge solver: its choice of a penalty, when it stops, and its bill."""

import numpy as np
import pytest

import bochner as bo
from bochner.memory import MAP
from bochner.solvers import RidgePath, iterative_bill, solve_ridge_iteratively
from bochner.solvers.iterative import PROBES, SEARCHED_PENALTIES, _have_settled
from bochner.solvers.path import best_penalty
from bochner.statistics import KEPT_FEATURES, StreamedNormal
from tests.identity_features import identity_map, rows_of
from tests.strategies import rows

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def path_of(alphas, gcv):
    nothing = np.full(len(alphas), np.nan)
    return RidgePath(np.asarray(alphas), np.asarray(gcv), nothing, nothing)


@pytest.mark.parametrize("at", [-0.4, 0.0, 0.3])
def test_a_parabola_through_three_penalties_finds_its_lowest_point(at):
    exponents = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    path = path_of(10.0**exponents, np.exp(3 * (exponents - at) ** 2 + 1))
    assert best_penalty(path, refine=True) == pytest.approx(10.0**at, rel=1e-9)
    assert best_penalty(path, refine=False) == 1.0


@pytest.mark.parametrize(
    ("gcv", "best"),
    [
        ([1.0, 2.0, 3.0], 0.1),
        ([3.0, 2.0, 1.0], 10.0),
        ([np.nan, 1.0, 2.0], 1.0),
        ([np.inf, 1.0, 2.0], 1.0),
        ([np.nan, np.nan, np.nan], 10.0),
        ([1.0, 1.0, 1.0], 0.1),
    ],
)
def test_an_end_of_the_path_and_gaps_beside_the_best_are_not_refined(gcv, best):
    assert best_penalty(path_of([0.1, 1.0, 10.0], gcv), refine=True) == best


@pytest.mark.parametrize(
    ("errors", "settled"),
    [
        ([1.0, 1.0, 1.0], False),
        ([1.0, 1.0, 1.0, 1.0], True),
        ([1.0, 0.9, 0.8, 0.7], False),
        ([1.0, 1.1, 1.2, 0.5], False),
        ([0.5, 0.6, 0.7, 0.8], True),
        ([1.0, 0.99999, 0.99998, 0.99997], True),
        ([1.0, 0.9998, 0.9998, 0.9998], False),
    ],
)
def test_errors_have_settled_when_three_in_a_row_gain_less_than_a_ten_thousandth(errors, settled):
    assert _have_settled(errors) is settled


def test_passes_are_counted():
    source = rows_of(rows(0, 400, 6), rows(1, 400, 1))
    operator, products = StreamedNormal(source, identity_map(6), fit_intercept=True), []
    plain = operator.product
    operator.product = lambda V: products.append(V.shape) or plain(V)
    solution = solve_ridge_iteratively(operator, alpha="gcv")
    assert solution.n_passes == len(products) + 1  # and one for the right side
    assert products[0][1] <= SEARCHED_PENALTIES * (1 + PROBES)


def test_the_first_penalty_of_a_search_costs_no_more_passes_than_one():
    source = rows_of(rows(0, 400, 6), rows(1, 400, 1))
    solution = solve_ridge_iteratively(
        StreamedNormal(source, identity_map(6), fit_intercept=True), alpha="gcv", alphas=np.array([3.0])
    )
    assert solution.alpha == 3.0
    assert len(solution.path.alphas) == 1


def bill(n_rows=10_000, D=500, dtype=DOUBLE, searched=False, n_targets=1):
    return iterative_bill(identity_map(D), n_rows=n_rows, n_targets=n_targets, dtype=dtype, searched=searched)


def test_the_bill_keeps_features_while_the_budget_allows_it():
    with bo.config_context(memory="8GB"):
        kept = bill()
        assert kept.items[KEPT_FEATURES] == 10_000 * 500 * 8
        assert bill(dtype=SINGLE).items[KEPT_FEATURES] == 10_000 * 500 * 4
    with bo.config_context(memory=kept.total - 1):
        assert KEPT_FEATURES not in bill().items
        assert bill().total < kept.total


def test_a_search_a_row_a_target_and_a_feature_more_cost_more():
    with bo.config_context(memory="8GB"):
        least = bill().total
        assert bill(searched=True).total > least
        assert bill(n_rows=20_000).total > least
        assert bill(n_targets=5).total > least
        assert bill(D=600).total > least
        assert MAP in bill().items
