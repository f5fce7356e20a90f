"""Kernels under a linear metric, and power exponential kernels: values, frequencies, tiles, refusals."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

A = np.random.default_rng(0).standard_normal((3, 2))
X, Y = rows(1, 50, 3), rows(2, 20, 3)


def test_a_metric_is_the_kernel_of_transformed_rows():
    for base in (bo.Gaussian(0.7), bo.Matern(2.0, nu=0.5), bo.PowerExponential(exponent=0.6)):
        np.testing.assert_allclose(bo.Metric(base, A)(X, Y), base(X @ A, Y @ A), rtol=1e-12)


def test_a_metric_of_fewer_directions_is_a_kernel_of_fewer_columns():
    kernel, directions = bo.Metric(bo.Gaussian(0.7), A).in_fewer_columns()
    np.testing.assert_allclose(kernel(X @ directions, Y @ directions), bo.Metric(bo.Gaussian(0.7), A)(X, Y), rtol=1e-12)
    assert bo.Metric(bo.Gaussian(0.7), np.eye(3)).in_fewer_columns() is None
    assert bo.Gaussian(0.7).in_fewer_columns() is None


def test_a_diagonal_metric_is_a_scale_for_every_column():
    scale = np.array([0.5, 1.0, 4.0])
    diagonal, scaled = bo.Metric(bo.Matern(), np.diag(1 / scale)), bo.Matern(scale)
    np.testing.assert_allclose(diagonal(X), scaled(X), rtol=1e-12)
    np.testing.assert_allclose(diagonal.second_moments(3), scaled.second_moments(3))
    assert diagonal.lipschitz(3) == pytest.approx(scaled.lipschitz(3))


def test_features_of_a_metric_estimate_it():
    kernel = bo.Metric(bo.Gaussian(2.0), A)
    Z = bo.FourierFeatures(kernel, n_components=20_000, random_state=0).fit_transform(X)
    assert np.abs(Z @ Z.T - kernel(X)).max() < 0.06
    landmarks = bo.NystroemFeatures(kernel, n_components=50, random_state=0).fit_transform(X)
    np.testing.assert_allclose(landmarks @ landmarks.T, kernel(X), atol=1e-6)


@pytest.mark.parametrize("precision", [None, np.float32, np.float64])
def test_products_go_through_tiles(precision):
    for kernel in (bo.Metric(bo.Matern(), A), 2.0 * bo.PowerExponential(exponent=1.3), bo.Laplacian(2.0)):
        product = KernelProduct(kernel, X, precision=None if precision is None else np.dtype(precision))
        V = rows(3, 50, 2)
        exact = kernel(X) @ V
        np.testing.assert_allclose(product.times(V), exact, atol=1e-4 if precision == np.float32 else 1e-10)
        if precision is None:
            assert np.all(np.abs(product.times(V) - exact) <= product.rounding(V) + 1e-12)


def test_a_model_of_a_metric_is_saved_and_certified(tmp_path):
    kernel, y = bo.Metric(bo.Gaussian(2.0), A), np.sin(X @ A[:, 0])
    model = bo.KernelRegressor(kernel, features="exact", alpha=0.1).fit(X, y)
    bo.save(model, tmp_path / "model.bochner")
    np.testing.assert_array_equal(bo.load(tmp_path / "model.bochner").predict(Y), model.predict(Y))
    assert model.certify(X, y=y).value < 1e-8


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (bo.Metric(bo.Gaussian(), np.ones((2, 2))), "'directions' parameter of Metric must be finite, with 3 rows"),
        (bo.Metric(bo.Gaussian(), np.full((3, 1), np.nan)), "'directions' parameter of Metric must be finite"),
        (bo.Metric(bo.Gaussian([1.0, 2.0]), A), "'kernel' parameter of Metric must be a kernel of distance"),
        (bo.Metric(bo.Laplacian(), A), "'kernel' parameter of Metric must be a kernel of distance"),
        (bo.PowerExponential(exponent=2.5), "above 0 and at most 2: beyond, it is no kernel. Got 2.5"),
        (bo.PowerExponential(exponent=0.0), "must be a positive finite number"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_kernel_is_refused(kernel, words):
    with pytest.raises(InvalidParameterError, match=words):
        kernel(X)


def test_powers_are_the_kernels_that_they_generalise():
    np.testing.assert_allclose(bo.PowerExponential(2.0, exponent=1.0)(X), bo.Matern(2.0, nu=0.5)(X), rtol=1e-12)
    np.testing.assert_allclose(bo.PowerExponential(2.0, exponent=2.0)(X), bo.Gaussian(np.sqrt(2.0))(X), rtol=1e-12)
