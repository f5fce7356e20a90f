"""The default call on tables that are not friendly: rare classes, copies, tails, targets without noise."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import bochner as bo
from bochner.errors import NearCopiesWarning


def error(model, X, y):
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)) / np.std(y))


def groups(n_groups, size, seed, within=0.05):
    """Rows of groups that are nearly copies, whose targets share most of their noise, and rows of new groups."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((n_groups + 1000, 5))
    means = np.sin(centres[:, 0]) + 0.5 * centres[:, 1] + 0.5 * rng.standard_normal(len(centres))
    X = np.repeat(centres[:n_groups], size, axis=0) + 1e-3 * rng.standard_normal((n_groups * size, 5))
    y = np.repeat(means[:n_groups], size) + within * rng.standard_normal(n_groups * size)
    return X, y, centres[n_groups:], means[n_groups:] + within * rng.standard_normal(1000)


@pytest.mark.parametrize("seed", range(2))
def test_groups_of_near_copies_are_announced_and_new_ones_predicted(seed):
    X, y, new, targets = groups(80, 50, seed)
    with pytest.warns(NearCopiesWarning, match="4,000 rows are nearly copies of each other, in 80 clusters") as caught:
        model = bo.KernelRegressor(random_state=0).fit(X, y)
    assert caught[0].filename == __file__
    assert error(model, new, targets) < 0.75
    low, high = model.predict(new, return_interval=0.9)[1]
    assert 0.8 < np.mean((low <= targets) & (targets <= high)) < 0.98


def test_classes_of_near_copies_are_announced_too():
    X, y, new, targets = groups(80, 20, 0)
    with pytest.warns(NearCopiesWarning):
        model = bo.KernelClassifier(random_state=0).fit(X, y > 0)
    assert model.score(new, targets > 0) > 0.75


@pytest.mark.filterwarnings("error::bochner.errors.NearCopiesWarning")
def test_rows_given_ten_times_give_the_model_of_one_time():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(200)
    once = bo.KernelRegressor(random_state=0).fit(X, y)
    ten_times = bo.KernelRegressor(random_state=0).fit(np.repeat(X, 10, axis=0), np.repeat(y, 10))
    np.testing.assert_allclose(ten_times.predict(X), once.predict(X), atol=0.02)
    whole = ten_times.certify(np.repeat(X, 10, axis=0), y=np.repeat(y, 10))
    assert whole.value < 1e-4
    assert "exact" in whole.statement


@pytest.mark.parametrize("shape", ["ball", "wave"])
def test_a_rare_class_is_ranked(shape):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10_000, 6))
    if shape == "ball":
        score = -np.sum((X[:, :3] - 0.8) ** 2, axis=1)
    else:
        score = np.sin(2 * X[:, 0]) + np.cos(1.5 * X[:, 1]) + 0.5 * X[:, 2]
    y = score > np.quantile(score, 0.99)
    model = bo.KernelClassifier(random_state=0).fit(X[:2000], y[:2000])
    assert roc_auc_score(y[2000:], model.predict_proba(X[2000:])[:, 1]) > 0.97


@pytest.mark.parametrize("sigma", [6, 9])
def test_columns_of_all_magnitudes_are_ranked(sigma):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 4))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(3000)
    model = bo.KernelRegressor(random_state=0).fit(np.exp(sigma * X[:1500]), y[:1500])
    assert error(model, np.exp(sigma * X[1500:]), y[1500:]) < 0.3


def test_a_model_that_is_the_mean_has_the_deviation_of_its_targets():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6000, 3)), rng.standard_normal(6000)
    with pytest.warns(bo.errors.NoSkillWarning):
        model = bo.KernelRegressor(random_state=0).fit(X[:1000], y[:1000])
    _, std, (low, high) = model.predict(X[1000:], return_std=True, return_interval=0.9)
    assert np.mean(std) == pytest.approx(np.std(y[:1000]), rel=0.05)
    assert 0.87 < np.mean((low <= y[1000:]) & (y[1000:] <= high)) < 0.93


@pytest.mark.parametrize("share", [0.92, 0.96])
def test_intervals_hold_targets_that_are_mostly_zero(share):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6000, 4))
    score = X[:, 0] + 0.5 * X[:, 1]
    y = np.maximum(score - np.quantile(score, share), 0)
    low, high = bo.KernelRegressor(random_state=0).fit(X[:1500], y[:1500]).predict(X[1500:], return_interval=0.9)[1]
    assert 0.84 < np.mean((low <= y[1500:]) & (y[1500:] <= high)) < 0.98


def test_intervals_of_random_features_are_calibrated_by_a_fifth_of_the_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40_000, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(40_000)
    model = bo.KernelRegressor(bo.Gaussian(1.0), features="fourier", n_components=256, random_state=0)
    low, high = model.fit(X[:20_000], y[:20_000]).predict(X[20_000:], return_interval=0.9)[1]
    assert abs(np.mean((low <= y[20_000:]) & (y[20_000:] <= high)) - 0.9) < 0.02
    assert np.sqrt(model.noise_variance_) == pytest.approx(0.3, rel=0.03)
