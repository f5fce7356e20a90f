"""Principal axes of moments against the singular value decomposition of the centred rows."""

import numpy as np
import pytest

from bochner.solvers import principal_axes
from bochner.statistics import Moments
from tests.strategies import rows


def axes_of(Z, weight, n_axes):
    return principal_axes(Moments.empty(Z.shape[1], 1).update(Z, np.zeros((len(Z), 1)), weight), n_axes)


@pytest.mark.parametrize("n_axes", [1, 3, 8])
def test_axes_are_right_singular_vectors_of_the_weighted_centred_rows(n_axes):
    Z, weight = rows(0, 60, 8) * np.arange(1, 9) + 5, np.random.default_rng(1).uniform(0, 2, 60)
    centred = np.sqrt(weight)[:, None] * (Z - np.average(Z, axis=0, weights=weight))
    _, singular, vectors = np.linalg.svd(centred)
    found = axes_of(Z, weight, n_axes)
    np.testing.assert_allclose(found.eigenvalues, singular[:n_axes] ** 2, rtol=1e-11)
    np.testing.assert_allclose(np.abs(np.sum(found.components * vectors[:n_axes], axis=1)), 1, rtol=1e-11)
    np.testing.assert_allclose(found.components @ found.components.T, np.eye(n_axes), atol=1e-13)
    assert found.total == pytest.approx(np.sum(singular**2), rel=1e-12)


def test_the_largest_entry_of_an_axis_is_positive():
    found = axes_of(rows(0, 30, 6), None, 6).components
    assert np.all(found[np.arange(6), np.abs(found).argmax(axis=1)] > 0)


def test_all_axes_are_those_above_rounding():
    low_rank = rows(0, 40, 2) @ rows(1, 2, 7)
    assert len(axes_of(low_rank, None, None).eigenvalues) == 2
    assert len(axes_of(rows(0, 40, 7), None, None).eigenvalues) == 7


def test_constant_rows_have_no_axis_and_one_feature_has_one():
    assert len(axes_of(np.zeros((5, 3)), None, None).eigenvalues) == 0
    found = axes_of(rows(0, 9, 1), None, None)
    np.testing.assert_array_equal(found.components, [[1.0]])
