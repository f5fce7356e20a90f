"""Partial dependence: means of predictions, and deviations of the posterior law."""

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError
from tests.strategies import rows

X = rows(0, 200, 3)
Y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rows(1, 200, 1)[:, 0]
SETTING = {"length_scale": 1.5, "alpha": 0.1, "random_state": 0}


@pytest.fixture(scope="module")
def model():
    return bo.KernelRegressor(features="fourier", n_components=64, **SETTING).fit(X, Y)


def test_the_mean_is_that_of_predictions(model):
    values, mean, std = model.partial_dependence(X, 1, grid=[-1.0, 0.5], random_state=0)
    np.testing.assert_array_equal(values, [-1.0, 0.5])
    for value, found in zip(values, mean, strict=True):
        changed = X.copy()
        changed[:, 1] = value
        assert found == pytest.approx(model.predict(changed).mean(), rel=1e-9)
    assert std.shape == (2,)


def test_the_deviation_is_that_of_the_mean_features(model):
    """sigma^2 (zbar - m)'(G + alpha)^-1 (zbar - m) + sigma^2 / n; 4,000 draws have it to 1.1 %."""
    values, _, std = model.partial_dependence(X, 0, grid=4, n_functions=4000, random_state=0)
    for value, found in zip(values, std, strict=True):
        changed = X.copy()
        changed[:, 0] = value
        Z = model.features_.transform(changed).mean(axis=0, keepdims=True)
        assert found == pytest.approx(np.sqrt(model.noise_variance_ * (model.spread_.of(Z)[0] - 1)), rel=0.07)


@pytest.mark.parametrize("features", ["nystroem", "exact"])
def test_landmarks_and_exact_machines_have_it_too(features):
    size = {"n_components": 100} if features == "nystroem" else {}
    fitted = bo.KernelRegressor(features=features, **size, **SETTING).fit(X, Y)
    values, mean, std = fitted.partial_dependence(X, 1, grid=7, random_state=0)
    assert len(values) == 7
    assert np.corrcoef(mean, values**2)[0, 1] > 0.95
    assert np.all((std > 0) & (std < 0.5))


def test_columns_have_names_and_targets_are_kept_apart():
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    fitted = bo.KernelRegressor(features="fourier", n_components=64, **SETTING).fit(table, np.stack([Y, -Y], axis=1))
    values, mean, std = fitted.partial_dependence(table, "b", grid=5, random_state=0)
    assert mean.shape == std.shape == (5, 2)
    np.testing.assert_allclose(mean[:, 0], -mean[:, 1], atol=1e-9)
    np.testing.assert_array_equal(values, fitted.partial_dependence(table, 1, grid=5, random_state=0)[0])


def test_few_values_are_all_taken_and_float32_stays(model):
    few = X.astype(np.float32)
    few[:, 2] = few[:, 2] > 0
    values, mean, _ = model.partial_dependence(few, 2, random_state=0)
    np.testing.assert_array_equal(values, [0, 1])
    assert values.dtype == np.float32
    assert np.all(np.isfinite(mean))


@pytest.mark.parametrize(
    "bad",
    [
        {"column": 3},
        {"column": -1},
        {"column": "z"},
        {"column": True},
        {"grid": 0},
        {"grid": [np.nan]},
        {"n_functions": 0},
    ],
)
def test_refusals(model, bad):
    with pytest.raises(InvalidParameterError, match=f"'{next(iter(bad))}' parameter of partial_dependence"):
        model.partial_dependence(X, **{"column": 0, **bad})
