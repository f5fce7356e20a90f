"""BLAS and LAPACK calls against NumPy, on whole arrays and on blocks of larger ones."""

import numpy as np
import pytest

from bochner import _blas
from tests.strategies import rows

DTYPES = pytest.mark.parametrize("dtype", [np.float64, np.float32])
SIZES = pytest.mark.parametrize(("n", "D"), [(1, 1), (7, 1), (1, 6), (40, 9), (5, 30)])


def tolerance(dtype):
    return 1e-12 if dtype == np.float64 else 1e-4


def column_major(seed, n, k):
    return np.asfortranarray(rows(seed, n, k))


@SIZES
@DTYPES
def test_a_lower_gram_leaves_the_upper_triangle_alone(n, D, dtype):
    Z, out = rows(0, n, D).astype(dtype), np.full((D, D), 7.0, dtype=dtype)
    _blas.lower_gram(Z, out)
    np.testing.assert_allclose(np.tril(out), np.tril(Z.T @ Z), rtol=tolerance(dtype), atol=tolerance(dtype))
    assert np.all(out[np.triu_indices(D, 1)] == 7)


@SIZES
@DTYPES
def test_a_cross_gram_writes_into_a_block(n, D, dtype):
    wide, out = rows(0, n, 2 * D + 1).astype(dtype), np.zeros((D + 2, D + 3), dtype=dtype)
    A, B = wide[:, :D], wide[:, D:]
    _blas.cross_gram(A, B, out[1 : D + 1, 1 : D + 2])
    np.testing.assert_allclose(out[1 : D + 1, 1 : D + 2], A.T @ B, rtol=tolerance(dtype), atol=tolerance(dtype))
    out[1 : D + 1, 1 : D + 2] = 0
    assert not np.any(out)


FACTORS = pytest.mark.parametrize("D", [1, 5, 70])
ORDERS = pytest.mark.parametrize("order", ["C", "F"])


def definite(D, dtype, order):
    """A definite matrix, and one whose lower triangle is its Cholesky factor; its upper triangle is not a number."""
    A = rows(0, 2 * D, D)
    matrix = (A.T @ A + np.eye(D)).astype(dtype)
    factor = np.array(matrix, order=order)
    factor[np.triu_indices(D, 1)] = np.nan
    assert _blas.cholesky(factor)
    return matrix, factor


@FACTORS
@ORDERS
@DTYPES
def test_a_cholesky_factor_is_in_the_lower_triangle(D, order, dtype):
    matrix, factor = definite(D, dtype, order)
    L = np.tril(factor)
    np.testing.assert_allclose(L @ L.T, matrix, rtol=100 * tolerance(dtype), atol=100 * tolerance(dtype))
    assert np.all(np.isnan(factor[np.triu_indices(D, 1)]))


@FACTORS
@ORDERS
@DTYPES
def test_equations_are_solved_and_inverted_by_the_factor_alone(D, order, dtype):
    matrix, factor = definite(D, dtype, order)
    inverse, right = np.linalg.inv(matrix.astype(float)), rows(1, D, 3)
    close = {"rtol": 100 * tolerance(dtype), "atol": 100 * tolerance(dtype)}
    np.testing.assert_allclose(_blas.solve_cholesky(factor, right), inverse @ right, **close)
    of_factor = factor.copy(order="K")
    _blas.lower_inverse(of_factor)
    np.testing.assert_allclose(np.tril(of_factor) @ np.tril(factor), np.eye(D), **close)
    _blas.inverse_from_cholesky(factor)
    np.testing.assert_allclose(np.tril(factor), np.tril(inverse), **close)
    assert np.all(np.isnan(factor[np.triu_indices(D, 1)]))


@pytest.mark.parametrize(
    "matrix", [-np.eye(3), np.zeros((2, 2)), np.full((2, 2), np.nan), np.array([[1.0, 2], [2, 1]])]
)
def test_a_matrix_that_is_not_definite_has_no_factor(matrix):
    assert not _blas.cholesky(matrix.copy())


@SIZES
@DTYPES
def test_rows_are_solved_by_a_lower_triangle(n, D, dtype):
    L = (np.tril(rows(0, D, D)) + 3 * np.eye(D)).astype(dtype)
    K = rows(1, n, D).astype(dtype)
    solved, junk = K.copy(), L + np.triu(np.full((D, D), 9, dtype=dtype), 1)
    _blas.solve_lower(junk, solved)
    np.testing.assert_allclose(solved @ L.T, K, rtol=10 * tolerance(dtype), atol=10 * tolerance(dtype))


@pytest.mark.parametrize("transpose", [False, True])
def test_a_product_of_blocks_is_that_of_the_matrices(transpose):
    A, B = column_major(0, 9, 6)[2:8, 1:5], column_major(1, 9, 7)
    B = B[:6, 2:5] if transpose else B[:4, 2:5]
    expected = A.T @ B if transpose else A @ B
    np.testing.assert_allclose(_blas.product(A, B, transpose_a=transpose), expected, atol=1e-13)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 1), (8, 8), (20, 6)])
def test_a_householder_factorisation_reproduces_its_matrix(n, k):
    A = column_major(0, n, k)
    before = A.copy()
    V, T = _blas.householder_qr(A)
    H = np.eye(n) - V @ T @ V.T
    np.testing.assert_allclose(H.T @ H, np.eye(n), atol=1e-13)
    R = np.zeros((n, k))
    R[:k] = np.triu(A[:k])
    np.testing.assert_allclose(H @ R, before, atol=1e-13)
    np.testing.assert_array_equal(np.triu(V, 1), 0)


def test_symmetric_routines_read_and_write_the_lower_triangle_only():
    S = column_major(0, 7, 7)
    full = np.tril(S) + np.tril(S, -1).T
    V, W, out = column_major(1, 7, 3), column_major(2, 7, 3), np.zeros((7, 3), order="F")
    _blas.symmetric_product(S, V, out)
    np.testing.assert_allclose(out, full @ V, atol=1e-13)
    upper = S[np.triu_indices(7, 1)].copy()
    _blas.symmetric_rank_2_update(S, V, W)
    np.testing.assert_allclose(np.tril(S), np.tril(full - V @ W.T - W @ V.T), atol=1e-13)
    np.testing.assert_array_equal(S[np.triu_indices(7, 1)], upper)
