"""Outliers among targets do not decide how a model is chosen, and are part of what it is fitted to."""

import warnings

import numpy as np
import pytest

import bochner as bo
from bochner.tuning.outliers import outlier_limits, winsorised


def spoiled(seed: int, n: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, a smooth function of them, and targets of which one in fifty is off by fifty spreads."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    truth = np.sin(X[:, 0]) + 0.5 * X[:, 1]
    y = truth + 0.1 * rng.standard_normal(n)
    return X, truth, np.where(rng.random(n) < 0.02, y + 50 * rng.standard_normal(n), y)


def test_limits_are_ten_robust_standard_deviations():
    Y = np.random.default_rng(0).standard_normal((20_000, 1)) * [3.0]
    assert outlier_limits(Y, None)[0] == pytest.approx(30, rel=0.05)


def test_targets_without_outliers_are_left_as_they_are():
    Y = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    assert np.array_equal(winsorised(Y, None), Y)


def test_rare_values_beside_a_common_one_are_no_outliers():
    Y = np.zeros((100, 1))
    Y[:20] = 1e6
    assert np.array_equal(winsorised(Y, None), Y)


def test_a_weight_of_two_is_a_row_given_twice():
    Y = np.random.default_rng(1).standard_cauchy((51, 1))
    weight = np.where(np.arange(51) % 3 == 0, 2.0, 1.0)
    copies = np.repeat(Y, weight.astype(int), axis=0)
    assert np.array_equal(outlier_limits(Y, weight), outlier_limits(copies, None))


def test_units_of_targets_do_not_matter():
    Y = np.random.default_rng(2).standard_cauchy((80, 1))
    assert np.allclose(winsorised(8 * Y + 16, None), 8 * winsorised(Y, None) + 16)


@pytest.mark.parametrize("seed", range(2))
def test_a_few_wild_targets_do_not_hide_a_function(seed):
    X, truth, y = spoiled(seed)
    model = bo.KernelRegressor(random_state=0).fit(X, y)
    error = np.sqrt(np.mean((model.predict(X) - truth) ** 2) / np.mean((y.mean() - truth) ** 2))
    assert error < 0.9  # before: interpolated (up to 6 times the mean's error), or the mean itself


def test_the_model_is_fitted_to_outliers_as_they_are():
    """Winsorised targets choose; the fit estimates the mean of all: a tenth of far targets moves a constant."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 1)), rng.standard_normal(400)
    y[:40] += 1000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bo.errors.NoSkillWarning)
        model = bo.KernelRegressor(random_state=0).fit(X, y)
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=0.2)


@pytest.mark.parametrize("n", [60, 200])
def test_noise_is_predicted_by_its_mean(n):
    """Of penalties that are chosen by the same errors noise gains one standard error or more; two are asked for."""
    worse = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((n, 3)), rng.standard_normal(n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bo.errors.NoSkillWarning)
            model = bo.KernelRegressor(random_state=0).fit(X, y)
        worse.append(np.std(model.predict(X)) > 0.05)
    assert sum(worse) <= 1
