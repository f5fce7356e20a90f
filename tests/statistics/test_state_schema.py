"""Schemas of checkpoints: what keeps the rules passes, and everything else is told by name."""

import numpy as np
import pytest

from bochner.statistics.state_schema import ArrayRule, Flag, NumberRule, Schema, Word, split_state

SCHEMA = Schema(
    {
        "n": NumberRule(0, 10, integer=True),
        "size": NumberRule(0),
        "stage": Word(("search", "final")),
        "moved": Flag(),
        "x": ArrayRule((3, None)),
        "at": ArrayRule((2,), "int64", 0, 5),
    },
    {"losses": ArrayRule((2,), gaps=True)},
)
STATE = {"n": 3, "size": 0.5, "stage": "final", "moved": False, "x": np.ones((3, 4)), "at": np.array([0, 5])}


def test_a_state_that_keeps_all_rules_has_no_fault():
    assert SCHEMA.fault(STATE) is None
    assert SCHEMA.fault({**STATE, "losses": np.array([np.nan, 1.0]), "size": 2}) is None
    assert SCHEMA.fault({**STATE, "losses": np.full(2, np.nan), "x": np.ones((3, 0))}) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": -1}, "'n' is '-1', not an integer from 0 to 10"),
        ({"n": 3.0}, "'n' is '3.0', not an integer"),
        ({"n": True}, "'n' is 'True', not an integer"),
        ({"n": None}, "'n' is 'None'"),
        ({"size": float("inf")}, "'size' is 'inf', not a number"),
        ({"size": float("nan")}, "'size' is 'nan', not a number"),
        ({"size": 10**400}, "'size' is '1000"),
        ({"stage": "begin"}, "'stage' is 'begin', not one of search, final"),
        ({"stage": ["search"]}, "'stage' is"),
        ({"moved": 0}, "'moved' is '0', not true or false"),
        ({"x": [1.0]}, "'x' is list, not an array of float64"),
        ({"x": np.ones((3, 2), dtype=np.float32)}, "'x' is float32, not an array of float64"),
        ({"x": np.ones((2, 3))}, "'x' has the shape 2 x 3, not 3 x any"),
        ({"x": np.ones(3)}, "'x' has the shape 3, not 3 x any"),
        ({"x": np.full((3, 1), np.inf)}, "'x' has numbers that are not finite"),
        ({"x": np.full((3, 1), np.nan)}, "'x' has numbers that are not finite"),
        ({"at": np.array([0, 6])}, "'at' has numbers that are not from 0 to 5"),
        ({"losses": np.array([np.nan, np.inf])}, "'losses' has numbers"),
        ({"more": 1}, "'more' is nothing that such a checkpoint has"),
    ],
)
def test_the_first_fault_is_named(change, words):
    assert SCHEMA.fault({**STATE, **change}).startswith(words)


def test_what_is_missing_is_named():
    assert SCHEMA.fault({name: value for name, value in STATE.items() if name != "x"}) == "'x' is missing"


def test_a_state_is_split_into_numbers_and_arrays():
    numbers, arrays = split_state(STATE)
    assert sorted(numbers) == ["moved", "n", "size", "stage"]
    assert sorted(arrays) == ["at", "x"]
