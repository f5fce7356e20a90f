"""The container of files: what goes in comes out, a failed write changes nothing, and damage is named."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bochner._archive import read_archive, write_archive
from bochner.errors import FileFormatError, InvalidDataError, MemoryBudgetError

KINDS = [np.bool_, np.int8, np.uint8, np.int32, np.uint64, np.int64, np.float16, np.float32, np.float64, "<U7"]
ARRAYS = st.sampled_from(KINDS).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
)


def write(path, arrays=None, *, kind="thing", version=1, header=None):
    write_archive(path, kind=kind, version=version, header=header or {}, arrays=arrays or {})


def read(path, *, kind="thing", version=1):
    return read_archive(path, kind=kind, version=version)


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.bin"
    write(path, {"a": np.arange(50.0), "b": np.array(["x", "yz"])}, header={"deep": [1, {"er": None}]})
    return path


@given(arrays=st.dictionaries(st.sampled_from(["a", "b.c", "d-1", "_e"]), ARRAYS), order=st.sampled_from("CF"))
def test_arrays_come_back_bit_for_bit_in_their_order(tmp_path_factory, arrays, order):
    path = tmp_path_factory.mktemp("archive") / "file"
    arrays = {name: np.asarray(array, order=order) for name, array in arrays.items()}
    write(path, arrays)
    _, _, found = read(path)
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()
        assert found[name].flags.f_contiguous == array.flags.f_contiguous
        assert found[name].flags.writeable


def test_views_and_foreign_byte_orders_are_stored_plainly(tmp_path):
    whole = np.arange(24.0).reshape(4, 6)
    write(tmp_path / "f", {"strided": whole[::2, ::-3], "big": np.arange(3, dtype=">i4")})
    _, _, found = read(tmp_path / "f")
    np.testing.assert_array_equal(found["strided"], whole[::2, ::-3])
    np.testing.assert_array_equal(found["big"], [0, 1, 2])


def test_the_same_content_gives_the_same_bytes(tmp_path):
    for name in "ab":
        write(tmp_path / name, {"a": np.ones(3)}, header={"n": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_header_and_version_come_back(good):
    version, header, arrays = read(good, version=5)
    assert (version, header) == (1, {"deep": [1, {"er": None}]})
    assert list(arrays["b"]) == ["x", "yz"]


@pytest.mark.parametrize(
    "array", [np.array([None, 1]), np.ones(2, dtype=complex), np.zeros(2, dtype="M8[s]"), np.zeros(2, dtype="i4,f8")]
)
def test_what_is_not_numbers_or_text_is_not_written(tmp_path, array):
    with pytest.raises(InvalidDataError, match="numbers, booleans or text"):
        write(tmp_path / "f", {"a": array})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../a", "a/b", "", "a b", "\\", "ä"])
def test_names_cannot_be_paths(tmp_path, name):
    with pytest.raises(ValueError, match="named by letters"):
        write(tmp_path / "f", {name: np.ones(2)})


@pytest.mark.parametrize("header", [{"x": float("nan")}, {"x": object()}])
def test_headers_are_strict_json(tmp_path, header):
    with pytest.raises((ValueError, TypeError)):
        write(tmp_path / "f", header=header)
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_could_not_be_read_is_not_written(tmp_path):
    deep = {}
    for _ in range(100):
        deep = {"d": deep}
    for header in (deep, {"long": "x" * 2**22}):
        with pytest.raises(InvalidDataError, match="levels"):
            write(tmp_path / "f", header=header)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(good, monkeypatch):
    before = good.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(good, {"a": np.zeros(10)})
    assert good.read_bytes() == before
    assert list(good.parent.iterdir()) == [good]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(good):
    """A limit on the size of files stops the write in its middle, as a full disk does."""
    before = good.read_bytes()
    code = f"""
        import resource, signal, numpy as np
        from bochner._archive import write_archive
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
        try:
            write_archive({str(good)!r}, kind="thing", version=1, header={{}}, arrays={{"a": np.ones(2**20)}})
        except OSError as error:
            print(error.strerror)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert "large" in run.stdout
    assert good.read_bytes() == before
    assert list(good.parent.iterdir()) == [good]


def test_a_killed_write_leaves_the_old_file_and_the_next_write_cleans_up(good):
    before = good.read_bytes()
    code = f"""
        import os, signal, numpy as np
        from bochner._archive import write_archive
        os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
        write_archive({str(good)!r}, kind="thing", version=1, header={{}}, arrays={{"a": np.ones(100)}})
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False).returncode == -9
    assert good.read_bytes() == before
    (part,) = set(good.parent.iterdir()) - {good}
    assert part.name.endswith(".part")
    write(good)  # its lock went with the process: nobody writes it any more
    assert list(good.parent.iterdir()) == [good]


def test_every_truncation_is_refused(good):
    whole = good.read_bytes()
    for size in [0, 3, 4, 50, len(whole) // 2, *range(len(whole) - 100, len(whole))]:
        good.write_bytes(whole[:size])
        with pytest.raises(FileFormatError):
            read(good)


def test_every_changed_byte_is_refused_or_changes_nothing(good):
    whole, expected = good.read_bytes(), read(good)
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        good.write_bytes(damaged)
        try:
            version, header, arrays = read(good)
        except FileFormatError:
            continue
        assert (version, header) == expected[:2]
        assert all(arrays[name].tobytes() == array.tobytes() for name, array in expected[2].items())


def test_damage_in_an_array_names_the_array(good):
    whole = bytearray(good.read_bytes())
    whole[whole.index(np.arange(50.0)[30:32].tobytes())] ^= 1
    good.write_bytes(whole)
    with pytest.raises(FileFormatError, match=r"good\.bin is damaged.*arrays/a"):
        read(good)


def test_other_kinds_and_newer_versions_say_what_to_do(good):
    with pytest.raises(FileFormatError, match=r"is a 'thing' file\. Expected a 'model' file"):
        read(good, kind="model")
    write(good, version=7)
    with pytest.raises(FileFormatError, match=r"written by bochner .* Update bochner"):
        read(good, version=6)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "not a file of bochner"), (b"hello", "not a file of bochner"), (b"\x80\x04K\x01.", "pickle")],
)
def test_other_files_are_refused(tmp_path, content, message):
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read(tmp_path / "f")


def test_a_file_beyond_the_budget_is_not_read(good):
    with pytest.raises(MemoryBudgetError, match="may be read"):
        read_archive(good, kind="thing", version=1, max_bytes=100)


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match=r"no folder for the file.*folder/none'"):
        write(tmp_path / "folder" / "none")


def test_files_with_64_bit_sizes_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 1000)  # of 4 GiB
    array = np.arange(1000.0)
    write(tmp_path / "f", {"a": array, "b": array})
    assert b"PK\x06\x07" in (tmp_path / "f").read_bytes()
    np.testing.assert_array_equal(read(tmp_path / "f")[2]["b"], array)
