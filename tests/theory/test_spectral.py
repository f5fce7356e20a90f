"""Spectral approximation a priori: the number of frequencies, and that it is enough."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError
from bochner.theory.spectral import SpectralApproximation

BOUND = SpectralApproximation(n_points=20, alpha=10.0, statistical_dimension=0.9, operator_norm=15.0)


def test_the_count_is_the_formula():
    expected = 8 / 3 * (20 / 10) / 0.25 * np.log(16 * 0.9 / 0.1)
    assert BOUND.frequencies_needed(0.5, 0.1) == pytest.approx(expected)


def test_too_few_frequencies_and_large_penalties_are_refused():
    with pytest.raises(AssumptionError, match="at least"):
        BOUND.certificate(10, 0.5, 0.1)
    with pytest.raises(AssumptionError, match="alpha <="):
        SpectralApproximation(n_points=20, alpha=16.0, statistical_dimension=0.9, operator_norm=15.0)
    with pytest.raises(AssumptionError, match="accuracy"):
        BOUND.frequencies_needed(0.6, 0.1)


def test_so_many_frequencies_are_enough():
    """Two hundred draws at delta = 1e-3: more than five failures have a probability below 1e-7."""
    X = np.random.default_rng(0).uniform(-1, 1, (20, 1))
    K = bo.Gaussian()(X)
    shifted = K + 10.0 * np.eye(20)
    bound = SpectralApproximation(
        n_points=20,
        alpha=10.0,
        statistical_dimension=float(np.trace(K @ np.linalg.inv(shifted))),
        operator_norm=float(np.linalg.norm(K, 2)),
    )
    m = int(np.ceil(bound.frequencies_needed(0.5, 1e-3)))
    root = np.linalg.inv(np.linalg.cholesky(shifted))
    failures = 0
    for seed in range(200):
        omega = np.random.default_rng(seed).standard_normal((m, 1))
        estimate = np.cos((X[:, None] - X[None])[..., 0, None] * omega[:, 0]).mean(axis=-1)
        values = np.linalg.eigvalsh(root @ (estimate + 10.0 * np.eye(20)) @ root.T)
        failures += bool(values[0] < 0.5 or values[-1] > 1.5)
    assert failures <= 5
