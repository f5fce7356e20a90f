"""Rows of Dask collections: partitions as checked blocks, aligned with targets and weights however those are cut."""

from itertools import chain

import numpy as np
import pytest

pytest.importorskip("dask", reason="needs the extra 'dask'")
import dask.array as da

from bochner.engines import LocalEngine, collection_rows, engine_of
from bochner.engines.dask import DaskEngine
from bochner.engines.dask_rows import DaskRows
from bochner.errors import InvalidDataError
from tests.engines.sums import EXPECTED, SUMS, WEIGHT, N, X, Y

CUTS = (1, 40, 62)


def lazy(array, cuts=CUTS):
    return da.from_array(array, chunks=(cuts, *([-1] * (array.ndim - 1))))


@pytest.fixture(params=["client", "no_client"])
def anywhere(request):
    """With a client and without one."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def rows(anywhere):
    return DaskRows(lazy(X), lazy(Y, (50, 53)), WEIGHT)


def test_sizes_are_those_of_the_collection(rows):
    assert (rows.n_rows, rows.n_features, rows.n_targets, rows.weighted) == (N, 3, 2, True)
    assert rows.lengths == list(CUTS)
    assert [rows.rows_of(i) for i in range(3)] == [slice(0, 1), slice(1, 41), slice(41, 103)]
    assert rows.dtype == np.float64


@pytest.mark.parametrize("block_rows", [1, 17, 1000])
def test_blocks_have_all_rows_in_order_with_their_targets_and_weights(rows, block_rows):
    blocks = list(rows.blocks(block_rows))
    assert max(block.n_rows for block in blocks) <= block_rows
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), X)
    np.testing.assert_array_equal(np.concatenate([block.Y for block in blocks]), Y)
    np.testing.assert_array_equal(np.concatenate([block.sample_weight for block in blocks]), WEIGHT)
    assert [block.start for block in blocks] == np.cumsum([0, *(b.n_rows for b in blocks)])[:-1].tolist()


def test_targets_and_chosen_rows_are_those_of_the_arrays(rows):
    found, weight = rows.targets()
    np.testing.assert_array_equal(found, Y)
    np.testing.assert_array_equal(weight, WEIGHT)
    index = np.array([102, 0, 40, 41, 0])
    np.testing.assert_array_equal(rows.take(index), X[index])
    assert rows.take(np.array([], dtype=int)).shape == (0, 3)


def test_without_a_client_this_process_does_the_work(no_client):
    rows = DaskRows(lazy(X), lazy(Y), WEIGHT)
    assert isinstance(engine_of(rows), LocalEngine)
    assert rows.n_blocks(10) == 1 + 4 + 7
    np.testing.assert_allclose(engine_of(rows).reduce(rows, SUMS, SUMS.empty()), EXPECTED, rtol=1e-12)


def test_with_a_client_its_workers_do(client):
    rows = DaskRows(lazy(X))
    assert rows.engine == DaskEngine(client)
    assert rows.n_blocks(10) == 1


def test_partitions_are_kept_once(client):
    rows = DaskRows(lazy(X))
    rows.persist()
    rows.persist()
    assert client.n_persisted == 3
    np.testing.assert_array_equal(rows.take(np.arange(N)), X)


@pytest.mark.parametrize("n_groups", [1, 2, 3, 50])
def test_groups_are_neighbours_and_have_every_partition_once(no_client, n_groups):
    rows = DaskRows(lazy(X, (20, 20, 1, 42, 20)))
    groups = rows.groups(n_groups, [0, 1, 2, 3, 4])
    assert len(groups) <= n_groups
    assert list(chain(*groups)) == [0, 1, 2, 3, 4]
    assert list(chain(*rows.groups(2, [1, 3]))) == [1, 3]


def test_columns_in_chunks_are_put_together(no_client):
    rows = DaskRows(da.from_array(X, chunks=(50, 1)))
    np.testing.assert_array_equal(rows.take(np.arange(N)), X)


@pytest.mark.parametrize(
    ("types", "expected"), [(np.float32, np.float32), (np.float64, np.float64), (np.int16, np.float64)]
)
def test_only_float32_stays_float32(no_client, types, expected):
    assert DaskRows(lazy(X.astype(types))).dtype == expected


def test_unknown_lengths_are_looked_up(no_client):
    filtered = lazy(X)[da.from_array(X[:, 0], chunks=(CUTS,)) > 0]
    rows = DaskRows(filtered)
    np.testing.assert_array_equal(rows.take(np.arange(rows.n_rows)), X[X[:, 0] > 0])


def test_empty_partitions_are_passed_over(anywhere):
    """A filter leaves them behind."""
    cuts = (0, 41, 0, 62)
    rows = DaskRows(lazy(X, cuts), lazy(Y, cuts), WEIGHT)
    np.testing.assert_array_equal(rows.targets()[0], Y)
    np.testing.assert_allclose(engine_of(rows).reduce(rows, SUMS, SUMS.empty()), EXPECTED, rtol=1e-12)


def test_frames_bring_their_names(no_client):
    frames, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frame = frames.from_pandas(pandas.DataFrame(X, columns=list("abc")), npartitions=3)
    rows = DaskRows(frame, frame["a"])
    assert rows.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(rows.targets()[0][:, 0], X[:, 0])
    words = frames.from_pandas(pandas.DataFrame({"a": [1.0, 2.0], "kind": ["x", "y"]}), npartitions=1)
    with pytest.raises(InvalidDataError, match=r"numbers. Got other columns: kind"):
        DaskRows(words)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lazy(X), lazy(Y)[:-1]), "y must have 103 rows, as X has. Got 102"),
        ((lazy(X), lazy(Y), WEIGHT[1:]), "sample_weight must have 103 rows"),
        ((lazy(WEIGHT),), "rows and columns. Got 1 dimension"),
    ],
)
def test_what_does_not_fit_together_is_named(no_client, arguments, message):
    with pytest.raises(InvalidDataError, match=message):
        DaskRows(*arguments)


def test_bad_numbers_name_row_and_partition(no_client):
    bad = X.copy()
    bad[60, 1] = np.inf
    with pytest.raises(InvalidDataError, match=r"row 60, the partition that begins at row 41"):
        list(DaskRows(lazy(bad)).blocks(1000))
    with pytest.raises(InvalidDataError, match="must not be negative"):
        list(DaskRows(lazy(X), None, WEIGHT - 1).blocks(1000))


def test_collections_are_known_by_their_protocol(no_client):
    rows = collection_rows(lazy(X), Y[:, 0])
    assert isinstance(rows, DaskRows)
    assert rows.n_targets == 1
