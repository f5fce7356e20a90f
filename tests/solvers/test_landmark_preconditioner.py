"""With every row a landmark the preconditioner is the inverse of each system; with few it is symmetric and positive."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers.landmark_preconditioner import LandmarkFeatures, LandmarkPreconditioner
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

KERNEL, ALPHA, N, LEFT_OUT = bo.Gaussian(1.0), 0.3, 60, 12
KINDS = pytest.mark.parametrize("intercept", [True, False])


def roots():
    """Of three systems: two with all rows, one without the last."""
    found = np.repeat(np.sqrt(np.random.default_rng(0).exponential(size=N) + 0.05)[:, None], 3, axis=1)
    found[-LEFT_OUT:, 2] = 0
    return found


def system(X, root, intercept):
    P = np.eye(N) - intercept * np.outer(root, root) / (root @ root)
    return P @ (root[:, None] * KERNEL(X) * root) @ P + ALPHA * np.eye(N), P


def preconditioner(X, landmarks, intercept, dtype=np.float64, keep=True):
    product = KernelProduct(KERNEL, X, precision=np.dtype(float))
    features = LandmarkFeatures(product, landmarks, np.dtype(dtype), keep)
    return LandmarkPreconditioner(features, roots(), ALPHA, intercept)


@KINDS
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-7), (np.float32, 1e-3)])
def test_with_every_row_a_landmark_each_system_is_solved(intercept, keep, dtype, error):
    X = rows(0, N, 2)
    solve = preconditioner(X, np.arange(N), intercept, dtype, keep)
    for columns in (np.array([0, 1, 2]), np.array([2])):
        kinds = roots()[:, columns]
        parts = [system(X, root, intercept) for root in kinds.T]
        R = np.stack([P @ ((root > 0) * r) for (_, P), root, r in zip(parts, kinds.T, rows(1, N, 3).T)], axis=1)
        exact = np.stack([np.linalg.solve(matrix, r) for (matrix, _), r in zip(parts, R.T)], axis=1)
        np.testing.assert_allclose(solve(R, columns), exact, atol=error)


@KINDS
def test_with_few_landmarks_it_is_symmetric_and_positive(intercept):
    X = rows(0, N, 2)
    solve = preconditioner(X, np.arange(0, N, 10), intercept)
    _, P = system(X, roots()[:, 0], intercept)
    inverse = P @ np.hstack([solve(P[:, [i]], np.array([0])) for i in range(N)])
    np.testing.assert_allclose(inverse, inverse.T, atol=1e-10)
    assert np.linalg.eigvalsh(inverse).min() >= -1e-10


@KINDS
def test_what_landmarks_do_not_explain_counts_as_uncorrelated(intercept):
    X, landmarks, root = rows(0, N, 2), np.arange(0, N, 10), roots()[:, 0]
    solve = preconditioner(X, landmarks, intercept)
    _, P = system(X, root, intercept)
    towards = KERNEL(X, X[landmarks])
    explained = towards @ np.linalg.solve(KERNEL(X[landmarks]), towards.T)
    shift = ALPHA + np.mean(root**2 * (1 - np.diagonal(explained)))
    matrix = P @ (root[:, None] * explained * root) @ P + shift * np.eye(N)
    R = P @ rows(1, N, 1)
    np.testing.assert_allclose(solve(R, np.array([0])), np.linalg.solve(matrix, R), atol=1e-6)


@KINDS
def test_factors_at_the_penalty_are_those_of_the_moments(intercept):
    solve = preconditioner(rows(0, N, 2), np.arange(0, N, 6), intercept)
    Z, root = solve.features.of(slice(None)), roots()[:, 0]
    Z = Z - intercept * np.average(Z, axis=0, weights=root**2)
    gram = (Z * root[:, None]).T @ (Z * root[:, None]) + ALPHA * np.eye(Z.shape[1])
    np.testing.assert_allclose(solve.spread(0).factor, np.linalg.cholesky(gram), atol=1e-9)


def test_features_that_are_not_kept_are_the_same():
    X = rows(0, N, 2)
    kept, again = (preconditioner(X, np.arange(0, N, 4), True, keep=keep) for keep in (True, False))
    R = rows(1, N, 3)
    assert np.array_equal(kept(R, np.arange(3)), again(R, np.arange(3)))


@KINDS
def test_error_bars_have_the_factors_of_the_first_landmarks(intercept, monkeypatch):
    X = rows(0, N, 2)
    few = preconditioner(X, np.arange(20), intercept).spread(0)
    monkeypatch.setattr("bochner.solvers.landmark_preconditioner._SPREAD_LANDMARKS", 20)
    first = preconditioner(X, np.arange(40), intercept).spread(0)
    Z = KERNEL(rows(1, 5, 2), X)
    np.testing.assert_allclose(first.of(Z), few.of(Z), atol=1e-6)
