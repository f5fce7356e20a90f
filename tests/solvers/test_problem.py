"""Ridge problems from moments: with or without an intercept, and the floor below which a penalty is rounding."""

import numpy as np
import pytest

from bochner.solvers import RidgeProblem
from bochner.solvers.problem import noise_floor
from bochner.statistics import Moments
from tests.solvers.problems import full_gram
from tests.strategies import rows


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_normal_equations_are_centred_only_for_an_intercept(intercept, weighted):
    Z, Y = rows(0, 30, 5) + 2, rows(1, 30, 2) - 7
    weight = np.random.default_rng(0).integers(0, 3, 30).astype(float) if weighted else np.ones(30)
    problem = RidgeProblem.from_moments(Moments.empty(5, 2).update(Z, Y, weight if weighted else None), intercept)
    if intercept:
        Z, Y = Z - np.average(Z, axis=0, weights=weight), Y - np.average(Y, axis=0, weights=weight)
    np.testing.assert_allclose(full_gram(problem), (Z * weight[:, None]).T @ Z, rtol=1e-11)
    np.testing.assert_allclose(problem.cross, (Z * weight[:, None]).T @ Y, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(problem.energy, weight @ Y**2, rtol=1e-11)
    assert problem.n == weight.sum()
    assert problem.width == 5


def test_moments_are_left_as_they_were():
    moments = Moments.empty(3, 1).update(rows(0, 9, 3) + 1, rows(1, 9, 1))
    before = moments.zz.copy()
    RidgeProblem.from_moments(moments, False)
    np.testing.assert_array_equal(moments.zz, before)


def test_the_noise_floor_is_that_of_the_precision_of_the_products():
    Z = rows(0, 50, 16)
    double, single = (
        RidgeProblem.from_moments(Moments.empty(16, 1).update(Z.astype(dtype), np.ones((50, 1))), True)
        for dtype in (np.float64, np.float32)
    )
    trace = np.trace(double.gram)
    assert double.noise_floor() == pytest.approx(2 * 2.0**-52 * 4 * trace / 16, rel=1e-12)
    assert single.noise_floor() == pytest.approx(2**29 * double.noise_floor(), rel=1e-5)
    assert noise_floor(trace, 16, 2.0**-52) == double.noise_floor()
    assert noise_floor(0.0, 16, 2.0**-52) == 0.0
