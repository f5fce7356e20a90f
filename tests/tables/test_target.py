"""Targets: which task they set, labels that keep their type, and weights."""

import numpy as np
import pyarrow as pa
import pytest

from bochner.errors import InvalidDataError
from bochner.tables import read_target, read_weights


def target(values, task=None):
    return read_target(pa.table({"y": values}), "y", "t.csv", task)


@pytest.mark.parametrize(
    ("values", "task", "labels"),
    [
        (["a", "b", "a", "b"], "classification", ["a", "b"]),
        ([True, False, True, True], "classification", [False, True]),
        ([0, 1, 2, 1, 0, 2], "classification", [0, 1, 2]),
        (list(range(12)), "regression", None),
        ([0.0, 1.0, 0.0, 1.0], "regression", None),
    ],
)
def test_the_task_is_told_from_the_values(values, task, labels):
    found = target(values)
    assert found.task == task
    if labels is not None:
        assert np.unique(found.values).tolist() == labels
        assert found.classes == len(labels)


def test_a_given_task_overrides_and_the_reason_says_so():
    found = target([0, 1, 2, 1, 0, 2], "regression")
    assert found.values.dtype == float
    assert found.reason == "as given; its values alone would say classification"


@pytest.mark.parametrize(
    ("values", "task", "reason"),
    [
        ([1.0, None, 2.0], None, "missing in 1 of 3 rows"),
        ([1.0, 1.0], None, "must vary"),
        (["a", "b", "c", "d"], None, "classes that rows share"),
        (["a", "b", "a"], "regression", "must be numbers for regression"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), None, "Got dates"),
    ],
)
def test_a_target_that_cannot_be_learned_is_refused(values, task, reason):
    with pytest.raises(InvalidDataError, match=reason):
        target(values, task)


def test_weights_are_numbers_that_are_not_negative_nor_all_zero():
    assert read_weights(pa.table({"w": [1, 0, 2]}), "w", "t.csv").tolist() == [1.0, 0.0, 2.0]
    assert read_weights(pa.table({"w": [1]}), None, "t.csv") is None
    for bad in ([1.0, -1.0], [0.0, 0.0], [1.0, None], ["a", "b"]):
        with pytest.raises(InvalidDataError, match=r"weights 'w' must (be numbers|not all be zero)"):
            read_weights(pa.table({"w": bad}), "w", "t.csv")
    with pytest.raises(InvalidDataError, match=r"'t\.csv' has no column 'v'\. It has 'w'"):
        read_weights(pa.table({"w": [1]}), "v", "t.csv")
