"""Plans of the default fit."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.planning import LANDMARKS, landmark_numbers
from bochner.planning.cost import FIRST_BYTES
from bochner.tuning import search_bytes

X = np.random.default_rng(0).standard_normal((1000, 5))


def test_landmarks_are_tried_up_to_half_of_the_rows_then_all_of_few():
    assert landmark_numbers(100) == [100]
    assert landmark_numbers(1000) == [256, 1000]
    assert landmark_numbers(5000) == list(LANDMARKS)


def test_the_plan_grows_with_the_rows_and_has_no_bound():
    few, many = bo.plan(X[:100], features="auto"), bo.plan(np.tile(X, (20, 1)), features="auto")
    assert few.seconds < many.seconds
    assert few.memory < many.memory == sum(many.memory_items.values())
    assert (few.n_components, many.n_components) == (100, 20_000)
    names = [machine.name for machine in many.machines]
    assert names[0] == "256 landmarks"
    assert "the exact machine by iterations" in names
    assert "8,192 landmarks by products" in str(many)
    assert all(machine.seconds > 0 and machine.memory > 0 for machine in many.machines)
    assert 0 < few.tuning_seconds < few.seconds
    assert "certify" in str(few)
    with pytest.raises(AssumptionError, match="no certified error"):
        few.plot()


def test_sizes_are_enough_for_a_plan():
    by_size = bo.plan(n_samples=1000, n_features=5, features="auto")
    assert by_size.machines == bo.plan(X, features="auto").machines


def test_a_plan_beyond_the_time_budget_names_what_is_within_it():
    plan = bo.plan(n_samples=100_000, n_features=5, features="auto", time=1e-6)
    assert plan.time_budget == 1e-6
    assert "none of the machines" in plan.warnings[0]
    assert bo.plan(n_samples=100_000, n_features=5, features="auto", time=1e6).warnings == ()
    some = bo.plan(n_samples=10**6, n_features=5, features="auto")
    slow = max(machine.seconds for machine in some.machines)
    within = bo.plan(n_samples=10**6, n_features=5, features="auto", time=some.seconds / 2).warnings[0]
    assert slow > some.seconds / 2
    assert "256 landmarks" in within


def test_wrong_wishes_are_told():
    with pytest.raises(InvalidParameterError, match="'auto'"):
        bo.plan(X, features="nystroem")


def test_the_plan_has_the_memory_of_the_search_where_that_is_more_than_the_machine():
    search = "search of kernels and scales, beyond that"
    some, many = (bo.plan(n_samples=n, n_features=5, features="auto").memory_items for n in (2500, 9000))
    machine = sum(some.values()) - some[search] - FIRST_BYTES["compiled code and buffers of threads"]
    assert machine < machine + some[search] == search_bytes(2500)
    assert many[search] == 0  # the kernel matrix of all rows is larger
    with bo.config_context(memory="300MB"):
        limited = bo.plan(n_samples=2500, n_features=5, features="auto").memory_items
    assert limited[search] < some[search]
