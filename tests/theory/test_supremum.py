"""The supremum of the error over a ball, from a grid."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.theory.supremum import GridSupremum

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_no_error_in_the_ball_is_larger_and_the_limit_is_near(d):
    kernel, omega, power = bo.Gaussian(), RNG.standard_normal((40, d)), RNG.uniform(0.5, 1.5, 40) / 40
    certificate = GridSupremum(kernel=kernel, omega=omega, power=power, radius=2.0).certificate()
    direction = RNG.standard_normal((20_000, d))
    delta = 2.0 * direction / np.linalg.norm(direction, axis=1, keepdims=True) * RNG.random((20_000, 1)) ** (1 / d)
    errors = np.abs(np.cos(delta @ omega.T) @ power - kernel.at(delta))
    assert errors.max() <= certificate.value
    if d == 1:
        assert certificate.value <= errors.max() + 1e-3
    assert certificate.delta == 0


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_with_a_scale_per_feature_the_ball_is_in_length_scales(factor):
    scales, power = np.array([0.01, 100.0]), RNG.uniform(0.5, 1.5, 40) / 40
    omega, setting = RNG.standard_normal((40, 2)), {"power": factor * power, "radius": 2.0}
    one = GridSupremum(kernel=factor * bo.Gaussian(), omega=omega, **setting).certificate()
    each = GridSupremum(kernel=factor * bo.Gaussian(scales), omega=omega / scales, **setting).certificate()
    assert each.value == pytest.approx(one.value, rel=1e-9)
    assert "at most 2 length scales apart" in each.statement


def test_what_it_cannot_do_is_refused():
    four = {"kernel": bo.Gaussian(), "omega": np.ones((3, 4)), "power": np.ones(3), "radius": 1.0}
    with pytest.raises(AssumptionError, match="three features"):
        GridSupremum(**four).certificate()
    one = {**four, "omega": np.ones((3, 1))}
    with pytest.raises(AssumptionError, match="Lipschitz"):
        GridSupremum(**{**one, "kernel": bo.Matern(nu=0.3)}).certificate()
    with pytest.raises(InvalidParameterError, match="radius"):
        GridSupremum(**{**one, "radius": 0.0}).certificate()
