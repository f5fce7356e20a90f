"""Hostile rows for a grid of frequencies: a right answer, beside the exact machine, or a clear error."""

import numpy as np
import pytest

import bochner as bo
from bochner.data import ArrayRows
from bochner.errors import InvalidDataError, LittleDataWarning
from bochner.tuning import grid_evidence

RNG = np.random.default_rng(0)
KERNEL = bo.Gaussian(0.4)


def target(X):
    return np.sin(5 * X[:, 0]) + X[:, -1] ** 2


def with_spread(X, spread):
    return np.clip(X + spread * RNG.standard_normal(X.shape), 0, 1)


PLANE = RNG.uniform(0, 1, (400, 2))
HOSTILE = {
    "five levels of every column": RNG.integers(0, 5, (400, 2)) / 4,
    "two levels of one column": np.c_[PLANE[:, 0], RNG.integers(0, 2, 400)],
    "every row fifty times": np.repeat(PLANE[:8], 50, axis=0),
    "all rows equal": np.full((400, 2), 0.3),
    "a line along an axis": np.c_[PLANE[:, 0], np.full(400, 0.7)],
    "a slanted line": PLANE[:, :1] * [1.0, 1.0],
    "two far clusters": with_spread(RNG.integers(0, 2, (400, 1)) * np.ones(2), 1e-3),
    "far from the origin": PLANE + 1e6,
    "on a line in space": PLANE[:, :1] * [1.0, 1.0, 1.0],
}


@pytest.fixture
def coarse_search(monkeypatch):
    """Fewer modes to learn scales on: these rows need no more, and the search takes a second."""
    monkeypatch.setattr(grid_evidence, "_INNER", 300)


@pytest.mark.parametrize("n", [1, 2])
def test_one_row_and_two_have_the_predictions_of_the_exact_machine_with_a_warning(n):
    given = {"kernel": KERNEL, "alpha": 0.1}
    with pytest.warns(LittleDataWarning):
        model = bo.KernelRegressor(features="grid", tol=1e-10, **given).fit(PLANE[:n], target(PLANE[:n]))
    with pytest.warns(LittleDataWarning):
        exact = bo.KernelRegressor(features="exact", **given).fit(PLANE[:n], target(PLANE[:n]))
    np.testing.assert_allclose(model.predict(PLANE[:n]), exact.predict(PLANE[:n]), atol=1e-3)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_rows_have_the_predictions_of_the_exact_machine(name):
    X = HOSTILE[name]
    y = target(X - np.floor(X.min(axis=0))) + 0.05 * RNG.standard_normal(len(X))
    model = bo.KernelRegressor(KERNEL, features="grid", alpha=0.1, tol=1e-10, n_components=20_000).fit(X, y)
    exact = bo.KernelRegressor(KERNEL, features="exact", alpha=0.1).fit(X, y)
    assert model.features_.error_bound_ <= 1e-4
    np.testing.assert_allclose(model.predict(X), exact.predict(X), atol=5e-3)


@pytest.mark.parametrize("name", ["five levels of every column", "every row fifty times", "two far clusters"])
def test_hostile_rows_are_tuned_without_a_word(name, coarse_search):
    X = HOSTILE[name]
    y = target(X) + 0.05 * RNG.standard_normal(len(X))
    model = bo.KernelRegressor(features="grid", random_state=0, n_components=2_000).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    assert np.sqrt(np.mean((mean - target(X)) ** 2)) < 0.1
    assert np.all((std > 0.01) & (std < 1))


def test_a_constant_target_is_predicted_with_little_spread(coarse_search):
    model = bo.KernelRegressor(features="grid", random_state=0, n_components=500).fit(PLANE, np.full(400, 7.0))
    mean, std = model.predict(PLANE, return_std=True)
    np.testing.assert_allclose(mean, 7.0, atol=1e-6)
    assert np.all(np.isfinite(std))


def test_an_outlier_a_thousand_times_outside_is_refused_with_the_column_and_automatic_features_go_on():
    X = np.vstack([PLANE, [[0.5, 1000.0]]])
    with pytest.raises(InvalidDataError, match="Column 1 is"):
        bo.KernelRegressor(features="grid").fit(X, target(X))
    many = RNG.uniform(0, 1, (100_001, 2))
    assert not bo.KernelRegressor().uses_grid(_rows(np.vstack([many, [[0.5, 1000.0]]])))


def test_an_outlying_target_is_fitted():
    y = target(PLANE)
    y[7] = 1e6
    model = bo.KernelRegressor(KERNEL, features="grid", alpha=0.1, tol=1e-10, n_components=20_000).fit(PLANE, y)
    exact = bo.KernelRegressor(KERNEL, features="exact", alpha=0.1).fit(PLANE, y)
    np.testing.assert_allclose(model.predict(PLANE), exact.predict(PLANE), rtol=1e-3, atol=1.0)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_float32_rows_have_the_model_of_float64_ones(d):
    X = RNG.uniform(0, 1, (200, d))
    given = {"features": "grid", "alpha": 0.1, "tol": 1e-8, "n_components": 3_000}
    single = bo.KernelRegressor(KERNEL, **given).fit(X.astype(np.float32), target(X).astype(np.float32))
    double = bo.KernelRegressor(KERNEL, **given).fit(X, target(X))
    found = single.predict(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, double.predict(X), atol=1e-4)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_numbers_that_are_none_are_refused(bad):
    X = PLANE.copy()
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity|inf|1e\+200|1e\+?100"):
        bo.KernelRegressor(features="grid").fit(X, target(PLANE))


def _rows(X):
    return ArrayRows(X, X[:, 0], None, X.dtype)
