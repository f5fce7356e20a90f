"""Whole tables: every file format, types told from all rows, and the memory that a table may take."""

import gzip
import io
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bochner.config import config_context
from bochner.data import read_table
from bochner.errors import InvalidDataError, MemoryBudgetError

FRAME = pd.DataFrame(
    {
        "x": [1.5, 2.5, np.nan],
        "n": [1, 2, 3],
        "text": ["a", None, "c, d"],
        "day": pd.to_datetime(["2020-01-01", None, "2020-03-01"]),
        "yes": [True, False, True],
    }
)


def same(table):
    assert table.column_names == list(FRAME)
    assert table["x"].to_pylist() == [1.5, 2.5, None]
    assert table["n"].to_pylist() == [1, 2, 3]
    assert table["text"].to_pylist() == ["a", None, "c, d"]
    assert table["yes"].to_pylist() == [True, False, True]
    assert pa.types.is_temporal(table["day"].type)
    assert table["day"].null_count == 1


@pytest.mark.parametrize(("name", "separator"), [("t.csv", ","), ("t.csv", ";"), ("t.tsv", "\t"), ("t.txt", "|")])
def test_texts_are_read_with_the_delimiter_of_their_first_line(tmp_path, name, separator):
    FRAME.to_csv(tmp_path / name, sep=separator, index=False)
    same(read_table(str(tmp_path / name)))


def test_compressed_texts_and_parquet_are_read(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))
    same(read_table(str(tmp_path / "t.csv.gz")))
    FRAME.to_parquet(tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"))
    assert table.column_names == list(FRAME)
    assert table["text"].to_pylist() == ["a", None, "c, d"]


def test_standard_input_is_csv(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FRAME.to_csv(index=False).encode())))
    same(read_table("-"))


def test_arrays_have_numbered_columns(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(6.0).reshape(3, 2))
    assert read_table(str(tmp_path / "a.npy")).to_pydict() == {"x0": [0, 2, 4], "x1": [1, 3, 5]}
    np.savez(tmp_path / "a.npz", X=np.arange(6.0).reshape(3, 2), y=np.array([1, 2, 3]))
    assert read_table(str(tmp_path / "a.npz")).to_pydict() == {"X0": [0, 2, 4], "X1": [1, 3, 5], "y": [1, 2, 3]}


def test_arrays_of_objects_and_other_shapes_are_refused(tmp_path):
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "d.npy", np.zeros((2, 2, 2)))
    np.savez(tmp_path / "r.npz", a=np.zeros(2), b=np.zeros(3))
    for name, reason in [
        ("o.npy", "could not be read"),
        ("d.npy", "one or two dimensions"),
        ("r.npz", "same number of"),
    ]:
        with pytest.raises(InvalidDataError, match=reason):
            read_table(str(tmp_path / name))


def test_types_are_told_from_all_rows(tmp_path):
    rows = [str(i) for i in range(2_000_000)]  # more than a block of the reader
    (tmp_path / "t.csv").write_text("late\n" + "\n".join([*rows, "2.5", "text"]) + "\n")
    assert pa.types.is_string(read_table(str(tmp_path / "t.csv"))["late"].type)


def test_a_column_is_read_as_what_it_was(tmp_path):
    (tmp_path / "t.csv").write_text("zip,size\n01,3\n02,4\n")
    table = read_table(str(tmp_path / "t.csv"), {"zip": "category", "size": "number"})
    assert table.to_pydict() == {"zip": ["01", "02"], "size": [3.0, 4.0]}
    (tmp_path / "t.csv").write_text("zip,size\n01,3\n02,big\n")
    with pytest.raises(InvalidDataError, match=r"Column 'size' must hold a number. Got 'big' in row 2"):
        read_table(str(tmp_path / "t.csv"), {"size": "number"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "could not be read"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2,3\n", "line 2 has 3 cells, and the line of names 2"),
        (b"a,a\n1,2\n", "different names. Twice: a"),
        (b"a,b\n\xff\xfe\xfa,1\n", "'a' of .* is not text in UTF-8"),
        (b"a\xff,b\n1,2\n", "text that is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16.*iconv"),
        (b"PAR1\x15\x04", "a Parquet table"),
        (b"PK\x03\x04\x14", "export its sheet as CSV"),
    ],
)
def test_bad_texts_are_refused_in_one_sentence(tmp_path, text, reason):
    (tmp_path / "t.csv").write_bytes(text)
    with pytest.raises(InvalidDataError, match=reason) as refusal:
        read_table(str(tmp_path / "t.csv"))
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path):
    for name in ("t.parquet", "t.npy", "t.npz"):
        (tmp_path / name).write_text("not a table")
        with pytest.raises(InvalidDataError, match="could not be read"):
            read_table(str(tmp_path / name))
    with pytest.raises(InvalidDataError, match="no file"):
        read_table(str(tmp_path / "absent.csv"))
    with pytest.raises(InvalidDataError, match=r"must end in .csv"):
        read_table("table.xlsx")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.parquet", "t.npy"])
def test_a_damaged_file_is_refused_wherever_the_damage_is(tmp_path, name):
    """Found by fuzzing: OSError of zlib and thrift, TokenError of NumPy, as they are."""
    path = tmp_path / name
    if name == "t.npy":
        np.save(path, np.arange(12.0).reshape(4, 3))
    else:
        FRAME.to_parquet(path) if name == "t.parquet" else FRAME.to_csv(path, index=False)
    good, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(60):
        bad = bytearray(good)
        start = rng.integers(len(good))
        bad[start : start + 8] = rng.bytes(8)
        path.write_bytes(bad)
        with suppress(InvalidDataError):  # and nothing else
            read_table(str(path))


def test_damaged_sizes_of_a_parquet_column_do_not_end_the_process():
    """Found by fuzzing: pyarrow aborts where it is asked for them, so nobody asks."""
    path = Path(__file__).with_name("damaged_column_sizes.parquet")
    code = f"from bochner.data import read_table; read_table({str(path)!r})"
    end = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert end.returncode == 1
    assert "InvalidDataError" in end.stderr


def test_a_table_beyond_the_memory_budget_is_refused_with_its_bill(tmp_path):
    numbers = np.arange(20_000.0).reshape(-1, 4)
    np.save(tmp_path / "t.npy", numbers)
    np.savez_compressed(tmp_path / "t.npz", numbers)
    frame = pd.DataFrame(numbers, columns=list("abcd"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.npy", "t.npz", "t.csv", "t.csv.gz", "t.parquet"):
        with config_context(memory="100kB"), pytest.raises(MemoryBudgetError, match=r"block by block") as refusal:
            read_table(str(tmp_path / name))
        assert name in str(refusal.value)
        with config_context(memory="500kB"):
            assert read_table(str(tmp_path / name)).num_rows == len(numbers)
