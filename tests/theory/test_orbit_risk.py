"""Excess risk with orbit features: the formula, and the lemma behind it by simulation."""

import numpy as np
import pytest

from bochner.theory.orbit_risk import ExcessRisk, hilbert_mean_error, random_function_error


def test_the_mean_of_bounded_vectors_is_near_its_expectation():
    """2,000 means of 25 points on a sphere at delta = 0.05: the count is below 5 deviations of its limit."""
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((2000, 25, 4))
    draws /= np.linalg.norm(draws, axis=2, keepdims=True)
    failures = np.sum(np.linalg.norm(draws.mean(axis=1), axis=1) > hilbert_mean_error(1.0, 25, 0.05))
    assert failures <= 100 + 5 * np.sqrt(100)


def test_two_errors_add_up():
    expected = hilbert_mean_error(2.0, 100, 0.1) + hilbert_mean_error(2.0, 50, 0.2)
    assert random_function_error(2.0, 100, 50, 0.1, 0.2) == expected


def test_the_bound_is_its_formula():
    bound = ExcessRisk(lipschitz=1.0, bound=2.0, n_points=400, n_components=100, n_transforms=25)
    delta = 0.01
    estimation = 4 * 2 / 20 + 2 / 20 + 2 * np.sqrt(2 * np.log(2 / delta) / 400)
    approximation = 2 * (1 / 10 + 1 / 5) * (1 + np.sqrt(2 * np.log(1 / delta)))
    assert bound.excess(delta) == pytest.approx(2 * estimation + approximation)
    assert bound.certificate(0.03).value == pytest.approx(bound.excess(0.01))
