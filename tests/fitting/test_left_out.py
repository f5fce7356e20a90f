"""Leave-one-out errors of a fitted ridge model are those of models without the row."""

import numpy as np
import pytest

import bochner as bo

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((60, 2))
Y = np.c_[np.sin(X[:, 0]), X[:, 1]] + 0.1 * RANDOM.standard_normal((60, 2))


@pytest.mark.parametrize("intercept", [True, False])
def test_errors_and_variances_are_those_of_models_without_the_row(intercept):
    from bochner.data import ArrayRows
    from bochner.fitting.left_out import left_out_errors

    settings = {"n_components": 20, "alpha": 0.5, "fit_intercept": intercept, "random_state": 0}
    model = bo.KernelRegressor(bo.Gaussian(1.0), **settings).fit(X, Y)
    found = left_out_errors(model.fitted_, ArrayRows(X, Y, None, X.dtype), 0)
    for i in range(0, 60, 7):
        others = np.delete(np.arange(60), i)
        without = bo.KernelRegressor(bo.Gaussian(1.0), **settings).fit(X[others], Y[others])
        np.testing.assert_allclose(found.errors[i], Y[i] - without.predict(X[i : i + 1])[0], rtol=1e-6, atol=1e-8)


def test_the_noise_is_as_large_as_the_errors():
    model = bo.KernelRegressor(features="auto", alpha="auto", random_state=0).fit(X, Y)
    _, std = model.predict(X, return_std=True)
    assert std.shape == Y.shape
    assert np.all((std.mean(axis=0) > 0.05) & (std.mean(axis=0) < 0.5))
