"""Nested maps: the first frequencies of a draw are the draw of a narrower map."""

import numpy as np
import pytest

import bochner as bo
from bochner.features import transform
from bochner.reporting.nested import narrower, narrower_moments, nested_widths, why_not_nested, wider
from bochner.reporting.view import ModelView


def test_widths_halve_and_double():
    assert nested_widths(100) == [24, 50, 100]
    assert nested_widths(64, doublings=2) == [16, 32, 64, 128, 256]


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_a_narrower_map_is_the_one_of_that_width_and_seed(embedding):
    X = np.random.default_rng(0).standard_normal((20, 3))

    def drawn(width):
        return bo.FourierFeatures(bo.Gaussian(), n_components=width, embedding=embedding, random_state=3).fit(X).map_

    expected = transform(drawn(16), X, np.dtype(float))
    found = transform(narrower(drawn(64), 16), X, np.dtype(float))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-12)


def test_moments_of_a_narrower_map_are_those_of_its_features(waves):
    view = ModelView.of(waves.regressor)
    part, columns, scale = narrower_moments(view.moments, view.fourier, 32)
    Z = scale * transform(view.fourier, waves.train, np.dtype(float))[:, columns]
    np.testing.assert_allclose(part.z_mean, Z.mean(axis=0), atol=1e-6)


def test_a_wider_map_begins_with_the_frequencies_of_the_model(waves):
    view = ModelView.of(waves.regressor)
    assert wider(view, 256).n_components == 256
    assert why_not_nested(view) is None
    landmarks = bo.KernelRegressor(features="nystroem", n_components=20, random_state=0).fit(waves.X, waves.y)
    assert "narrower models are known for Fourier features" in why_not_nested(ModelView.of(landmarks))
