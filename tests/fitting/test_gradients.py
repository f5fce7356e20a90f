"""Gradients of predictions are those of differences, and their error bars those of differences of the posterior law."""

from dataclasses import replace

import numpy as np
import pytest

from bochner import (
    ArcCosineFeatures,
    Gaussian,
    KernelRegressor,
    Laplacian,
    Matern,
    NystroemFeatures,
    Spline,
)
from bochner.errors import AssumptionError
from bochner.fitting.draws import gradients
from tests.fitting.posterior_models import MODELS, WEIGHT, dense_posterior, fitted, grid_model, table

AT = np.random.default_rng(9).uniform(-2.5, 2.5, (6, 2))


def differences(function, X, step=1e-5):
    """Central differences, columns at axis 1."""
    shifts = step * np.eye(X.shape[1])
    return np.stack([(function(X + shift) - function(X - shift)) / (2 * step) for shift in shifts], axis=1)


@pytest.mark.parametrize("kind", MODELS)
def test_gradients_are_those_of_differences(kind):
    model = fitted(kind)
    found = model.gradient(AT)
    assert found.shape == AT.shape
    np.testing.assert_allclose(found, differences(model.predict, AT), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", MODELS)
def test_error_bars_of_gradients_are_those_of_differences_of_the_posterior_law(kind):
    model, step = fitted(kind), 1e-4
    found = model.gradient(AT, return_std=True)[1]
    expected = np.empty_like(AT)
    for i, x in enumerate(AT):
        for j in range(2):
            pair = np.stack([x, x])
            pair[:, j] += [step, -step]
            covariance = dense_posterior(model, table()[0], WEIGHT, pair)
            expected[i, j] = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    # A rough kernel's second difference converges with the step, not with its square.
    np.testing.assert_allclose(found, np.sqrt(expected * model.noise_variance_) / (2 * step), rtol=1e-3)


@pytest.mark.parametrize("kind", ["paired", "phase", "landmarks", "exact", "warped landmarks"])
def test_drawn_functions_have_gradients(kind):
    functions = fitted(kind).sample_functions(3, random_state=0)
    found = functions.gradient(AT)
    assert found.shape == (6, 2, 3)
    np.testing.assert_allclose(found, differences(functions, AT), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "kernel",
    [0.5 * Gaussian(2.0) + Matern(1.0, nu=2.5) * Matern([3.0, 2.0], nu=1.5), Laplacian([1.0, 2.0]), Matern(nu=0.5)],
)
def test_gradients_of_composed_and_of_rough_kernels(kernel):
    features = NystroemFeatures(kernel, n_components=20, random_state=0)
    model = KernelRegressor(features=features, alpha=0.1).fit(*table())
    np.testing.assert_allclose(model.gradient(AT), differences(model.predict, AT, 1e-6), rtol=1e-5, atol=1e-6)


def test_a_learned_metric_has_gradients():
    X, y = table()
    model = KernelRegressor(Gaussian(), features="exact", length_scale="metric", alpha=0.1, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.gradient(AT), differences(model.predict, AT), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("direct", [False, True])
def test_gradients_of_a_grid(direct):
    model, X = grid_model(direct)
    at, far = X[:5] + 0.01, np.array([[500.0]])
    np.testing.assert_allclose(model.gradient(at), differences(model.predict, at, 1e-4), rtol=1e-4, atol=1e-5)
    assert model.gradient(far) == 0
    np.testing.assert_allclose(model.gradient(far, return_std=True)[1], np.sqrt(model.noise_variance_ / 0.1))
    functions = model.sample_functions(2, 0)
    at = np.vstack([at, far])
    np.testing.assert_allclose(functions.gradient(at), differences(functions, at, 1e-4), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("direct", [False, True])
def test_error_bars_of_gradients_of_a_grid(direct):
    model, X = grid_model(direct)
    fit, at, step = model.fitted_, np.array([[0.4], [2.0]]), 1e-3
    fit = fit if direct else replace(fit, found=replace(fit.solution, n_draws=400))
    found = gradients(fit, at, deviations=True)[1][:, 0, 0]
    for x, deviation in zip(at, found):
        covariance = dense_posterior(model, X, np.ones(60), np.stack([x - step, x + step]))
        variance = (covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]) / (2 * step) ** 2
        tolerance = 1e-3 if direct else 6 * np.sqrt(2 / 400)
        assert abs(deviation**2 / (variance * model.noise_variance_) - 1) < tolerance


def test_several_targets_have_a_gradient_each():
    X, y = table()
    for kind in ("paired", "landmarks", "exact"):
        both = MODELS[kind]().fit(X, np.column_stack([y, 3 * y]), sample_weight=WEIGHT)
        mean, std = both.gradient(AT, return_std=True)
        one_mean, one_std = fitted(kind).gradient(AT, return_std=True)
        np.testing.assert_allclose(mean, np.stack([one_mean, 3 * one_mean], axis=1), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(std, np.stack([one_std, 3 * one_std], axis=1), rtol=1e-6, atol=1e-8)


def test_rough_functions_have_no_error_bars_of_gradients():
    X, y = table()
    model = KernelRegressor(Matern(nu=0.5), features="exact", length_scale=1.0, alpha=0.1).fit(X, y)
    assert np.all(np.isfinite(model.gradient(X)))  # at the rows themselves, too
    with pytest.raises(AssumptionError, match="no gradients"):
        model.gradient(AT, return_std=True)


def test_features_and_kernels_without_known_derivatives_are_refused():
    X, y = table()
    model = KernelRegressor(features=ArcCosineFeatures(n_components=16, random_state=0), alpha=0.1).fit(X, y)
    with pytest.raises(AssumptionError, match="Gradients of ArcCosineMap are not known"):
        model.gradient(AT)
    model = KernelRegressor(features=NystroemFeatures(Spline(10.0), n_components=8), alpha=0.1).fit(X, y)
    with pytest.raises(AssumptionError, match="kernel Spline"):
        model.gradient(AT)


@pytest.mark.parametrize(
    ("features", "width"),
    [
        ("exact", "auto"),
        pytest.param("nystroem", 100, marks=pytest.mark.slow),
        pytest.param("fourier", 1024, marks=pytest.mark.slow),
    ],
)
def test_error_bars_of_gradients_cover_those_of_functions_of_the_kernel(features, width):
    """30 functions of the kernel's own law, noise of 0.3: intervals of 90 % hold 90 % of the slopes at 50 rows each.

    Slopes of one function are dependent: its share has a standard deviation of some 0.1, that of 30 of 0.018.
    """
    inside, setting = [], {"length_scale": 1.0, "alpha": 0.09, "n_components": width, "random_state": 1}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, at = rng.uniform(-2, 2, (150, 2)), rng.uniform(-2, 2, (50, 2))
        omega, weight = rng.standard_normal((500, 2)), rng.standard_normal((2, 500)) / np.sqrt(500)
        phase = at @ omega.T
        slopes = (weight[1] * np.cos(phase) - weight[0] * np.sin(phase)) @ omega
        y = np.cos(X @ omega.T) @ weight[0] + np.sin(X @ omega.T) @ weight[1] + 0.3 * rng.standard_normal(150)
        model = KernelRegressor(Gaussian(), features=features, **setting).fit(X, y)
        mean, std = model.gradient(at, return_std=True)
        inside.append(np.mean(np.abs(mean - slopes) < 1.645 * std))
    assert abs(np.mean(inside) - 0.9) < 0.09
