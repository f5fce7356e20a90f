"""Sums of features over groups of rows."""

import numpy as np
import pytest

import bochner as bo
from bochner.comparison.group_sums import group_sums
from bochner.features import transform
from tests.strategies import rows

KERNEL = 2.0 * bo.Gaussian(1.5)


@pytest.mark.parametrize("group_rows", [1, 3, 7, 64, 100, 999, 1000, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_group_sums_are_sums_over_groups(monkeypatch, group_rows, dtype):
    monkeypatch.setattr("bochner.comparison.group_sums._TILE_BYTES", 1)  # 64 rows a block: groups span blocks
    X = rows(0, 1000, 2, dtype)
    features = bo.mean_map(X, kernel=KERNEL, n_components=33, embedding="phase", rng=0).features
    with bo.config_context(n_threads=2):
        sums, energies = group_sums(X, features.fourier, group_rows, X.dtype)
    Z = transform(features.fourier, X, X.dtype).astype(float)
    starts = np.arange(0, 1000, group_rows)
    np.testing.assert_allclose(sums, np.add.reduceat(Z, starts, axis=0), atol=1e-13 if dtype == np.float64 else 1e-4)
    np.testing.assert_allclose(energies, np.add.reduceat(np.sum(Z**2, axis=1), starts), rtol=1e-5)


def test_a_known_diagonal_takes_the_place_of_the_energies_and_weights_are_squared_in_them():
    X, weight = rows(0, 50, 2), np.arange(50.0)
    features = bo.mean_map(X, kernel=KERNEL, n_components=32, rng=0).features
    computed = group_sums(X, features.fourier, 20, X.dtype, sample_weight=weight)
    known = group_sums(X, features.fourier, 20, X.dtype, sample_weight=weight, diagonal=features.diagonal)
    np.testing.assert_array_equal(computed[0], known[0])
    np.testing.assert_allclose(computed[1], known[1], rtol=1e-13)
    np.testing.assert_allclose(known[1], 2.0 * np.add.reduceat(weight**2, [0, 20, 40]))
