"""Spectral measures: laws of frequencies from standard points."""

import numpy as np
import pytest
from scipy import stats

from bochner.kernels.measure import Convolution, CoordinateProduct, GaussianMixture, Mixture

RNG = np.random.default_rng(3)
NORMALS, UNIFORMS = RNG.standard_normal((4000, 2, 3)), RNG.random((4000, 3))
NORMAL = GaussianMixture(2.0)


def test_a_normal_law_divides_by_the_length_scale():
    np.testing.assert_array_equal(NORMAL.frequencies(NORMALS[:, :1], UNIFORMS[:, :0]), NORMALS[:, 0] / 2)
    scales = np.array([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(
        GaussianMixture(scales).frequencies(NORMALS[:, :1], UNIFORMS[:, :0]), NORMALS[:, 0] / scales
    )
    assert (NORMAL.n_vectors, NORMAL.n_uniforms) == (1, 0)


def test_a_scale_mixture_multiplies_by_the_radius():
    mixture = GaussianMixture(1.0, radius=np.sqrt)
    assert mixture.n_uniforms == 1
    found = mixture.frequencies(NORMALS[:, :1], UNIFORMS[:, :1])
    np.testing.assert_allclose(found, NORMALS[:, 0] * np.sqrt(UNIFORMS[:, :1]))


def test_independent_coordinates_have_the_law_of_the_quantile_function():
    laplace = CoordinateProduct(0.5, lambda u: np.log(2 * u))
    found = laplace.frequencies(NORMALS[:, :1], UNIFORMS[:, :0])
    assert stats.kstest(found.ravel(), stats.laplace(scale=2.0).cdf).pvalue > 1e-6


def test_far_quantiles_keep_their_digits():
    far = np.array([[[-9.0, 9.0, 0.0]]])
    found = CoordinateProduct(1.0, lambda u: np.log(2 * u)).frequencies(far, np.empty((1, 0)))[0]
    assert found[0] == pytest.approx(stats.norm.logcdf(-9.0) + np.log(2), rel=1e-12)
    np.testing.assert_array_equal(found[1:], [-found[0], 0.0])


def test_a_mixture_takes_each_part_with_its_weight():
    mixture = Mixture((NORMAL, GaussianMixture(0.01)), (1.0, 3.0))
    assert (mixture.n_vectors, mixture.n_uniforms) == (1, 1)
    found = mixture.frequencies(NORMALS[:, :1], UNIFORMS[:, :1])
    first = UNIFORMS[:, 0] < 0.25
    np.testing.assert_array_equal(found[first], NORMALS[first, 0] / 2)
    np.testing.assert_array_equal(found[~first], NORMALS[~first, 0] / 0.01)


def test_a_convolution_adds_a_frequency_of_each_part():
    both = Convolution((NORMAL, GaussianMixture(1.0, radius=np.sqrt)))
    assert (both.n_vectors, both.n_uniforms) == (2, 1)
    found = both.frequencies(NORMALS, UNIFORMS[:, :1])
    np.testing.assert_allclose(found, NORMALS[:, 0] / 2 + NORMALS[:, 1] * np.sqrt(UNIFORMS[:, :1]))
