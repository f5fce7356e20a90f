"""The compiled exponential against NumPy's."""

import numpy as np
import pytest

import bochner as bo
from bochner.kernels._loops import exp_of_minus_half


def test_it_is_numpys_to_the_last_digits():
    values = np.concatenate([[0.0], np.geomspace(1e-300, 1400, 5000)])[None]
    expected = np.exp(-values / 2)
    exp_of_minus_half(values)
    np.testing.assert_allclose(values, expected, rtol=4e-16)


def test_beyond_the_smallest_it_is_as_good_as_zero():
    values = np.array([[1416.1, 1e4, 1e300]])
    exp_of_minus_half(values)
    assert np.all((values >= 0) & (values < 1e-307))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "kernel",
    [
        bo.Gaussian(),
        *(bo.Matern(nu=nu) for nu in (0.5, 1.5, 2.5)),
        *(bo.PowerExponential(exponent=exponent) for exponent in (0.3, 1.0, 1.7, 2.0)),
        *(bo.RationalQuadratic(alpha=alpha) for alpha in (0.2, 1.0, 30.0)),
    ],
    ids=repr,
)
def test_profiles_of_squares_are_those_of_distances(kernel, dtype):
    squared = np.geomspace(1e-8, 300, 900).reshape(30, 30).astype(dtype)
    expected = kernel.profile(np.sqrt(squared.astype(float)))
    found = kernel.profile_of_square(squared.copy())
    assert found.dtype == dtype
    digits = 1 + np.abs(np.log(np.maximum(expected, 1e-300)))  # an exponential loses what its argument has more of
    assert np.all(np.abs(found - expected) <= 64 * np.finfo(dtype).eps * digits * expected + 1e-37)


@pytest.mark.parametrize(
    "kernel", [bo.Gaussian(), bo.Matern(nu=0.5), bo.Matern(nu=3.0), bo.RationalQuadratic()], ids=repr
)
def test_squares_below_zero_are_rounding_errors(kernel):
    np.testing.assert_allclose(kernel.profile_of_square(np.array([[-1e-12, 0.0]])), 1.0, atol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [bo.Gaussian(), *(bo.Matern(nu=nu) for nu in (0.5, 1.2, 1.5, 2.5)), bo.PowerExponential(exponent=1.4)],
    ids=repr,
)
def test_decays_of_squares_are_those_of_distances(kernel):
    squared = np.geomspace(1e-8, 300, 900).reshape(30, 30)
    expected = kernel.decay(np.sqrt(squared))
    np.testing.assert_allclose(kernel.decay_of_square(squared), expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [bo.Laplacian([0.5, 1.0, 2.0]), bo.Cauchy([0.5, 1.0, 2.0])], ids=repr)
def test_tiles_of_products_over_columns_are_those_of_differences(kernel, dtype):
    X, Y = (np.random.default_rng(seed).standard_normal((n, 3)).astype(dtype) for seed, n in ((0, 40), (1, 17)))
    found = kernel.matrix(X, Y)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, kernel.at(X[:, None] - Y[None]), rtol=64 * np.finfo(dtype).eps)
