"""Feature streams: products with Z as with the matrix itself, whether it is kept or computed anew."""

import numpy as np
import pytest
from scipy import sparse

import bochner as bo
from bochner.data import ArrayRows
from bochner.features import transform
from bochner.statistics import feature_reduction, feature_stream
from bochner.statistics.feature_stream import FeatureStream, can_be_kept
from tests.identity_features import stream_of
from tests.strategies import rows

N, D = 700, 24
KEEP = pytest.mark.parametrize("keep", [True, False])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Many blocks of few rows."""
    monkeypatch.setattr(feature_reduction, "_BLOCK_BYTES", 32 * D * 8)
    monkeypatch.setattr(feature_stream, "_COPIED_ROWS", 50)


def fourier_stream(keep, dtype=np.float64, X=None):
    X = rows(0, N, 3) if X is None else X
    drawn = bo.FourierFeatures(bo.Gaussian(), n_components=D, random_state=0).fit(np.zeros((2, 3))).map_
    source = ArrayRows(X, np.zeros(N), None, np.dtype(dtype))
    return FeatureStream(source, drawn, keep=keep), transform(drawn, X.astype(dtype), np.dtype(dtype))


@KEEP
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_are_those_of_the_matrix(keep, dtype):
    stream, Z = fourier_stream(keep, dtype)
    Z = Z.astype(float)
    tolerance = 1e-12 if dtype == np.float64 else 1e-4
    W, R = rows(1, D, 3), rows(2, N, 2)
    np.testing.assert_allclose(stream.forward(W), Z @ W, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(stream.adjoint(R), Z.T @ R, rtol=tolerance, atol=N * tolerance)
    assert stream.forward(W).dtype == stream.adjoint(R).dtype == np.float64
    assert stream.n_rows == N
    assert stream.width == D


@KEEP
def test_rows_without_a_residual_are_left_out_and_change_nothing(keep):
    stream, Z = fourier_stream(keep)
    R = rows(2, N, 2)
    R[np.arange(N) % 5 > 0] = 0
    np.testing.assert_allclose(stream.adjoint(R), Z.T @ R, atol=1e-11)


@KEEP
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("weighted", [True, False])
def test_a_normal_product_is_two_products(keep, columns, weighted):
    stream, Z = fourier_stream(keep)
    weight = np.random.default_rng(0).exponential(size=N) if weighted else None
    V, shift = rows(1, D, columns), rows(2, 1, columns)[0]
    moved = (Z @ V - shift) * (1 if weight is None else weight[:, None])
    found, sums = stream.normal_product(V, shift, weight)
    np.testing.assert_allclose(found, Z.T @ moved, atol=1e-10)
    np.testing.assert_allclose(sums, moved.sum(axis=0), atol=1e-10)


@KEEP
def test_gathered_features_are_those_of_the_index(keep):
    stream, Z = fourier_stream(keep)
    index = np.random.default_rng(0).integers(0, N, 170)
    np.testing.assert_allclose(stream.gather(index), Z[index], rtol=1e-13, atol=1e-14)
    assert stream.gather(index[:0]).shape == (0, D)


@KEEP
def test_blocks_are_finished_in_the_order_of_the_rows_and_passes_are_counted(keep):
    stream, Z = fourier_stream(keep)
    before, found = stream.n_passes, []
    stream.for_each(lambda block, index: (index.start, block.copy()), found.append)
    assert [start for start, _ in found] == list(range(0, N, stream.block_rows))
    np.testing.assert_allclose(np.vstack([block for _, block in found]), Z, rtol=1e-13, atol=1e-14)
    stream.forward(np.ones((D, 1)))
    assert stream.n_passes == before + 2


@KEEP
def test_sparse_rows_give_the_features_of_dense_ones(keep):
    X = sparse.random_array((N, 3), density=0.3, rng=np.random.default_rng(0), format="csr")
    stream, _ = fourier_stream(keep, X=X)
    dense, Z = fourier_stream(keep, X=X.toarray())
    np.testing.assert_allclose(stream.gather(np.arange(N)), Z, atol=1e-13)
    np.testing.assert_allclose(stream.forward(np.ones((D, 1))), dense.forward(np.ones((D, 1))), atol=1e-12)


def test_features_are_kept_up_to_half_of_the_budget():
    with bo.config_context(memory=1000):
        assert can_be_kept(500)
        assert not can_be_kept(501)
        assert stream_of(np.ones((6, 10))).features is not None
        assert stream_of(np.ones((7, 10))).features is None


@KEEP
def test_one_row_and_one_feature(keep):
    stream = stream_of(np.array([[3.0]]), keep=keep)
    np.testing.assert_array_equal(stream.forward(np.array([[2.0]])), [[6.0]])
    np.testing.assert_array_equal(stream.adjoint(np.array([[2.0]])), [[6.0]])
