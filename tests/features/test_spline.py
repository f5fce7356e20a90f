"""The spline map is its formula, and its Gram matrix has the kernel as its mean."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError
from bochner.features import draw_spline_map, transform
from tests.strategies import rows


def a_map(order=4, length_scale=1.0, d=2, width=30, seed=0):
    return draw_spline_map(bo.Spline(length_scale, order=order), n_features=d, n_components=width, seed=seed)


@pytest.mark.parametrize("order", [3, 4, 5.3, 8])
def test_a_map_is_its_formula(order):
    splines, X = a_map(order, [1.0, 2.5]), rows(0, 6, 2)
    half = bo.Spline(order=order / 2)
    differences = X[:, None] / np.array([1.0, 2.5]) - splines.centres
    expected = half.waves(differences).prod(axis=-1) / np.sqrt(30 * bo.Spline(order=order).variance)
    np.testing.assert_allclose(transform(splines, X, np.dtype(float)), expected, rtol=1e-12, atol=1e-14)
    single = transform(splines, X.astype(np.float32), np.dtype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, atol=2e-5)


@pytest.mark.parametrize(("order", "d"), [(3, 1), (4, 1), (4, 2), (7.5, 2)])
def test_the_mean_over_a_grid_of_centres_is_the_kernel(order, d):
    """The features are periodic in the centre: equispaced centres integrate the product of two to their aliases."""
    kernel, n = bo.Spline([1.0, 2.0][:d], order=order), 256
    centres = (np.arange(n) + 0.5) / n
    grid = np.stack(np.meshgrid(*[centres] * d, indexing="ij"), axis=-1).reshape(-1, d)
    splines = draw_spline_map(kernel, n_features=d, n_components=len(grid), seed=0)
    object.__setattr__(splines, "centres", grid)
    X = rows(1, 5, d)
    Z = transform(splines, X, np.dtype(float))
    np.testing.assert_allclose(Z @ Z.T, kernel(X), atol=20 * (n / 2) ** (-order / 2))


def test_the_gram_of_the_features_has_the_kernel_as_its_mean():
    """Mean over 2,000 seeds, within six of its standard errors."""
    X = rows(1, 4, 2)
    draws = np.array([(lambda Z: Z @ Z.T)(transform(a_map(seed=s), X, np.dtype(float))) for s in range(2000)])
    error = np.abs(draws.mean(axis=0) - bo.Spline(order=4)(X))
    assert np.all(error <= 6 * draws.std(axis=0) / np.sqrt(2000))


def test_a_wider_map_begins_with_the_narrower_one():
    np.testing.assert_array_equal(a_map(width=40).centres[:30], a_map(width=30).centres)


def test_features_need_an_order_above_two_and_one_period_per_feature():
    with pytest.raises(InvalidParameterError, match="'order' parameter of Spline must be greater than 2"):
        a_map(order=2)
    with pytest.raises(InvalidParameterError, match="one number or 2 numbers"):
        a_map(length_scale=[1.0, 2.0, 3.0])


def test_the_transformer_serves_an_estimator_as_its_features():
    X = np.random.default_rng(0).uniform(0, 1, (500, 1))
    y = np.exp(np.sin(2 * np.pi * X[:, 0]))
    features = bo.SplineFeatures(order=4, n_components=64, random_state=0)
    model = bo.KernelRegressor(features=features, alpha=1e-6).fit(X, y)
    assert model.score(X, y) > 0.9999
    np.testing.assert_allclose(model.predict(X + 3), model.predict(X), atol=1e-6)
    assert features.fit(X).transform(X.astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match="'order' parameter of SplineFeatures must be a float in the range"):
        bo.SplineFeatures(order=2).fit(X)
