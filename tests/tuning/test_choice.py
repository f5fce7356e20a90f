"""Choice of a kernel by exact evidence, against the density of the Gaussian process."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import bochner as bo
from bochner.tuning.choice import best_kernel, exact_loss

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 2))


def test_the_loss_is_the_best_density_over_noise_and_signal_of_the_centred_targets():
    """Of contrasts of the rows, orthonormal and orthogonal to the constant: the flat prior of the mean."""
    y = np.sin(X[:, :1]) + 0.3 * RNG.standard_normal((60, 1))
    contrasts = np.linalg.qr(np.c_[np.ones(60), RNG.standard_normal((60, 59))])[0][:, 1:]
    K, t = contrasts.T @ bo.Matern()(X) @ contrasts, contrasts.T @ y[:, 0]

    def loss(alpha):
        C = K + alpha * np.eye(59)
        scale = t @ np.linalg.solve(C, t) / 59
        density = multivariate_normal(np.zeros(59), scale * C).logpdf(t)
        return -density / 59 - (np.log(2 * np.pi) + 1) / 2  # the constants that the loss leaves out

    assert exact_loss(bo.Matern(), X, y) == pytest.approx(min(map(loss, np.geomspace(1e-6, 1e1, 36))), rel=1e-6)


def test_the_kernel_that_made_the_targets_is_chosen_with_the_factor_that_mends_its_scale():
    """Twenty draws of a process: the rough one is never taken for the smooth one."""
    truth = bo.Matern(1.0, nu=0.5)
    root = np.linalg.cholesky(truth(X) + 1e-6 * np.eye(60))
    Y = root @ np.random.default_rng(1).standard_normal((60, 20))
    kernel, factor = best_kernel([bo.Gaussian(1.0), bo.Matern(1.0 / 0.35, nu=0.5)], X, Y)
    assert kernel == 1
    assert factor == 0.35


def test_units_of_the_targets_do_not_matter():
    y = X[:, :1] ** 2
    difference = exact_loss(bo.Gaussian(), X, 10 * y) - exact_loss(bo.Gaussian(), X, y)
    assert difference == pytest.approx(np.log(10), rel=1e-9)
    assert exact_loss(bo.Gaussian(), X, y + 5) == pytest.approx(exact_loss(bo.Gaussian(), X, y), abs=1e-9)
