"""Arrow columns as arrays."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from bochner.data.arrow import is_text, label_column, number_column, number_columns, number_dtype
from bochner.errors import InvalidDataError


def test_numbers_keep_their_type_and_gaps_are_nan():
    assert number_dtype(pa.int16()) == np.int16
    assert number_dtype(pa.decimal128(5, 2)) == np.float64
    assert number_dtype(pa.string()) is None
    np.testing.assert_array_equal(number_column(pa.array([True, None])), [1, np.nan])
    np.testing.assert_array_equal(number_column(pa.array([Decimal("1.25"), None])), [1.25, np.nan])


def test_columns_stand_side_by_side_in_c_order():
    batch = pa.record_batch({"a": [1, 2], "b": [0.5, None]})
    found = number_columns(batch, ["b", "a"], np.dtype(np.float32))
    np.testing.assert_array_equal(found, [[0.5, 1], [np.nan, 2]])
    assert found.flags.c_contiguous


def test_labels_are_texts_without_gaps():
    coded = pa.array(["x", "y", "x"]).dictionary_encode()
    assert is_text(coded.type)
    assert label_column(coded, "t", "f.parquet").tolist() == ["x", "y", "x"]
    with pytest.raises(InvalidDataError, match=r"column 't', f\.parquet"):
        label_column(pa.array(["x", None]), "t", "f.parquet")
