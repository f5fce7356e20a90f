"""Derivatives of kernels by the columns are those of differences."""

import numpy as np
import pytest

from bochner import Cauchy, Gaussian, Laplacian, Matern, RationalQuadratic
from bochner.errors import AssumptionError
from bochner.kernels import Metric, Spline

KERNELS = [
    Gaussian([0.5, 1.0, 2.0]),
    Matern(0.8, nu=0.5),
    Matern([0.5, 1.0, 2.0], nu=2.5),
    RationalQuadratic(1.3),
    Cauchy([0.5, 1.0, 2.0]),
    Laplacian(2.0),
    Metric(Gaussian(0.7), np.array([[1.0, 0.3], [0.0, 2.0], [0.5, 0.1]])),
    0.3 * Gaussian() + Cauchy(2.0) * Matern(nu=1.5),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_slopes_are_those_of_differences(kernel):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, 6, 3))
    steps = 1e-6 * np.eye(3)
    expected = [(kernel(X + step, Y) - kernel(X - step, Y)) / 2e-6 for step in steps]
    np.testing.assert_allclose(list(kernel.slopes(X, Y)), expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_a_row_and_itself_have_no_slope(kernel):
    X = np.random.default_rng(0).standard_normal((4, 3))
    for slope in kernel.slopes(X, X):
        np.testing.assert_allclose(np.diagonal(slope), 0, atol=1e-12)


def test_a_kernel_without_known_derivatives_says_so():
    with pytest.raises(AssumptionError, match="kernel Spline"):
        Spline().slopes(np.ones((1, 1)), np.ones((1, 1)))
