"""The curves that stand for a kernel matrix on an interval, against the matrix itself."""

from __future__ import annotations

import numpy as np
import pytest

from bochner import Gaussian
from bochner.features import transform
from bochner.reproduce.interval import Interval, draw_maps, mean_cosines


def error_matrix(feature_map, points):
    Z = transform(feature_map, points[:, None], np.dtype(float))
    return Z @ Z.T - Gaussian()(points[:, None])


@pytest.mark.parametrize("n", [1, 2, 10, 49, 50])
def test_mean_cosines_on_a_grid(n):
    rng = np.random.default_rng(0)
    omega, phase = rng.standard_normal(30), rng.uniform(0, 2 * np.pi, 30)
    t = -2 + 0.1 * np.arange(n)
    direct = np.cos(np.outer(t, omega) + phase).mean(axis=1)
    assert mean_cosines(omega, phase, -2.0, 0.1, n) == pytest.approx(direct, abs=1e-6)


@pytest.mark.parametrize("radius", [3.0, 1.5])
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_suprema_are_those_of_the_error_matrix(embedding, radius):
    interval = Interval(3.0, 61)
    for feature_map in draw_maps(100, embedding, 3, seed=0):
        # All x - y and x + y on the grid of lags are the pairs of equal parity on a grid twice as fine.
        points = np.linspace(-3, 3, 121)
        inside = np.flatnonzero(np.abs(points) <= radius + 1e-9)
        error = np.abs(error_matrix(feature_map, points)[np.ix_(inside, inside)])
        same_parity = (inside[:, None] + inside) % 2 == 0
        supremum = interval.suprema(feature_map, np.array([radius]))[0]
        assert supremum == pytest.approx(error[same_parity].max(), abs=1e-5)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_mean_square_is_that_of_the_error_matrix(embedding):
    interval = Interval(3.0, 241)
    weights = np.ones(241)
    weights[[0, -1]] = 0.5
    weights /= weights.sum()
    for feature_map in draw_maps(100, embedding, 3, seed=1):
        squares = error_matrix(feature_map, np.linspace(-3, 3, 241)) ** 2
        assert interval.mean_square(feature_map) == pytest.approx(weights @ squares @ weights, rel=1e-3)


def test_widths_and_embeddings_do_not_share_draws():
    first = {(D, e): draw_maps(D, e, 1, seed=0)[0].omega[0, 0] for D in (50, 100) for e in ("paired", "phase")}
    assert len(set(first.values())) == 4
