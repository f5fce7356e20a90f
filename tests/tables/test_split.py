"""Training and test rows: by lot, stratified, or by a column."""

import numpy as np
import pyarrow as pa
import pytest

from bochner.errors import InvalidDataError
from bochner.tables import held_out_by_column, held_out_by_lot, read_target


def target(values):
    return read_target(pa.table({"y": values}), "y", "t.csv")


def test_a_lot_holds_out_its_share_and_a_seed_repeats_it():
    numbers = target(np.arange(100) / 7)
    held_out = held_out_by_lot(numbers, 0.2, seed=3)
    assert held_out.sum() == 20
    assert np.array_equal(held_out, held_out_by_lot(numbers, 0.2, seed=3))
    assert not np.array_equal(held_out, held_out_by_lot(numbers, 0.2, seed=4))
    assert not held_out_by_lot(numbers, 0.0, seed=3).any()


def test_every_class_is_held_out_alike():
    labels = target(["rare"] * 10 + ["common"] * 90)
    held_out = held_out_by_lot(labels, 0.2, seed=0)
    assert held_out[:10].sum() == 2
    lonely = target(["once"] + ["common"] * 50 + ["other"] * 49)
    assert held_out_by_lot(lonely, 0.2, seed=0).sum() == 20


def test_a_share_that_leaves_nothing_is_refused():
    with pytest.raises(InvalidDataError, match="must leave rows to fit and rows to hold out"):
        held_out_by_lot(target([1.5, 2.5, 3.5]), 0.01, seed=0)


def test_a_column_names_the_rows_to_hold_out():
    table = pa.table(
        {"fold": ["Test", "train", None, " test "], "same": [1, 1, 1, 1], "yes": [True, False, None, False]}
    )
    assert held_out_by_column(table, "fold", "t.csv").tolist() == [True, False, False, True]
    assert held_out_by_column(table, "yes", "t.csv").tolist() == [True, False, False, False]
    with pytest.raises(InvalidDataError, match="It does so in 4 of 4 rows"):
        held_out_by_column(table, "same", "t.csv")
