"""Plans of the default fit."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.planning import LANDMARKS, landmark_numbers

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


def test_wrong_wishes_are_told():
    with pytest.raises(InvalidParameterError, match="'auto'"):
        bo.plan(X, features="nystroem")
    with pytest.raises(InvalidParameterError, match="X"):
        bo.plan(n_samples=10, n_features=2, features="auto")
