"""Codes of digits in files of text."""

import pyarrow as pa
import pytest

from bochner.data import is_code, open_table, read_table

TABLE = "hour,zip,share,shift,n,text\n" + "".join(
    f"{i % 24:02},{i:05},0.{i:03},-0{i:02},{i},0{i}x\n" for i in range(995, 1005)
)


def types(schema):
    return {name: "text" if kind == pa.string() else "number" for name, kind in zip(schema.names, schema.types)}


def test_codes_are_three_digits_or_more_that_begin_with_zero():
    assert all(map(is_code, ["02134", "000", " 007 "]))
    assert not any(map(is_code, ["07", "0.125", "-012", "1000", "0x1", "", None]))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_of_codes_are_texts_in_files_of_text(tmp_path, separator):
    path = tmp_path / "t.csv"
    path.write_text(TABLE.replace(",", separator))
    expected = dict.fromkeys(["zip", "hour", "share", "shift", "n"], "number") | {"zip": "text", "text": "text"}
    assert types(read_table(str(path)).schema) == types(open_table(str(path)).schema) == expected
    assert read_table(str(path))["zip"][0].as_py() == "00995"


def test_codes_are_numbers_where_training_had_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    assert read_table(str(path), {"zip": "number"})["zip"].to_pylist() == list(range(995, 1005))
    [(_, batch)] = open_table(str(path), kinds={"zip": "number"}).batches(["zip", "n"])
    assert batch["zip"].to_pylist() == list(range(995, 1005))
