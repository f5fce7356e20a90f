"""Files of a data set: found in order of name, hidden ones left out, changes noticed."""

import os

import pytest

from bochner.data.files import DataFile, find_files, is_path, reading
from bochner.errors import InvalidDataError, InvalidParameterError


def test_folders_patterns_and_lists_are_expanded_in_order(tmp_path):
    for name in ("b.csv", "a.csv", "_notes.csv", ".hidden.csv", "c.txt"):
        (tmp_path / name).write_text("x\n")
    names = [file.name for file in find_files("scan", tmp_path, (".csv",))]
    assert names == ["a.csv", "b.csv"]
    assert [file.name for file in find_files("scan", str(tmp_path / "?.csv"), (".csv",))] == names
    given = [tmp_path / "b.csv", str(tmp_path / "c.txt")]
    assert [file.name for file in find_files("scan", given, (".csv",))] == ["b.csv", "c.txt"]


def test_no_file_and_no_path_are_refused(tmp_path):
    with pytest.raises(InvalidDataError, match=r"scan found no file of type \.csv"):
        find_files("scan", tmp_path, (".csv",))
    with pytest.raises(InvalidParameterError, match="'path' parameter of scan"):
        find_files("scan", ["a.csv", 3], (".csv",))
    assert is_path(tmp_path)
    assert not is_path(3)


def test_a_changed_file_is_noticed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n")
    file = DataFile.of(path)
    file.check()
    os.utime(path, ns=(0, 0))
    with pytest.raises(InvalidDataError, match=r"a\.csv has changed on disk"):
        file.check()


def test_a_failure_names_the_place_but_ours_and_memory_errors_pass():
    with pytest.raises(InvalidDataError, match=r"a\.csv could not be read: bad"), reading("a.csv"):
        raise RuntimeError("bad")
    for own in (InvalidDataError("as it is"), MemoryError("as it is")):
        with pytest.raises(type(own), match="as it is"), reading("a.csv"):
            raise own
