"""Exact values against scikit-learn and closed forms; laws that every kernel obeys."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.testing import check_kernel
from tests.strategies import kernels, rows, seeds

X, Y = rows(0, 7, 3), rows(1, 5, 3)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (bo.Gaussian(1.7), gp.RBF(1.7)),
        (bo.Gaussian([1.0, 2.0, 3.0]), gp.RBF([1.0, 2.0, 3.0])),
        (bo.Matern(1.3, nu=0.5), gp.Matern(1.3, nu=0.5)),
        (bo.Matern(1.3, nu=1.5), gp.Matern(1.3, nu=1.5)),
        (bo.Matern(1.3, nu=2.5), gp.Matern(1.3, nu=2.5)),
        (bo.Matern(1.3, nu=0.8), gp.Matern(1.3, nu=0.8)),
        (bo.Matern([1.0, 2.0, 0.5], nu=3.3), gp.Matern([1.0, 2.0, 0.5], nu=3.3)),
        (bo.RationalQuadratic(1.3, alpha=0.7), gp.RationalQuadratic(1.3, alpha=0.7)),
    ],
)
def test_values_are_those_of_scikit_learn(ours, theirs):
    np.testing.assert_allclose(ours(X, Y), theirs(X, Y), rtol=1e-10)


def test_gamma_means_what_it_means_in_scikit_learn():
    np.testing.assert_allclose(bo.Gaussian(gamma=0.3)(X, Y), rbf_kernel(X, Y, gamma=0.3), rtol=1e-12)
    np.testing.assert_allclose(bo.Laplacian(gamma=0.3)(X, Y), laplacian_kernel(X, Y, gamma=0.3), rtol=1e-12)


def test_cauchy_is_a_product_over_features():
    expected = np.prod(1 / (1 + (X[:, None] - Y[None]) ** 2 / np.array([1.0, 2.0, 3.0]) ** 2), axis=-1)
    np.testing.assert_allclose(bo.Cauchy([1.0, 2.0, 3.0])(X, Y), expected, rtol=1e-12)


def test_algebra_is_pointwise():
    a, b = bo.Gaussian(2.0), bo.Laplacian(3.0)
    np.testing.assert_allclose((a + b)(X, Y), a(X, Y) + b(X, Y))
    np.testing.assert_allclose((a * b)(X, Y), a(X, Y) * b(X, Y))
    np.testing.assert_allclose((2.5 * a)(X, Y), 2.5 * a(X, Y))
    assert (2.5 * (a + b)).variance == 5.0


@given(kernels(3), seeds)
@settings(max_examples=60, deadline=None)
def test_every_kernel_obeys_the_laws(kernel, seed):
    check_kernel(kernel, n_features=3, seed=seed)


@given(kernels(2), seeds)
@settings(max_examples=30, deadline=None)
def test_every_kernel_obeys_the_laws_in_the_plane(kernel, seed):
    check_kernel(kernel, n_features=2, seed=seed)


@pytest.mark.parametrize(
    "kernel",
    [bo.Gaussian(1.5), bo.Matern(1.5, nu=0.8), bo.Matern(0.7, nu=2.5), bo.Matern(1.0, nu=6.1),
     bo.RationalQuadratic(2.0, alpha=0.4), bo.Cauchy(1.3)],
)  # fmt: skip
def test_lipschitz_constant_is_reached_in_one_dimension(kernel):
    t, step = np.linspace(1e-3, 6, 60_000)[:, None], 1e-5
    steepest = np.max(np.abs(kernel.at(t + step) - kernel.at(t - step))) / (2 * step)
    assert steepest == pytest.approx(kernel.lipschitz(1), rel=1e-3)


def test_second_moments_are_the_curvature_at_zero():
    step = 1e-4
    for kernel in (
        bo.Gaussian([1.0, 2.0]),
        bo.Matern([1.0, 2.0], nu=2.5),
        bo.RationalQuadratic([1.0, 2.0]),
        bo.Cauchy([1.0, 2.0]),
    ):
        curvature = [2 * (1 - kernel.at(step * e)) / step**2 for e in np.eye(2)]
        np.testing.assert_allclose(kernel.second_moments(2), curvature, rtol=1e-2)
        assert kernel.sigma_p(2) == pytest.approx(np.sqrt(np.sum(curvature)), rel=1e-2)


def test_kernels_without_a_second_moment_say_so():
    for kernel in (
        bo.Laplacian(),
        bo.Matern(nu=0.5),
        bo.Matern(nu=1.0),
        bo.Gaussian() + bo.Laplacian(),
        bo.Gaussian() * bo.Laplacian(),
    ):
        assert kernel.sigma_p(3) == np.inf
    assert bo.Matern(nu=0.3).lipschitz(1) == np.inf
    assert bo.Laplacian([1.0, 2.0]).lipschitz(2) == pytest.approx(np.sqrt(1.25))


def test_kernels_are_scikit_learn_objects():
    kernel = 2.0 * (bo.Gaussian(1.5) + bo.Matern(nu=2.5))
    copy = clone(kernel).set_params(kernel__left__length_scale=3.0)
    assert copy.kernel.left.length_scale == 3.0
    assert kernel.kernel.left.length_scale == 1.5
    assert "Matern(nu=2.5)" in repr(kernel)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, [1.0, 0.0, 1.0], [1.0, 2.0], [[1.0]], "wide", None, []])
def test_a_bad_length_scale_is_named_with_its_value(scale):
    with pytest.raises(InvalidParameterError, match="'length_scale' parameter of Gaussian"):
        bo.Gaussian(scale)(X)


@pytest.mark.parametrize(
    "kernel", [bo.Matern(nu=0), bo.Matern(nu=-1.0), bo.RationalQuadratic(alpha=np.inf), bo.Gaussian(gamma=0.0)]
)
def test_a_bad_shape_parameter_is_named(kernel):
    with pytest.raises(InvalidParameterError, match="must be a positive finite number"):
        kernel(X)


def test_matrices_of_different_width_are_refused():
    with pytest.raises(InvalidDataError, match="Got 3 and 2"):
        bo.Gaussian()(X, Y[:, :2])
