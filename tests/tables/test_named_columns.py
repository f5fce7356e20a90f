"""Columns by name, of frames and arrays."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bochner as bo
from bochner.errors import InvalidDataError
from bochner.tables.named_columns import NamedColumns, column_of_table, listed, quoted


def test_frames_have_their_names_and_arrays_numbers():
    frame = NamedColumns.of(pd.DataFrame({"a": [1, 2], 3: [3, 4]}))
    assert (frame.names, frame.n_rows, frame.named) == (["a", "3"], 2, True)
    array = NamedColumns.of([[1.0, 2.0]])
    assert (array.names, array.named, "x1" in array, "a" in array) == (["x0", "x1"], False, True, False)
    np.testing.assert_array_equal(array.column("x1"), [2.0])


def test_a_table_without_rows_or_of_complex_numbers_is_refused():
    with pytest.raises(InvalidDataError, match="Got 0 rows, 1 columns"):
        NamedColumns.of(pa.table({"a": pa.array([], pa.float64())}))
    with pytest.raises(ValueError, match="Complex"):
        NamedColumns.of(np.array([[1j]]))


def test_an_unknown_column_is_answered_with_those_that_there_are():
    table = pa.table({f"c{i}": [0] for i in range(14)})
    assert column_of_table(table, "c3", "t.csv").to_pylist() == [0]
    with pytest.raises(InvalidDataError, match=r"no column 'd'. It has 'c0', .*'c7' and 6 more\."):
        column_of_table(table, "d", "t.csv")


def test_long_lists_are_cut():
    assert quoted(["a", "b"]) == "'a', 'b'"
    assert listed([str(i) for i in range(12)], most=3) == "0, 1, 2 and 9 more"


def test_columns_of_one_name_are_refused_with_it():
    with pytest.raises(InvalidDataError, match=r"Names of columns must differ. Got 'a' 2 times"):
        bo.TableEncoder().fit(pd.DataFrame(np.eye(4)[:, :2], columns=["a", "a"]))


@pytest.mark.parametrize("cells", [[10**400, 1], [np.arange(3), np.arange(2)], [[1, 2], {}]])
def test_cells_that_are_no_numbers_are_told_by_their_texts(cells):
    frame = pd.DataFrame({"a": pd.Series(cells * 40, dtype=object), "b": np.arange(80.0)})
    encoded = bo.TableEncoder().fit(frame).transform(frame)
    assert np.isfinite(encoded).all()
    assert encoded.shape[1] > 1  # the odd column is one of levels
