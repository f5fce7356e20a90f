"""Profiles of squared distances are those of distances."""

import numpy as np
import pytest

import bochner as bo


@pytest.mark.parametrize("kernel", [bo.Gaussian(), bo.Matern(nu=1.5), bo.Matern(nu=0.7), bo.RationalQuadratic()])
def test_squares_give_the_same_values_to_rounding(kernel):
    r = np.concatenate([[0.0], np.geomspace(1e-8, 37.0, 5000)]).reshape(-1, 1)
    np.testing.assert_allclose(kernel.profile_of_square(r**2), kernel.profile(r), rtol=1e-12)


def test_the_compiled_exponential_is_right_to_the_last_bits():
    x = np.random.default_rng(0).uniform(0, 1400, (300, 400))
    expected = np.exp((-x / 2).astype(np.longdouble))
    found = bo.Gaussian().profile_of_square(x.copy())
    assert np.max(np.abs(found - expected) / expected) < 4e-16
    assert np.all(bo.Gaussian().profile_of_square(np.array([[1e4, 1e300]])) < 1e-300)


@pytest.mark.parametrize("kernel", [bo.Gaussian(), bo.Matern(nu=0.5), bo.Matern(nu=1.5), bo.Matern(nu=2.5)])
def test_profiles_keep_float32(kernel):
    assert kernel.profile(np.linspace(0, 3, 7, dtype=np.float32)).dtype == np.float32
