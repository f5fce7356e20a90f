"""Scales by the evidence of the kernel itself, for Nystroem features."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import bochner as bo
from bochner.tuning import FeatureEvidence, KernelEvidence, candidate_kernels, tune
from bochner.tuning.narrow_map import NarrowMap
from tests.strategies import rows
from tests.tuning.test_search import wave

KERNELS = [*candidate_kernels(), bo.Matern(nu=1.1), bo.RationalQuadratic(alpha=0.7)]


def surface(kernel, weighted, n=60):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    Y = np.c_[np.sin(X[:, 0]), X[:, 1] * X[:, 2]] + 0.1 * rng.standard_normal((n, 2))
    return KernelEvidence(X, Y, rng.integers(1, 3, n).astype(float) if weighted else None, kernel)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("theta", [[0.3, 0.5, -0.2, -2.0, 0.4], [0.3, -2.0, 0.4], [1.5, -7.0, 2.0]])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_gradients_are_those_of_finite_differences(kernel, theta, weighted):
    f, theta, step = surface(kernel, weighted), np.array(theta), 1e-5
    differences = [(f(theta + e)[0] - f(theta - e)[0]) / (2 * step) for e in step * np.eye(len(theta))]
    np.testing.assert_allclose(f(theta)[1], differences, rtol=1e-6, atol=1e-7)


def test_the_evidence_is_the_density_of_the_centred_targets():
    """Of contrasts of the rows, orthonormal and orthogonal to the constant: the flat prior of the mean."""
    f = surface(bo.Matern(nu=0.5), weighted=False)
    contrasts = np.linalg.qr(np.c_[np.ones(60), np.random.default_rng(0).standard_normal((60, 59))])[0][:, 1:]
    K = bo.Matern(np.exp(0.4), nu=0.5)(f.X)
    covariance = contrasts.T @ (np.exp(0.3) * K + np.exp(-1.0) * np.eye(60)) @ contrasts
    log_density = multivariate_normal(np.zeros(59), covariance).logpdf((contrasts.T @ f.Y).T).sum()
    assert -f(np.array([0.4, -1.0, 0.3]))[0] * 59 * 2 == pytest.approx(log_density)


@pytest.mark.parametrize("weighted", [False, True])
def test_narrow_maps_come_near_as_they_widen(weighted):
    f, theta = surface(bo.Gaussian(), weighted), np.array([0.3, 0.5, -0.2, -2.0, 0.4])
    errors = [
        np.abs(
            FeatureEvidence(f.X, f.Y, f.weight, NarrowMap.draw(bo.Gaussian(), m, 3, 0).omega)(theta)[0] - f(theta)[0]
        )
        for m in (16, 512)
    ]
    assert errors[1] < 0.01 < errors[0]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_decays_are_the_slopes_of_the_profiles(kernel):
    r = np.linspace(0.05, 4, 50)
    np.testing.assert_allclose(kernel.decay(r), bo.kernels.distance.DistanceKernel.decay(kernel, r), rtol=1e-6)


def test_scales_of_columns_without_effect_are_pushed_out():
    X, y = wave()
    found = tune(X, y, [bo.Gaussian()], per_feature=True, seed=0, exact=True)
    relative = found.length_scale[:5] / X[:, :5].std(axis=0)
    assert np.min(relative[2:]) > 5 * np.max(relative[:2])
    assert found.noise_variance * y.var() == pytest.approx(0.05**2, rel=0.5)
    assert found.n_frequencies is None
    assert len(found.stages) == 4  # two starts, their refinement, and one scale for all columns


def test_the_smoothness_of_the_truth_is_recognised():
    X = rows(4, 600, 1)
    for truth in (bo.Matern(1.0, nu=0.5), bo.Gaussian(0.7)):
        root = np.linalg.cholesky(truth(X) + 1e-4 * np.eye(600))
        y = root @ np.random.default_rng(1).standard_normal(600)
        found = tune(X, y, candidate_kernels(), per_feature=False, seed=0, exact=True).kernel
        assert type(found) is type(truth)
        assert getattr(found, "nu", None) == getattr(truth, "nu", None)
        assert found.length_scale == pytest.approx(truth.length_scale, rel=0.6)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_handful_of_equal_or_constant_rows_gives_finite_scales(n):
    for X, y in ((rows(0, n, 2), np.arange(n)), (np.ones((n, 2)), np.arange(n)), (rows(0, n, 2), np.ones(n))):
        found = tune(X, y, [bo.Matern()], per_feature=True, seed=0, exact=True)
        assert np.all(np.isfinite(found.length_scale) & (found.length_scale > 0))


def test_a_kernel_of_more_than_distance_has_narrow_maps():
    X, y = wave(200)
    assert tune(X, y, [bo.Laplacian()], per_feature=False, seed=0, exact=True).n_frequencies > 0


@pytest.mark.slow
def test_a_regressor_with_nystroem_features_fits_a_rough_function_that_random_features_cannot():
    """A sum of steps: the frequencies of Matern 1/2 are too many for 256 features."""
    X = rows(6, 3000, 2).astype(np.float32)
    y = np.sign(X[:, 0]) + np.sign(X[:, 1])
    models = [
        bo.KernelRegressor(
            "auto", features=kind, n_components=256, length_scale="ard", alpha="evidence", random_state=0
        ).fit(X[:2500], y[:2500])
        for kind in (None, "nystroem")
    ]
    fourier, nystroem = (np.sqrt(np.mean((model.predict(X[2500:]) - y[2500:]) ** 2)) for model in models)
    assert nystroem < 0.9 * fourier
    assert models[1].precision_ == np.float64
    assert models[1].predict(X).dtype == np.float32
    assert models[1].features_.kernel_.nu == 0.5


def test_many_scales_are_kept_only_if_they_predict_rows_that_they_have_not_seen():
    """Of 60 columns all matter alike, and there are 1,200 rows: one scale for all is the truth."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1200, 60))
    y = np.sin(X.sum(axis=1) / 4) + 0.1 * rng.standard_normal(1200)
    found = tune(X, y, [bo.Gaussian()], per_feature=True, seed=0, exact=True)
    relative = found.length_scale / X.std(axis=0)
    assert relative.max() < 1.02 * relative.min()
    assert found.stages[-1].theta.shape == (3,)
