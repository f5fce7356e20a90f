"""Arrays in pieces, and blocks that the caller makes."""

import os
import pickle
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import bochner as bo
from bochner.data import ArrayRows
from bochner.errors import InvalidDataError, InvalidParameterError
from tests.data.reading import all_rows, assert_same_moments, moments
from tests.strategies import rows

N = 1000
X = rows(0, N, 5, np.float32)
y = rows(1, N, 1)[:, 0]
cuts = st.lists(st.integers(0, N), max_size=5).map(sorted)


def cut(array, places):
    return np.split(array, places)


@given(x_cuts=cuts, y_cuts=cuts, block_rows=st.integers(1, 2 * N), piece_rows=st.integers(50, N))
def test_pieces_may_be_cut_in_any_way(x_cuts, y_cuts, block_rows, piece_rows):
    source = bo.scan_npy(cut(X, x_cuts), target=cut(y, y_cuts))
    source.piece_rows = piece_rows
    X_read, Y_read, _ = all_rows(source, block_rows)
    np.testing.assert_array_equal(X_read, X)
    np.testing.assert_array_equal(Y_read[:, 0], y)


@pytest.mark.parametrize("order", ["C", "F"])
def test_files_are_read_in_either_order_of_memory(order, tmp_path):
    for i, part in enumerate(cut(X, [300])):
        np.save(tmp_path / f"x{i}.npy", np.asarray(part, order=order))
    np.save(tmp_path / "y.npy", y)
    source = bo.scan_npy([tmp_path / "x0.npy", tmp_path / "x1.npy"], target=tmp_path / "y.npy")
    source.piece_rows = 123
    X_read, Y_read, _ = all_rows(source)
    np.testing.assert_array_equal(X_read, X)
    np.testing.assert_array_equal(Y_read[:, 0], y)
    assert source.dtype == np.float32
    np.testing.assert_array_equal(bo.scan_npy(str(tmp_path / "x*.npy")).take(np.array([999, 0])), X[[999, 0]])
    assert_same_moments(moments(source), moments(ArrayRows(X, y, None, X.dtype)))


def test_targets_and_weights_may_be_columns():
    source = bo.scan_npy(np.abs(X), target=[-1, 0], weight=1)
    X_read, Y_read, weight = all_rows(source)
    np.testing.assert_array_equal(X_read, np.abs(X)[:, [2, 3]])
    np.testing.assert_array_equal(Y_read, np.abs(X)[:, [4, 0]])
    np.testing.assert_array_equal(weight, np.abs(X)[:, 1])
    np.testing.assert_array_equal(all_rows(bo.scan_npy(X, columns=[3, 1]))[0], X[:, [3, 1]])


def test_labels_in_arrays_stay_labels():
    labels = np.where(y > 0, "up", "down")
    assert bo.scan_npy(X, target=labels).targets()[0][:, 0].tolist() == labels.tolist()
    assert bo.scan_blocks([(X, labels)]).targets()[0][:, 0].tolist() == labels.tolist()


def test_a_file_that_is_cut_off_or_changed_is_an_error_with_its_name(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, X)
    source = bo.scan_npy(path)
    all_rows(source)
    os.utime(path, ns=(1, 1))
    with pytest.raises(InvalidDataError, match=r"x\.npy has changed on disk"):
        all_rows(source)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InvalidDataError, match=r"x\.npy must have 20128 bytes for its shape \(1000, 5\)\. Got 20028"):
        bo.scan_npy(path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InvalidDataError, match=r"x\.npy could not be read.*magic"):
        bo.scan_npy(path)


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        (X, {"target": y[:-1]}, "'target' of scan_npy must have 1000 rows. Got 999"),
        (X, {"target": 5}, "'target' parameter of scan_npy must be column numbers below 5. Got 5"),
        (X, {"weight": [0, 1]}, "'weight' parameter of scan_npy must be one column"),
        (X, {"target": 0, "columns": [0]}, "neither target nor weight"),
        ([X, X[:, :3]], {}, r"same columns.*\(1000, 3\) in array 1 and float32 of shape \(1000, 5\) in array 0"),
        (X[None], {}, r"one or two axes.*\(1, 1000, 5\)"),
        (X.astype(complex), {}, "arrays of numbers.*complex128"),
        (X.astype(str), {}, "Features must be numbers"),
        ([], {}, "at least one"),
        (3, {}, "'path' parameter of scan_npy must be a path"),
    ],
)
def test_wrong_arrays_are_named(path, options, message):
    with pytest.raises((InvalidDataError, InvalidParameterError), match=message):
        bo.scan_npy(path, **options)


def blocks_of(weights=None, places=(10, 400, 401)):
    parts = [X, y] if weights is None else [X, y, weights]
    return list(zip(*(cut(part, places) for part in parts)))


@pytest.mark.parametrize("convert", [lambda blocks: blocks, lambda blocks: lambda: iter(blocks), iter])
@pytest.mark.parametrize("block_rows", [7, 64, 2000])
def test_lists_callables_and_iterators_give_the_same_rows(convert, block_rows):
    weights = np.abs(y)
    source = bo.scan_blocks(convert(blocks_of(weights)), n_rows=N)
    X_read, Y_read, weight = all_rows(source, block_rows)
    np.testing.assert_array_equal(X_read, X)
    np.testing.assert_array_equal(Y_read[:, 0], y)
    np.testing.assert_array_equal(weight, weights)
    assert source.dtype == np.float32


