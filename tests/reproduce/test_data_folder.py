"""The folder of data files: found by BOCHNER_DATA, or refused with the remedy."""

import pytest

from bochner.errors import InvalidDataError
from bochner.reproduce.data_folder import data_file, missing_files


def test_a_file_that_is_there_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("BOCHNER_DATA", str(tmp_path))
    (tmp_path / "a.npz").write_bytes(b"")
    assert data_file("a.npz") == tmp_path / "a.npz"
    assert missing_files(["a.npz"]) is None
    assert missing_files([]) is None


def test_a_file_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("BOCHNER_DATA", str(tmp_path))
    with pytest.raises(InvalidDataError, match=r"reads b\.npz, which the folder BOCHNER_DATA does not have"):
        data_file("b.npz")


def test_without_a_folder_the_remedy_is_to_set_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BOCHNER_DATA", raising=False)
    assert "Set BOCHNER_DATA" in missing_files(["c.npz"])
