"""Rows of a table in two parts, and the encoded matrix within the memory budget."""

import numpy as np
import pyarrow as pa
import pytest

from bochner import TableEncoder
from bochner.config import config_context
from bochner.errors import MemoryBudgetError
from bochner.tables import encode_rows, read_target, split_rows

TABLE = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "b", "a", "b"], "y": [1.5, 2.5, 3.5, 4.5]})


def test_inputs_targets_and_weights_are_split_alike():
    target = read_target(TABLE, "y", "t.csv")
    held_out = np.array([False, True, False, False])
    split = split_rows(TABLE, target, np.arange(4.0), held_out, n_without_target=2)
    assert split.fit.inputs["x"].to_pylist() == [1.0, 3.0, 4.0]
    assert (split.fit.y.tolist(), split.fit.weight.tolist()) == ([1.5, 3.5, 4.5], [0.0, 2.0, 3.0])
    assert (split.held_out.y.tolist(), len(split.held_out), split.n_without_target) == ([2.5], 1, 2)
    nothing = split_rows(TABLE, target, None, np.zeros(4, dtype=bool)).held_out
    assert (len(nothing), nothing.inputs, nothing.weight) == (0, None, None)


def test_rows_are_encoded_as_the_encoder_does():
    encoder = TableEncoder(target="y", min_rows=1)
    np.testing.assert_array_equal(
        encode_rows(encoder, TABLE), TableEncoder(target="y", min_rows=1).fit_transform(TABLE)
    )


def test_many_numbers_are_encoded_in_float32(monkeypatch):
    monkeypatch.setattr("bochner.tables.rows._LARGE", 4)
    assert encode_rows(TableEncoder(target="y"), TABLE).dtype == np.float32


def test_a_matrix_beyond_the_budget_is_refused_before_it_is_made():
    encoder = TableEncoder(target="y", min_rows=1)
    with config_context(memory=50), pytest.raises(MemoryBudgetError, match="4 rows of 3 encoded columns"):
        encode_rows(encoder, TABLE)
