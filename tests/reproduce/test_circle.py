"""The Fourier side of ridge regression on a circle, against the matrices of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from bochner import MonteCarlo, Spline
from bochner.features import draw_spline_map, transform
from bochner.reproduce.circle import CircleRows, spline_coefficients, spline_eigenvalues
from bochner.reproduce.rudi_rosasco import Problem

GRID = (np.arange(2000) + 0.5) / 2000
X = np.random.default_rng(0).random(120)
TRUTH_ORDER, CENTRE, NOISE, PENALTY = 4.01, 0.5, 0.7, 0.02


def direct_risk(K, K_grid):
    """Mean over the noise of the mean over the grid of (f - f*)^2: a linear smoother's bias and variance."""
    smoother = np.linalg.solve(K + len(X) * PENALTY * np.eye(len(X)), K_grid.T).T
    target = Spline(order=TRUTH_ORDER)
    bias = smoother @ target.waves(X - CENTRE) - target.waves(GRID - CENTRE)
    return np.mean(bias**2) + NOISE**2 * np.mean(np.sum(smoother**2, axis=1))


def truth(n_waves):
    return spline_coefficients(TRUTH_ORDER, np.array([CENTRE]), n_waves)[:, 0]


@pytest.mark.parametrize(("order", "n_waves"), [(4, 64), (8, 24), (3, 200)])
def test_the_risk_is_that_of_exact_kernel_ridge(order, n_waves):
    kernel, rows = Spline(order=order), CircleRows.of(X, n_waves)
    expected = direct_risk(kernel(X[:, None]), kernel(GRID[:, None], X[:, None]))
    eigenvalues = spline_eigenvalues(order, n_waves)
    assert rows.risk(eigenvalues, PENALTY, truth(n_waves), NOISE) == pytest.approx(expected, rel=1e-4)
    path = rows.risk_path(eigenvalues, np.array([0.5, PENALTY]), truth(n_waves), NOISE)
    assert path[1] == pytest.approx(rows.risk(eigenvalues, PENALTY, truth(n_waves), NOISE), rel=1e-9)


@pytest.mark.parametrize("order", [4, 8])
def test_the_risk_of_spline_features_is_that_of_the_map(order):
    n_waves, splines = 128, draw_spline_map(Spline(order=order), n_features=1, n_components=30, seed=0)
    Z, Z_grid = (transform(splines, points[:, None], np.dtype(float)) for points in (X, GRID))
    B = spline_coefficients(order / 2, splines.centres[:, 0], n_waves)
    risk = CircleRows.of(X, n_waves).risk(B @ B.T / 30, PENALTY, truth(n_waves), NOISE)
    assert risk == pytest.approx(direct_risk(Z @ Z.T, Z_grid @ Z.T), rel=1e-3)


@pytest.mark.parametrize("sampling", ["spline", "plain", "leverage"])
def test_estimated_kernels_have_the_kernel_as_their_mean(sampling):
    """4,000 draws of 20 features, every diagonal entry within six standard errors."""
    problem, rng = Problem(r=7 / 8, gamma=1 / 4, noise=1.0, n_waves=5), np.random.default_rng(0)
    drawn = [problem.estimated_kernel(sampling, 20, 0.05, rng) for _ in range(4000)]
    diagonals = np.array([A if A.ndim == 1 else np.diagonal(A) for A in drawn])
    error = np.abs(diagonals.mean(axis=0) - problem.eigenvalues)
    assert np.all(error <= 6 * diagonals.std(axis=0) / np.sqrt(4000) + 1e-12)


def test_a_frequency_of_the_plain_kernel_is_drawn_as_fourier_features_draw_it():
    problem, rng = Problem(r=7 / 8, gamma=1 / 4, noise=1.0, n_waves=8), np.random.default_rng(0)
    variance = np.var([problem.estimated_kernel("plain", 40, 0.05, rng)[2] for _ in range(4000)])
    omega = MonteCarlo().draw(Spline(order=4).spectral_measure(1), 20 * 4000, 1, seed=0).omega.reshape(4000, 20)
    ours = np.mean(np.isclose(np.abs(omega), 4 * np.pi), axis=1) * Spline(order=4).variance / 2
    assert np.mean(ours) == pytest.approx(2**-4, abs=6 * np.std(ours) / np.sqrt(4000))
    assert np.var(ours) == pytest.approx(variance, rel=0.3)
