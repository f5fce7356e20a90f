"""Finite sets of points: counts of pairs, pinned numbers, and the data-aware sums."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.kernels import Cauchy, Gaussian, Laplacian, Matern, Spline
from bochner.theory import finite_set, pointwise

GAUSSIAN = Gaussian()


@pytest.mark.parametrize(("n_points", "paired", "phase"), [(100, 2762, 2766), (1000, 3684, 3685), (10**5, 5528, 5527)])
def test_features_needed_for_the_gaussian_kernel(n_points, paired, phase):
    setting = {"n_points": n_points, "eps": 0.1, "delta": 0.01, "kernel": GAUSSIAN}
    assert finite_set.features_needed(**setting) == paired
    assert finite_set.features_needed(**setting, embedding="phase") == phase


def test_features_needed_for_any_kernel():
    setting = {"n_points": 100, "eps": 0.1 * Spline().variance, "delta": 0.01, "kernel": Spline()}
    assert finite_set.features_needed(**setting) == 5524
    assert finite_set.features_needed(**setting, embedding="phase") == 4148


def test_features_needed_for_mixtures_of_gaussian_kernels():
    setting = {"n_points": 1000, "delta": 0.01, "embedding": "phase"}
    for kernel in (Matern(nu=1.5), Laplacian(), 2.0 * Gaussian() + Matern(), Cauchy() * Gaussian()):
        assert finite_set.features_needed(kernel=kernel, eps=0.05 * kernel.variance, **setting) == 18_422
    one_part = Matern() + Spline()
    assert finite_set.features_needed(kernel=one_part, eps=0.05 * one_part.variance, **setting) == 22_107
    many = {"n_points": 10**5, "eps": 0.05, "delta": 0.01}
    assert finite_set.features_needed(kernel=Matern(nu=1.5), **many) == 33_158


def test_error_is_the_closed_form():
    n, D, delta = 150, 1000, 0.05
    assert finite_set.error(n_points=n, n_components=D, delta=delta, kernel=GAUSSIAN) == pytest.approx(
        np.sqrt(2 * np.log(n * (n - 1) / delta) / D), rel=1e-8
    )
    assert finite_set.error(n_points=n, n_components=D, delta=delta, kernel=GAUSSIAN) == pytest.approx(0.1613, abs=5e-5)
    phase = finite_set.error(n_points=n, n_components=D, delta=delta, kernel=GAUSSIAN, embedding="phase")
    assert phase == pytest.approx(0.1614, abs=5e-5)


def test_pairs_that_can_be_wrong():
    assert finite_set.n_pairs(10) == 45
    assert finite_set.n_pairs(10, embedding="phase") == 55
    assert finite_set.n_pairs(10, n_test=4) == 85
    assert finite_set.n_pairs(10, embedding="phase", n_test=4) == 95


def test_one_point_has_no_error_with_pairs():
    bound = finite_set.UnionSubGaussian(kernel=GAUSSIAN, n_points=1)
    assert bound.probability(1e-3, n_components=2) == 0.0
    assert bound.error(2, 0.01) < 1e-200
    assert finite_set.DataAware(kernel=GAUSSIAN, X=[[1.0]]).probability(0.1, n_components=2) == 0.0
    assert finite_set.DataAware(kernel=GAUSSIAN, X=[[1.0]], method="bernstein").probability(0.1, n_components=2) == 0.0


@pytest.mark.parametrize(
    "kernel",
    [
        GAUSSIAN,
        Gaussian([0.5, 2.0, 1.0]),
        Gaussian(gamma=0.3),
        2.0 * Gaussian(1.4),
        Laplacian(2.0),
        Matern(nu=0.7),
        Gaussian() + Laplacian(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("method", ["cramer", "bernstein"])
def test_data_aware_is_the_sum_over_pairs_rounded_up(kernel, embedding, method):
    rng = np.random.default_rng(3)
    X, X_test = rng.standard_normal((6, 3)), rng.standard_normal((2, 3))
    X[1] = X[0] + 1e-3  # a near-duplicate
    kind = pointwise.Cramer if method == "cramer" else pointwise.Bernstein
    differences = [x - y for x, y in combinations(X, 2)] + [x - y for x in X for y in X_test]
    if embedding == "phase":
        differences += [np.zeros(3)] * len(X)
    eps, D = 0.35 * kernel.variance, 400
    bounds = (kind(kernel=kernel, difference=u, embedding=embedding) for u in differences)
    exact = sum(bound.probability(eps, n_components=D) for bound in bounds)
    bound = finite_set.DataAware(kernel=kernel, X=X, X_test=X_test, embedding=embedding, method=method)
    looser = 1.05 if method == "cramer" else 1 + 1e-9
    assert exact * (1 - 1e-9) <= bound.probability(eps, n_components=D) <= exact * looser


def test_data_aware_beats_the_count_of_pairs():
    X = np.random.default_rng(0).standard_normal((60, 2))
    for kernel in (GAUSSIAN, Laplacian()):
        aware = finite_set.DataAware(kernel=kernel, X=X).error(1000, 0.01)
        assert aware < finite_set.error(n_points=60, n_components=1000, delta=0.01, kernel=kernel)


def test_hundreds_of_points_are_quick():
    X = np.random.default_rng(0).standard_normal((250, 20))
    assert 0 < finite_set.DataAware(kernel=GAUSSIAN, X=X).error(1000, 0.01) < 0.2


def test_refusals():
    with pytest.raises(AssumptionError, match="mixture"):
        finite_set.UnionSubGaussian(kernel=Spline(), n_points=10)
    for n_points in (0, 2.5, -1):
        with pytest.raises(InvalidParameterError, match="n_points"):
            finite_set.UnionHoeffding(kernel=GAUSSIAN, n_points=n_points)
    with pytest.raises(InvalidParameterError, match="method"):
        finite_set.DataAware(kernel=GAUSSIAN, X=[[0.0]], method="chebyshev")
    with pytest.raises(InvalidParameterError, match="embedding"):
        finite_set.UnionHoeffding(kernel=GAUSSIAN, n_points=5, embedding="fourier").probability(0.1, n_components=4)
