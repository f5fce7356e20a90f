"""Clusters of rows that are nearly copies of each other, and rows that are not."""

import numpy as np
import pytest

from bochner.data import ArrayRows, Collapsed, counted_once, near_copies


def clusters(n_clusters, size, d, seed=0, width=1e-3):
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.standard_normal((n_clusters, d)), size, axis=0)
    order = rng.permutation(len(centres))
    return (centres + width * rng.standard_normal(centres.shape))[order], np.repeat(np.arange(n_clusters), size)[order]


@pytest.mark.parametrize(("n_clusters", "size", "d"), [(80, 50, 5), (30, 40, 3), (200, 2, 8), (60, 10, 60)])
def test_rows_of_a_cluster_have_one_number_and_others_another(n_clusters, size, d):
    X, truth = clusters(n_clusters, size, d)
    found = near_copies(X, 0)
    assert found is not None
    assert len(np.unique(found)) == n_clusters
    assert len({*zip(truth, found, strict=True)}) == n_clusters


def test_units_and_offsets_of_columns_do_not_matter():
    X, _ = clusters(40, 20, 4)
    units = np.array([1e-6, 1.0, 1e4, 1e9])
    np.testing.assert_array_equal(near_copies(X * units + 5 * units, 0), near_copies(X, 0))


@pytest.mark.parametrize("seed", range(60))
def test_rows_that_were_drawn_one_by_one_are_no_clusters(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(40, 2000)), int(rng.integers(1, 10))
    X = rng.standard_normal((n, d))
    X = [X, np.exp(2 * X), np.round(X, 1), np.sign(X), rng.integers(0, 3, (n, d)).astype(float)][seed % 5]
    assert near_copies(X, 0) is None


@pytest.mark.parametrize("seed", range(10))
def test_few_clusters_and_rows_far_from_all_others_are_not_copies(seed):
    rng = np.random.default_rng(seed)
    blobs = 100.0 * rng.standard_normal((8, 3))[rng.integers(0, 8, 500)] + 0.1 * rng.standard_normal((500, 3))
    far = np.exp(9 * rng.standard_normal((500, 3)))
    assert near_copies(blobs, 0) is None
    assert near_copies(far, 0) is None


def test_every_cluster_is_one_row_with_the_mean_of_its_targets():
    X, truth = clusters(50, 20, 3)
    rng = np.random.default_rng(1)
    y = truth + 0.5 * rng.standard_normal(len(truth))
    found = Collapsed.of(ArrayRows(X, y, None, np.dtype(float)), 0)
    own = truth[found.index]
    np.testing.assert_array_equal(np.sort(own), np.arange(50))
    np.testing.assert_allclose(found.rows.Y[:, 0], [y[truth == each].mean() for each in own])
    assert found.within[0] == pytest.approx(0.25 * 19 / 20, rel=0.2)


def test_exact_copies_become_weights_and_few_of_them_stay():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 3)), rng.standard_normal(100)
    ten_times = counted_once(ArrayRows(np.repeat(X, 10, axis=0), np.repeat(y, 10), None, np.dtype(float)))
    assert ten_times.n_rows == 100
    np.testing.assert_array_equal(ten_times.sample_weight, 10.0)
    once = ArrayRows(np.vstack([X, X[:5]]), np.append(y, y[:5]), None, np.dtype(float))
    assert counted_once(once) is once
