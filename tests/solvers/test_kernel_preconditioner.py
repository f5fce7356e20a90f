"""Preconditioners of the exact kernel matrix: the dense one is the inverse, the one by landmarks is symmetric."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers import kernel_preconditioner as module
from bochner.solvers.kernel_preconditioner import kernel_preconditioner
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

KERNEL, ALPHA, N = bo.Gaussian(1.0), 0.3, 60
INTERCEPT = pytest.mark.parametrize("intercept", [True, False])
COLUMNS = np.arange(N)


def setting(seed=0):
    X = rows(seed, N, 2)
    return X, np.sqrt(np.random.default_rng(seed).exponential(size=N) + 0.05)


def system(X, root, intercept):
    """P diag(s) K diag(s) P + alpha I, P orthogonal to s."""
    P = np.eye(N) - intercept * np.outer(root, root) / (root @ root)
    return P @ (root[:, None] * KERNEL(X) * root) @ P + ALPHA * np.eye(N), P


@INTERCEPT
def test_the_dense_preconditioner_is_the_inverse(intercept):
    X, root = setting()
    solve = kernel_preconditioner(KernelProduct(KERNEL, X), root, ALPHA, intercept)
    matrix, P = system(X, root, intercept)
    R = P @ rows(1, N, 3)
    np.testing.assert_allclose(solve(R, np.arange(3)), np.linalg.solve(matrix, R), atol=1e-10)


@INTERCEPT
def test_with_every_row_a_landmark_the_system_is_solved(intercept, monkeypatch):
    """Up to the 1e-10 on the diagonal of the landmarks' matrix."""
    monkeypatch.setattr(module, "DENSE_ROWS", 0)
    X, root = setting()
    solve = kernel_preconditioner(KernelProduct(KERNEL, X), root, ALPHA, intercept)
    matrix, P = system(X, root, intercept)
    R = P @ rows(1, N, 3)
    np.testing.assert_allclose(solve(R, np.arange(3)), np.linalg.solve(matrix, R), atol=1e-5)


@INTERCEPT
@pytest.mark.parametrize("landmarks", [1, 10])
def test_landmarks_give_a_symmetric_positive_definite_preconditioner(intercept, landmarks, monkeypatch):
    monkeypatch.setattr(module, "DENSE_ROWS", 0)
    monkeypatch.setattr(module, "_LANDMARKS", landmarks)
    monkeypatch.setattr(module, "_BLOCK", 17)
    X, root = setting()
    inverse = kernel_preconditioner(KernelProduct(KERNEL, X), root, ALPHA, intercept)(np.eye(N), COLUMNS)
    np.testing.assert_allclose(inverse, inverse.T, atol=1e-10)
    eigenvalues = np.linalg.eigvalsh(inverse)
    assert eigenvalues[0] > 0
    assert eigenvalues[-1] <= 1 / ALPHA * (1 + 1e-10)  # (Z Z' + alpha I)^-1, whatever Z is


@pytest.mark.parametrize("dense_rows", [4000, 0])
def test_one_row_is_no_trouble(dense_rows, monkeypatch):
    monkeypatch.setattr(module, "DENSE_ROWS", dense_rows)
    solve = kernel_preconditioner(KernelProduct(KERNEL, np.zeros((1, 2))), np.array([2.0]), ALPHA, False)
    assert solve(np.ones((1, 1)), np.arange(1))[0, 0] == pytest.approx(1 / (4 + ALPHA), rel=1e-8)


def test_rows_that_repeat_have_a_factor():
    X = np.repeat(rows(0, 3, 2), 20, axis=0)
    solve = kernel_preconditioner(KernelProduct(KERNEL, X), np.ones(N), 1e-17, False)
    assert np.all(np.isfinite(solve(np.eye(N), COLUMNS)))
