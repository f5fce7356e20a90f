"""Variance proxies: the log-MGF of a summand never exceeds v s^2 / 2, and the constants cannot be halved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ive

from bochner.kernels import Cauchy, Gaussian, Laplacian, Matern, Metric, PowerExponential, RationalQuadratic, Spline
from bochner.theory.normalised import normalised
from bochner.theory.sub_gaussian import sub_gaussian_tail, variance_proxy

KERNELS = [
    Gaussian(),
    Laplacian(),
    Matern(nu=0.5),
    Matern(nu=2.5),
    Cauchy(),
    RationalQuadratic(alpha=0.3),
    PowerExponential(exponent=0.6),
    Spline(),
    Gaussian(0.1) + Gaussian(10.0),
    Matern(length_scale=0.05) + 3.0 * Cauchy(20.0),
    Laplacian() * Gaussian(),
    Metric(Matern(), np.array([[1.0, 0.2], [0.0, 3.0]])),
]


def centred_log_mgf(kernel, u, s):
    """log E exp(s (cos(omega . u) - k)) for s of both signs, |s| <= 8: nothing is lost to cancellation there."""
    values = kernel.multiples(np.asarray(u), 80) / kernel.variance
    size, n = np.abs(s), np.arange(1, 81)
    terms = np.sign(s)[:, None] ** n * ive(n, size[:, None]) * values
    return np.log(ive(0, size) + 2 * terms.sum(axis=1)) + size - s * values[0]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_the_log_mgf_is_at_most_that_of_the_proxy(kernel, embedding):
    s = np.concatenate([-np.linspace(0.05, 8, 60), np.linspace(0.05, 8, 60)])
    proxy = variance_proxy(normalised(kernel), embedding)
    phase = 0.0 if embedding == "paired" else np.log(ive(0, np.abs(s))) + np.abs(s)
    for r in np.geomspace(0.01, 100, 60):
        assert np.all(centred_log_mgf(kernel, [r, -0.4 * r], s) + phase <= proxy * s**2 / 2 + 1e-8)


def test_kernels_that_declare_nothing_have_the_constant_of_any_kernel():
    assert variance_proxy(normalised(Spline()), "paired") == variance_proxy(None, "paired") == 1.0
    assert variance_proxy(normalised(Gaussian() + Spline()), "phase") == variance_proxy(None, "phase") == 1.5
    assert variance_proxy(normalised(2.0 * Gaussian()), "phase") == 1.0


def test_mixtures_need_more_than_normal_frequencies():
    # A proxy is at least the variance of a summand: here a constant with probability 1/4, else of variance 1/2.
    wide = normalised(3.0 * Gaussian(1e-3) + Gaussian(1e3))
    k, twice = wide.multiples(np.array([1.0, 1.0]), 2)
    variance = (1 + twice) / 2 - k**2
    assert variance == pytest.approx(9 / 16, abs=1e-4)
    assert variance_proxy(normalised(Gaussian()), "paired") < variance < variance_proxy(wide, "paired")


def test_the_tail_is_that_of_a_normal_variable_of_this_variance():
    assert sub_gaussian_tail(0.2, 100, 0.5) == pytest.approx(2 * np.exp(-(0.2**2) * 100))
