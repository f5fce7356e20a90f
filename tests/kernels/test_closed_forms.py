"""Each kernel against its formula, written out: values, slopes, moments."""

import numpy as np
import pytest
from scipy.special import gamma, kv

import bochner as bo

R = np.geomspace(1e-3, 8, 60)
KERNELS = {
    "gaussian": (bo.Gaussian(), lambda r: np.exp(-(r**2) / 2)),
    "matern 1/2": (bo.Matern(nu=0.5), lambda r: np.exp(-r)),
    "matern 3/2": (bo.Matern(nu=1.5), lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)),
    "matern 1.2": (
        bo.Matern(nu=1.2),
        lambda r: 2**-0.2 / gamma(1.2) * (np.sqrt(2.4) * r) ** 1.2 * kv(1.2, np.sqrt(2.4) * r),
    ),
    "rational quadratic": (bo.RationalQuadratic(alpha=0.7), lambda r: (1 + r**2 / 1.4) ** -0.7),
}


@pytest.mark.parametrize("name", KERNELS)
def test_profiles_are_the_formulas(name):
    kernel, formula = KERNELS[name]
    np.testing.assert_allclose(kernel.profile(R), formula(R), rtol=1e-12)
    np.testing.assert_allclose(kernel.profile_of_square(R[None] ** 2)[0], formula(R), rtol=1e-10)


@pytest.mark.parametrize("name", KERNELS)
def test_decay_is_minus_the_slope_divided_by_the_distance(name):
    kernel, formula = KERNELS[name]
    step = 1e-5 * R
    slope = (formula(R + step) - formula(R - step)) / (2 * step)
    np.testing.assert_allclose(kernel.decay(R), -slope / R, rtol=1e-4)


@pytest.mark.parametrize("name", KERNELS)
def test_the_steepest_slope_is_that_of_the_profile(name):
    kernel, formula = KERNELS[name]
    r = np.linspace(0, 6, 200_001)
    steepest = np.max(np.abs(np.diff(formula(np.maximum(r, 1e-12))))) / (r[1] - r[0])
    assert kernel.steepest_slope() == pytest.approx(steepest, rel=1e-3)


def test_product_kernels_are_products_of_their_formulas():
    delta = np.random.default_rng(0).standard_normal((30, 3))
    scale = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(bo.Laplacian(scale).at(delta), np.prod(np.exp(-np.abs(delta) / scale), axis=1))
    np.testing.assert_allclose(bo.Cauchy(scale).at(delta), np.prod(1 / (1 + (delta / scale) ** 2), axis=1))
    np.testing.assert_array_equal(bo.Cauchy(scale).second_moments(3), 2 / scale**2)
    assert bo.Laplacian(2.0).lipschitz(3) == pytest.approx(np.sqrt(3) / 2)


def test_scales_are_validated_and_gamma_stands_for_one():
    assert bo.Gaussian(gamma=0.5).scales(3) == 1.0
    assert bo.Laplacian(gamma=0.25).scales() == 4.0
    np.testing.assert_array_equal(bo.Matern([1.0, 2.0]).scales(2), [1.0, 2.0])
    assert bo.Matern([1.0, 2.0]).has_scale_per_feature
    assert not bo.Matern(2.0).has_scale_per_feature
    assert bo.Gaussian(gamma=0.5).with_length_scale(3.0).scales() == 3.0


def test_a_validated_matrix_is_that_of_the_call():
    X = np.random.default_rng(1).standard_normal((6, 2))
    for kernel, _ in KERNELS.values():
        np.testing.assert_array_equal(kernel.matrix(X, X[:3]), kernel(X, X[:3]))
        np.testing.assert_array_equal(kernel.diag(X), np.ones(6))
