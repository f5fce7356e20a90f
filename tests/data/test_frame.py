"""Polars queries."""

import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError, MissingExtraError
from tests.data.reading import all_rows


def test_a_query_is_streamed_and_a_failing_one_is_an_error(table):
    query = pl.from_arrow(table).lazy().filter(pl.col("a") > 0).with_columns(d=pl.col("a") * 2)
    source = bo.scan_frame(query, columns=["d"])
    np.testing.assert_array_equal(all_rows(source)[0], query.select("d").collect().to_numpy())
    with pytest.raises(InvalidDataError, match=r"The query could not be read.*nowhere"):
        bo.scan_frame(query.select("nowhere"))


def test_a_frame_in_memory_and_a_polars_without_batches_are_told_the_way(table, monkeypatch):
    with pytest.raises(InvalidParameterError, match="'frame' parameter of scan_frame must be a polars LazyFrame"):
        bo.scan_frame(table.to_pandas())
    monkeypatch.delattr(pl.LazyFrame, "collect_batches")
    with pytest.raises(InvalidDataError, match=r"sink_parquet.*scan_parquet"):
        bo.scan_frame(pl.from_arrow(table).lazy())


def test_without_polars_the_extra_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match="polars is not installed") as error:
        bo.scan_frame(None)
    extra = re.search(r"bochner\[(\w+)\]", str(error.value))[1]
    extras = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert any(package.startswith("polars") for package in extras[extra])
