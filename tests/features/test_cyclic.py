"""Averages over cyclic shifts by Fourier transforms, against sums over shifted rows."""

import numpy as np
import pytest

import bochner as bo
from bochner import groups
from bochner.features import draw_fourier_map, draw_orbit_map, transform
from bochner.features.cyclic import CyclicValues, correlations, spectra
from bochner.features.nystroem import KernelMap
from tests.strategies import rows


@pytest.mark.parametrize("longest_matrix", [64, 0], ids=["by a matrix", "by a transform"])
@pytest.mark.parametrize("r", [2, 3, 6, 12])
def test_correlations_are_products_with_shifted_rows(r, longest_matrix, monkeypatch):
    monkeypatch.setattr("bochner.features.cyclic._SHORT", longest_matrix)
    X, Y = rows(0, 700, 12), rows(1, 150, 12)  # more than are multiplied at once
    shifted = [np.roll(X, g * 12 // r, axis=1) @ Y.T for g in range(r)]
    for some, found in correlations(spectra(X, r), spectra(Y, r), r):
        np.testing.assert_allclose(found, np.stack([each[some] for each in shifted], axis=1), atol=1e-12)


CYCLIC = [groups.CyclicShifts(), groups.CyclicShifts(2), groups.CyclicShifts(block_size=3)]


@pytest.mark.parametrize("group", CYCLIC)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 3e-6), (np.float64, 1e-13)])
@pytest.mark.parametrize("kernel", [bo.Gaussian(2.0), 3.0 * bo.Matern(2.0, nu=1.5)])
def test_kernels_averaged_over_shifts(group, dtype, tolerance, kernel):
    X, points, transforms = rows(0, 300, 12), rows(1, 140, 12), group.elements(12)
    values = KernelMap(kernel, points, transforms)
    assert isinstance(values._values(np.dtype(dtype)), CyclicValues)
    expected = np.mean([kernel(X, moved) for _, moved in transforms.of(points)], axis=0)
    np.testing.assert_allclose(transform(values, X.astype(dtype), np.dtype(dtype)), expected, atol=tolerance)


@pytest.mark.parametrize("group", CYCLIC)
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_fourier_features_averaged_over_shifts(group, embedding):
    X, transforms = rows(0, 300, 12), group.elements(12)
    base = draw_fourier_map(
        bo.Gaussian(2.0), bo.MonteCarlo(), n_features=12, n_components=301, embedding=embedding, seed=0
    )
    expected = np.mean([transform(base, moved, np.dtype(float)) for _, moved in transforms.of(X)], axis=0)
    found = draw_orbit_map(base, transforms)
    np.testing.assert_allclose(transform(found, X, np.dtype(float)), expected, atol=1e-13)
    np.testing.assert_allclose(transform(found, X.astype("f"), np.dtype("f")), expected, atol=1e-5)


def test_only_all_shifts_with_equal_weights_are_cyclic():
    shifts = groups.CyclicShifts().elements(6)
    matrices = [matrix.toarray() for matrix in shifts.matrices]
    assert shifts.cyclic
    assert groups.FromMatrices(matrices).elements(6).cyclic
    others = [
        groups.CyclicShifts().sample(5, 6),
        groups.FromMatrices(matrices, weights=[2, 1, 1, 1, 1, 1]).elements(6),
        groups.FromMatrices(matrices[::-1]).elements(6),
        groups.FromMatrices([-each for each in matrices]).elements(6),
        groups.SignFlips(None).elements(6),
        groups.FromFunctions([np.fliplr, lambda X: X]).elements(6),
    ]
    assert not any(each.cyclic for each in others)
