"""Leave-one-out errors of weighted rows are those of refits without the row, or without a copy of it."""

import numpy as np
import pytest

import bochner as bo
from bochner.data import ArrayRows
from bochner.fitting.left_out import left_out_errors

X = np.random.default_rng(0).standard_normal((60, 2))
Y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(1).standard_normal(60)
WEIGHT = np.random.default_rng(2).uniform(0.01, 3.0, 60)


def model(weight):
    settings = {"kernel": bo.Gaussian(1.0), "n_components": 20, "alpha": 0.05, "random_state": 0}
    return bo.KernelRegressor(**settings).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("row", [int(np.argmin(WEIGHT)), int(np.argmax(WEIGHT)), 7])
def test_errors_are_those_of_refits(row):
    fit = model(WEIGHT).fitted_
    found = left_out_errors(fit, ArrayRows(X, Y[:, None], WEIGHT, np.dtype(float)), 0)
    without = WEIGHT.copy()
    without[row] = 0
    assert found.errors[row, 0] == pytest.approx(Y[row] - model(without).predict(X[[row]])[0], rel=1e-6)


def test_of_a_table_of_counts_a_copy_is_left_out():
    inputs, counts = np.repeat(X[:15], 4, axis=0), np.arange(60.0) % 7 + 1
    fit = bo.KernelRegressor(bo.Gaussian(1.0), n_components=20, alpha=0.05, random_state=0).fit(
        inputs, Y, sample_weight=counts
    )
    found = left_out_errors(fit.fitted_, ArrayRows(inputs, Y[:, None], counts, np.dtype(float)), 0)
    without = counts - (np.arange(60) == 5)
    refitted = bo.KernelRegressor(bo.Gaussian(1.0), n_components=20, alpha=0.05, random_state=0).fit(
        inputs, Y, sample_weight=without
    )
    assert found.errors[5, 0] == pytest.approx(Y[5] - refitted.predict(inputs[[5]])[0], rel=1e-6)


@pytest.mark.parametrize("features", ["exact", "nystroem", "fourier"])
@pytest.mark.parametrize("unit", [1e-3, 100.0])
def test_the_unit_of_weights_does_not_matter(features, unit):
    """Exposures, precisions and 1/n each: without a warning, the model of weights of mean 1."""
    rng = np.random.default_rng(0)
    inputs, exposure = rng.uniform(-3, 3, (200, 1)), rng.integers(1, 21, 200).astype(float)
    y = np.sqrt(rng.poisson(np.exp(np.sin(2 * inputs[:, 0])) * exposure) / exposure)

    def predictions(weight):
        return bo.KernelRegressor(features=features, random_state=0).fit(inputs, y, weight).predict(inputs)

    found = predictions(unit * exposure)
    np.testing.assert_allclose(found, predictions(exposure / np.mean(exposure)), atol=0.01)
    truth = np.sqrt(np.exp(np.sin(2 * inputs[:, 0])))
    assert np.sqrt(np.mean((found - truth) ** 2)) < 0.12  # 0.3 where whole numbers were taken for copies


def test_rows_given_twice_are_rows_of_twice_the_weight():
    twice = bo.KernelRegressor(random_state=0).fit(np.vstack([X, X[::2]]), np.append(Y, Y[::2]))
    weighted = bo.KernelRegressor(random_state=0).fit(X, Y, sample_weight=1.0 + (np.arange(60) % 2 == 0))
    np.testing.assert_allclose(twice.predict(X), weighted.predict(X), rtol=1e-9)


@pytest.mark.parametrize(
    "settings",
    [{"features": "fourier", "n_components": 20}, {"features": "exact"}, {"features": "exact", "solver": "iterative"}],
)
@pytest.mark.parametrize("row", [int(np.argmin(WEIGHT)), int(np.argmax(WEIGHT))])
def test_variances_are_those_of_a_new_row_by_refits(settings, row):
    """Whatever the weight of the row: error bars of predictions know of none."""

    def fitted(weight):
        model = bo.KernelRegressor(bo.Gaussian(1.0), alpha=0.5, random_state=0, **settings)
        return model.fit(X, Y, sample_weight=weight).fitted_

    found = left_out_errors(fitted(WEIGHT), ArrayRows(X, Y[:, None], WEIGHT, np.dtype(float)), 0)
    _, leverage, unseen = fitted(np.where(np.arange(60) == row, 0.0, WEIGHT)).means_and_leverages(X[[row]])
    assert found.variances[row] == pytest.approx(1 + leverage[0] + np.ravel(unseen)[0], rel=1e-3)


@pytest.mark.parametrize("features", ["exact", "nystroem", "fourier"])
@pytest.mark.parametrize("weight", ["1/n", "lognormal"])
def test_intervals_cover_new_rows_whatever_the_weights(features, weight):
    """They covered all of them, 3 to 6 times too wide, with weights of 1/n; fewer than half with unequal ones."""
    rng = np.random.default_rng(0)
    inputs, new = rng.standard_normal((300, 2)), rng.standard_normal((1000, 2))
    y, y_new = (np.sin(2 * rows[:, 0]) + 0.1 * rng.standard_normal(len(rows)) for rows in (inputs, new))
    weights = np.full(300, 1 / 300) if weight == "1/n" else np.exp(2 * rng.standard_normal(300))
    model = bo.KernelRegressor(features=features, random_state=0).fit(inputs, y, sample_weight=weights)
    _, (low, high) = model.predict(new, return_interval=0.9)
    cover = np.mean((low <= y_new) & (y_new <= high))
    assert 0.86 <= cover <= 0.94 if weight == "1/n" else 0.7 <= cover <= 0.98  # lognormal: as good as 16 rows
