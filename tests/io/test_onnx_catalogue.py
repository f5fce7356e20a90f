"""ONNX graphs of the catalogue of feature maps: onnxruntime says what the maps say."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner import groups
from bochner.errors import UnsupportedModelError
from tests.io.test_onnx import FLOATS, NEW, assert_close, run

ROWS = np.random.default_rng(0).standard_normal((120, 4))

MAPS = {
    "Maclaurin": bo.MaclaurinFeatures(bo.Polynomial(3), n_components=40, random_state=0),
    "Maclaurin, no constant": bo.MaclaurinFeatures(bo.Polynomial(2, coef0=0), n_components=7, random_state=0),
    "Maclaurin, exponential": bo.MaclaurinFeatures(bo.Exponential(np.arange(2.0, 6)), n_components=40, random_state=0),
    "Maclaurin, one constant": bo.MaclaurinFeatures(bo.Exponential(1e6), n_components=1, random_state=0),
    "positive": bo.PositiveFeatures(bo.Exponential(2.0), n_components=9, random_state=0),
    "TensorSketch": bo.TensorSketchFeatures(bo.Polynomial(3), n_components=16, random_state=0),
    "TensorSketch, odd": bo.TensorSketchFeatures(bo.Polynomial(2, coef0=0), n_components=9, random_state=0),
    "TensorSketch, one column": bo.TensorSketchFeatures(bo.Polynomial(2), n_components=1, random_state=0),
    "TensorSketch, two columns": bo.TensorSketchFeatures(bo.Polynomial(1), n_components=2, random_state=0),
    "arc-cosine 0": bo.ArcCosineFeatures(bo.ArcCosine(0), n_components=9, random_state=0),
    "arc-cosine 1": bo.ArcCosineFeatures(bo.ArcCosine(1), n_components=9, random_state=0),
    "arc-cosine 2": bo.ArcCosineFeatures(bo.ArcCosine(2), n_components=9, random_state=0),
    "signs": bo.SignFeatures(n_components=9, random_state=0),
    "codes": bo.SignFeatures(bo.Matern(2.0), n_components=9, random_state=0),
    "sketch": bo.SketchFeatures(n_components=9, random_state=0),
    "SORF": bo.FourierFeatures(bo.Gaussian(2.0), sampling="sorf", n_components=18, random_state=0),
    "Fastfood": bo.FourierFeatures(bo.Matern(2.0), sampling="fastfood", n_components=9, random_state=0),
    "orbit of signs": bo.OrbitFeatures(groups.CyclicShifts(), bo.SignFeatures(n_components=9), random_state=0),
}
HISTOGRAM_MAPS = {
    "additive, grid": bo.AdditiveFeatures(n_frequencies=3),
    "additive, drawn": bo.AdditiveFeatures(bo.JensenShannon(), sampling="monte_carlo", random_state=0),
    "additive, roots": bo.AdditiveFeatures(bo.Hellinger()),
    "Laplace": bo.LaplaceFeatures(bo.ReciprocalSemigroup(0.5), n_components=9, random_state=0),
}


@FLOATS
@pytest.mark.parametrize("name", MAPS)
def test_maps_have_the_same_features(name, dtype):
    features = MAPS[name].fit(ROWS)
    assert_close(run(features, NEW, dtype)["transformed"], features.transform(NEW), dtype)


@FLOATS
@pytest.mark.parametrize("name", HISTOGRAM_MAPS)
def test_maps_of_histograms_have_the_same_features(name, dtype):
    new = np.abs(NEW)
    new[0, 1] = 0
    features = HISTOGRAM_MAPS[name].fit(np.abs(ROWS))
    assert_close(run(features, new, dtype)["transformed"], features.transform(new), dtype)


def test_a_negative_number_in_a_histogram_is_no_number_in_the_graph():
    features = HISTOGRAM_MAPS["additive, grid"].fit(np.abs(ROWS))
    assert np.isnan(run(features, np.array([[-1.0, 1, 1, 1]]), np.float64)["transformed"]).any()


@FLOATS
@pytest.mark.parametrize("kernel", [bo.Polynomial(2), bo.ArcCosine(), bo.Exponential(3.0)], ids=repr)
def test_models_of_a_kernel_have_the_same_predictions(kernel, dtype):
    y = ROWS[:, 0] * ROWS[:, 1]
    model = bo.KernelRegressor(kernel, n_components=64, alpha=1.0, random_state=0).fit(ROWS, y)
    assert_close(run(model, NEW, dtype)["mean"][:, 0], model.predict(NEW), dtype)
    classifier = bo.KernelClassifier(kernel, n_components=64, alpha=1.0, random_state=0).fit(ROWS, y > 0)
    np.testing.assert_array_equal(run(classifier, NEW, np.float64)["label"], classifier.predict(NEW))


def test_a_pipeline_with_a_map_is_converted():
    pytest.importorskip("skl2onnx")
    model = make_pipeline(bo.TensorSketchFeatures(bo.Polynomial(2), n_components=32, random_state=0), Ridge())
    model.fit(ROWS, ROWS[:, 0])
    found = run(model, NEW, np.float64)
    np.testing.assert_allclose(next(iter(found.values()))[:, 0], model.predict(NEW), atol=1e-6)


def test_an_orbit_of_functions_says_why_it_has_no_graph():
    group = groups.FromFunctions([lambda X: X, np.abs])
    features = bo.OrbitFeatures(group, bo.SignFeatures(n_components=9), random_state=0).fit(ROWS)
    with pytest.raises(UnsupportedModelError, match="Transformations that are functions have no static graph"):
        bo.to_onnx(features)
