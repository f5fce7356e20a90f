"""Transforms of finufft: what is no number does not reach it."""

import numpy as np
import pytest

from bochner import _nufft
from bochner._nufft import modes_to_points, points_to_modes
from bochner.errors import InvalidDataError

pytest.importorskip("finufft")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_angles_that_are_not_finite_are_refused(value):
    """finufft read outside of its arrays: rows of 1e-310 on a grid ended the process."""
    angles = np.zeros((2, 20))
    angles[1, 7] = value
    with pytest.raises(InvalidDataError, match="huge or tiny"):
        points_to_modes(angles, np.ones(20, dtype=complex), (5, 5), 1)
    with pytest.raises(InvalidDataError, match="huge or tiny"):
        modes_to_points(angles, np.ones((5, 5), dtype=complex), 1)


def test_transforms_are_the_sums_that_they_stand_for():
    rng = np.random.default_rng(0)
    angles, values, modes = rng.uniform(-9, 9, (1, 30)), rng.standard_normal(30) + 0j, rng.standard_normal(7) + 0j
    j = np.arange(-3, 4)
    np.testing.assert_allclose(points_to_modes(angles, values, (7,), 1), np.exp(-1j * np.outer(j, angles[0])) @ values)
    np.testing.assert_allclose(modes_to_points(angles, modes, 1), np.exp(1j * np.outer(angles[0], j)) @ modes)


def test_transforms_of_many_modes_are_wrong_in_the_highest_ones_which_have_the_least_weight(monkeypatch):
    rng = np.random.default_rng(0)
    angles, values = rng.uniform(-3, 3, (2, 500)), rng.standard_normal(500) + 1j
    exact = points_to_modes(angles, values, (81, 61), 1)
    monkeypatch.setattr(_nufft, "_LARGE", 0)
    error = np.abs(points_to_modes(angles, values, (81, 61), 1) - exact) / np.abs(values).sum()
    assert 0 < np.max(error) < 1e-8
    assert np.max(error[20:61, 15:46]) < np.max(error) / 4
    modes = rng.standard_normal((81, 61)) + 0j
    found = modes_to_points(angles, modes, 1)
    monkeypatch.undo()
    np.testing.assert_allclose(found, modes_to_points(angles, modes, 1), atol=1e-7 * np.abs(modes).sum())
