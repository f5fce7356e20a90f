"""Rows of .npy files: columns by number, from either end, and what a row costs."""

import pickle

import numpy as np
import pytest

from bochner.data import scan_npy
from bochner.data.npy import NpySource
from bochner.errors import InvalidDataError, InvalidParameterError

TABLE = np.random.default_rng(0).random((40, 5))


def parts(source, block_rows=7):
    blocks = list(source.blocks(block_rows))
    weights = None if blocks[0].sample_weight is None else np.concatenate([b.sample_weight for b in blocks])
    return np.vstack([b.X for b in blocks]), np.vstack([b.Y for b in blocks]), weights


@pytest.mark.parametrize(
    ("target", "weight", "features"), [(-1, 0, [1, 2, 3]), ([4, 1], None, [0, 2, 3]), (2, -2, [0, 1, 4])]
)
def test_what_is_neither_target_nor_weight_is_a_feature(target, weight, features):
    X, Y, w = parts(scan_npy(TABLE, target=target, weight=weight))
    np.testing.assert_array_equal(X, TABLE[:, features])
    np.testing.assert_array_equal(Y, TABLE[:, np.atleast_1d(target)])
    assert w is None if weight is None else np.array_equal(w, TABLE[:, weight])


def scan(**options):
    return scan_npy(TABLE**2, **options)


def test_chosen_columns_come_in_their_order():
    X, _, _ = parts(scan(columns=[3, -5], target=1))
    np.testing.assert_array_equal(X, TABLE[:, [3, 0]] ** 2)


def test_files_and_arrays_may_stand_side_by_side(tmp_path):
    np.save(tmp_path / "a.npy", TABLE[:25])
    np.save(tmp_path / "b.npy", TABLE[25:])
    source = scan_npy(
        [tmp_path / "a.npy", tmp_path / "b.npy"], target=np.arange(40.0), weight=[np.ones(10), np.ones(30)]
    )
    X, Y, weight = parts(source)
    np.testing.assert_array_equal(X, TABLE)
    np.testing.assert_array_equal(Y[:, 0], np.arange(40.0))
    np.testing.assert_array_equal(weight, 1.0)
    assert isinstance(source, NpySource)


@pytest.mark.parametrize(
    ("given", "stored", "found"), [(None, "f4", "f4"), (None, "i2", "f4"), (None, "i8", "f8"), ("f4", "f8", "f4")]
)
def test_the_float_type_holds_all_values_unless_another_is_given(given, stored, found):
    source = scan_npy((10 * TABLE).astype(stored), dtype=given)
    assert source.dtype == np.dtype(found)
    assert next(source.blocks(5)).X.dtype == np.dtype(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 5}, "'target'.*column numbers below 5"),
        ({"columns": [0, 1.5]}, "'columns'.*column numbers below 5"),
        ({"columns": [0, 1], "target": 1}, "'columns'.*neither target nor weight"),
        ({"target": [0, 1, 2, 3, 4]}, "'columns'.*at least one column"),
        ({"weight": np.ones((40, 2))}, "'weight'.*one column of numbers"),
        ({"dtype": "f2"}, "'dtype'.*float32, float64 or None"),
    ],
)
def test_bad_columns_are_named(options, message):
    with pytest.raises(InvalidParameterError, match=message):
        scan(**options)


def test_lengths_and_kinds_that_do_not_fit_are_named():
    with pytest.raises(InvalidDataError, match=r"'target' of scan_npy must have 40 rows. Got 39"):
        scan(target=np.ones(39))
    with pytest.raises(InvalidDataError, match="Features must be numbers"):
        scan_npy(np.array([["a", "b"]]))


def test_sources_of_the_same_rows_have_one_fingerprint():
    one, same, other = scan(target=0), scan(target=0), scan(target=1)
    assert one.fingerprint() == same.fingerprint() != other.fingerprint()
    assert pickle.loads(pickle.dumps(one)).fingerprint() == one.fingerprint()


def test_wide_rows_are_read_in_smaller_pieces():
    narrow, wide = scan_npy(np.zeros((10, 2))), scan_npy(np.zeros((10, 5000)))
    assert wide.piece_rows < narrow.piece_rows
    assert narrow.read_bytes <= 10 * 16 * 3
