"""Atomic writes: the file is the old one or the new one, whatever happens between."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bochner._files import is_stream, replacing


def write(path, content=b"new"):
    with replacing(path) as file:
        file.write(content)


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
        write(path, b"second")
        first.write(b"first")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_readers_see_whole_files_while_two_write(tmp_path):
    path, done = tmp_path / "t.txt", threading.Event()
    contents = [letter * 300_000 for letter in (b"a", b"b")]
    write(path, contents[0])

    def keep_writing(content):
        while not done.is_set():
            write(path, content)

    writers = [threading.Thread(target=keep_writing, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    seen = [path.read_bytes() for _ in range(300)]
    done.set()
    for writer in writers:
        writer.join()
    assert all(read in contents for read in seen)
    assert list(tmp_path.iterdir()) == [path]


def test_a_part_file_that_was_planted_is_neither_followed_nor_used(tmp_path):
    other = tmp_path / "precious"
    other.write_text("precious")
    planted = [tmp_path / ".t.txt.part", tmp_path / f".t.txt.{os.getpid()}-0123abcd.part"]
    for part in planted:
        part.symlink_to(other)
    write(tmp_path / "t.txt")
    assert other.read_text() == "precious"
    assert all(part.is_symlink() for part in planted)


def test_a_link_is_replaced_and_what_it_points_to_stays(tmp_path):
    other, link = tmp_path / "precious", tmp_path / "t.txt"
    other.write_text("precious")
    link.symlink_to(other)
    write(link)
    assert other.read_text() == "precious"
    assert not link.is_symlink()
    assert link.read_text() == "new"


def test_permissions_are_those_of_the_old_file_or_of_the_umask(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        write(old)
        write(new)
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


KILLED = """
import os, sys
from pathlib import Path
from bochner._files import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), 9)
"""


def test_the_part_of_a_killed_writer_is_removed_by_the_next_and_that_of_a_live_one_is_not(tmp_path):
    path = tmp_path / "t[1].txt"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", KILLED, str(path)], env=environment, check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".part")
    with replacing(path) as alive:
        (own,) = set(tmp_path.iterdir()) - {left}
        os.utime(own, (0, 0))  # however long it has been silent
        write(path, b"other")
        assert set(tmp_path.iterdir()) == {path, own}
        alive.write(b"alive")
    assert path.read_text() == "alive"
    assert list(tmp_path.iterdir()) == [path]


def test_what_only_looks_like_a_part_is_left_alone(tmp_path):
    others = [tmp_path / name for name in (".t.part", ".t.my-notes.part", ".u.1-0123abcd.part", ".t.1-0123abcd.part.x")]
    for other in others:
        other.write_text("mine")
    fifo = tmp_path / ".t.7-0123abcd.part"
    os.mkfifo(fifo)
    write(tmp_path / "t")
    assert set(tmp_path.iterdir()) == {*others, fifo, tmp_path / "t"}


def test_a_name_as_long_as_names_may_be(tmp_path):
    path = tmp_path / ("ä" * 127)
    write(path)
    assert path.read_text() == "new"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_devices_and_pipes_are_written_to_as_they_are(tmp_path):
    code = "from pathlib import Path; from bochner._files import replacing\n"
    code += "with replacing(Path('/dev/stdout')) as file: file.write(b'new')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    log = tmp_path / "log"
    log.write_text("line\n")
    with log.open("ab") as file:
        subprocess.run([sys.executable, "-c", code], env=environment, stdout=file, check=True)
    assert log.read_text() == "line\nnew"
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"new"
    write(Path("/dev/null"))
    assert Path("/dev/null").is_char_device()
    link = tmp_path / "link"
    link.symlink_to("/dev/null")
    assert not is_stream(link)
    assert not is_stream(tmp_path)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder for the file"), replacing(tmp_path / "absent" / "t"):
        pass
    with pytest.raises(IsADirectoryError, match="folder of that name"), replacing(tmp_path):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is write-protected for root")
def test_a_write_protected_file_is_not_replaced(tmp_path):
    path = tmp_path / "t"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="write-protected"):
        write(path)
    assert path.read_text() == "old"
