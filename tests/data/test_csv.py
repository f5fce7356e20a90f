"""CSV files: counting, types that later rows decide, and bad lines."""

import logging

import pytest

import bochner as bo
from bochner.errors import InvalidDataError
from tests.data.reading import FEATURES, N, all_rows, write_csv


def test_rows_of_csv_files_are_counted_only_when_asked_for(table, tmp_path, caplog):
    folder = write_csv(table, tmp_path / "csv")
    caplog.set_level(logging.INFO, logger="bochner")
    source = bo.scan_csv(folder, target="y", columns=FEATURES)
    assert (source.n_passes, caplog.text) == (0, "")
    assert source.n_rows == N
    assert source.n_passes == 1
    assert "one pass" in caplog.text
    assert source.n_rows == N
    assert source.n_passes == 1

    fresh = bo.scan_csv(folder, target="y", columns=FEATURES)
    assert sum(block.n_rows for block in fresh.blocks(100)) == fresh.n_rows
    assert fresh.n_passes == 1  # the pass has told


def test_integers_of_a_csv_file_may_turn_into_fractions(tmp_path, monkeypatch):
    monkeypatch.setattr("bochner.data.csv.TEXT_BYTES", 64)
    (tmp_path / "t.csv").write_text("x,y\n" + "1,2\n" * 100 + "1.5,2.5\n")
    X, Y, _ = all_rows(bo.scan_csv(tmp_path / "t.csv", target="y"))
    assert (X[-1, 0], Y[-1, 0], len(X)) == (1.5, 2.5, 101)


def test_texts_of_a_csv_file_may_be_digits_in_another(tmp_path):
    (tmp_path / "0.csv").write_text("x,code\n1,A7\n")
    (tmp_path / "1.csv").write_text("x,code\n2,77\n")
    assert bo.scan_csv(tmp_path, target="code").targets()[0][:, 0].tolist() == ["A7", "77"]
    (tmp_path / "2.csv").write_text("x,code\nred,77\n")
    with pytest.raises(InvalidDataError, match=r"type string for 'x' in 2\.csv; it is double"):
        bo.scan_csv(tmp_path, target="code")


def test_csv_files_may_have_no_names_and_another_delimiter(tmp_path):
    (tmp_path / "t.csv").write_text("1;2\n3;4\n")
    X, Y, _ = all_rows(bo.scan_csv(tmp_path / "t.csv", target="y", delimiter=";", column_names=["x", "y"]))
    assert (X.tolist(), Y.tolist()) == ([[1], [3]], [[2], [4]])


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("1\n", r"t\.csv could not be read: line 102 has 1 cell, and the line of names 2"),
        ("1,blue\n", r"t\.csv could not be read.*Row #102.*'blue'"),
        ("1,\n", r"y must be finite.*row 100, t\.csv, from line"),
    ],
)
def test_a_bad_line_of_a_csv_file_is_named(last, message, tmp_path, monkeypatch):
    monkeypatch.setattr("bochner.data.csv.TEXT_BYTES", 64)
    (tmp_path / "t.csv").write_text("x,y\n" + "1,2\n" * 100 + last)
    with pytest.raises(InvalidDataError, match=message):
        all_rows(bo.scan_csv(tmp_path / "t.csv", target="y"))
