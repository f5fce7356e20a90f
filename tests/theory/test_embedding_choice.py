"""Which embedding for which kernel, and the map of regimes."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError
from bochner.theory import rates
from bochner.theory.moments import better_embedding, mean_map_variance, variance

FAR = np.linspace(0, 8, 200)[:, None]


@pytest.mark.parametrize("kernel", [bo.Gaussian(0.7), bo.Laplacian(), 3.0 * bo.Gaussian(), bo.Matern(nu=1.5)])
def test_pairs_are_better_everywhere_for_kernels_with_light_tails(kernel):
    choice = better_embedding(kernel, FAR)
    assert choice.embedding == "paired"
    assert choice.paired_share == 1.0
    assert choice.paired < choice.phase


def test_heavy_tails_prefer_phases_far_away():
    near, far = better_embedding(bo.Cauchy(), FAR[:20]), better_embedding(bo.Cauchy(), FAR[100:])
    assert (near.embedding, near.paired_share) == ("paired", 1.0)
    assert (far.embedding, far.paired_share) == ("phase", 0.0)
    # 1/(1 + 4 u^2) <= 2/(1 + u^2)^2 up to u^2 = 3 + sqrt(10)
    assert better_embedding(bo.Cauchy(), [np.sqrt(3 + np.sqrt(10)) - 1e-6]).embedding == "paired"
    assert better_embedding(bo.Cauchy(), [np.sqrt(3 + np.sqrt(10)) + 1e-6]).embedding == "phase"


@pytest.mark.parametrize("kernel", [2.0 * bo.Cauchy(), bo.Gaussian([1.0, 2.0])])
def test_the_means_are_those_of_the_exact_variances(kernel):
    d = 2 if isinstance(kernel, bo.Gaussian) else 1
    u = np.random.default_rng(0).standard_normal((50, d))
    choice = better_embedding(kernel, u)
    for name, value in (("paired", choice.paired), ("phase", choice.phase)):
        assert value == pytest.approx(10 * np.mean(variance(kernel, u, n_components=10, embedding=name)))


@pytest.mark.parametrize("bad", [[], [np.nan], [[np.inf]]])
def test_bad_differences_are_named(bad):
    with pytest.raises(InvalidParameterError, match="'difference'"):
        better_embedding(bo.Gaussian(), bad)


def test_mean_maps_need_rows_of_one_width():
    with pytest.raises(InvalidParameterError, match="mean_map_variance"):
        mean_map_variance(bo.Gaussian(), np.ones((2, 2)), np.ones((2, 3)), n_components=2)
    with pytest.raises(InvalidParameterError, match="mean_map_variance"):
        mean_map_variance(bo.Gaussian(), np.ones((2, 2)), np.ones((0, 2)), n_components=2)
    with pytest.raises(InvalidParameterError, match="even"):
        mean_map_variance(bo.Gaussian(), np.ones((2, 2)), np.ones((2, 2)), n_components=3)


def test_the_map_of_regimes():
    r, gamma = np.meshgrid(np.linspace(0.5, 1, 11), np.linspace(0, 1, 11))
    plain, leverage = rates.feature_exponent(r, gamma), rates.feature_exponent(r, gamma, gamma)
    assert plain.shape == leverage.shape == (11, 11)
    assert np.all(leverage <= plain + 1e-15)
    np.testing.assert_allclose(leverage[-1], plain[-1])  # gamma = 1: leverage gains nothing
    np.testing.assert_allclose(leverage[:, -1], plain[:, -1])  # nor at r = 1
    assert plain[0, 0] == 1.0
    assert leverage[0, 0] == 0.0
    for i, j in ((0, 0), (3, 7), (10, 10)):
        claim = rates.RudiRosascoTheorem2(r=r[i, j], gamma=gamma[i, j])
        assert claim.features == pytest.approx(plain[i, j])
    for bad, name in (
        ((0.4, 0.5), "'r'"),
        ((1.0, -0.1), "'gamma'"),
        ((0.7, 0.5, 0.4), "'alpha'"),
        ((0.7, 0.5, 2), "alpha"),
    ):
        with pytest.raises(InvalidParameterError, match=name):
            rates.feature_exponent(*bad)


def test_corollary_1_has_the_orders_of_theorem_1():
    orders = [
        (claim.penalty, claim.risk, claim.features)
        for claim in (rates.RudiRosascoCorollary1, rates.RudiRosascoTheorem1)
    ]
    assert orders[0] == orders[1] == (0.5, 0.5, rates.feature_exponent(0.5, 1.0))
