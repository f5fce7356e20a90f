"""Tables in files and queries: the same rows as in memory, and errors that name the place."""

import json
import logging
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
from scipy.sparse import issparse
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import bochner as bo
from bochner.data import RowBlocks, RowSource
from bochner.errors import InvalidDataError, InvalidParameterError, MissingExtraError
from tests.data.reading import all_rows, assert_same_moments, moments

N = 1000
FEATURES = ["a", "b", "c"]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "a": (rng.integers(-200, 200, N) / 64).astype(np.float32),  # exact as text, too
            "y": rng.standard_normal(N),
            "b": rng.integers(-100, 100, N).astype(np.int16),
            "c": rng.random(N) < 0.5,
            "w": rng.random(N),
            "kind": rng.choice(["red", "green", "blue"], N),
        }
    )


@pytest.fixture
def folder(tmp_path, table):
    """The table in three files, the last one small, in row groups of 150 rows."""
    for i, (start, stop) in enumerate([(0, 400), (400, 990), (990, N)]):
        pq.write_table(table.slice(start, stop - start), tmp_path / f"part-{i}.parquet", row_group_size=150)
    return tmp_path


def in_memory(table, dtype=np.float32):
    return np.stack([table[name].to_numpy().astype(dtype) for name in FEATURES], axis=1)


def scan_any(kind, table, folder, **options):
    """The same table, from each kind of storage that has named columns."""
    if kind == "parquet":
        return bo.scan_parquet(folder, **options)
    if kind == "csv":
        (folder / "csv").mkdir(exist_ok=True)
        for i in range(2):
            pa.csv.write_csv(table.slice(i * 500, 500), folder / "csv" / f"{i}.csv")
        return bo.scan_csv(folder / "csv", **options)
    return bo.scan_frame(pl.from_arrow(table).lazy(), **options)


KINDS = pytest.mark.parametrize("kind", ["parquet", "csv", "frame"])


@KINDS
@pytest.mark.parametrize("block_rows", [1, 64, 400, 999, 1000, 5000])
def test_rows_are_those_in_memory_at_any_block_size(kind, block_rows, table, folder):
    source = scan_any(kind, table, folder, target="y", columns=FEATURES, weight="w")
    X, Y, weight = all_rows(source, block_rows)
    np.testing.assert_array_equal(X, in_memory(table))
    np.testing.assert_array_equal(Y[:, 0], table["y"].to_numpy())
    np.testing.assert_array_equal(weight, table["w"].to_numpy())
    assert source.feature_names == FEATURES


@KINDS
def test_moments_are_those_in_memory(kind, table, folder):
    source = scan_any(kind, table, folder, target=["y", "w"], columns=FEATURES)
    Y = np.stack([table["y"].to_numpy(), table["w"].to_numpy()], axis=1)
    X = in_memory(table, source.dtype)
    assert_same_moments(moments(source), moments(RowBlocks(X, Y, None, X.dtype)))


@KINDS
def test_labels_stay_labels(kind, table, folder):
    source = scan_any(kind, table, folder, target="kind", columns=FEATURES)
    assert source.target_dtype.kind == "O"
    np.testing.assert_array_equal(source.targets()[0][:, 0], table["kind"].to_pylist())


@KINDS
def test_rows_without_targets_have_none(kind, table, folder):
    X, Y, _ = all_rows(scan_any(kind, table, folder, columns=FEATURES))
    assert Y.shape == (N, 0)
    np.testing.assert_array_equal(X, in_memory(table))


@KINDS
def test_features_are_all_columns_but_target_and_weight(kind, table, folder):
    source = scan_any(
        kind,
        table.drop_columns("kind"),
        folder,
        target="y",
        weight="w",
        columns=None if kind != "parquet" else FEATURES,
    )
    assert source.feature_names == FEATURES


@KINDS
def test_texts_are_refused_with_the_ways_out(kind, table, folder):
    with pytest.raises(InvalidDataError, match=r"'kind' \(.*string\).*columns=.*OneHotEncoder.*\['kind'\].*encoder="):
        scan_any(kind, table, folder, target="y")


