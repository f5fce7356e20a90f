"""Mean features of windows: the same bits whatever rows come with them."""

import numpy as np
import pytest

import bochner as bo
from bochner.comparison.kernel_features import KernelFeatures
from bochner.comparison.windows import RoundedFourier, harmless_in_float32, window_means
from bochner.features import transform

X = np.random.default_rng(0).standard_normal((230, 20))
FOURIER = KernelFeatures.draw(bo.Gaussian(3.0), 20, 32, embedding="paired", sampling="monte_carlo", seed=0).fourier


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_they_are_means_over_complete_windows(dtype):
    features = RoundedFourier(FOURIER, np.dtype(dtype))
    means = window_means(X, features, 50)
    Z = transform(FOURIER, X.astype(dtype).astype(float), np.dtype(float))
    np.testing.assert_allclose(means, Z[:200].reshape(4, 50, 32).mean(axis=1), atol=1e-13)


def test_a_window_alone_has_the_bits_that_it_has_among_others():
    features = RoundedFourier(FOURIER, np.dtype(np.float64))
    together = window_means(X, features, 10)
    alone = np.vstack([window_means(X[10 * i : 10 * (i + 1)], features, 10) for i in range(23)])
    np.testing.assert_array_equal(together, alone)


def test_float32_rows_and_the_rows_they_were_rounded_from_are_the_same():
    features = RoundedFourier(FOURIER, np.dtype(np.float32))
    np.testing.assert_array_equal(window_means(X, features, 10), window_means(X.astype(np.float32), features, 10))
    assert features.rounded(np.array([[1e300]]))[0, 0] == np.finfo(np.float32).max


def test_rounding_is_harmless_up_to_a_thousandth_of_a_phase():
    size = 2.0**24 * 1e-3 / np.abs(FOURIER.omega).sum(axis=1).max()
    assert harmless_in_float32(np.full(20, 0.999 * size), FOURIER)
    assert not harmless_in_float32(np.full(20, 1.001 * size), FOURIER)
