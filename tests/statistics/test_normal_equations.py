"""Products with the normal equations equal those of the matrix, whatever the rows and however they are kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.data import ArrayRows
from bochner.errors import InvalidDataError
from bochner.features import draw_fourier_map, transform
from bochner.features.nystroem import KernelMap, draw_nystroem_map
from bochner.sampling import MonteCarlo
from bochner.statistics import StreamedNormal
from tests import reference
from tests.strategies import seeds

D, K = 24, 2


def some_rows(seed, n, dtype=float, weighted=True):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((n, 3)).astype(dtype), rng.standard_normal((n, K)) + 100
    return ArrayRows(X, Y, rng.integers(0, 3, n) + (np.arange(n) == 0) if weighted else None, np.dtype(dtype))


def a_map():
    return draw_fourier_map(bo.Gaussian(), MonteCarlo(), n_features=3, n_components=D, embedding="paired", seed=0)


def by_definition(rows, intercept):
    """z_mean, y_mean, G, cross, energy."""
    Z, (Y, weight) = transform(a_map(), rows.X, rows.dtype).astype(float), rows.targets()
    weight = np.ones(len(Z)) if weight is None else weight
    _, z, y, G, cross, energy = reference.moments(Z, Y, weight)
    if not intercept:
        G, cross, energy = (Z * weight[:, None]).T @ Z, (Z * weight[:, None]).T @ Y, weight @ Y**2
    return z, y, G, cross, energy


@given(seeds, st.integers(1, 300), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=30, deadline=None)
def test_the_operator_is_its_definition(seed, n, weighted, intercept, keep):
    rows = some_rows(seed, n, weighted=weighted)
    operator = StreamedNormal(rows, a_map(), fit_intercept=intercept, keep=keep)
    z, y, G, cross, energy = by_definition(rows, intercept)
    for got, expected in zip(operator.start(), (z, y, cross, energy)):
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
    V = np.random.default_rng(seed).standard_normal((D, 3))
    np.testing.assert_allclose(operator.product(V), G @ V, rtol=1e-9, atol=1e-8)
    assert (operator.width, operator.n_targets, operator.n_rows) == (D, K, n)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("keep", [True, False])
def test_whitened_features_have_products_of_bare_ones(intercept, keep):
    rows = some_rows(0, 200)
    drawn = draw_nystroem_map(KernelMap(bo.Gaussian(), rows.X[:D]))
    operator = StreamedNormal(rows, drawn, fit_intercept=intercept, keep=keep)
    assert operator.stream.feature_map is drawn.values
    Z, (Y, weight) = transform(drawn, rows.X, rows.dtype), rows.targets()
    mean = intercept * (weight @ Z / weight.sum())
    G = (weight[:, None] * (Z - mean)).T @ (Z - mean)
    V = np.random.default_rng(0).standard_normal((D, 3))
    np.testing.assert_allclose(operator.product(V), G @ V, rtol=1e-7, atol=1e-7)
    cross = (weight[:, None] * (Z - mean)).T @ (Y - intercept * (weight @ Y / weight.sum()))
    np.testing.assert_allclose(operator.start().cross, cross, rtol=1e-7, atol=1e-6)
    A = operator.sample(10**6, 0)
    np.testing.assert_allclose(A.T @ A, G, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(operator.forward(V), Z @ V, rtol=1e-7, atol=1e-8)


def test_float32_products_of_columns_of_any_size_have_float32_accuracy():
    rows = some_rows(0, 5000, np.float32)
    G = by_definition(rows, True)[2]
    V = np.random.default_rng(0).standard_normal((D, 3)) * [1e-40, 1.0, 1e40]
    got, expected = StreamedNormal(rows, a_map(), fit_intercept=True).product(V), G @ V
    assert got.dtype == np.float64
    error = np.linalg.norm(got - expected, axis=0) / np.linalg.norm(expected, axis=0)
    assert np.all(error < 1e-5)


@pytest.mark.parametrize("intercept", [True, False])
def test_a_sample_of_all_rows_has_the_gram_matrix_of_all(intercept):
    rows = some_rows(1, 200)
    A = StreamedNormal(rows, a_map(), fit_intercept=intercept).sample(1000, 0)
    assert len(A) == np.count_nonzero(rows.sample_weight)
    np.testing.assert_allclose(A.T @ A, by_definition(rows, intercept)[2], atol=1e-9)


def test_the_gram_matrix_of_samples_is_on_average_that_of_all_rows():
    """The mean over 500 samples of half the rows, within six of its standard errors in every entry."""
    rows = some_rows(2, 100, weighted=False)
    operator = StreamedNormal(rows, a_map(), fit_intercept=True)
    G = by_definition(rows, True)[2]
    samples = [operator.sample(50, seed) for seed in range(500)]
    grams = np.array([A.T @ A for A in samples])
    assert np.all(np.abs(grams.mean(axis=0) - G) <= 6 * grams.std(axis=0) / np.sqrt(500))
    assert len(samples[0]) == 50
    assert not np.allclose(samples[0], samples[1])
    assert np.array_equal(samples[0], operator.sample(50, 0))


def test_rows_without_any_weight_are_refused():
    rows = ArrayRows(np.ones((4, 3)), np.ones(4), np.zeros(4), np.dtype(float))
    with pytest.raises(InvalidDataError, match="sample_weight must be positive"):
        StreamedNormal(rows, a_map(), fit_intercept=True)
