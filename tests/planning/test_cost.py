"""The cost model, as the formulas of its docstring."""

import pytest

from bochner.planning import CostModel
from bochner.planning.cluster import plan_cluster

COST = CostModel(product=1e-10, feature=1e-9, projection=1e-10, penalties=1e-4, reduction=1e-10, columns=1e-9)


def test_a_pass_is_products_features_and_projections_over_threads():
    per_row = 1e-10 * 100**2 + 1e-9 * 100 + 1e-10 * 5 * 100
    assert COST.pass_seconds(1000, 5, 100, 1) == pytest.approx(1000 * per_row)
    assert COST.pass_seconds(1000, 5, 100, 4) == pytest.approx(250 * per_row)


def test_a_fit_is_a_pass_and_a_solution():
    solution = 1e-4 * 100 + 1e-10 * 100**3
    assert COST.solve_seconds(100) == pytest.approx(solution)
    assert COST.fit_seconds(1000, 5, 100, 2) == pytest.approx(0.02 + COST.pass_seconds(1000, 5, 100, 2) + solution)


def test_learning_scales_costs_more_for_more_rows_columns_and_kernels_up_to_the_rows_it_looks_at():
    def seconds(n_rows=400, n_features=5, n_kernels=1, n_threads=1):
        return COST.tuning_seconds(n_rows, n_features, n_kernels, n_threads)

    assert seconds(n_kernels=0) == 0
    assert seconds(100) < seconds(400) < seconds(900) < seconds(10**4) == seconds(10**7)
    assert seconds(n_features=5) < seconds(n_features=50)
    assert seconds(n_kernels=1) < seconds(n_kernels=4)
    assert seconds(n_threads=2) == pytest.approx(seconds() / 2, rel=0.1)  # but for what a step takes at any size


def test_kept_features_and_a_given_penalty_save_time():
    def seconds(**setting):
        return COST.iterative_seconds(10_000, 5, 1000, 1, n_preconditioner=100, n_iter=20, **setting)

    assert seconds(kept=True, searched=False) < seconds(kept=False, searched=False) < seconds(kept=False, searched=True)


def test_a_cluster_divides_the_work_and_not_the_rest():
    plans = [
        plan_cluster(COST, n_rows=10**7, n_features=5, n_components=1000, itemsize=8, workers=workers)
        for workers in (1, 4, 16)
    ]
    seconds, efficiency = zip(*((plan.seconds, plan.efficiency) for plan in plans), strict=True)
    assert seconds[0] > seconds[1] > seconds[2] > seconds[0] / 16
    assert 1 > efficiency[0] > efficiency[1] > efficiency[2]
    work = COST.pass_seconds(10**7, 5, 1000, 4)
    assert plans[1].efficiency == pytest.approx(work / plans[1].seconds)
