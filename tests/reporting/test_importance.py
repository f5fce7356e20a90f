"""Columns and directions of a report: shares of slopes, largest first, and along which columns predictions change."""

import numpy as np
import pytest

import bochner as bo
from bochner.reporting.importance import importance
from bochner.reporting.view import ModelView

X = np.random.default_rng(0).standard_normal((400, 4))


def found(y, **parameters):
    model = bo.KernelRegressor(features="fourier", length_scale=2.0, n_components=128, alpha=0.1, random_state=0)
    return importance(ModelView.of(model.set_params(**parameters).fit(X, y)))


def test_columns_are_in_the_order_of_their_shares():
    part = found(np.sin(X[:, 2]) + 0.3 * X[:, 0])
    assert part["names"][:2] == ["column 2", "column 0"]
    assert np.all(np.diff(part["shares"]) <= 0)
    assert sum(part["shares"]) == pytest.approx(1)
    assert len(part["standard_deviations"]) == 4


def test_a_direction_that_is_no_column_is_named_by_its_columns():
    part = found(np.sin(X[:, 0] - X[:, 1]))
    first = part["directions"][0]
    assert first["share"] > 0.9
    weights = {each["name"]: each["weight"] for each in first["parts"]}
    assert weights["column 0"] * weights["column 1"] == pytest.approx(-0.5, abs=0.05)
    assert first["parts"][0]["weight"] > 0


def test_a_model_without_gradients_or_slope_says_so():
    assert "missing" in found(X[:, 0], n_components=33)
    assert "missing" in found(np.ones(400))
