"""Kernels divided by k(0): constants, scales, refusals."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.theory.normalised import normalised
from bochner.theory.pointwise import Hoeffding

DELTA = np.random.default_rng(0).standard_normal((10, 2))


def test_factors_are_taken_off():
    kernel = normalised(2.0 * (3.0 * bo.Gaussian()))
    assert kernel.kernel == normalised(kernel.kernel).kernel
    assert kernel.is_gaussian
    np.testing.assert_array_equal(kernel.at(DELTA), bo.Gaussian().at(DELTA))


def test_other_kernels_are_divided_by_their_variance():
    both = bo.Gaussian() + 3.0 * bo.Matern()
    assert normalised(both).at(np.zeros((1, 2))) == pytest.approx(1.0)
    assert normalised(both).lipschitz(2) == pytest.approx(both.lipschitz(2) / 4)
    np.testing.assert_allclose(normalised(both).multiples(DELTA, 2)[1], both.at(2 * DELTA) / 4)


def test_a_scale_per_feature_becomes_coordinates():
    scaled = normalised(bo.Gaussian([0.5, 2.0]))
    assert scaled.has_scale_per_feature
    np.testing.assert_array_equal(scaled.scales_per_feature(2), [0.5, 2.0])
    np.testing.assert_allclose(scaled.in_scaled_coordinates(2).at(DELTA / [0.5, 2.0]), scaled.at(DELTA))
    one = normalised(bo.Gaussian(2.0))
    assert one.in_scaled_coordinates(2) is one
    np.testing.assert_array_equal(one.scales_per_feature(2), np.ones(2))


@pytest.mark.parametrize("kernel", [bo.Gaussian(gamma=2.0), bo.Laplacian(gamma=2.0), bo.Matern([1.0, 3.0])], ids=repr)
def test_unit_scale_is_the_kernel_of_scaled_differences(kernel):
    unit = normalised(kernel).with_unit_scale()
    np.testing.assert_allclose(unit.at(DELTA / kernel.scales(2)), kernel.at(DELTA), rtol=1e-12)


def test_squared_radius_is_in_length_scales():
    np.testing.assert_allclose(normalised(bo.Gaussian(2.0)).squared_radius(DELTA), np.sum(DELTA**2, axis=1) / 4)


def test_what_a_theorem_needs_is_refused_by_name():
    with pytest.raises(AssumptionError, match="a Lipschitz kernel"):
        normalised(bo.Matern(nu=0.3)).lipschitz(1)
    with pytest.raises(AssumptionError, match="second moment"):
        normalised(bo.Laplacian()).sigma_p(1)
    with pytest.raises(InvalidParameterError, match="length_scale"):
        normalised(bo.Gaussian() + bo.Matern()).with_unit_scale()
    with pytest.raises(InvalidParameterError, match="a stationary kernel"):
        normalised("gaussian")


def test_a_bound_is_scaled_once():
    plain, scaled = Hoeffding(kernel=bo.Gaussian()), Hoeffding(kernel=4.0 * bo.Gaussian())
    assert scaled.probability(0.4, n_components=100) == plain.probability(0.1, n_components=100)
    assert scaled.ceiling() == 4 * plain.ceiling() == 8.0
