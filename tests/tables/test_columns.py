"""Encoders of single columns: what they learn is plain data and gives the same numbers again."""

import json

import numpy as np
import pytest

from bochner.tables.columns import CategoryColumn, DateColumn, NumberColumn
from bochner.tables.kinds import column_of
from bochner.tables.target_means import TargetMeans, targets_of_levels

DAYS = np.array(["2020-01-06T06", "2020-07-06T18", "NaT"], dtype="datetime64[us]")
LEVELS = np.array(["a", "a", "b", "b", None, None], dtype=object)
LEARNED = [
    (NumberColumn.learn("x", np.array([1.0, np.nan, 3.0])), np.array([1.0, np.nan, 3.0])),
    (
        CategoryColumn.learn("c", np.array(["a", "a", None], dtype=object), min_rows=2, max_levels=9),
        np.array(["a", "z", None], dtype=object),
    ),
    (DateColumn.learn("d", DAYS), DAYS),
    (
        TargetMeans.learn("m", LEVELS, targets_of_levels(np.arange(6.0), 6), common={"a"})[0],
        np.array(["a", "b", None, "z"], dtype=object),
    ),
]


@pytest.mark.parametrize(("column", "values"), LEARNED)
def test_a_column_survives_json(column, values):
    again = column_of(json.loads(json.dumps(column.to_dict())))
    assert again == column
    written = []
    for each in (column, again):
        out = np.full((len(values), len(each.outputs)), np.nan)
        each.write(values, out)
        written.append(out)
    assert np.isfinite(written[0]).all()
    np.testing.assert_array_equal(*written)


def test_a_number_has_mean_zero_and_its_gap_is_at_the_median():
    column, values = LEARNED[0]
    out = np.empty((3, 2))
    column.write(values, out)
    assert out[:, 1].tolist() == [0, 1, 0]
    assert out[:, 0].mean() == pytest.approx(0)
    assert out[1, 0] == (2.0 - column.mean) / column.deviation


def test_rare_levels_share_a_column_and_new_ones_are_told():
    column, values = LEARNED[1]
    assert column.outputs == ["c=a", "c=(other)"]
    told = column.surprise(column.unseen(values))
    assert told == "1 value that training did not have ('z'): taken as the mean of the levels"
    out = np.empty((3, 2))
    column.write(values, out)
    np.testing.assert_allclose(out, [[1, 0], [2 / 3, 1 / 3], [0, 1]])


def test_new_levels_are_rare_ones_where_these_are_too_many_to_list():
    values = np.array(["a"] * 9 + [f"r{each}" for each in range(1001)], dtype=object)
    column = CategoryColumn.learn("c", values, min_rows=2, max_levels=9)
    out = np.empty((2, 2))
    column.write(np.array(["new", "a"], dtype=object), out)
    assert out.tolist() == [[0, 1], [1, 0]]


def test_a_new_level_is_the_mean_of_the_levels_where_none_is_rare():
    values = np.array(["a", "b", "a", "a"] * 3, dtype=object)
    column = CategoryColumn.learn("c", values, min_rows=2, max_levels=9)
    rows, new = np.empty((12, 2)), np.empty((2, 2))
    column.write(values, rows)
    column.write(np.array(["z", "b"], dtype=object), new)
    np.testing.assert_allclose(new[0], rows.mean(axis=0))
    assert new[1].tolist() == [0, 1]
    told = column.surprise(column.unseen(np.array(["z"], dtype=object)))
    assert told == "1 value that training did not have ('z'): taken as the mean of the levels"


def test_a_column_of_an_earlier_file_has_no_shares_and_new_levels_are_zeros():
    values = np.array(["a", "b"] * 3, dtype=object)
    state = CategoryColumn.learn("c", values, min_rows=2, max_levels=9).to_dict()
    del state["shares"]
    column, out = column_of(state), np.empty((1, 2))
    column.write(np.array(["z"], dtype=object), out)
    assert out.tolist() == [[0, 0]]
    assert column.surprise(column.unseen(np.array(["z"], dtype=object))).endswith("taken as no level")


def test_a_date_is_a_point_on_each_circle():
    column, values = LEARNED[2]
    out = np.empty((3, len(column.outputs)))
    column.write(values, out)
    assert column.parts == ["year", "month", "hour"]  # both are Mondays
    np.testing.assert_allclose(np.hypot(out[:2, 3], out[:2, 4]), 1)
    assert out[2].tolist() == [0, 0, 0, 0, 0, 1]
