"""Power laws fitted on logarithms."""

import numpy as np
import pytest
from scipy.stats import linregress

from bochner.reproduce.slope import fitted_slope, power_law

X = [10, 20, 50, 100, 400]


def test_an_exact_power_law_has_its_exponent():
    found = fitted_slope(X, [3 * x**-0.5 for x in X])
    assert found["estimate"] == pytest.approx(-0.5)
    assert found["interval"] == pytest.approx([-0.5, -0.5])
    np.testing.assert_allclose(power_law(X, [3 * x**-0.5 for x in X], -0.5), 3 * np.array(X) ** -0.5)


def test_the_interval_is_students():
    y = np.array([1.0, 0.8, 0.4, 0.35, 0.1])
    fit = linregress(np.log(X), np.log(y))
    low, high = fitted_slope(X, y)["interval"]
    assert (high - low) / 2 == pytest.approx(3.182446305 * fit.stderr, rel=1e-8)  # t with 3 degrees of freedom
    assert (high + low) / 2 == pytest.approx(fit.slope)


def test_the_nearest_power_law_has_the_mean_logarithm():
    y = np.array([1.0, 0.8, 0.4, 0.35, 0.1])
    assert np.mean(np.log(power_law(X, y, -1.0))) == pytest.approx(np.mean(np.log(y)))
