"""The map of regimes: exponents on a grid."""

import numpy as np

from bochner.reproduce.regimes import EXPERIMENT
from bochner.theory.rates import feature_exponent


def test_the_maps_are_the_theorems():
    numbers = EXPERIMENT.measure(n_points=5)
    r, gamma = np.meshgrid(numbers["r"], numbers["gamma"])
    np.testing.assert_allclose(numbers["features"]["plain"], feature_exponent(r, gamma), atol=1e-6)
    np.testing.assert_allclose(numbers["features"]["leverage"], feature_exponent(r, gamma, gamma), atol=1e-6)
    np.testing.assert_allclose(numbers["nystroem"]["uniform"], 1 / (2 * r + gamma), atol=1e-6)
    np.testing.assert_allclose(numbers["nystroem"]["leverage"], gamma / (2 * r + gamma), atol=1e-6)
    assert [place["plain"] for place in numbers["named"]] == [0.5, 0.5, 1.0]