@KINDS
def test_a_declared_encoder_makes_numbers_of_texts(kind, table, folder):
    frame = table.to_pandas()
    encoder = make_column_transformer(
        (OneHotEncoder(), ["kind"]), (StandardScaler(), ["a"]), remainder="drop", sparse_threshold=1.0
    ).fit(frame[["kind", "a"]])
    source = scan_any(kind, table, folder, target="y", encoder=encoder)
    X, _, _ = all_rows(source)
    assert issparse(X)
    np.testing.assert_allclose(X.toarray(), encoder.transform(frame).toarray(), rtol=1e-6, atol=1e-7)
    assert source.feature_names == list(encoder.get_feature_names_out())


def test_an_encoder_may_be_dense_and_fitted_on_an_array(table, folder):
    encoder = OneHotEncoder(sparse_output=False, dtype=np.float32).fit(
        np.array([["red"], ["green"], ["blue"]], dtype=object)
    )
    source = bo.scan_parquet(folder, target="y", columns=["kind"], encoder=encoder)
    X, _, _ = all_rows(source)
    assert X.dtype == np.float32
    np.testing.assert_array_equal(
        X.argmax(axis=1), [["blue", "green", "red"].index(k) for k in table["kind"].to_pylist()]
    )


def test_what_an_encoder_refuses_is_an_error_with_its_place(folder):
    encoder = OneHotEncoder().fit(pd.DataFrame({"kind": ["red", "green"]}))
    with pytest.raises(InvalidDataError, match=r"encoder failed on part-0\.parquet, row group 0.*blue"):
        bo.scan_parquet(folder, target="y", encoder=encoder)


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
    reference = RowBlocks(X, table["y"].to_numpy(), table["w"].to_numpy(), X.dtype)
    np.testing.assert_array_equal(source.sample(50, 7), reference.sample(50, 7))


def test_a_source_can_be_pickled(folder):
    source = bo.scan_parquet(folder, target="y", columns=FEATURES)
    copy = pickle.loads(pickle.dumps(source))
    np.testing.assert_array_equal(all_rows(copy)[0], all_rows(source)[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "price"}, "'target' parameter of scan_parquet must be among the columns a, y, b.*Got 'price'"),
        ({"weight": "price"}, "'weight' parameter"),
        ({"columns": ["a", "z"]}, "'columns' parameter.*Got 'z'"),
        ({"columns": ["a", "a"]}, "'columns' parameter.*occur once"),
        ({"columns": ["a", "y"], "target": "y"}, "neither target nor weight"),
        ({"columns": []}, "at least one column"),
        ({"columns": ["a"], "dtype": "int8"}, "'dtype' parameter of scan_parquet"),
        ({"columns": ["a"], "dtype": "number"}, "'dtype' parameter of scan_parquet"),
    ],
)
def test_wrong_parameters_are_named(options, message, folder):
    with pytest.raises(InvalidParameterError, match=message):
        bo.scan_parquet(folder, **options)


def test_targets_and_weights_must_be_numbers(folder):
    with pytest.raises(InvalidDataError, match=r"one column of labels.*'kind'"):
        bo.scan_parquet(folder, target=["y", "kind"], columns=["a"])
    with pytest.raises(InvalidDataError, match=r"Weights must be numbers.*'kind'"):
        bo.scan_parquet(folder, weight="kind", columns=["a"])


def test_no_file_and_a_missing_file_are_errors(tmp_path):
    with pytest.raises(InvalidDataError, match="found no file"):
        bo.scan_parquet(tmp_path)
    with pytest.raises(InvalidDataError, match=r"gone\.parquet could not be read.*No such file"):
        bo.scan_parquet(tmp_path / "gone.parquet")
    with pytest.raises(InvalidParameterError, match="'path' parameter of scan_csv"):
        bo.scan_csv(3)


