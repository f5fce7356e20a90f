"""Cholesky factors of matrices that are definite only up to rounding."""

import numpy as np
import pytest

from bochner._definite import definite_cholesky, raise_diagonal
from bochner.errors import InvalidDataError
from tests.strategies import rows


def test_a_definite_matrix_has_its_cholesky_factor():
    X = rows(0, 20, 5)
    factor = np.tril(definite_cholesky(X.T @ X, 0.5))
    np.testing.assert_allclose(factor @ factor.T, X.T @ X + 0.5 * np.eye(5), atol=1e-12)


def test_a_singular_matrix_is_factorised_with_a_raised_diagonal():
    X = rows(0, 3, 8)
    factor = np.tril(definite_cholesky(X.T @ X, 0.0, floor=1e-14))
    np.testing.assert_allclose(factor @ factor.T, X.T @ X, atol=1e-10)


def test_numbers_that_are_not_finite_are_named():
    with pytest.raises(InvalidDataError, match="not finite"):
        definite_cholesky(np.full((3, 3), np.nan), 1.0)


@pytest.mark.parametrize("shift", [np.nan, np.inf, 1e308])
def test_a_shift_that_is_no_number_is_not_raised_again(shift):
    tried = []
    with pytest.raises(InvalidDataError, match="not finite"):
        raise_diagonal(tried.append, shift)
    assert len(tried) == 1


@pytest.mark.parametrize("n", [1, 5, 300])
def test_a_cholesky_factor_takes_the_place_of_the_lower_triangle(n):
    B = np.random.default_rng(0).standard_normal((n, n + 3))
    A = B @ B.T
    factor = np.tril(definite_cholesky(A.copy(), 0.5))
    np.testing.assert_allclose(factor @ factor.T, A + 0.5 * np.eye(n), rtol=1e-10, atol=1e-9)


def test_a_matrix_of_low_rank_has_the_factor_of_the_raised_one():
    B = np.random.default_rng(1).standard_normal((40, 3))
    A = B @ B.T - 1e-3 * np.eye(40)
    factor = np.tril(definite_cholesky(A.copy(), 0.0, floor=1e-6))
    added = factor @ factor.T - A
    shift = added[0, 0]
    assert 1e-3 < shift <= 1e-2 * (1 + 1e-6)
    np.testing.assert_allclose(added, shift * np.eye(40), atol=1e-9)
