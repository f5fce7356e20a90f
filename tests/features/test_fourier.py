"""The compiled loops against NumPy, and the embeddings against their definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.features import FeatureMap, _loops, apply_map, draw_fourier_map, linear_response, transform
from bochner.features.base import new_scratch
from tests import reference
from tests.strategies import rows, seeds


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 4e-7), (np.float64, 5e-16)])
@pytest.mark.parametrize("size", [0.1, 3.0, 300.0, 30_000.0])
@pytest.mark.parametrize("phases", [0, 1, 37])
def test_compiled_sines_and_cosines_are_those_of_numpy(dtype, tolerance, size, phases):
    rng = np.random.default_rng(0)
    projection = (size * rng.standard_normal((50, 37))).astype(dtype)
    amplitude = rng.uniform(0.5, 1, 37).astype(dtype)
    phase = np.zeros(phases, dtype=dtype)
    out, expected = np.empty((50, 74 - phases), dtype=dtype), np.empty((50, 74 - phases))
    _loops.fourier_features(projection, amplitude, phase, out)
    reference.fourier_features(projection.astype(float), amplitude.astype(float), phase.astype(float), expected)
    assert np.abs(out - expected).max() < tolerance


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-5), (np.float64, 1e-13)])
@pytest.mark.parametrize("d", range(1, 17))
def test_narrow_rows_are_projected_as_by_numpy(dtype, tolerance, d):
    X, omega_t = rows(0, 9, d, dtype), rows(1, d, 21, dtype)
    amplitude, phase = np.ones(21, dtype=dtype), np.full(5, 0.3, dtype=dtype)
    out, expected = np.empty((9, 37), dtype=dtype), np.empty((9, 37))
    _loops.narrow_fourier_features(X, omega_t, amplitude, phase, out, np.full(21, np.nan, dtype=dtype))
    reference.narrow_fourier_features(X.astype(float), omega_t.astype(float), amplitude, phase, expected, None)
    assert np.abs(out - expected).max() < tolerance


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_stay_bounded_for_absurd_arguments(dtype):
    projection = np.array([[1e6, -1e9, 1e20, 3e30]], dtype=dtype)
    out = np.empty((1, 8), dtype=dtype)
    _loops.fourier_features(projection, np.ones(4, dtype=dtype), np.zeros(0, dtype=dtype), out)
    assert np.all(np.abs(out) <= 1.5)


def a_map(embedding="paired", width=64, d=3, kernel=None, sampling=None, seed=0):
    return draw_fourier_map(
        kernel or bo.Gaussian(),
        sampling or bo.MonteCarlo(),
        n_features=d,
        n_components=width,
        embedding=embedding,
        seed=seed,
    )


@given(seeds, st.integers(1, 40), st.sampled_from(["paired", "phase"]))
@settings(max_examples=30, deadline=None)
def test_a_map_is_its_formula(seed, width, embedding):
    fourier = a_map(embedding, width, seed=seed, kernel=2.0 * bo.Gaussian())
    X = rows(seed, 5, 3)
    Z = transform(fourier, X, np.dtype(float))
    assert Z.shape == (5, width)
    m, pairs = len(fourier.omega), len(fourier.omega) - len(fourier.phase)
    P = X @ fourier.omega.T
    paired = np.sqrt(2 / m) * np.hstack([np.cos(P[:, :pairs]), np.sin(P[:, :pairs])])
    phased = np.sqrt(4 / m) * np.cos(P[:, pairs:] + fourier.phase)
    np.testing.assert_allclose(Z, np.hstack([paired, phased]), atol=1e-14)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("width", [2, 7])
def test_the_gram_of_the_features_has_the_kernel_as_its_mean(embedding, width):
    """Mean over 4,000 seeds; |z.z| <= 2 per draw, so 6 standard errors are below 6 * 2 / sqrt(4000)."""
    X = rows(1, 4, 3)
    draws = np.array(
        [(lambda Z: Z @ Z.T)(transform(a_map(embedding, width, seed=s), X, np.dtype(float))) for s in range(4000)]
    )
    error = np.abs(draws.mean(axis=0) - bo.Gaussian()(X))
    assert np.all(error <= 6 * draws.std(axis=0) / np.sqrt(4000) + 1e-12)


def test_the_paired_embedding_has_an_exact_diagonal_and_the_lower_variance():
    X = np.array([[0.0, 0, 0], [1.0, 0, 0]])
    paired = np.array(
        [(lambda Z: Z @ Z.T)(transform(a_map("paired", 100, seed=s), X, np.dtype(float))) for s in range(2000)]
    )
    phase = np.array(
        [(lambda Z: Z @ Z.T)(transform(a_map("phase", 100, seed=s), X, np.dtype(float))) for s in range(2000)]
    )
    np.testing.assert_allclose(paired[:, 0, 0], 1.0, atol=1e-12)
    # Sutherland & Schneider, eqs (6) and (7), at distance 1 and D = 100; a variance of 2,000 has 3 % standard error.
    assert paired[:, 0, 1].var() == pytest.approx(0.00399576, rel=0.2)
    assert phase[:, 0, 1].var() == pytest.approx(0.00699788, rel=0.2)


def test_tiles_threads_and_blocks_change_nothing_beyond_rounding():
    fourier, X = a_map(width=600, d=5), rows(0, 3000, 5, np.float32)
    whole = transform(fourier, X, np.dtype(np.float32))
    with bo.config_context(n_threads=1):
        np.testing.assert_allclose(transform(fourier, X, np.dtype(np.float32)), whole, atol=1e-6)
    pieces = np.empty_like(whole)
    apply_map(fourier, X, pieces, new_scratch(fourier, np.dtype(np.float32))[:17])
    np.testing.assert_allclose(pieces, whole, atol=1e-6)


def test_the_linear_response_is_features_times_coefficients():
    fourier, X, coef = a_map(width=50), rows(0, 900, 3), rows(1, 50, 2)
    expected = transform(fourier, X, np.dtype(float)) @ coef + np.array([1.0, 2.0])
    np.testing.assert_allclose(
        linear_response(fourier, X, coef, np.array([1.0, 2.0]), np.dtype(float)), expected, atol=1e-12
    )


def test_an_error_in_a_thread_is_raised():
    class Broken(FeatureMap):
        n_components, scratch_width = 4, 4

        def n_bytes(self, dtype):
            return 0

        def write(self, X, out, scratch):
            raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        transform(Broken(), np.zeros((10_000_00, 1)), np.dtype(float))
