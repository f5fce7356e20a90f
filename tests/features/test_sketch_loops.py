"""Compiled loops of sketches, codes and histograms against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.features import _sketch_loops
from tests import reference

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("phaseless", [True, False])
def test_additive_features_are_those_of_the_twin(dtype, phaseless):
    X = RNG.random((7, 5)).astype(dtype)
    X[0, 0] = 0
    logs = np.log(np.maximum(X, np.finfo(dtype).tiny))
    frequencies, amplitude = RNG.standard_normal((3, 5)).astype(dtype), RNG.random(3).astype(dtype)
    if phaseless:
        frequencies[0] = 0
    found, expected = np.empty((2, 7, 5 * (6 - phaseless)), dtype=dtype)
    _sketch_loops.additive_features(X, logs, frequencies, amplitude, phaseless, found)
    reference.additive_features(X, logs, frequencies, amplitude, phaseless, expected)
    np.testing.assert_allclose(found, expected, atol=10 * np.finfo(dtype).eps)


def test_factors_are_multiplied_into_the_first_columns():
    factors, counts, out = RNG.standard_normal((6, 7)), np.array([4, 2, 1]), RNG.standard_normal((6, 5))
    expected = out.copy()
    _sketch_loops.multiply_factors(factors, counts, out)
    reference.multiply_factors(factors, counts, expected)
    np.testing.assert_allclose(out, expected)


def test_signs_replace_numbers():
    values = np.array([[1.5, -2.0, 0.0], [-0.0, 3.0, -1e-300]])
    _sketch_loops.replace_by_signs(values, 0.5)
    np.testing.assert_array_equal(values, [[0.5, -0.5, 0.5], [-0.5, 0.5, -0.5]])


@pytest.mark.parametrize("words", [1, 2, 9])
def test_bits_that_differ_are_counted(words):
    first, second = (RNG.integers(0, 2**64, (n, words), dtype=np.uint64) for n in (5, 8))
    found = np.empty((5, 8), dtype=np.int32)
    _sketch_loops.differing_bits(first, second, found)
    np.testing.assert_array_equal(found, reference.differing_bits(first, second))
