"""Seeds in place of frequencies: only where drawing them again is exact."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.errors import FileFormatError
from bochner.io.frequencies import SeededMap, seeded

X = np.random.default_rng(0).standard_normal((20, 3))


def fitted(kernel, **options):
    return bo.FourierFeatures(kernel, n_components=16, random_state=0, **options).fit(X).map_


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("kernel", [bo.Gaussian([1.0, 2.0, 3.0]), 2.0 * (3.0 * bo.Gaussian(0.5))], ids=repr)
def test_normal_frequencies_come_back_bit_for_bit(kernel, embedding):
    drawn = fitted(kernel, embedding=embedding)
    again = seeded(drawn).restored()
    for name in ("omega", "amplitude", "phase"):
        np.testing.assert_array_equal(getattr(again, name), getattr(drawn, name))


@pytest.mark.parametrize(
    ("kernel", "sampling"),
    [(bo.Matern(), "monte_carlo"), (bo.Gaussian(), "orthogonal"), (bo.Gaussian() * bo.Gaussian(), "monte_carlo")],
)
def test_other_frequencies_are_stored(kernel, sampling):
    assert seeded(fitted(kernel, sampling=sampling)) is None


def test_a_digest_that_does_not_match_is_refused():
    stand_in = seeded(fitted(bo.Gaussian()))
    with pytest.raises(FileFormatError, match="frequencies='stored'"):
        replace(stand_in, digest="0" * 64).restored()
    recipe = replace(stand_in.recipe, kernel=bo.Matern())
    with pytest.raises(FileFormatError, match="not drawn from seeds"):
        SeededMap(recipe, stand_in.digest).restored()
