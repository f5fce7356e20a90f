"""The reference of a drift detector: windows that teach, mean and covariance of its features."""

import numpy as np
import pytest

import bochner as bo
from bochner.comparison.kernel_features import KernelFeatures
from bochner.comparison.reference import (
    FEWEST_WINDOWS,
    default_window,
    largest_taught,
    mean_and_eigenvalues,
    teaching_rows,
)
from bochner.features import transform

X = np.random.default_rng(0).standard_normal((103, 2))


@pytest.mark.parametrize(("n", "window"), [(10, 1), (100, 12), (1000, 16), (5000, 25), (10**6, 50)])
def test_default_windows(n, window):
    assert default_window(n) == window
    assert n >= FEWEST_WINDOWS * window


def test_every_other_complete_window_teaches():
    teaches = teaching_rows(103, 10)
    numbers = np.flatnonzero(teaches) // 10
    assert set(numbers) == {0, 2, 4, 6, 8}
    assert teaches.sum() == 50
    assert not teaches[100:].any()


def test_the_largest_sizes_are_those_of_the_rows_that_teach():
    np.testing.assert_array_equal(largest_taught(X, 10), np.abs(X[teaching_rows(103, 10)]).max(axis=0))


def test_mean_and_eigenvalues_are_those_of_the_covariance_of_the_features():
    features = KernelFeatures.draw(bo.Gaussian(), 2, 16, embedding="paired", sampling="monte_carlo", seed=0)
    mean, eigenvalues = mean_and_eigenvalues(X, features.fourier)
    Z = transform(features.fourier, X, np.dtype(float))
    np.testing.assert_allclose(mean, Z.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(eigenvalues, np.linalg.eigvalsh(np.cov(Z.T))[::-1], atol=1e-13)
    assert np.all(np.diff(eigenvalues) <= 0)
