"""Maps applied in tiles and threads: the same features for any cut, dense or sparse, and responses without them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

import bochner as bo
from bochner.features import TransformerMap, base, linear_response, map_of, transform
from tests.strategies import rows

DOUBLE = np.dtype(float)
X = rows(0, 101, 3)


def fitted(features):
    return features.fit(X).map_


FEW = bo.NystroemFeatures(bo.Gaussian(), n_components=5)
MAPS = {
    "fourier": fitted(bo.FourierFeatures(bo.Gaussian(), n_components=10, random_state=0)),
    "phase": fitted(bo.FourierFeatures(bo.Gaussian(), n_components=7, embedding="phase", random_state=0)),
    "nystroem": fitted(bo.NystroemFeatures(bo.Gaussian(), n_components=9, random_state=0)),
    "spline": fitted(bo.SplineFeatures(order=4, n_components=6, random_state=0)),
    "orbit": fitted(bo.OrbitFeatures(bo.groups.CyclicShifts(), random_state=0)),
    "patches": fitted(bo.PatchFeatures((1, 3), 1, FEW, pool=(1, 2), centred=False, random_state=0)),
    "transformer": map_of(PolynomialFeatures(2).fit(X), X),
}
ALL = pytest.mark.parametrize("feature_map", MAPS.values(), ids=MAPS.keys())


@ALL
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", [1, 16, 10**6])
def test_tiles_spans_and_threads_change_no_feature(feature_map, threads, size, monkeypatch):
    whole = np.vstack([transform(feature_map, X[i : i + 1], DOUBLE) for i in range(len(X))])
    monkeypatch.setattr(base, "_SCRATCH_BYTES", size)
    monkeypatch.setattr(base, "_SPAN_BYTES", size)
    with bo.config_context(n_threads=threads):
        np.testing.assert_allclose(transform(feature_map, X, DOUBLE), whole, rtol=1e-10, atol=1e-10)


@ALL
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_linear_response_is_the_product_of_the_features(feature_map, dtype):
    Z = transform(feature_map, X.astype(dtype), np.dtype(dtype))
    assert Z.dtype == dtype
    assert Z.shape == (101, feature_map.n_components)
    coef, offset = rows(1, feature_map.n_components, 2), np.array([3.0, -1.0])
    found = linear_response(feature_map, X.astype(dtype), coef, offset, np.dtype(dtype))
    assert found.dtype == dtype
    # Whitening by landmarks magnifies the rounding of kernel values by the root of the condition of their matrix.
    tolerance = 1e-9 if dtype == np.float64 else 1e-3
    np.testing.assert_allclose(found, Z.astype(float) @ coef + offset, rtol=tolerance, atol=tolerance)


@ALL
def test_sparse_rows_have_the_features_of_dense_ones(feature_map):
    scarce = X * (np.abs(X) > 0.7)
    expected = transform(feature_map, scarce, DOUBLE)
    np.testing.assert_allclose(transform(feature_map, sparse.csr_array(scarce), DOUBLE), expected, atol=1e-11)


@ALL
def test_no_rows_have_no_features(feature_map):
    assert transform(feature_map, X[:0], DOUBLE).shape == (0, feature_map.n_components)
    none = linear_response(feature_map, X[:0], np.ones((feature_map.n_components, 2)), np.zeros(2), DOUBLE)
    assert none.shape == (0, 2)


def test_the_map_of_a_transformer_is_its_own_or_its_transform():
    own = bo.FourierFeatures(n_components=8, random_state=0).fit(X)
    assert map_of(own, X) is own.map_
    other = map_of(StandardScaler().fit(X), X)
    assert isinstance(other, TransformerMap)
    np.testing.assert_allclose(transform(other, X, DOUBLE), StandardScaler().fit_transform(X), rtol=1e-14)


def test_a_transformer_may_answer_with_a_sparse_matrix():
    levels = np.arange(12.0)[:, None] % 4
    encoder = OneHotEncoder(sparse_output=True).fit(levels)
    np.testing.assert_array_equal(
        transform(map_of(encoder, levels), levels, DOUBLE), np.eye(4)[levels[:, 0].astype(int)]
    )
