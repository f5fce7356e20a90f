"""Concatenated arrays: any range of rows, in memory or in files."""

import numpy as np
import pytest

from bochner.data.chunks import chunks_of
from bochner.errors import InvalidDataError, InvalidParameterError

WHOLE = np.arange(30.0).reshape(10, 3)


def test_any_range_of_rows_is_read_across_the_parts(tmp_path):
    np.save(tmp_path / "a.npy", WHOLE[:4])
    np.save(tmp_path / "b.npy", np.asfortranarray(WHOLE[4:5]))
    chunks = chunks_of("scan", "path", [tmp_path / "a.npy", tmp_path / "b.npy", WHOLE[5:]])
    assert (chunks.n_rows, chunks.width) == (10, 3)
    for start in range(10):
        for stop in range(start + 1, 11):
            np.testing.assert_array_equal(chunks.read(start, stop), WHOLE[start:stop])
    assert chunks.origin(4) == "b.npy, from its row 0 on"


def test_parts_say_what_tells_them_from_others(tmp_path):
    np.save(tmp_path / "a.npy", WHOLE)
    (of_file,) = chunks_of("scan", "path", tmp_path / "a.npy").fingerprint()
    (of_array,) = chunks_of("scan", "path", WHOLE).fingerprint()
    assert of_file["name"] == "a.npy"
    assert of_array == {"shape": [10, 3], "dtype": "<f8"}


@pytest.mark.parametrize(
    ("parts", "message"),
    [([WHOLE, WHOLE[:, :2]], "same columns"), ([np.zeros((1, 1, 1))], "one or two axes")],
)
def test_parts_that_do_not_fit_are_refused(parts, message):
    with pytest.raises(InvalidDataError, match=message):
        chunks_of("scan", "path", parts)


def test_what_is_neither_path_nor_array_is_refused():
    for value in ([], [3]):
        with pytest.raises(InvalidParameterError, match="'path' parameter of scan"):
            chunks_of("scan", "path", value)
