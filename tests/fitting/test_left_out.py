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


class TestExactMachinesByIterations:
    settings = {"features": "exact", "solver": "iterative", "tol": 1e-10, "random_state": 0}

    def errors(self, alpha, weight=None):
        from bochner.data import ArrayRows
        from bochner.fitting.left_out import left_out_errors

        model = bo.KernelRegressor(bo.Gaussian(1.0), alpha=alpha, **self.settings).fit(X, Y, sample_weight=weight)
        return left_out_errors(model.fitted_, ArrayRows(X, Y, weight, X.dtype), 0)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_are_those_of_refits_if_all_rows_are_landmarks(self, weighted):
        weight = np.random.default_rng(3).uniform(0.5, 2.0, 60) if weighted else None
        found = self.errors(0.5, weight)
        for i in range(0, 60, 7):
            others = np.delete(np.arange(60), i)
            kept = None if weight is None else weight[others]
            without = bo.KernelRegressor(bo.Gaussian(1.0), alpha=0.5, features="exact", random_state=0)
            left = Y[i] - without.fit(X[others], Y[others], sample_weight=kept).predict(X[i : i + 1])[0]
            np.testing.assert_allclose(found.errors[i], left, rtol=1e-4, atol=1e-6)

    def test_are_larger_in_the_mean_with_fewer_landmarks(self, monkeypatch):
        from bochner.fitting import exact_iterative

        every = self.errors(0.05)
        few = exact_iterative.landmark_numbers_among
        monkeypatch.setattr(
            exact_iterative, "landmark_numbers_among", lambda values, size, seed: few(values, size, seed)[:12]
        )
        some = self.errors(0.05)
        for fewer, exact in ((some.variances, every.variances), (some.errors**2, every.errors**2)):
            assert np.mean(exact) < np.mean(fewer) < 3 * np.mean(exact)


@pytest.mark.parametrize("seed", range(3))
def test_error_bars_do_not_follow_a_few_rows_far_out(seed):
    """By the mean of all variances, some of which are far more than the noise, 83 % were held, 74 % at worst."""
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((1400, 3))
    y = (inputs[:, 0] > 0) + inputs[:, 1] / 2 + 0.1 * rng.standard_normal(1400)
    mean, std = bo.KernelRegressor(random_state=0).fit(inputs[:400], y[:400]).predict(inputs[400:], return_std=True)
    assert 0.87 < np.mean(np.abs(y[400:] - mean) < 1.645 * std) < 0.95
