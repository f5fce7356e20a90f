"""Tests of periodic columns and of the sphere as coordinates in space."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError

RNG = np.random.default_rng(0)


def test_both_ends_of_a_period_are_one_point_and_near_rows_keep_their_distance():
    X = np.array([[0.1, 5.0], [24.1, 5.0], [-23.9, 5.0], [0.2, 6.0]])
    Z = bo.PeriodicColumns([24.0, None]).fit_transform(X)
    np.testing.assert_allclose(Z[:3], np.tile(Z[0], (3, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(Z[3, :2] - Z[0, :2]), 0.1, rtol=1e-4)
    np.testing.assert_array_equal(Z[:, 2], X[:, 1])


def test_distances_on_the_sphere_are_chords():
    X = np.column_stack([RNG.uniform(-180, 360, 30), RNG.uniform(-90, 90, 30)])
    Z = bo.SphereColumns(6371.0).fit_transform(X)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), 6371.0)
    half = np.deg2rad(X[:, None] - X) / 2
    cosines = np.cos(np.deg2rad(X[:, 1]))
    haversine = np.sin(half[..., 1]) ** 2 + np.outer(cosines, cosines) * np.sin(half[..., 0]) ** 2
    chords = np.linalg.norm(Z[:, None] - Z, axis=2)
    np.testing.assert_allclose(chords, 2 * 6371.0 * np.sqrt(np.maximum(haversine, 0)), atol=1e-3)


def test_the_date_line_and_the_poles_are_no_border():
    lon, lat = RNG.uniform(0, 360, 3000), np.rad2deg(np.arcsin(RNG.uniform(-1, 1, 3000)))
    X = np.column_stack([lon, lat])
    y = np.cos(np.deg2rad(lat)) * np.sin(np.deg2rad(lon)) + 0.01 * RNG.standard_normal(3000)
    given = {"features": "grid", "n_components": 3000, "alpha": 1e-3, "random_state": 0}
    model = make_pipeline(bo.SphereColumns(), bo.KernelRegressor(bo.Gaussian(1.0), **given)).fit(X, y)
    np.testing.assert_allclose(model.predict([[0.0, 20.0]]), model.predict([[360.0, 20.0]]), atol=1e-9)
    np.testing.assert_allclose(model.predict([[10.0, 90.0]]), model.predict([[200.0, 90.0]]), atol=1e-9)
    np.testing.assert_allclose(model.predict([[0.0, 0.0], [90.0, 0.0]]), [0.0, 1.0], atol=0.02)


def test_float_types_names_and_inputs_are_kept():
    X = np.array([[1.0, 2.0]], dtype=np.float32)
    X.flags.writeable = False
    circle, sphere = bo.PeriodicColumns([3.0, None]).fit(X), bo.SphereColumns().fit(X)
    assert circle.transform(X).dtype == sphere.transform(X).dtype == np.float32
    assert list(circle.get_feature_names_out()) == ["x0_cos", "x0_sin", "x1"]
    assert list(circle.get_feature_names_out(["hour", "depth"])) == ["hour_cos", "hour_sin", "depth"]
    assert list(sphere.get_feature_names_out()) == ["x", "y", "z"]


@pytest.mark.parametrize("period", [[1.0], [1.0, -2.0], [1.0, np.inf], [1.0, "day"], [1.0, 0.0]])
def test_a_period_that_is_none_is_refused(period):
    with pytest.raises(InvalidParameterError, match="'period' parameter of PeriodicColumns"):
        bo.PeriodicColumns(period).fit(np.ones((3, 2)))


def test_columns_in_the_wrong_order_and_other_numbers_of_columns_are_refused():
    with pytest.raises(InvalidDataError, match=r"a latitude, from -90 to 90 degrees\. Got one 120 degrees"):
        bo.SphereColumns().fit([[10.0, 120.0]])
    with pytest.raises(InvalidDataError, match="takes two columns, longitude and latitude"):
        bo.SphereColumns().fit(np.ones((2, 3)))
