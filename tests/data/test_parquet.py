"""Parquet files: what is found, what is read, and what reading holds."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import bochner as bo
from bochner.data import ArrayRows
from tests.data.reading import FEATURES, N, all_rows, in_memory


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ({"a": pa.float32(), "b": pa.int16()}, np.float32),
        ({"a": pa.bool_(), "b": pa.uint8()}, np.float32),
        ({"a": pa.float32(), "b": pa.int32()}, np.float64),
        ({"a": pa.float32(), "b": pa.float64()}, np.float64),
        ({"a": pa.float32(), "b": pa.decimal128(30, 2)}, np.float64),
    ],
)
def test_float32_is_used_where_it_is_exact(types, expected, tmp_path):
    table = pa.table({name: pa.array([0, 1, 1]).cast(kind) for name, kind in types.items()})
    pq.write_table(table, tmp_path / "t.parquet")
    source = bo.scan_parquet(tmp_path / "t.parquet")
    assert source.dtype == expected
    np.testing.assert_array_equal(all_rows(source)[0], [[0, 0], [1, 1], [1, 1]])
    assert bo.scan_parquet(tmp_path / "t.parquet", dtype="float32").dtype == np.float32


def test_the_number_of_rows_and_the_types_come_from_the_footers_alone(folder, monkeypatch):
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)
    source = bo.scan_parquet(folder, target="y", columns=FEATURES)
    assert (source.n_rows, source.n_features, source.n_passes) == (N, 3, 0)


def test_only_the_columns_in_use_are_read(folder, monkeypatch):
    asked, read = [], pq.ParquetFile.iter_batches

    def watched(self, rows, groups, columns, **options):
        asked.append(columns)
        return read(self, rows, groups, columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", watched)
    all_rows(bo.scan_parquet(folder, target="y", columns=["b"]))
    assert {tuple(columns) for columns in asked} == {("b", "y")}


def test_files_are_found_by_name_folder_pattern_and_list(folder, table):
    (folder / "_metadata.parquet").write_text("not data")
    files = [folder / f"part-{i}.parquet" for i in range(3)]
    expected = in_memory(table)
    for path in (folder, str(folder / "part-*.parquet"), files, [str(file) for file in files]):
        np.testing.assert_array_equal(all_rows(bo.scan_parquet(path, columns=FEATURES))[0], expected)
    assert bo.scan_parquet(files[2], columns=FEATURES).n_rows == 10


def test_a_part_of_a_pass_leaves_no_thread_and_no_open_file(folder):
    source = bo.scan_parquet(folder, target="y", columns=FEATURES)
    blocks = source.blocks(10)
    next(blocks)
    blocks.close()
    opened = {
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if os.path.exists(f"/proc/self/fd/{fd}")
    }
    assert not [name for name in opened if str(folder) in name]


def test_take_and_sample_are_those_in_memory(folder, table):
    source = bo.scan_parquet(folder, target="y", columns=FEATURES, weight="w")
    X = in_memory(table)
    index = np.array([999, 3, 3, 401])
    np.testing.assert_array_equal(source.take(index), X[index])
    reference = ArrayRows(X, table["y"].to_numpy(), table["w"].to_numpy(), X.dtype)
    np.testing.assert_array_equal(source.sample(50, 7), reference.sample(50, 7))


def test_a_source_can_be_pickled(folder):
    source = bo.scan_parquet(folder, target="y", columns=FEATURES)
    copy = pickle.loads(pickle.dumps(source))
    np.testing.assert_array_equal(all_rows(copy)[0], all_rows(source)[0])


def test_the_index_of_a_pandas_frame_is_no_feature(tmp_path):
    pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([7, 9], name="id")).to_parquet(tmp_path / "t.parquet")
    assert bo.scan_parquet(tmp_path).feature_names == ["a"]
    assert bo.scan_parquet(tmp_path, columns=["id"]).feature_names == ["id"]


def test_names_with_dots_are_names(tmp_path):
    pq.write_table(pa.table({"a": [1.0], "a.b": [2.0], "a.c": [3.0]}), tmp_path / "t.parquet")
    np.testing.assert_array_equal(all_rows(bo.scan_parquet(tmp_path, columns=["a.c", "a"]))[0], [[3.0, 1.0]])


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["down", "up"])])
def test_categories_may_be_labels(kind, tmp_path):
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0], "y": pl.Series(["up", "down", "up"], dtype=kind)})
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (bo.scan_frame(frame.lazy(), target="y"), bo.scan_parquet(tmp_path, target="y")):
        assert all_rows(source)[1][:, 0].tolist() == ["up", "down", "up"]


def test_other_columns_and_another_order_of_columns_do_no_harm(table, folder):
    pq.write_table(table.select(["c", "y", "b", "a"]).slice(400, 590), folder / "part-1.parquet")
    np.testing.assert_array_equal(all_rows(bo.scan_parquet(folder, columns=FEATURES))[0], in_memory(table))


def test_reading_holds_little_of_a_huge_row_group(tmp_path):
    """Peak memory of the process, over what it held before, is within `read_bytes` and far below the row group."""
    code = """
import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq, bochner as bo
peak = lambda: 1024 * int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
path, small = sys.argv[1:]
list(bo.scan_parquet(small).blocks(10))
before, source = peak(), bo.scan_parquet(path)
rows = sum(block.n_rows for block in source.blocks(8192))
print(rows, peak() - before, source.read_bytes)
"""
    column = np.random.default_rng(0).standard_normal(2_000_000)
    pq.write_table(pa.table({f"x{j}": column for j in range(8)}), tmp_path / "huge.parquet", row_group_size=10**7)
    pq.write_table(pa.table({"x": [1.0]}), tmp_path / "small.parquet")
    files = [str(tmp_path / "huge.parquet"), str(tmp_path / "small.parquet")]
    run = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True, check=True)
    rows, held, stated = map(int, run.stdout.split())
    assert rows == len(column)
    assert held <= stated < 8 * column.nbytes


@pytest.mark.slow
def test_three_million_flights_are_those_of_the_file(data_folder):
    path = data_folder / "airline2001.parquet"
    source, frame = bo.scan_parquet(path, target="target"), pq.read_table(path).to_pandas()
    assert (source.n_rows, source.dtype) == (3_000_000, np.float32)
    expected = frame.drop(columns="target").to_numpy(np.float32)
    for block in source.blocks(100_003):
        rows = slice(block.start, block.start + block.n_rows)
        np.testing.assert_array_equal(block.X, expected[rows])
        np.testing.assert_array_equal(block.Y[:, 0], frame["target"].to_numpy()[rows])
