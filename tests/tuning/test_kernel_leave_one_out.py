"""Scales by leave-one-out errors of kernel ridge regression."""

import numpy as np
import pytest

import bochner as bo
from bochner.tuning import candidate_kernels
from bochner.tuning.automatic import tune_automatically
from bochner.tuning.kernel_leave_one_out import KernelLeaveOneOut
from tests.strategies import rows


def surface(kernel, weighted, n=60):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    Y = np.c_[np.sin(X[:, 0]), X[:, 1] * X[:, 2]] + 0.1 * rng.standard_normal((n, 2))
    return KernelLeaveOneOut(X, Y, rng.uniform(0.5, 3, n) if weighted else None, kernel)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("theta", [[0.3, 0.5, -0.2, -2.0, 0.4], [0.3, -2.0, 0.4]])
@pytest.mark.parametrize("kernel", [*candidate_kernels(), bo.RationalQuadratic(alpha=0.7)], ids=repr)
def test_gradients_are_those_of_finite_differences(kernel, theta, weighted):
    f, theta, step = surface(kernel, weighted), np.array(theta), 1e-5
    differences = [(f(theta + e)[0] - f(theta - e)[0]) / (2 * step) for e in step * np.eye(len(theta))]
    np.testing.assert_allclose(f(theta)[1], differences, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_criterion_is_the_error_of_refits(weighted):
    f, alpha = surface(bo.Gaussian(), weighted, n=20), np.exp(-2.0 - 0.4)
    weight = np.ones(20) if f.weight is None else f.weight
    C = bo.Gaussian(np.exp(0.3))(f.X) + 1 + alpha * np.diag(1 / weight)
    errors = []
    for i in range(20):
        kept = np.arange(20) != i
        coef = np.linalg.solve(C[np.ix_(kept, kept)], f.Y[kept])
        errors.append(f.Y[i] - (C[i, kept] @ coef))
    expected = np.log(np.sum(weight * np.sum(np.square(errors), axis=1)) / np.sum(weight))
    assert f(np.array([0.3, -2.0, 0.4]))[0] == pytest.approx(expected, rel=1e-9)


def test_a_matrix_that_is_not_definite_is_no_place_to_be():
    f = KernelLeaveOneOut(np.ones((10, 2)), rows(0, 10, 1), None, bo.Gaussian())
    value, slope = f(np.array([0.0, -800.0, 0.0]))
    assert value == np.inf
    assert not np.any(slope)


def test_columns_that_tell_classes_apart_have_the_short_scales():
    X = np.random.default_rng(0).standard_normal((1500, 6))
    labels = np.digitize(X[:, 0] + X[:, 1], np.linspace(-2, 2, 11)) + 12 * (X[:, 2] > 0)
    indicators = (labels[:, None] == np.unique(labels)).astype(float)
    found = tune_automatically(X, indicators, [bo.Matern(nu=1.5)], seed=0, warps=False)
    assert np.max(found.length_scale[:3]) < np.min(found.length_scale[3:])