def test_one_pass_over_an_iterator_gives_the_moments_of_the_rows_in_memory():
    source = bo.scan_blocks(iter(blocks_of()), n_rows=N)
    assert source.passes == 1
    assert_same_moments(moments(source), moments(ArrayRows(X, y, None, X.dtype)))


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (lambda source: source.n_rows, "give n_rows"),
        (lambda source: source.sample(5, 0), "length_scale and n_components as numbers"),
        (lambda source: source.take(np.array([0])), "function that returns a new iterator"),
        (lambda source: source.targets(), "function that returns a new iterator"),
    ],
)
def test_looking_at_the_rows_of_an_iterator_is_refused_and_costs_nothing(look, message):
    source = bo.scan_blocks(iter(blocks_of()))
    with pytest.raises(InvalidDataError, match=message):
        look(source)
    assert sum(block.n_rows for block in source.blocks(64)) == N
    assert source.n_rows == N
    with pytest.raises(InvalidDataError, match="read only once"):
        next(source.blocks(64))


def test_a_callable_is_counted_in_a_pass_of_its_own():
    source = bo.scan_blocks(lambda: iter(blocks_of()))
    assert source.n_passes == 0
    assert (source.n_rows, source.n_passes) == (N, 1)
    all_rows(source)
    assert source.n_passes == 2
    assert bo.scan_blocks(blocks_of()).n_rows == N


def test_a_pass_of_a_callable_runs_in_one_thread():
    threads = []

    def blocks():
        threads.append(set())
        for block in blocks_of():
            threads[-1].add(threading.get_ident())
            yield block

    all_rows(bo.scan_blocks(blocks, n_rows=N))
    assert [len(used) for used in threads] == [1, 1]  # the look at the first block, and the pass


def test_sparse_blocks_and_frames_are_taken():
    X_read, _, _ = all_rows(bo.scan_blocks([(csr_matrix(part), t) for part, t in blocks_of()]))
    np.testing.assert_array_equal(X_read.toarray(), X)
    names = ["a", "b", "c", "d", "e"]
    source = bo.scan_blocks([pd.DataFrame(part, columns=names) for part in cut(X, [10])])
    np.testing.assert_array_equal(all_rows(source)[0], X)
    assert source.feature_names == names
    assert source.n_targets == 0


def test_a_list_of_blocks_is_computed_in_the_type_that_holds_all():
    assert bo.scan_blocks([(X, y), (X.astype(float), y)]).dtype == np.float64
    assert bo.scan_blocks([(X.astype(float), y)], dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ((X[:, :3], y), "Got 3 features, 1 targets.*in block 1, unlike the first"),
        ((X, y, y), "weights in block 1"),
        ((X, np.stack([y, y], axis=1)), "2 targets"),
        ((X, y.astype(str)), "unlike the first"),
        ((X, y[:-1]), "must be as many.*block 1"),
        ((X.astype(float), y), "block 1 has float64, the first one was exact in float32"),
        ((X.astype(object), y), "X a table of numbers. Got 2 parts, X of object"),
        ((X, y, None, None), "Got 4 parts"),
        ((np.where(X > 3, np.nan, X), y), "nan in row 1[0-9]{3}, block 1"),
        ((X, y), "number of rows must be 1500.*Got at least 2000"),
    ],
)
def test_blocks_that_differ_are_named(second, message):
    source = bo.scan_blocks(lambda: iter([(X, y), second]), n_rows=1500 if "1500" in message else None)
    with pytest.raises(InvalidDataError, match=message):
        for _ in source.blocks(64):
            pass


def test_a_list_that_is_in_memory_costs_no_copy_of_it():
    large = np.zeros((10**6, 8), dtype=np.int16)
    source = bo.scan_blocks([(large, large[:, 0])])
    assert source.read_bytes < large.nbytes * 2
    assert sum(block.n_rows for block in source.blocks(10**5)) == 10**6


def test_empty_blocks_are_passed_over():
    X_read, Y_read, _ = all_rows(bo.scan_blocks(blocks_of(places=(0, 0, 400, 400, N))))
    np.testing.assert_array_equal(X_read, X)
    np.testing.assert_array_equal(Y_read[:, 0], y)


def test_too_few_rows_are_an_error():
    with pytest.raises(InvalidDataError, match=r"must be 1001.*Got 1000\."):
        all_rows(bo.scan_blocks(blocks_of(), n_rows=N + 1))


@pytest.mark.parametrize(
    ("blocks", "options", "message"),
    [
        (X, {}, "'blocks' parameter of scan_blocks must be a list"),
        ([], {}, "at least one block"),
        (iter([]), {}, "at least one block"),
        (blocks_of(), {"n_features": 4}, "'n_features' parameter of scan_blocks must be the 5 of the blocks. Got 4"),
    ],
)
def test_wrong_blocks_are_named(blocks, options, message):
    with pytest.raises((InvalidDataError, InvalidParameterError), match=message):
        bo.scan_blocks(blocks, **options)


def test_lists_and_files_can_be_pickled_and_have_fingerprints(tmp_path):
    np.save(tmp_path / "x.npy", X)
    for source in (bo.scan_blocks(blocks_of()), bo.scan_npy(tmp_path, target=0)):
        copy = pickle.loads(pickle.dumps(source))
        assert copy.fingerprint() == source.fingerprint()
        np.testing.assert_array_equal(all_rows(copy)[0], all_rows(source)[0])
    before = bo.scan_npy(tmp_path).fingerprint()
    os.utime(tmp_path / "x.npy", ns=(1, 1))
    assert bo.scan_npy(tmp_path).fingerprint() != before
