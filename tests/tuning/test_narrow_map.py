"""The narrow map: its features are those of the kernel, and differentiable by the scales."""

import numpy as np

import bochner as bo
from bochner.features import transform
from bochner.tuning.narrow_map import NarrowMap

X = np.random.default_rng(0).standard_normal((20, 3))


def test_many_frequencies_give_the_kernel_of_unit_scale():
    Z = transform(NarrowMap.draw(bo.Gaussian(7.0), 4096, 3, 0).fourier, X, np.dtype(float))
    np.testing.assert_allclose(Z @ Z.T, bo.Gaussian(1.0)(X), atol=0.02)
    np.testing.assert_allclose(np.sum(Z**2, axis=1), 1.0)


def test_the_derivative_by_the_scales_is_that_of_finite_differences():
    narrow, weights = NarrowMap.draw(bo.Matern(), 8, 3, 0), np.random.default_rng(1).standard_normal((20, 16))

    def value(log_scales):
        return float(np.sum(weights * transform(narrow.fourier, X / np.exp(log_scales), np.dtype(float))))

    point = np.array([0.2, -0.3, 0.5])
    scaled = X / np.exp(point)
    slope = narrow.by_log_scales(scaled, transform(narrow.fourier, scaled, np.dtype(float)), weights)
    differences = [(value(point + e) - value(point - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(slope, differences, rtol=1e-6, atol=1e-7)


def test_the_seed_decides_the_frequencies():
    first, again, other = (NarrowMap.draw(bo.Gaussian(), 8, 3, seed).omega for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