def test_a_folder_partitioned_by_name_is_refused(tmp_path, table):
    (tmp_path / "year=2001").mkdir()
    pq.write_table(table, tmp_path / "year=2001" / "0.parquet")
    with pytest.raises(InvalidDataError, match="partitioned by year"):
        bo.scan_parquet(tmp_path, columns=FEATURES)
    assert bo.scan_parquet(str(tmp_path / "*" / "*.parquet"), columns=FEATURES).n_rows == N


def test_a_missing_value_is_refused_with_row_column_file_and_row_group(tmp_path):
    for i in range(2):
        values = pa.array([None if i == 1 and j == 33 else j for j in range(50)], type=pa.int16())
        pq.write_table(pa.table({"a": pa.array(range(50)), "b": values}), tmp_path / f"{i}.parquet", row_group_size=20)
    source = bo.scan_parquet(tmp_path)
    with pytest.raises(InvalidDataError, match=r"nan in row 83, column 'b', 1\.parquet, row group 1\."):
        all_rows(source, block_rows=70)


def test_a_missing_label_is_refused_with_its_place(tmp_path):
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": ["x", None]}), tmp_path / "t.parquet")
    with pytest.raises(InvalidDataError, match=r"missing labels.*'y', t\.parquet, row group 0"):
        all_rows(bo.scan_parquet(tmp_path, target="y"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop_columns("b"), r"no such column for 'b' in part-1\.parquet"),
        (
            lambda t: t.set_column(2, "b", t["b"].cast(pa.float64())),
            r"type double for 'b' in part-1\.parquet; it is int16",
        ),
    ],
)
def test_schemas_are_compared_before_anything_is_read(change, message, table, folder):
    pq.write_table(change(table), folder / "part-1.parquet")
    with pytest.raises(InvalidDataError, match=message):
        bo.scan_parquet(folder, target="y", columns=FEATURES)


def test_other_columns_and_another_order_of_columns_do_no_harm(table, folder):
    pq.write_table(table.select(["c", "y", "b", "a"]).slice(400, 590), folder / "part-1.parquet")
    np.testing.assert_array_equal(all_rows(bo.scan_parquet(folder, columns=FEATURES))[0], in_memory(table))


def test_a_file_that_changed_between_passes_is_an_error(table, folder):
    source = bo.scan_parquet(folder, target="y", columns=FEATURES)
    all_rows(source)
    pq.write_table(table.slice(0, 590), folder / "part-1.parquet")
    with pytest.raises(InvalidDataError, match=r"part-1\.parquet has changed on disk"):
        all_rows(source)


def test_a_truncated_file_is_an_error_with_its_name(folder):
    data = (folder / "part-1.parquet").read_bytes()
    (folder / "part-1.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(InvalidDataError, match=r"part-1\.parquet could not be read"):
        bo.scan_parquet(folder, columns=FEATURES)


def test_a_corrupt_page_is_an_error_with_file_and_row_group(tmp_path, table):
    path = tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=250, write_page_checksum=True)
    place = pq.ParquetFile(path).metadata.row_group(2).column(1)
    data = bytearray(path.read_bytes())
    middle = place.data_page_offset + place.total_compressed_size // 2
    data[middle : middle + 8] = bytes(8)
    path.write_bytes(data)
    blocks = bo.scan_parquet(path, target="y", columns=FEATURES).blocks(250)
    assert [next(blocks).start for _ in range(2)] == [0, 250]  # what comes before the damage is handed over
    with pytest.raises(InvalidDataError, match=r"t\.parquet, row group 2 could not be read"):
        next(blocks)


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


