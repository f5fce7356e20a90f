"""Leave-one-out errors of weighted rows are those of refits without one copy, or without all of less than one."""

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
    without[row] -= min(1.0, WEIGHT[row])
    assert found.errors[row, 0] == pytest.approx(Y[row] - model(without).predict(X[[row]])[0], rel=1e-6)


@pytest.mark.filterwarnings("ignore::bochner.errors.LittleDataWarning")
def test_small_weights_choose_the_penalty_of_large_ones():
    def chosen(factor):
        settings = {"kernel": bo.Gaussian(1.0), "n_components": 20, "random_state": 0}
        return bo.KernelRegressor(**settings).fit(X, Y, sample_weight=np.full(60, factor)).predict(X)

    np.testing.assert_allclose(chosen(1 / 60), chosen(1.0), atol=0.02)
