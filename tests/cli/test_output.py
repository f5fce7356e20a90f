"""Predictions in files."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from bochner.cli.output import writing


def write(columns, path):
    with writing(str(path)) as piece:
        piece(columns)


def test_columns_are_written_as_csv_and_parquet(tmp_path):
    columns = {"id": pa.chunked_array([["a", "b,c"]]), "prediction": np.array([0.1, 2], dtype=np.float32)}
    write(columns, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == 'id,prediction\na,0.1\n"b,c",2.0\n'
    write(columns, tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").column_names == ["id", "prediction"]


def test_columns_that_cannot_be_written_leave_the_old_file(tmp_path):
    (tmp_path / "t.csv").write_text("old")
    with pytest.raises(ValueError, match="longer"):
        write({"a": np.zeros(2), "b": np.zeros(3)}, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_pieces_are_one_file(tmp_path):
    for name in ("t.csv", "t.parquet"):
        with writing(str(tmp_path / name)) as write_piece:
            write_piece({"id": pa.chunked_array([["a"]]), "prediction": np.array([1.5])})
            write_piece({"id": pa.chunked_array([pa.nulls(1)]), "prediction": np.array([2.5])})
            assert not (tmp_path / name).exists()
    assert (tmp_path / "t.csv").read_text() == "id,prediction\na,1.5\n,2.5\n"
    assert parquet.read_table(tmp_path / "t.parquet").to_pydict() == {"id": ["a", None], "prediction": [1.5, 2.5]}
