"""Diameters of data, and certificates that name their region."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist

import bochner as bo
from bochner.errors import InvalidParameterError
from bochner.theory.region import diameter_of
from bochner.theory.uniform import AnchoredCover

X = np.random.default_rng(0).standard_normal((60, 3))


@pytest.mark.parametrize("rows", [X, csr_array(X), X.astype(np.float32)], ids=["dense", "sparse", "float32"])
def test_the_diameter_is_never_too_small_and_at_most_twice_the_largest_distance(rows):
    largest = pdist(X).max()
    assert largest * (1 - 1e-6) <= diameter_of(rows, bo.Gaussian(5.0)) <= 2 * largest


def test_a_scale_per_feature_scales_the_coordinates():
    scales = np.array([0.5, 1.0, 4.0])
    found = diameter_of(X, bo.Gaussian(scales))
    assert found == pytest.approx(diameter_of(X / scales, bo.Gaussian()), rel=1e-12)


def test_two_points_have_their_distance():
    pair = np.array([[0.0, 0.0], [3.0, 4.0]])
    assert diameter_of(pair, bo.Gaussian()) == pytest.approx(5.0, rel=1e-12)


def test_a_certificate_names_the_region_by_its_diameter():
    statement = AnchoredCover(kernel=bo.Gaussian(), n_features=2, diameter=3.14159).certificate(5000, 0.01).statement
    assert "the largest kernel error over all points at most 3.141 apart is at most" in statement
    scaled = AnchoredCover(kernel=bo.Gaussian([1.0, 2.0]), n_features=2, diameter=2.0).certificate(5000, 0.01)
    assert "at most 2 length scales apart" in scaled.statement


@pytest.mark.parametrize(("name", "value"), [("n_features", 0), ("n_features", True), ("diameter", -1.0)])
def test_regions_that_are_none_are_refused(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        AnchoredCover(**{"kernel": bo.Gaussian(), "n_features": 2, "diameter": 1.0, name: value})