def test_fingerprints_tell_rows_from_other_rows(table, folder):
    source = bo.scan_parquet(folder, target="y", columns=FEATURES)
    again = bo.scan_parquet(folder, target="y", columns=FEATURES)
    assert json.loads(json.dumps(source.fingerprint())) == again.fingerprint()
    all_rows(source)
    assert source.fingerprint() == again.fingerprint()
    others = [
        bo.scan_parquet(folder, target="w", columns=FEATURES),
        bo.scan_parquet(folder, target="y", columns=FEATURES[::-1]),
        bo.scan_parquet(folder, target="y", columns=FEATURES, dtype=np.float64),
        bo.scan_parquet(folder / "part-0.parquet", target="y", columns=FEATURES),
    ]
    os.utime(folder / "part-0.parquet", ns=(1, 1))
    others.append(bo.scan_parquet(folder, target="y", columns=FEATURES))
    assert source.fingerprint() not in [other.fingerprint() for other in others]
    RowSource.fingerprint(RowBlocks(np.zeros((2, 1)), np.zeros(2), None, np.dtype(float)))


def test_the_fingerprint_of_an_encoder_is_that_of_another_process(folder):
    code = """
import sys, pandas as pd, bochner as bo
from sklearn.preprocessing import OneHotEncoder
encoder = OneHotEncoder(handle_unknown="ignore").fit(pd.DataFrame({"kind": ["red", "green"]}))
print(bo.scan_parquet(sys.argv[1], target="y", encoder=encoder).fingerprint()["encoder"])
"""

    def here(kinds):
        encoder = OneHotEncoder(handle_unknown="ignore").fit(pd.DataFrame({"kind": kinds}))
        return bo.scan_parquet(folder, target="y", encoder=encoder).fingerprint()["encoder"]

    run = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert here(["red", "green"]) == run.stdout.strip() != here(["red", "blue"])


def test_rows_of_csv_files_are_counted_only_when_asked_for(table, folder, caplog):
    caplog.set_level(logging.INFO, logger="bochner")
    source = scan_any("csv", table, folder, target="y", columns=FEATURES)
    assert (source.n_passes, caplog.text) == (0, "")
    assert source.n_rows == N
    assert source.n_passes == 1
    assert "one pass" in caplog.text
    assert source.n_rows == N
    assert source.n_passes == 1

    fresh = scan_any("csv", table, folder, target="y", columns=FEATURES)
    assert sum(block.n_rows for block in fresh.blocks(100)) == fresh.n_rows
    assert fresh.n_passes == 1  # the pass has told


def test_integers_of_a_csv_file_may_turn_into_fractions(tmp_path, monkeypatch):
    monkeypatch.setattr("bochner.data.csv._TEXT_BYTES", 64)
    (tmp_path / "t.csv").write_text("x,y\n" + "1,2\n" * 100 + "1.5,2.5\n")
    X, Y, _ = all_rows(bo.scan_csv(tmp_path / "t.csv", target="y"))
    assert (X[-1, 0], Y[-1, 0], len(X)) == (1.5, 2.5, 101)


def test_csv_files_may_have_no_names_and_another_delimiter(tmp_path):
    (tmp_path / "t.csv").write_text("1;2\n3;4\n")
    X, Y, _ = all_rows(bo.scan_csv(tmp_path / "t.csv", target="y", delimiter=";", column_names=["x", "y"]))
    assert (X.tolist(), Y.tolist()) == ([[1], [3]], [[2], [4]])


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("1\n", r"t\.csv could not be read.*Row #102: Expected 2 columns, got 1"),
        ("1,blue\n", r"t\.csv could not be read.*Row #102.*'blue'"),
        ("1,\n", r"y must be finite.*row 100, t\.csv, from line"),
    ],
)
def test_a_bad_line_of_a_csv_file_is_named(last, message, tmp_path, monkeypatch):
    monkeypatch.setattr("bochner.data.csv._TEXT_BYTES", 64)
    (tmp_path / "t.csv").write_text("x,y\n" + "1,2\n" * 100 + last)
    with pytest.raises(InvalidDataError, match=message):
        all_rows(bo.scan_csv(tmp_path / "t.csv", target="y"))


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


def test_a_missing_pyarrow_names_the_extra(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bochner\[io\]'"):
        bo.scan_parquet(folder)
