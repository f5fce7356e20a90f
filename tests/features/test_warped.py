"""Rank-warped columns: normal scores that no monotone change of a column moves, and what a map of them can do."""

import numpy as np
import pytest

import bochner as bo
from bochner.features import RankWarp, WarpedMap, transform
from bochner.features.nystroem import KernelMap, draw_nystroem_map

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((400, 3))


def test_normal_columns_are_nearly_their_own_scores():
    scores = RankWarp.of(X)(X)
    assert np.abs(scores - X).max() < 2
    assert np.corrcoef(scores[:, 0], X[:, 0])[0, 1] > 0.99


def test_scores_keep_the_order_of_values():
    order = np.argsort(X[:, 1])
    scores = RankWarp.of(X)(X)[order, 1]
    assert np.all(np.diff(scores) >= 0)


@pytest.mark.parametrize("factor", [1e-6, 3.0, 1e9])
def test_units_and_offsets_of_columns_change_nothing(factor):
    moved = factor * X + 7 * factor
    np.testing.assert_allclose(RankWarp.of(moved)(moved), RankWarp.of(X)(X), atol=1e-9)


def test_equal_values_have_one_score_and_constant_columns_none():
    column = np.repeat([0.0, 1.0, 5.0], [70, 20, 10])
    warp = RankWarp.of(np.c_[column, np.full(100, 3.0)])
    scores = warp(np.c_[column, np.full(100, 3.0)])
    assert len(np.unique(scores[:, 0])) == 3
    assert np.ptp(scores[:, 1]) == 0
    assert warp(np.array([[0.0, 1e6]]))[0, 1] == scores[0, 1]


def test_scores_grow_beyond_the_values_that_were_seen():
    warp = RankWarp.of(X)
    top, low = X.max(axis=0), X.min(axis=0)
    reach = top - low
    np.testing.assert_allclose(warp(np.array([top + reach]))[0] - warp(np.array([top]))[0], np.log(2))
    np.testing.assert_allclose(warp(np.array([low - reach]))[0] - warp(np.array([low]))[0], -np.log(2))


def test_float_types_are_kept():
    warp = RankWarp.of(X)
    assert warp(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(warp(X.astype(np.float32)), warp(X), atol=1e-4)


def test_a_map_of_scores_is_the_base_of_scores():
    warp = RankWarp.of(X)
    base = draw_nystroem_map(KernelMap(bo.Gaussian(2.0), warp(X)[:30]))
    warped, double = WarpedMap(warp, base), np.dtype(float)
    Z = transform(warped, X, double)
    np.testing.assert_array_equal(Z, transform(base, warp(X), double))
    np.testing.assert_array_equal(warped.residual_variance(X, Z), base.residual_variance(warp(X), Z))
    np.testing.assert_allclose(transform(warped.narrowed(10), X, double), Z[:, :10], atol=1e-8)
    coef = RANDOM.standard_normal((30, 1))
    cheaper, other = warped.linear_form(coef)
    np.testing.assert_allclose(transform(cheaper, X, double) @ other, Z @ coef, atol=1e-6)
    assert warped.n_bytes(double) > base.n_bytes(double)


def test_slopes_of_scores_are_those_of_central_differences_at_knots_too():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.exponential(size=60), rng.integers(0, 3, 60), np.full(60, 2.0)])
    warp = RankWarp.of(X)
    at = np.vstack([X[:20], X.min(axis=0), X.max(axis=0), X.max(axis=0) + 1.5, X.min(axis=0) - 2, rng.random((9, 3))])
    step = 1e-7
    expected = np.column_stack(
        [(warp(at + h) - warp(at - h))[:, j] / (2 * step) for j, h in enumerate(step * np.eye(3))]
    )
    np.testing.assert_allclose(warp.slopes(at), expected, rtol=1e-5, atol=1e-6)
