"""Tables in files as batches."""

import time

import pyarrow as pa
import pytest
from pyarrow import parquet

from bochner.data import can_stream, csv, open_table, whole_bytes
from bochner.errors import InvalidDataError


def rows_of(file, columns=None):
    return pa.concat_tables([table for _, table in file.tables(columns)])


def test_batches_of_csv_and_parquet_are_the_table_and_can_be_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "TEXT_BYTES", 500)
    table = pa.table({"a": [float(i) for i in range(300)], "b": [f"t{i % 3}" for i in range(300)]})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=70)
    pa.csv.write_csv(table, tmp_path / "t.csv")
    for name in ("t.csv", "t.parquet"):
        file = open_table(str(tmp_path / name))
        assert file.schema.names == ["a", "b"]
        for _ in range(2):
            assert rows_of(file).to_pydict() == table.to_pydict()
        assert rows_of(file, ["b"]).column_names == ["b"]
        assert len(list(file.tables())) > 1
        assert whole_bytes(str(tmp_path / name)) > 300 * 8


def test_a_type_is_widened_until_rows_have_it(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "TEXT_BYTES", 100)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,\n" * 100 + "x,2\n")
    file = open_table(str(tmp_path / "t.csv"), keep="a")
    assert pa.types.is_int64(file.schema.field("a").type)
    for _ in range(2):
        with pytest.raises(InvalidDataError, match=r"Column 'a' must hold a .*number. Got 'x' in row 101") as failure:
            rows_of(file)
        file.settle(failure.value)
    assert rows_of(file)["a"].to_pylist()[-1] == "x"
    with pytest.raises(InvalidDataError, match="another"):
        file.settle(InvalidDataError("another"))


def test_a_file_that_changes_between_passes_is_an_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    file = open_table(str(path))
    path.write_text("a\n1\n2\n")
    with pytest.raises(InvalidDataError, match="changed on disk"):
        rows_of(file)


def test_what_cannot_be_streamed(tmp_path):
    assert [can_stream(name) for name in ("t.csv", "t.tsv.gz", "t.PQ", "-", "t.npy", "t.npz")] == [True] * 3 + [
        False
    ] * 3
    (tmp_path / "t.csv.gz").write_bytes(b"no gzip at all")
    with pytest.raises(InvalidDataError, match="could not be read"):
        whole_bytes(str(tmp_path / "t.csv.gz"))


@pytest.mark.parametrize("names", ["a,b", f"{'a' * 900},b"])
def test_a_row_that_is_longer_than_a_block_of_text_is_read_once(names, tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "TEXT_BYTES", 800)  # blocks of 50 bytes
    rows = [(str(i), "x" * (700 if i == 60 else 3)) for i in range(100)]
    (tmp_path / "t.csv").write_text("\n".join([names, *(f"{a},{b}" for a, b in rows)]) + "\n")
    found = rows_of(open_table(str(tmp_path / "t.csv"), {names.split(",")[0]: "category"}))
    assert list(zip(*found.to_pydict().values())) == rows


def test_a_row_that_no_block_holds_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "TEXT_BYTES", 16)
    (tmp_path / "t.csv").write_text("a\n" + "1\n" * 50 + "2" * 5000 + "\n")
    with pytest.raises(InvalidDataError, match="straddling"):
        rows_of(open_table(str(tmp_path / "t.csv")))


def test_text_is_not_read_far_ahead_of_a_slow_reader(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "1.25,2.5\n" * 4_000_000)
    file = open_table(str(tmp_path / "t.csv"))
    before, held = pa.total_allocated_bytes(), 0
    for i, _ in enumerate(file.tables()):
        if i < 3:
            time.sleep(0.2)
        held = max(held, pa.total_allocated_bytes() - before)
    assert held < 16 * 2**20
