"""Mean maps: a monoid, and the mean map kernel by its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import bochner as bo
from bochner.comparison import default_components
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.features import transform
from tests.strategies import rows

KERNEL = bo.Gaussian(1.5)


@given(cuts=st.lists(st.integers(0, 200), max_size=5), embedding=st.sampled_from(["paired", "phase"]))
@settings(deadline=None, max_examples=25)
def test_any_partition_gives_the_same_mean_map(cuts, embedding):
    X, weight = rows(0, 200, 3), np.random.default_rng(1).uniform(0, 2, 200)
    whole = bo.mean_map(X, kernel=KERNEL, n_components=64, embedding=embedding, sample_weight=weight, rng=0)
    edges = [0, *sorted(cuts), 200]
    parts = [slice(a, b) for a, b in itertools.pairwise(edges) if b > a]
    merged = bo.mean_map(X[parts[-1]], like=whole, sample_weight=weight[parts[-1]])
    for part in parts[:-1]:
        merged = merged.merge(bo.mean_map(X[part], like=whole, sample_weight=weight[part]))
    assert merged.n_rows == 200
    np.testing.assert_allclose(merged.mean, whole.mean, rtol=1e-12, atol=1e-14)
    assert merged.mmk(estimator="unbiased") == pytest.approx(whole.mmk(estimator="unbiased"), rel=1e-11)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_mean_map_kernels_are_means_over_pairs(embedding):
    X, Y = rows(0, 30, 2), rows(1, 20, 2)
    first = bo.mean_map(X, kernel=KERNEL, n_components=100, embedding=embedding, rng=0)
    second = bo.mean_map(Y, like=first)
    Z, V = (transform(first.features.fourier, each, np.dtype(float)) for each in (X, Y))
    G = Z @ Z.T
    assert first.mmk() == pytest.approx(G.mean(), rel=1e-12)
    assert first.mmk(estimator="unbiased") == pytest.approx((G.sum() - np.trace(G)) / (30 * 29), rel=1e-12)
    assert first.mmk(second) == pytest.approx((Z @ V.T).mean(), rel=1e-12)
    np.testing.assert_allclose(first.witness(second, Y), V @ (Z.mean(axis=0) - V.mean(axis=0)), atol=1e-13)


def test_the_diagonal_is_taken_as_constant_only_where_it_is():
    X = rows(0, 50, 2)
    paired, phase = (
        bo.mean_map(X, kernel=2.0 * KERNEL, n_components=8, embedding=e, rng=0) for e in ("paired", "phase")
    )
    assert paired.energy == pytest.approx(50 * 2.0, rel=1e-15)
    Z = transform(phase.features.fourier, X, np.dtype(float))
    assert phase.energy == pytest.approx(np.sum(Z**2), rel=1e-13)
    assert abs(phase.energy - 100) > 1


def test_memory_maps_sparse_rows_and_frames_give_the_same(tmp_path):
    X = np.where(rows(0, 300, 4) > 0.5, rows(1, 300, 4), 0.0)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    whole = bo.mean_map(X, kernel=KERNEL, rng=0)
    for other in (mapped, csr_array(X), __import__("pandas").DataFrame(X), X.tolist()):
        np.testing.assert_allclose(bo.mean_map(other, like=whole).mean, whole.mean, atol=1e-13)


def test_float32_agrees_with_float64():
    X = rows(0, 5000, 5)
    double = bo.mean_map(X, kernel=KERNEL, rng=0)
    np.testing.assert_allclose(bo.mean_map(X.astype(np.float32), like=double).mean, double.mean, atol=1e-6)


def test_width_grows_with_the_rows():
    widths = [default_components(n) for n in (10, 1000, 10**5, 10**7, 10**9)]
    assert np.all(np.diff(widths) > 0)
    assert widths[1] == 768
    assert bo.mean_map(rows(0, 100, 1), rng=0).features.n_components == default_components(100)


def test_refusals():
    one = bo.mean_map(rows(0, 20, 2), kernel=KERNEL, rng=0)
    with pytest.raises(InvalidDataError, match="like="):
        one.merge(bo.mean_map(rows(0, 20, 2), kernel=KERNEL, rng=1))
    with pytest.raises(InvalidDataError, match=r"2 columns.*Got 3"):
        one.update(rows(0, 5, 3))
    with pytest.raises(InvalidDataError, match="two rows"):
        bo.mean_map(rows(0, 1, 2), like=one).mmk(estimator="unbiased")
    with pytest.raises(InvalidDataError, match="no rows"):
        _ = type(one).empty(one.features).mean
    with pytest.raises(InvalidDataError, match="sample_weight must be 20"):
        bo.mean_map(rows(0, 20, 2), like=one, sample_weight=-np.ones(20))
    with pytest.raises(InvalidParameterError, match="even for the paired"):
        bo.mean_map(rows(0, 20, 2), n_components=7)
    with pytest.raises(InvalidParameterError, match="'embedding'"):
        bo.mean_map(rows(0, 20, 2), embedding="cosine")
    with pytest.raises(InvalidParameterError, match="'length_scale'"):
        bo.mean_map(rows(0, 20, 2), length_scale="mean")
