"""Importance of columns: shares of squared gradients, whatever the features, with error bars that hold."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError
from bochner.fitting.importance import LinearModel, column_importance

N = 600
UNIT = np.array([1.0, 20.0, 0.1, 1.0])


def table(seed=0, noise=0.1):
    """sin 2u + u v / 2 of standard columns u, v, in units, and two columns of noise; shares of squared gradients."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, 4))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 0] * X[:, 1] + noise * rng.standard_normal(N)
    squares = np.array([np.mean((2 * np.cos(2 * X[:, 0]) + X[:, 1] / 2) ** 2), np.mean(X[:, 0] ** 2) / 4, 0, 0])
    return X * UNIT, y, squares / squares.sum()


def fitted(features, X, y, **more):
    size = {} if features == "exact" else {"n_components": 256}
    scale = {"length_scale": 2 * UNIT} | more
    return bo.KernelRegressor(features=features, random_state=0, alpha=0.1, **size, **scale).fit(X, y)


@pytest.mark.parametrize(("features", "tolerance"), [("fourier", 0.04), ("exact", 0.04), ("nystroem", 0.1)])
def test_importances_are_the_shares_of_the_squared_gradients(features, tolerance):
    X, y, truth = table()
    found = fitted(features, X, y)
    np.testing.assert_allclose(found.feature_importances_, truth, atol=tolerance)
    np.testing.assert_allclose(found.feature_importances_.sum(), 1)
    assert np.all(found.feature_importances_std_ > 0)
    assert np.all(found.feature_importances_std_ < 0.1)


@pytest.mark.parametrize("features", ["fourier", "exact"])
def test_importances_are_those_of_differences_at_the_rows(features):
    X, y, _ = table()
    model = fitted(features, X, y)
    steps = [1e-5 * unit * row for unit, row in zip(UNIT, np.eye(4))]
    slopes = np.stack([(model.predict(X + s) - model.predict(X - s)) / 2e-5 for s in steps], axis=1)
    scale = model.column_spreads_ / UNIT
    squares = np.mean(slopes**2, axis=0) * scale**2
    np.testing.assert_allclose(model.feature_importances_, squares / squares.sum(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("features", ["fourier", "nystroem"])
def test_error_bars_are_those_of_coefficients_drawn_from_their_law(features):
    X, y, _ = table(noise=0.3)
    model, rng = fitted(features, X, y, length_scale=4 * UNIT), np.random.default_rng(0)
    fit = model.fitted_
    G = np.tril(fit.moments.zz) + np.tril(fit.moments.zz, -1).T + model.alpha_ * np.eye(256)
    L, sigma = np.linalg.cholesky(G), np.sqrt(model.noise_variance_)
    drawn = []
    for _ in range(200):
        coef = fit.solution.coef[:, 0] + sigma * np.linalg.solve(L.T, rng.standard_normal(256))
        moved = LinearModel(fit.feature_map, coef[:, None], fit.moments)
        drawn.append(column_importance(moved, model.column_spreads_).values)
    np.testing.assert_allclose(model.feature_importances_std_[:2], np.std(drawn, axis=0)[:2], rtol=0.35)


def test_units_and_targets_count_the_same():
    X, y, _ = table()
    model = fitted("fourier", X, np.column_stack([y, 1e6 * y]))
    one = fitted("fourier", X, y)
    np.testing.assert_allclose(model.feature_importances_, one.feature_importances_, rtol=1e-6)


def test_a_metric_is_that_of_the_kernel():
    X, y, _ = table()
    model = fitted("fourier", X, y)
    np.testing.assert_allclose(model.metric_, np.diag(1 / (2 * UNIT) ** 2), rtol=1e-12)


def test_warped_columns_have_importances_of_their_scores():
    X, y, truth = table()
    scores = bo.WarpedFeatures(bo.NystroemFeatures(bo.Gaussian(2.0), n_components=200, random_state=0))
    model = bo.KernelRegressor(features=scores, alpha=0.1, random_state=0).fit(np.exp(X / UNIT), y)
    np.testing.assert_allclose(model.feature_importances_, truth, atol=0.1)


def test_a_constant_function_has_no_importances():
    X, _, _ = table()
    model = fitted("fourier", X, np.ones(N))
    np.testing.assert_array_equal(model.feature_importances_, 0)


def test_weights_count_rows():
    X, y, _ = table()
    weight = np.random.default_rng(3).integers(0, 3, N).astype(float)
    twice = np.repeat(np.arange(N), weight.astype(int))
    weighted = bo.KernelRegressor(features="fourier", n_components=64, length_scale=UNIT, alpha=0.1, random_state=0)
    given = column_of(weighted.fit(X, y, weight))
    repeated = column_of(weighted.fit(X[twice], y[twice]))
    np.testing.assert_allclose(given, repeated, rtol=1e-8)


def column_of(model):
    return model.fitted_.column_importance(UNIT).values


def test_a_model_without_gradients_says_so():
    X, y, _ = table()
    odd = bo.KernelRegressor(features="fourier", n_components=33, length_scale=UNIT, random_state=0).fit(X, y)
    assert not hasattr(odd, "feature_importances_")
    laplace = bo.KernelRegressor(bo.Laplacian(), features="nystroem", n_components=32, random_state=0).fit(X, y)
    assert not hasattr(laplace, "metric_")
    with pytest.raises(AttributeError, match="kernels of distance"):
        laplace.feature_importances_  # noqa: B018
    with pytest.raises(AssumptionError, match="moments"):
        column_importance(LinearModel(odd_free(X), np.ones((8, 1))), UNIT)


def odd_free(X):
    return bo.FourierFeatures(bo.Gaussian(), n_components=8, random_state=0).fit(X).map_


def test_classifiers_have_importances_without_error_bars():
    X, y, _ = table()
    model = bo.KernelClassifier(features="exact", length_scale=2 * UNIT, alpha=0.1, random_state=0).fit(X, y > 0)
    assert model.feature_importances_[:2].sum() > 0.9
    assert not hasattr(model, "feature_importances_std_")


def test_importances_are_in_a_saved_model(tmp_path):
    X, y, _ = table()
    model = fitted("fourier", X, y)
    bo.save(model, tmp_path / "model.bochner")
    again = bo.load(tmp_path / "model.bochner")
    np.testing.assert_allclose(again.feature_importances_, model.feature_importances_, rtol=1e-6)
    bo.save(model, tmp_path / "small.bochner", statistics=False)
    assert not hasattr(bo.load(tmp_path / "small.bochner"), "feature_importances_")
