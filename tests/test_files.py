"""Atomic writes: the file is the old one or the new one, whatever happens between."""

import os
import time

import pytest

from bochner._files import replacing


def test_the_new_file_takes_the_place_of_the_old_one(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_an_interrupted_write_leaves_the_old_file_alone(tmp_path, stop):
    path = tmp_path / "t.txt"
    path.write_text("old")

    def write_half():
        with replacing(path) as file:
            file.write(b"half")
            raise stop

    with pytest.raises(stop):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    path = tmp_path / "t.txt"
    with replacing(path) as first:
        with replacing(path) as second:
            second.write(b"second")
        first.write(b"first")
    assert path.read_text() == "first"


def test_a_part_file_that_was_planted_is_neither_followed_nor_used(tmp_path):
    other = tmp_path / "precious"
    other.write_text("precious")
    (tmp_path / ".t.txt.part").symlink_to(other)
    with replacing(tmp_path / "t.txt") as file:
        file.write(b"new")
    assert other.read_text() == "precious"


def test_parts_that_killed_writers_left_are_removed_later(tmp_path):
    stale, fresh = tmp_path / ".t[1].txt.1-aa.part", tmp_path / ".t[1].txt.2-bb.part"
    for part in (stale, fresh):
        part.write_text("half")
    os.utime(stale, (time.time() - 3600,) * 2)
    with replacing(tmp_path / "t[1].txt") as file:
        file.write(b"new")
    assert not stale.exists()
    assert fresh.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder for the file"), replacing(tmp_path / "absent" / "t"):
        pass
