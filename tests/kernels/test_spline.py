"""Spline kernels against their series, their closed forms and the law of their frequencies."""

import numpy as np
import pytest
from scipy.special import zeta

import bochner as bo
from bochner.errors import InvalidParameterError

T = np.linspace(-1.3, 1.3, 53)


def series(t, order, n_terms):
    """1 + 2 sum cos(2 pi k t) / k^q; the rest is below 2 n_terms^(1-q) / (q-1)."""
    k = np.arange(1.0, n_terms + 1)
    return 1 + 2 * np.cos(2 * np.pi * np.outer(t, k)) @ k**-order


@pytest.mark.parametrize("order", [3.9, 4, 4.9999, 4.999999, 5, 5.000001, 5.0001, 6.3, 7, 8, 11.5, 20, 63, 300])
def test_values_are_those_of_the_series(order):
    tolerance = 1e-9 if 0 < abs(order - 5) < 1e-3 else 1e-12
    n_terms = 20_000 if order < 6 else 2000
    rest = 2 * n_terms ** (1 - order) / (order - 1)
    assert np.abs(bo.Spline(order=order).waves(T) - series(T, order, n_terms)).max() < rest + 4 * tolerance


@pytest.mark.parametrize("order", [1.2, 1.5, 2.5, 3, 3.000004, 3.2])
def test_slowly_converging_orders_are_the_means_of_the_series(order):
    """Cesaro means of the series, away from the singularity at 0, err by O(1/n)."""
    n = 40_000
    k = np.arange(1.0, n)
    t = np.array([0.05, 0.21, 0.37, 0.5])
    fejer = 1 + 2 * np.cos(2 * np.pi * np.outer(t, k)) @ ((1 - k / n) * k**-order)
    assert np.abs(bo.Spline(order=order).waves(t) - fejer).max() < 40 / n


def test_even_orders_are_bernoulli_polynomials():
    u = T - np.floor(T)
    np.testing.assert_allclose(bo.Spline(order=2).waves(T), 1 + 2 * np.pi**2 * (u**2 - u + 1 / 6), atol=1e-13)
    bernoulli = u**4 - 2 * u**3 + u**2 - 1 / 30
    np.testing.assert_allclose(bo.Spline(order=4).waves(T), 1 - (2 * np.pi) ** 4 / 24 * bernoulli, atol=1e-13)
    at = [float(bo.Spline(order=q).at(np.array([0.3]))) for q in (2, 4)]
    assert at == pytest.approx([0.144634, 0.300819], abs=1e-6)
    assert [bo.Spline(order=q).variance for q in (2, 4)] == pytest.approx([4.289868, 3.164646], abs=1e-6)


@pytest.mark.parametrize("order", [1.05, 1.7, 2, 2.5, 3, 5.2, 9, 100])
def test_the_value_at_zero_is_the_variance(order):
    kernel = bo.Spline(order=order)
    assert float(kernel.at(np.zeros(1))) == pytest.approx(kernel.variance, rel=1e-11)
    assert kernel.variance == pytest.approx(1 + 2 * zeta(order))


@pytest.mark.parametrize(("p", "q"), [(2, 2), (2, 3), (2.5, 1.8), (4, 2.2)])
def test_orders_add_up_under_integration(p, q):
    z = (np.arange(20_000) + 0.5) / 20_000
    product = bo.Spline(order=p).waves(0.3 - z) * bo.Spline(order=q).waves(z - 0.1)
    assert product.mean() == pytest.approx(float(bo.Spline(order=p + q).at(np.array([0.2]))), abs=1e-4)


def test_it_has_the_period_of_its_length_scale_in_every_feature():
    kernel = bo.Spline([2.0, 0.5], order=3)
    X, Y = np.random.default_rng(0).uniform(-3, 3, (2, 6, 2))
    np.testing.assert_allclose(kernel(X + np.array([2.0, -1.5]), Y), kernel(X, Y), atol=1e-12)
    one = [bo.Spline(s, order=3)(X[:, [j]], Y[:, [j]]) for j, s in enumerate([2.0, 0.5])]
    np.testing.assert_allclose(kernel(X, Y), one[0] * one[1] / kernel.variance, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("order", [1.6, 2, 3.3, 8])
@pytest.mark.parametrize("sampling", ["monte_carlo", "orthogonal", "qmc"])
def test_frequencies_have_power_law_probabilities(order, sampling):
    """200,000 draws: six standard errors of a count are 6 sqrt(n p)."""
    n = 200_000
    features = bo.FourierFeatures(bo.Spline(0.5, order=order), n_components=2 * n, sampling=sampling, random_state=0)
    waves = features.fit([[0.0]]).map_.omega[:, 0] * 0.5 / (2 * np.pi)
    np.testing.assert_allclose(waves, np.round(waves), rtol=1e-12)
    for k in (0, 1, -1, 2, -3, 7):
        p = (abs(k) or 1.0) ** -order / (1 + 2 * zeta(order))
        assert abs(np.sum(np.round(waves) == k) - n * p) <= 6 * np.sqrt(n * p) + 6
    beyond = zeta(order, 10) / (1 + 2 * zeta(order))
    assert abs(np.sum(np.round(waves) >= 10) - n * beyond) <= 6 * np.sqrt(n * beyond) + 6


def test_fourier_features_estimate_it():
    X = np.random.default_rng(0).uniform(0, 2, (30, 2))
    kernel = bo.Spline(2.0, order=2.5)
    Z = bo.FourierFeatures(kernel, n_components=40_000, random_state=0).fit_transform(X)
    # An entry is k(0) times a mean of 20,000 cosines: six standard errors and a union over 900 of them.
    assert np.abs(Z @ Z.T - kernel(X)).max() < 6 * kernel.variance / np.sqrt(20_000)


def test_moments_are_infinite_where_the_series_diverges():
    assert bo.Spline(order=3).sigma_p(2) == np.inf
    assert bo.Spline(order=1.9).lipschitz(1) == np.inf
    assert bo.Spline(order=2).lipschitz(1) == pytest.approx(2 * np.pi**2)
    step = 1e-4
    for order in (5.5, 8):
        kernel = bo.Spline(2.0, order=order)
        curvature = 2 * (1 - float(kernel.at(np.array([step]))) / kernel.variance) / step**2
        assert kernel.second_moments(1)[0] == pytest.approx(curvature, rel=1e-3)


@pytest.mark.parametrize("order", [2.01, 2.4, 2.9999, 3, 4, 5.5, 8, 30])
def test_the_lipschitz_constant_is_reached(order):
    kernel = bo.Spline(0.5, order=order)
    t = np.linspace(0, 0.5, 400_001)[:, None]
    steepest = np.max(np.abs(np.diff(kernel.at(t)))) * 800_000
    assert steepest <= kernel.lipschitz(1) * (1 + 1e-6)
    assert steepest == pytest.approx(kernel.lipschitz(1), rel=1e-3 if order > 2.1 else 0.05)


@pytest.mark.parametrize("order", [1.0, 0.5, 0, -2.0, np.nan, np.inf, "cubic"])
def test_a_bad_order_is_named_with_its_value(order):
    with pytest.raises(InvalidParameterError, match="'order' parameter of Spline must be"):
        bo.Spline(order=order)([[0.0]])
