"""Columns as numbers, dates or texts, whatever frame they come from."""

from datetime import time

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bochner.errors import InvalidDataError
from bochner.tables.reading import missing, read_column


def read(native, kind=None):
    return read_column(nw.from_native(native, series_only=True), "c", kind)


@pytest.mark.parametrize("make", [lambda v: pl.Series(v), lambda v: pa.chunked_array([v])])
def test_numbers_texts_and_their_gaps(make):
    np.testing.assert_array_equal(read(make([1, None, 3])), [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(read(make([True, False, None])), [1.0, 0.0, np.nan])
    assert read(make(["a", None])).tolist() == ["a", None]
    assert missing(read(make(["a", None]))).tolist() == [False, True]
    assert np.isnan(read(make([None, None]))).all()


def test_dates_are_microseconds_in_utc_and_times_are_of_one_day():
    zoned = pd.Series(pd.to_datetime(["2020-01-01 12:00", None]).tz_localize("Europe/Berlin"))
    assert read(zoned)[0] == np.datetime64("2020-01-01T11:00", "us")
    assert missing(read(zoned)).tolist() == [False, True]
    assert read(pl.Series([time(6, 30)]))[0] == np.datetime64("1970-01-01T06:30", "us")
    assert read(pa.chunked_array([pa.array([90_000_000], pa.duration("us"))])).tolist() == [90.0]


def test_whole_numbers_with_gaps_are_the_levels_they_were_without():
    assert read(pl.Series([1.0, None, 2.5]), "category").tolist() == ["1", None, "2.5"]
    assert read_column(np.array([1, 2]), "c", "category").tolist() == ["1", "2"]


def test_objects_that_are_numbers_are_numbers():
    assert read_column(np.array([1, 2.5], dtype=object), "c").tolist() == [1.0, 2.5]


def test_another_kind_than_in_training_is_refused_unless_it_is_empty():
    with pytest.raises(InvalidDataError, match=r"must hold a number, as in training\. Got 'x' in row 1"):
        read(pl.Series(["x"]), "number")
    assert np.isnat(read(pl.Series([None, None]), "date")).all()


def test_infinite_numbers_and_nested_values_are_refused():
    with pytest.raises(InvalidDataError, match=r"must hold finite numbers. Got an infinite value in row 2"):
        read(pl.Series([0.0, np.inf]))
    with pytest.raises(InvalidDataError, match="must hold numbers, texts, dates or booleans"):
        read(pl.Series([[1, 2], [3]]))
