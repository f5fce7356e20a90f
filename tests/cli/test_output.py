"""Predictions in files."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from bochner.cli.output import write_columns


def test_columns_are_written_as_csv_and_parquet(tmp_path):
    columns = {"id": pa.chunked_array([["a", "b,c"]]), "prediction": np.array([0.1, 2], dtype=np.float32)}
    write_columns(columns, str(tmp_path / "t.csv"))
    assert (tmp_path / "t.csv").read_text() == 'id,prediction\na,0.1\n"b,c",2.0\n'
    write_columns(columns, str(tmp_path / "t.parquet"))
    assert parquet.read_table(tmp_path / "t.parquet").column_names == ["id", "prediction"]


def test_columns_that_cannot_be_written_leave_the_old_file(tmp_path):
    (tmp_path / "t.csv").write_text("old")
    with pytest.raises(ValueError, match="longer"):
        write_columns({"a": np.zeros(2), "b": np.zeros(3)}, str(tmp_path / "t.csv"))
    assert (tmp_path / "t.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
