"""Nystroem maps against dense kernel matrices: values, whitening, residual variance, leverage scores."""

import pickle

import numpy as np
import pytest

import bochner as bo
from bochner import groups
from bochner.features import nystroem, transform
from bochner.features.nystroem import KernelMap, draw_nystroem_map, leverage_of_rows
from tests.strategies import rows

DOUBLE = np.dtype(float)
X, POINTS = rows(0, 40, 2), rows(1, 12, 2)
KERNELS = [bo.Gaussian(0.8), bo.Gaussian([0.5, 2.0]), bo.Matern(nu=1.5), bo.Laplacian(), bo.Gaussian() + bo.Cauchy()]
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@EACH
@pytest.mark.parametrize("columns", [5, 1024])
def test_kernel_values_are_those_of_the_kernel_in_any_chunks(kernel, columns, monkeypatch):
    monkeypatch.setattr(nystroem, "_COLUMNS", columns)
    values = KernelMap(kernel, POINTS)
    np.testing.assert_allclose(transform(values, X, DOUBLE), kernel(X, POINTS), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(values.diagonal(X), np.diagonal(kernel(X)), rtol=1e-12)


@EACH
def test_the_gram_of_the_features_is_the_nystroem_approximation(kernel):
    Z = transform(draw_nystroem_map(KernelMap(kernel, POINTS)), X, DOUBLE)
    across = kernel(X, POINTS)
    np.testing.assert_allclose(Z @ Z.T, across @ np.linalg.solve(kernel(POINTS), across.T), atol=1e-5)


@EACH
def test_the_shortfall_is_the_residual_variance_and_nothing_at_landmarks(kernel):
    drawn = draw_nystroem_map(KernelMap(kernel, POINTS), others=X)
    Z = transform(drawn, X, DOUBLE)
    expected = kernel.diag(X) - np.sum(Z**2, axis=1)
    np.testing.assert_allclose(drawn.shortfall(X, Z), np.maximum(expected, 0), atol=1e-12)
    assert drawn.median_shortfall == pytest.approx(np.median(drawn.shortfall(X, Z)), rel=1e-9)
    assert drawn.mean_shortfall == pytest.approx(np.mean(drawn.shortfall(X, Z)), rel=1e-9)
    at_landmarks = drawn.shortfall(POINTS, transform(drawn, POINTS, DOUBLE))
    assert np.max(at_landmarks) <= 1e-8 * kernel.variance


def test_a_response_needs_no_whitening():
    drawn = draw_nystroem_map(KernelMap(bo.Gaussian(), POINTS))
    coef = rows(2, 12, 3)
    values, moved = drawn.linear_form(coef)
    np.testing.assert_allclose(transform(values, X, DOUBLE) @ moved, transform(drawn, X, DOUBLE) @ coef, atol=1e-8)


def test_the_first_landmarks_alone_give_the_first_features():
    wide = transform(draw_nystroem_map(KernelMap(bo.Gaussian(), POINTS)), X, DOUBLE)
    narrow = transform(draw_nystroem_map(KernelMap(bo.Gaussian(), POINTS[:5])), X, DOUBLE)
    np.testing.assert_allclose(wide[:, :5], narrow, atol=1e-9)


def test_landmarks_that_are_there_twice_add_features_of_nearly_zero():
    drawn = draw_nystroem_map(KernelMap(bo.Gaussian(), np.vstack([POINTS, POINTS])))
    Z = transform(drawn, X, DOUBLE)
    single = transform(draw_nystroem_map(KernelMap(bo.Gaussian(), POINTS)), X, DOUBLE)
    assert np.all(np.isfinite(Z))
    np.testing.assert_allclose(Z @ Z.T, single @ single.T, atol=1e-4)


def test_one_landmark_is_the_kernel_towards_it():
    drawn = draw_nystroem_map(KernelMap(4.0 * bo.Gaussian(), POINTS[:1]))
    expected = 4 * bo.Gaussian()(X, POINTS[:1]) / 2
    np.testing.assert_allclose(transform(drawn, X, DOUBLE), expected, rtol=1e-9)


def test_variance_beyond_the_landmarks_is_in_units_of_the_noise():
    drawn = draw_nystroem_map(KernelMap(bo.Gaussian(0.3), POINTS), others=X)
    usual = min(drawn.median_shortfall, drawn.mean_shortfall)
    for alpha in (1e-6, 10.0):
        expected = (0.9 - usual) / max(alpha, drawn.mean_shortfall)
        assert drawn.in_units_of_noise(0.9, alpha) == pytest.approx(expected, rel=1e-12)


def test_leverage_scores_are_their_formula():
    """Of a pilot with eigenvalues e: k_ii - k_iS (K_SS + gamma I)^-1 k_Si over gamma."""
    kernel, rank = bo.Gaussian(0.5), 4
    K = kernel(POINTS)
    gamma = np.sort(np.linalg.eigvalsh(K))[::-1][rank:].sum() / rank
    across = kernel(X, POINTS)
    inner = np.linalg.solve(K + gamma * np.eye(12), across.T)
    expected = (1 - np.einsum("ij,ji->i", across, inner)) / gamma
    np.testing.assert_allclose(leverage_of_rows(X, KernelMap(kernel, POINTS), rank), expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("kernel", "group", "n", "expected"),
    [
        (bo.Gaussian(0.7), groups.CyclicShifts(), "all", True),
        (2.0 * bo.Matern(), groups.SignFlips(), "all", True),
        (bo.Gaussian([0.5, 2.0, 1.0]), groups.CyclicShifts(), "all", False),  # sees more than the distance
        (bo.Laplacian(), groups.SignFlips(), "all", False),
        (bo.Gaussian(), groups.Permutations(), 2, False),  # a sample of the group
    ],
)
def test_one_side_is_moved_only_where_it_gives_the_orbit_kernel(kernel, group, n, expected):
    transforms = group.elements(3) if n == "all" else group.sample(n, 3)
    assert nystroem.moves_one_side(kernel, group, transforms) == expected
    points = rows(1, 4, 3)
    one, both = (transform(KernelMap(kernel, points, transforms, side), points, DOUBLE) for side in (True, False))
    orbit = [(a * b, x, y) for a, x in transforms.of(points) for b, y in transforms.of(points)]
    np.testing.assert_allclose(both, sum(weight * kernel(x, y) for weight, x, y in orbit), atol=1e-8)
    assert np.allclose(one, both, atol=1e-8) or not expected


def test_a_map_survives_pickling():
    drawn = draw_nystroem_map(KernelMap(bo.Gaussian(), POINTS))
    Z = transform(drawn, X, DOUBLE)
    np.testing.assert_array_equal(transform(pickle.loads(pickle.dumps(drawn)), X, DOUBLE), Z)
