"""Ridge regression, support vector machines, mean maps and MMD."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bochner.errors import InvalidParameterError
from bochner.kernels import Gaussian, Matern
from bochner.theory import downstream, finite_set, published

GAUSSIAN = Gaussian()


def test_ridge_value_and_inverse():
    ridge = downstream.RidgePrediction(penalty=0.1, target_rms=1.0)
    assert ridge.change(0.01) == pytest.approx(1.1)
    assert ridge.kernel_error_allowed(1.1) == pytest.approx(0.01)
    assert downstream.RidgePrediction(penalty=0.1, target_rms=1.0, kappa=2.0).change(0.01) == pytest.approx(2.1)


def test_ridge_gap_with_uniform_error_is_the_ridge_value():
    n, eps = 50, 0.01
    gap = downstream.ridge_gap(np.sqrt(n) * eps, n * eps, n_points=n, penalty=0.1, target_rms=1.0)
    assert gap == pytest.approx(1.1)


def test_ridge_gap_bounds_the_true_change():
    rng = np.random.default_rng(0)
    n, penalty, m = 60, 0.05, 50
    X, y = rng.standard_normal((n, 2)), rng.standard_normal(n) + 1
    x = rng.standard_normal((1, 2))
    K, k = GAUSSIAN(X), GAUSSIAN(X, x)[:, 0]
    alpha = n * penalty
    exact = y @ np.linalg.solve(K + alpha * np.eye(n), k)
    for _ in range(20):
        omega = rng.standard_normal((m, 2))
        Z, z = (np.hstack([np.cos(P @ omega.T), np.sin(P @ omega.T)]) / np.sqrt(m) for P in (X, x))
        approximate = y @ np.linalg.solve(Z @ Z.T + alpha * np.eye(n), Z @ z[0])
        gap = downstream.ridge_gap(
            np.linalg.norm(Z @ z[0] - k),
            np.linalg.norm(Z @ Z.T - K, 2),
            n_points=n,
            penalty=penalty,
            target_rms=np.sqrt(np.mean(y**2)),
        )
        assert abs(exact - approximate) <= gap


def test_ridge_certificate_from_a_finite_set():
    kernel_bound = finite_set.UnionSubGaussian(kernel=GAUSSIAN, n_points=100, n_test=10)
    ridge = downstream.RidgePrediction(penalty=0.5, target_rms=1.0)
    width = ridge.features_needed(0.3, 0.01, kernel_bound)
    certificate = ridge.certificate(kernel_bound.certificate(width, 0.01), "the 110 rows")
    assert "at the 110 rows" in certificate.statement
    assert certificate.value <= 0.3 * (1 + 1e-8)
    assert certificate.delta == 0.01
    assert certificate.details["kernel_error"]["bound"] == "finite_set.UnionSubGaussian"


def test_svm_values():
    svm = downstream.SVMPrediction(n_points=1000, c0=1.0)
    assert svm.change(1e-6) == pytest.approx(0.285571, rel=2e-6)
    assert downstream.SVMPrediction(n_points=1000, c0=1.0, embedding="phase").change(1e-6) == pytest.approx(
        0.285648, rel=2e-6
    )
    assert svm.kernel_error_allowed(0.5) == pytest.approx(7.13372e-06, rel=2e-6)
    assert svm.change(svm.kernel_error_allowed(0.5)) == pytest.approx(0.5, rel=1e-12)
    small = downstream.SVMPrediction(n_points=100, c0=2.0)
    assert small.kernel_error_allowed(0.1) == pytest.approx(1.28986e-08, rel=3e-6)


@given(change=st.floats(1e-6, 10), n=st.integers(1, 10**6), c0=st.floats(1e-3, 1e3), k_zero=st.floats(0.1, 10))
def test_svm_inversion_does_not_cancel(change, n, c0, k_zero):
    for embedding in ("paired", "phase"):
        svm = downstream.SVMPrediction(n_points=n, c0=c0, k_zero=k_zero, embedding=embedding)
        assert svm.change(svm.kernel_error_allowed(change)) == pytest.approx(change, rel=1e-9)


def test_svm_inverse_is_the_papers_formula():
    t, n = 0.25, 500
    expected = (np.sqrt(1 + 2 * t) - 1) ** 4 / 4 / (n + np.sqrt(n))
    assert downstream.SVMPrediction(n_points=n, c0=4.0).kernel_error_allowed(1.0) == pytest.approx(expected, rel=1e-12)


def test_mean_map_and_mmd_values():
    for kernel, embedding, rate in (
        (GAUSSIAN, "paired", 1 / 2),
        (GAUSSIAN, "phase", 1 / 2),
        (Matern(), "phase", 2 / 5),
    ):
        mean_map = downstream.MeanMapKernel(kernel=kernel, embedding=embedding)
        assert mean_map.probability(0.1, n_components=1000) == pytest.approx(2 * np.exp(-rate * 10), rel=1e-12)
    paired, phase = (downstream.MMDSquared(kernel=GAUSSIAN, embedding=e) for e in ("paired", "phase"))
    assert paired.probability(0.2, n_components=4000) == pytest.approx(9.07999e-05, rel=2e-6)
    assert phase.probability(0.2, n_components=4000) == pytest.approx(2 * np.exp(-160 / 24), rel=1e-12)
    assert published.SutherlandSchneiderMMK(D=1000, eps=0.1).value() == pytest.approx(0.57301, rel=2e-6)
    assert published.SutherlandSchneiderMMDSquared(D=4000, eps=0.2).value() == pytest.approx(0.57301, rel=2e-6)


def test_error_of_the_root():
    assert downstream.mmd_error(0.01, 0.0) == pytest.approx(0.1)
    assert downstream.mmd_error(0.01, 0.5) == pytest.approx(0.02)
    assert downstream.mmd_error(0.01, 0.01) == pytest.approx(0.1)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_variance_of_mmd_is_that_of_simulated_frequencies(embedding):
    rng = np.random.default_rng(1)
    X, Y = rng.standard_normal((3, 2)), rng.standard_normal((4, 2)) + 1
    points, signs = np.vstack([X, Y]), np.r_[np.full(3, 1 / 3), np.full(4, -1 / 4)]
    phases = points @ rng.standard_normal((2, 200_000))
    if embedding == "paired":
        summands, m = (signs @ np.cos(phases)) ** 2 + (signs @ np.sin(phases)) ** 2, 10
    else:
        summands, m = 2 * (signs @ np.cos(phases + rng.uniform(0, 2 * np.pi, 200_000))) ** 2, 20
    exact = downstream.mmd_squared_variance(GAUSSIAN, X, Y, n_components=20, embedding=embedding)
    assert summands.var() / m == pytest.approx(exact, rel=0.03)


def test_refusals():
    with pytest.raises(InvalidParameterError, match="penalty"):
        downstream.RidgePrediction(penalty=0.0, target_rms=1.0)
    with pytest.raises(InvalidParameterError, match="c0"):
        downstream.SVMPrediction(n_points=10, c0=-1.0)
    with pytest.raises(InvalidParameterError, match="eps"):
        downstream.RidgePrediction(penalty=1.0, target_rms=1.0).kernel_error_allowed(0.0)
