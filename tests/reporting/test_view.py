"""One view of all models: alone, in a pipeline, of any kind."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner as bo
from bochner.errors import AssumptionError, InvalidDataError, InvalidParameterError
from bochner.reporting.view import ModelView, sample_rows


def test_a_view_knows_the_kind_and_the_numbers_of_a_model(waves):
    view = ModelView.of(waves.regressor)
    assert (view.kind, view.width, view.n_rows, view.n_inputs) == ("regressor", 128, 500, 2)
    assert view.row_dtype == np.float64
    assert view.dof == pytest.approx(waves.regressor.dof_)
    assert ModelView.of(waves.classifier).kind == "classifier"
    assert ModelView.of(bo.KernelPCA(width=32, random_state=0).fit(waves.X)).kind == "pca"
    assert ModelView.of(bo.FourierFeatures(n_components=8).fit(waves.X)).kind == "features"


def test_rows_pass_through_the_steps_of_a_pipeline(waves):
    pipeline = make_pipeline(StandardScaler(), bo.KernelRegressor(n_components=16, random_state=0))
    view = ModelView.of(pipeline.fit(waves.X, waves.y))
    np.testing.assert_allclose(view.dense_inputs(waves.X), StandardScaler().fit_transform(waves.X))
    assert view.input_names == ["x0", "x1"]
    sparse = ModelView.of(waves.regressor).dense_inputs(csr_matrix(waves.X))
    np.testing.assert_array_equal(sparse, waves.X)


def test_other_estimators_are_refused():
    with pytest.raises(InvalidParameterError, match="'model' parameter of report"):
        ModelView.of(StandardScaler())
    with pytest.raises(InvalidParameterError, match="'model' parameter of report"):
        ModelView.of(bo.KernelNovelty(random_state=0).fit(np.arange(8.0)[:, None]))


def test_features_of_a_model_that_knows_the_names_of_columns_are_certified_without_a_warning(waves):
    frame = pd.DataFrame(waves.train[:50], columns=["a", "b"])
    view = ModelView.of(bo.KernelRegressor(features="exact", length_scale=1.0, alpha=0.1).fit(frame, frame["a"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(AssumptionError, match="exact"):
            view.certify(frame, delta=0.01)


def test_a_sample_keeps_rows_targets_and_weights_together():
    X, y = np.arange(100.0)[:, None], np.arange(100.0)
    rows, targets, weight = sample_rows(X, y, None, most=10, seed=2**40)
    np.testing.assert_array_equal(rows[:, 0], targets)
    assert (len(rows), weight) == (10, None)
    with pytest.raises(InvalidDataError, match=r"same length. Got \[100, 3\]"):
        sample_rows(X, y[:3], None, most=10, seed=0)
