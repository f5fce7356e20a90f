"""Cholesky factors of matrices that are definite only up to rounding."""

import numpy as np
import pytest

from bochner._definite import definite_cholesky
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
