"""Makers of feature maps: each draws what its transformer would fit, from rows of positive weight."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

import bochner as bo
from bochner.data import ArrayRows, scan_blocks
from bochner.estimators.makers import FourierMaker, LandmarkMaker, TransformerMaker
from bochner.features import TransformerMap, transform
from tests.strategies import rows

X, DOUBLE = rows(0, 90, 3), np.dtype(float)
WEIGHT = np.repeat([0.0, 1.0], 45)
ROWS = ArrayRows(X, np.zeros(90), None, DOUBLE)
WEIGHTED = ArrayRows(X, np.zeros(90), WEIGHT, DOUBLE)
STREAM = scan_blocks([X[:50], X[50:]])


@pytest.mark.parametrize("sampling", ["monte_carlo", "orthogonal", "qmc"])
@pytest.mark.parametrize("source", [ROWS, STREAM], ids=["arrays", "stream"])
def test_frequencies_are_those_of_fourier_features(sampling, source):
    drawn = FourierMaker(sampling).draw(bo.Gaussian(2.0), 32, source, seed=5)
    own = bo.FourierFeatures(bo.Gaussian(2.0), n_components=32, sampling=sampling, random_state=5).fit(X)
    np.testing.assert_array_equal(drawn.transformer.transform(X), own.transform(X))
    assert drawn.map is drawn.transformer.map_
    assert not FourierMaker(sampling).looks_at_rows


@pytest.mark.parametrize(("sampling", "nested"), [("monte_carlo", True), ("leverage", False)])
def test_only_nested_samplers_have_nested_maps(sampling, nested):
    assert FourierMaker(sampling).nested is nested


def test_a_sampler_that_looks_at_rows_sees_those_with_weight():
    maker = FourierMaker("leverage")
    assert maker.looks_at_rows
    weighted = maker.draw(bo.Gaussian(2.0), 16, WEIGHTED, seed=0).transformer
    present = maker.draw(bo.Gaussian(2.0), 16, ArrayRows(X[45:], np.zeros(45), None, DOUBLE), seed=0).transformer
    np.testing.assert_array_equal(weighted.transform(X), present.transform(X))


def test_landmarks_are_rows_of_positive_weight():
    drawn = LandmarkMaker().draw(bo.Gaussian(2.0), 20, WEIGHTED, seed=0)
    landmarks = drawn.transformer.landmarks_
    assert len(landmarks) == 20
    assert all(np.any(np.all(np.isclose(X[45:], landmark), axis=1)) for landmark in landmarks)


def test_there_are_no_more_landmarks_than_rows():
    drawn = LandmarkMaker().draw(bo.Gaussian(2.0), 1000, WEIGHTED, seed=0)
    assert len(drawn.transformer.landmarks_) <= 45


@pytest.mark.parametrize("source", [ROWS, STREAM], ids=["arrays", "stream"])
def test_a_transformer_is_cloned_and_fitted_to_the_rows(source):
    given = PCA(2)
    drawn = TransformerMaker(given).draw(None, 0, source, seed=0)
    assert not hasattr(given, "components_")
    assert isinstance(drawn.map, TransformerMap)
    np.testing.assert_allclose(transform(drawn.map, X, DOUBLE), PCA(2).fit(X).transform(X), atol=1e-9)


def test_a_transformer_with_a_map_lends_it():
    drawn = TransformerMaker(bo.FourierFeatures(n_components=8, random_state=0)).draw(None, 0, ROWS, seed=0)
    assert drawn.map is drawn.transformer.map_


@pytest.mark.parametrize("maker", [LandmarkMaker(), TransformerMaker(PCA(2))], ids=lambda maker: type(maker).__name__)
def test_maps_of_rows_look_at_them_and_are_not_nested(maker):
    assert maker.looks_at_rows
    assert not maker.nested
