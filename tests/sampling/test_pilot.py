"""Leverage scores and effective dimension against their definitions."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import bochner as bo
from bochner.sampling.pilot import leverage, penalty_of_dimension, sample_rows, spectrum

RNG = np.random.default_rng(0)
ROWS, OMEGA = RNG.standard_normal((30, 2)), RNG.standard_normal((50, 2))
KERNEL = 2.0 * bo.Gaussian(1.5)


def test_leverage_is_the_quadratic_form_of_complex_exponentials():
    penalty = 0.01
    inverse = np.linalg.inv(KERNEL(ROWS) + 30 * penalty * np.eye(30))
    psi = np.exp(1j * ROWS @ OMEGA.T)
    expected = 2.0 * np.real(np.einsum("im,ij,jm->m", psi.conj(), inverse, psi))
    np.testing.assert_allclose(leverage(ROWS, OMEGA, KERNEL, penalty), expected, rtol=1e-10)


def test_the_spectrum_is_that_of_the_kernel_matrix():
    expected = np.sort(np.linalg.eigvalsh(KERNEL(ROWS)))[::-1] / 30
    np.testing.assert_allclose(spectrum(ROWS, KERNEL), np.maximum(expected, 0), atol=1e-14)


@pytest.mark.parametrize("dimension", [1.0, 5.0, 12.0])
def test_the_penalty_of_a_dimension_has_that_dimension(dimension):
    mu = spectrum(ROWS, KERNEL)
    penalty = penalty_of_dimension(mu, dimension)
    assert np.sum(mu / (mu + penalty)) == pytest.approx(dimension, rel=1e-9)


def test_rows_are_distinct_dense_and_not_too_many():
    X = np.repeat(ROWS, 3, axis=0)
    for rows in (X, csr_array(X), X.astype(np.float32)):
        found = sample_rows(rows, 1000, 0)
        np.testing.assert_allclose(found, np.unique(X.astype(rows.dtype).astype(float), axis=0))
    few = sample_rows(ROWS, 10, 0)
    assert few.shape == (10, 2)
    assert {tuple(row) for row in few} <= {tuple(row) for row in ROWS}
    np.testing.assert_array_equal(few, sample_rows(ROWS, 10, 0))
