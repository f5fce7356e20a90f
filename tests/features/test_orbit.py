"""Orbit averages against their definition, in every path."""

import pickle

import numpy as np
import pytest

import bochner as bo
from bochner import groups
from bochner.features import (
    OrbitFourierMap,
    OrbitMap,
    _loops,
    draw_fourier_map,
    draw_orbit_map,
    transform,
)
from tests import reference
from tests.strategies import rows


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_compiled_orbit_averages_are_those_of_numpy(dtype, tolerance):
    projection = (10 * rows(0, 9, 5 * 21)).astype(dtype)
    amplitude, weights = np.linspace(0.5, 1, 21).astype(dtype), np.linspace(0.1, 0.3, 5).astype(dtype)
    phase = np.linspace(0, 6, 21).astype(dtype)
    for loop, arguments, width in (("orbit_pairs", (3, 30), 60), ("orbit_phases", (4,), 40)):
        out, expected = np.zeros((9, width), dtype=dtype), np.zeros((9, width))
        head = (projection, amplitude) if loop == "orbit_pairs" else (projection, amplitude, phase)
        getattr(_loops, loop)(*head, weights, out, *arguments)
        getattr(reference, loop)(*(a.astype(float) for a in head), weights.astype(float), expected, *arguments)
        assert np.abs(out - expected).max() < tolerance


def base_map(d, width=70, embedding="paired", seed=0):
    return draw_fourier_map(
        bo.Gaussian(2.0), bo.MonteCarlo(), n_features=d, n_components=width, embedding=embedding, seed=seed
    )


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("width", [1, 2, 71, 300])
@pytest.mark.parametrize("group", [groups.SignFlips(), groups.ImageRotations((2, 2), n=3), groups.CyclicShifts()])
def test_transformed_frequencies_give_the_average_over_transformed_rows(embedding, width, group):
    X, transforms = rows(0, 40, 4), group.elements(4)
    base = base_map(4, width, embedding)
    fast = draw_orbit_map(base, transforms)
    assert isinstance(fast, OrbitFourierMap)
    expected = sum(weight * transform(base, moved, np.dtype(float)) for weight, moved in transforms.of(X))
    np.testing.assert_allclose(transform(fast, X, np.dtype(float)), expected, atol=1e-13)
    np.testing.assert_allclose(transform(OrbitMap(base, transforms), X, np.dtype(float)), expected, atol=1e-13)


def test_weights_of_the_law_are_used():
    law = groups.FromMatrices([np.eye(3), -np.eye(3)], weights=[3, 1]).elements()
    X, base = rows(0, 5, 3), base_map(3)
    expected = 0.75 * transform(base, X, np.dtype(float)) + 0.25 * transform(base, -X, np.dtype(float))
    np.testing.assert_allclose(transform(draw_orbit_map(base, law), X, np.dtype(float)), expected, atol=1e-14)


def test_many_transforms_tiles_and_threads_change_nothing_beyond_rounding():
    X, orbit = rows(0, 3000, 50, np.float32), draw_orbit_map(base_map(50, 100), groups.CyclicShifts().elements(50))
    whole = transform(orbit, X, np.dtype(np.float32))
    with bo.config_context(n_threads=1):
        np.testing.assert_allclose(transform(orbit, X, np.dtype(np.float32)), whole, atol=1e-6)
    alone = np.vstack([transform(orbit, X[i : i + 1], np.dtype(np.float32)) for i in range(5)])
    np.testing.assert_allclose(alone, whole[:5], atol=1e-6)


def test_an_orbit_map_survives_pickle():
    X, orbit = rows(0, 10, 6), draw_orbit_map(base_map(6), groups.CyclicShifts().elements(6))
    before = transform(orbit, X, np.dtype(float))
    np.testing.assert_array_equal(transform(pickle.loads(pickle.dumps(orbit)), X, np.dtype(float)), before)
