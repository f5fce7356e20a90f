"""Rows far outside those of the fit: a warning that names the column."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import bochner as bo
from bochner.errors import ExtrapolationWarning


def rows(n=80):
    X = np.random.default_rng(0).uniform(0, 1, (n, 3))
    return X, X[:, 0]


def regressor():
    return bo.KernelRegressor(features="fourier", n_components=16, alpha=1e-3, random_state=0)


def classifier():
    return bo.KernelClassifier(
        features="fourier", loss="logistic", n_components=16, alpha=1e-3, length_scale=1.0, random_state=0
    )


@pytest.mark.parametrize("make", [regressor, classifier])
def test_rows_far_outside_are_announced(make):
    X, y = rows()
    model = make().fit(X, y if make is regressor else y > 0.5)
    far = X.copy()
    far[3, 1] = 2.5
    with pytest.warns(ExtrapolationWarning, match=r"column 1 has .* to 2\.5, and had .*return_std"):
        model.predict(far)


@pytest.mark.parametrize("value", [1.2, -0.2, 0.0])
def test_rows_a_little_outside_are_not(value):
    X, y = rows()
    model = regressor().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(np.full((1, 3), value))


def test_the_column_has_its_name_and_the_others_a_number():
    X, y = rows()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = regressor().fit(frame, y)
    with pytest.warns(ExtrapolationWarning, match="column 'a' has .* and 1 more columns"):
        model.predict(frame.assign(a=9.0, c=-9.0), return_std=True)


def test_partial_fit_widens_the_ranges():
    X, y = rows()
    model = regressor().set_params(length_scale=1.0)
    model.partial_fit(X, y).partial_fit(X + 5, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X + 5)
    np.testing.assert_array_equal(model.column_ranges_, [X.min(axis=0), X.max(axis=0) + 5])


def test_constant_columns_and_sparse_rows():
    X, y = rows()
    X[:, 1] = 0
    model = regressor().fit(csr_array(X), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(csr_array(X + np.array([0, 7, 0])))
    with pytest.warns(ExtrapolationWarning, match="column 2"):
        model.predict(csr_array(X + np.array([0, 0, 7])))


def test_the_ranges_are_in_the_model_file(tmp_path):
    X, y = rows()
    bo.save(regressor().fit(X, y), tmp_path / "m.bochner")
    with pytest.warns(ExtrapolationWarning):
        bo.load(tmp_path / "m.bochner").predict(X + 9)


def test_predictions_far_outside_the_targets_are_announced_at_the_callers_line():
    X = np.random.default_rng(0).uniform(0, 1, (300, 2))
    model = bo.KernelRegressor(bo.Gaussian(5.0), features="fourier", n_components=64, alpha=1e-6, random_state=0)
    model.fit(X, 10 * X[:, 0])
    for settings in ({}, {"return_std": True}, {"return_interval": 0.9}):
        with pytest.warns(
            ExtrapolationWarning, match=r"1 of 2 predictions .* row 1 has 1\d\..* targets were"
        ) as caught:
            model.predict([[0.5, 0.5], [1.9, 0.5]], **settings)
        assert caught[0].filename == __file__


def test_files_keep_the_range_of_the_targets(tmp_path):
    X, y = rows()
    model = regressor().fit(X, y)
    np.testing.assert_array_equal(model.target_ranges_, [[y.min()], [y.max()]])
    bo.save(model, tmp_path / "model.bochner")
    np.testing.assert_array_equal(bo.load(tmp_path / "model.bochner").target_ranges_, model.target_ranges_)
