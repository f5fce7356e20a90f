"""Sums, products and multiples of kernels: values, constants and spectral measures."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError
from bochner.kernels import Scaled, Sum

A, B = bo.Gaussian(0.5), bo.RationalQuadratic(2.0, alpha=3.0)
DELTA = np.random.default_rng(0).standard_normal((20, 3))


def test_constants_of_a_sum_are_weighted_by_the_variances():
    kernel = 2.0 * A + 3.0 * B
    assert kernel.variance == 5.0
    np.testing.assert_allclose(kernel.second_moments(3), (2 * A.second_moments(3) + 3 * B.second_moments(3)) / 5)
    assert kernel.lipschitz(3) == pytest.approx(2 * A.lipschitz(3) + 3 * B.lipschitz(3))


def test_constants_of_a_product_are_those_of_independent_sums():
    kernel = (2.0 * A) * B
    assert kernel.variance == 2.0
    np.testing.assert_allclose(kernel.second_moments(3), A.second_moments(3) + B.second_moments(3))
    assert kernel.lipschitz(3) == pytest.approx(2 * A.lipschitz(3) + 2 * B.lipschitz(3))


def test_factors_are_taken_off_all_at_once():
    assert (2.0 * (3.0 * A)).without_factor() is A
    assert A.without_factor() is A
    kernel = A + B
    assert kernel.without_factor() is kernel


def test_all_scales_are_multiplied():
    np.testing.assert_allclose((2.0 * (A + B) * A).scaled_by(4.0).at(4 * DELTA), (2.0 * (A + B) * A).at(DELTA))


def test_a_composite_kernel_has_no_length_scale_of_its_own():
    for kernel in (A + B, A * B, 2.0 * A):
        assert not kernel.has_scale_per_feature
        with pytest.raises(InvalidParameterError, match="'length_scale' parameter"):
            kernel.scales()
        with pytest.raises(InvalidParameterError, match="parts of a composite kernel"):
            kernel.with_length_scale(1.0)


@pytest.mark.parametrize("make", [lambda: A + 1, lambda: A * "2", lambda: "2" * A, lambda: A * None])
def test_what_is_no_kernel_does_not_combine(make):
    with pytest.raises(TypeError):
        make()


@pytest.mark.parametrize(
    ("kernel", "name"), [(Scaled(A, -1.0), "factor"), (Scaled("a", 1.0), "kernel"), (Sum(A, 3), "right")]
)
def test_bad_parts_are_named(kernel, name):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter"):
        kernel([[0.0]])
