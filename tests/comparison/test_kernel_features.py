"""Feature maps for comparing samples: of a kernel, and of a transformer."""

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

import bochner as bo
from bochner.comparison.kernel_features import (
    KernelFeatures,
    TransformerFeatures,
    check_even_width,
    check_width,
    default_components,
    feature_witness,
)
from bochner.errors import InvalidParameterError
from bochner.features import transform

X = np.random.default_rng(0).standard_normal((30, 2))
KERNEL = 2.0 * bo.Gaussian(1.5)


def draw(embedding="paired", sampling="monte_carlo", seed=0):
    return KernelFeatures.draw(KERNEL, 2, 64, embedding=embedding, sampling=sampling, seed=seed)


def test_pairs_have_a_constant_diagonal_and_phases_do_not():
    paired, phase = draw("paired"), draw("phase")
    squares = np.sum(transform(paired.feature_map, X, np.dtype(float)) ** 2, axis=1)
    np.testing.assert_allclose(squares, paired.diagonal, rtol=1e-13)
    assert paired.diagonal == KERNEL.variance == 2.0
    assert phase.diagonal is None
    assert paired.n_components == phase.n_components == 64
    assert paired.n_features == 2


def test_the_same_seed_is_the_same_map():
    assert draw().same_map(draw())
    assert not draw().same_map(draw(seed=1))


def test_only_independent_frequencies_have_a_certificate():
    assert draw(sampling="orthogonal").certify_mmd((10, 10), "biased", 0.01) is None
    one, three = (draw().certify_mmd((10, 10), "biased", 0.01, n) for n in (1, 3))
    assert one.value < three.value
    assert one.delta == three.delta == 0.01
    assert three.claim == f"for each of the 3 kernels, {one.claim}"


def test_a_transformer_has_no_kernel_and_no_certificate():
    fitted = PolynomialFeatures(2).fit(X)
    features = TransformerFeatures.of(fitted, X)
    assert features.n_components == 6
    assert features.variance == 1.0
    assert features.diagonal is features.certify_mmd((10, 10), "biased", 0.01) is None
    direction = np.arange(6.0)
    np.testing.assert_allclose(feature_witness(features, direction, X), fitted.transform(X) @ direction)


def test_the_witness_is_linear_in_the_features():
    features, direction = draw(), np.random.default_rng(1).standard_normal(64)
    expected = transform(features.feature_map, X, np.dtype(float)) @ direction
    np.testing.assert_allclose(feature_witness(features, direction, X), expected, atol=1e-13)


@pytest.mark.parametrize(
    ("width", "embedding", "rule"),
    [
        (3, "paired", "even"),
        (0, "phase", ">= 1"),
        ("wide", "phase", ">= 1"),
        (True, "phase", ">= 1"),
        (4, "x", "phase"),
    ],
)
def test_impossible_maps_are_refused(width, embedding, rule):
    with pytest.raises(InvalidParameterError, match=rule):
        check_width("Test", width, embedding)


def test_default_widths_grow_with_the_rows():
    assert default_components(1) == 576
    assert default_components(10**6) == 64 * int(np.ceil(8512 / 64))


@pytest.mark.parametrize("width", [None, np.nan, np.inf, True, "many", 1.5, [64]])
def test_a_width_that_is_no_number_is_refused_with_the_rule(width):
    with pytest.raises(InvalidParameterError, match=r"an integer >= 1 or 'auto'"):
        check_width("mmd_test", width, "paired")
    with pytest.raises(InvalidParameterError, match=r"an even integer >= 2 or 'auto'"):
        check_even_width("hsic_test", "n_components", width)
