"""Files that are missing, damaged, changed or unlike each other: errors that name the place."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError
from tests.data.reading import FEATURES, N, all_rows


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


@pytest.mark.parametrize("kind", ["parquet", "csv", "npy"])
def test_a_file_that_is_cut_off_in_mid_scan_is_an_error_with_its_name(kind, tmp_path):
    X = np.random.default_rng(0).standard_normal((400_000, 3))
    path, table = tmp_path / f"t.{kind}", pa.table({name: X[:, j] for j, name in enumerate("abc")})
    write = {"parquet": pq.write_table, "csv": pa.csv.write_csv, "npy": lambda _, path: np.save(path, X)}
    write[kind](table, path)
    scan = {"parquet": bo.scan_parquet, "csv": bo.scan_csv, "npy": bo.scan_npy}
    blocks = scan[kind](path).blocks(1000)
    next(blocks)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(InvalidDataError, match=rf"t\.{kind}"):
        list(blocks)
