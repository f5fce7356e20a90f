"""Learning on bags of points."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import bochner as bo
from bochner.comparison.bags import Bags
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.features import transform


def spreads_and_bags(n, seed=0, dtype=float):
    rng = np.random.default_rng(seed)
    spreads = rng.uniform(0.5, 2.0, n)
    return spreads, [(s * rng.standard_normal((rng.integers(20, 80), 2))).astype(dtype) for s in spreads]


@pytest.mark.parametrize("rows_at_once", [1, 50, 10**6])
def test_embeddings_are_means_over_bags(monkeypatch, rows_at_once):
    monkeypatch.setattr("bochner.comparison.bags._ROWS", rows_at_once)
    y, bags = spreads_and_bags(12)
    model = bo.DistributionRegressor(n_components=32, alpha=1.0, random_state=0).fit(bags, y)
    expected = [transform(model._features.fourier, bag, np.dtype(float)).mean(axis=0) for bag in bags]
    np.testing.assert_allclose(model.embed(bags), expected, atol=1e-13)


def test_the_linear_model_is_ridge_with_the_mean_map_kernel():
    y, bags = spreads_and_bags(30)
    model = bo.DistributionRegressor(n_components=64, alpha=0.1, random_state=0).fit(bags, y)
    M = model.embed(bags)
    K = M @ M.T
    H = np.eye(30) - 1 / 30
    dual = np.linalg.solve(H @ K @ H + 0.1 * np.eye(30), y - y.mean())
    np.testing.assert_allclose(model.predict(bags), H @ K @ H @ dual + y.mean(), atol=1e-8)


@pytest.mark.parametrize("outer", ["linear", "gaussian"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_property_of_the_distribution_is_learned(outer, dtype):
    y, bags = spreads_and_bags(300, dtype=dtype)
    model = bo.DistributionRegressor(outer_kernel=outer, random_state=0).fit(bags[:200], y[:200])
    assert model.score(bags[200:], y[200:]) > 0.85
    assert model.embed(bags[:2]).dtype == dtype


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame])
def test_a_long_frame_is_its_list_of_bags(frame_of):
    y, bags = spreads_and_bags(20)
    label = np.repeat([f"bag {9 * i % 20}" for i in range(20)], [len(bag) for bag in bags])
    order = np.argsort(np.random.default_rng(0).random(len(label)) + np.arange(len(label)) / 40, kind="stable")
    table = {"a": np.vstack(bags)[:, 0][order], "who": label[order], "b": np.vstack(bags)[:, 1][order]}
    frame = frame_of(table)
    appearance = pd.unique(pd.Series(label[order]))
    from_frame = Bags.of(frame, "who")
    own = dict(zip(pd.unique(pd.Series(label)), bags, strict=True))
    for name, start, end in zip(appearance, np.r_[0, from_frame.ends[:-1]], from_frame.ends, strict=True):
        np.testing.assert_array_equal(np.sort(from_frame.rows[start:end], axis=0), np.sort(own[name], axis=0))
    target = [y[list(own).index(name)] for name in appearance]
    setting = {"length_scale": 1.0, "alpha": 1.0, "n_components": 64, "random_state": 0}
    first = bo.DistributionRegressor(group="who", **setting).fit(frame, target)
    second = bo.DistributionRegressor(**setting).fit([own[name] for name in appearance], target)
    np.testing.assert_allclose(first.predict(frame), second.predict([own[name] for name in appearance]), atol=1e-9)


def test_models_are_cloned_and_searched():
    y, bags = spreads_and_bags(40)
    model = bo.DistributionRegressor(n_components=32, random_state=0)
    assert clone(model).get_params() == model.get_params()
    search = GridSearchCV(model, {"alpha": [1e-3, 1e3]}, cv=3).fit(bags, y)
    assert search.best_params_ == {"alpha": 1e-3}


def test_bags_of_one_point_are_points():
    X = np.random.default_rng(0).uniform(-2, 2, (200, 1))
    y = np.sin(2 * X[:, 0])
    model = bo.DistributionRegressor(random_state=0).fit(list(X[:, None]), y)
    assert model.score(list(X[:, None]), y) > 0.99


@pytest.mark.filterwarnings("ignore::bochner.errors.LittleDataWarning")
def test_refusals():
    y, bags = spreads_and_bags(4)
    model = bo.DistributionRegressor(n_components=8, alpha=1.0, random_state=0)
    with pytest.raises(InvalidDataError, match="bag 1 must have at least 1 row"):
        model.fit([bags[0], np.empty((0, 2))], y[:2])
    with pytest.raises(InvalidDataError, match="Bag 0 has 2, bag 1 1"):
        model.fit([bags[0], bags[1][:, :1]], y[:2])
    with pytest.raises(InvalidDataError, match="each of the 4 bags"):
        model.fit(bags, y[:3])
    with pytest.raises(InvalidDataError, match="at least one bag"):
        model.fit([], [])
    with pytest.raises(ValueError, match="bag 2 contains NaN"):
        model.fit([bags[0], bags[1], bags[2] * np.nan], y[:3])
    with pytest.raises(InvalidDataError, match="group="):
        model.fit(pd.DataFrame(bags[0]), y)
    with pytest.raises(InvalidParameterError, match="'group' parameter"):
        clone(model).set_params(group="bag").fit(pd.DataFrame(bags[0], columns=["a", "b"]), y)
    with pytest.raises(InvalidDataError, match="2 columns"):
        model.fit(bags, y).predict([bags[0][:, :1]])


@pytest.mark.parametrize("outer", ["linear", "gaussian"])
def test_laws_are_told_apart(outer):
    spreads, bags = spreads_and_bags(200)
    labels = np.where(spreads > 1.25, "wide", "narrow")
    model = bo.DistributionClassifier(outer_kernel=outer, alpha=1e-2, random_state=0).fit(bags[:150], labels[:150])
    assert model.score(bags[150:], labels[150:]) > 0.85
    assert list(model.classes_) == ["narrow", "wide"]
    np.testing.assert_allclose(model.predict_proba(bags[:5]).sum(axis=1), 1)
    assert model.decision_function(bags[:5]).shape == (5,)


@pytest.mark.parametrize("model", [bo.DistributionRegressor(), bo.DistributionClassifier()])
def test_a_model_that_was_not_fitted_says_so(model):
    with pytest.raises(NotFittedError):
        model.predict([np.zeros((3, 2))])
