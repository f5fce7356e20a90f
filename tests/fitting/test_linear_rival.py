"""Ridge regression as the rival of every automatic choice."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import bochner as bo
from bochner.data import ArrayRows
from bochner.fitting.left_out import LeftOut
from bochner.fitting.linear_rival import bears_tails_better, beats_the_mean, is_as_good, linear_tuning, linear_width

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("d", [1, 5, 40])
def test_its_machine_is_ridge_regression_on_standardised_columns(d):
    X = RNG.standard_normal((300, d)) * 10.0 ** RNG.uniform(-3, 3, d)
    y = X / X.std(axis=0) @ RNG.standard_normal(d) + RNG.standard_normal(300)
    kernel = linear_tuning(ArrayRows(X, y, None, np.dtype(float)), 0).kernel
    squared = np.asarray(kernel.length_scale).mean() ** 2 / np.mean(X.std(axis=0)) ** 2 if d == 1 else 2e5 * d
    ours = bo.KernelRegressor(kernel, features="exact", alpha=30 / squared).fit(X, y)
    ridge = Ridge(alpha=30.0).fit(X / X.std(axis=0), y)
    assert np.max(np.abs(ours.predict(X) - ridge.predict(X / X.std(axis=0)))) < 0.01 * y.std()


def test_a_width_holds_all_columns():
    assert linear_width(3) == 64
    assert linear_width(100) == 202


def left_out(errors, targets):
    return LeftOut(errors[:, None], np.ones(len(errors)), np.ones(len(errors)), targets[:, None])


def test_paired_errors_decide_up_to_noise():
    y, noise = RNG.standard_normal(2000), RNG.standard_normal(2000)
    other = left_out(0.5 * noise, y)
    assert is_as_good(left_out(0.49 * noise, y), other)
    assert not is_as_good(left_out(0.6 * noise, y), other, 1.0)
    assert beats_the_mean(other, 2.0)
    assert not beats_the_mean(left_out(y, y), 0.0)


def test_errors_of_a_few_rows_far_out_decide_only_if_they_are_most_of_all_errors():
    y, errors = RNG.standard_normal(2000), 0.3 * RNG.standard_normal(2000)
    far = errors.copy()
    far[:3] = 50.0
    assert bears_tails_better(left_out(1.1 * errors, y), left_out(far, y))
    assert not bears_tails_better(left_out(1.1 * errors, y), left_out(errors, y))
    assert not bears_tails_better(left_out(errors[:500], y[:500]), left_out(far[:500], y[:500]))


@pytest.mark.parametrize("seed", range(3))
def test_weak_linear_effects_are_learned(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((11_000, 12))
    truth = 0.15 * X[:, 0] - 0.1 * X[:, 1] + 0.1 * (X[:, 5] > 1)
    y = truth + rng.standard_normal(len(X))
    train, new = slice(0, 1000), slice(1000, None)
    model = bo.KernelRegressor(random_state=0).fit(X[train], y[train])
    ridge = Ridge(alpha=30.0).fit(X[train], y[train])
    ours, theirs = (np.mean((each.predict(X[new]) - truth[new]) ** 2) for each in (model, ridge))
    assert ours < 1.5 * theirs


@pytest.mark.parametrize("seed", range(3))
def test_twenty_rows_of_a_line_are_a_line(seed):
    rng = np.random.default_rng([seed, 1])
    X = rng.standard_normal((1020, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.2 * rng.standard_normal(1020)
    model = bo.KernelRegressor(random_state=0).fit(X[:20], y[:20])
    assert np.std(model.predict(X[20:]) - y[20:]) < 0.25 * y.std()


def test_a_line_with_outliers_among_inputs_is_extrapolated():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6000, 3))
    X[:, 0] = np.exp(2.5 * X[:, 0])
    y = X[:, 0] + np.sin(X[:, 1]) + rng.standard_normal(6000)
    model = bo.KernelRegressor(random_state=0).fit(X[:3000], y[:3000])
    assert model.score(X[3000:], y[3000:]) > 0.99
