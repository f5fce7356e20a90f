"""Landmarks by randomly pivoted Cholesky: their law, their order, and what they leave."""

import numpy as np
from scipy.stats import chisquare

import bochner as bo
from bochner.features.nystroem import KernelMap
from bochner.features.pivoting import pivoted_rows
from tests.strategies import rows


def towards(kernel):
    return lambda points: KernelMap(kernel, np.asarray(points, dtype=float))


def test_the_first_two_landmarks_have_the_law_of_their_definition():
    """First uniform, second in proportion to 1 - k^2: 700 draws against all 20 ordered pairs of five points."""
    X, kernel = np.array([[0.0], [0.5], [0.9], [2.0], [2.5]]), bo.Gaussian()
    rng, counts = np.random.default_rng(0), np.zeros((5, 5))
    for _ in range(700):
        first, second = pivoted_rows(X, towards(kernel), 2, rng)
        counts[first, second] += 1
    residual = 1 - kernel(X) ** 2
    expected = residual / residual.sum(axis=1, keepdims=True) / 5
    off = ~np.eye(5, dtype=bool)
    assert counts[~off].sum() == 0
    assert chisquare(counts[off], 700 * expected[off]).pvalue > 1e-6


def test_a_smaller_choice_is_the_beginning_of_a_larger_one():
    X = rows(0, 500, 3)
    wide = pivoted_rows(X, towards(bo.Gaussian(2.0)), 150, np.random.default_rng(1))
    for size in (1, 40, 64, 100):
        np.testing.assert_array_equal(
            pivoted_rows(X, towards(bo.Gaussian(2.0)), size, np.random.default_rng(1)), wide[:size]
        )
    assert len(np.unique(wide)) == 150


def test_rows_that_explain_everything_are_filled_up_to_the_size():
    X = np.repeat(rows(0, 4, 2), 10, axis=0)
    chosen = pivoted_rows(X, towards(bo.Gaussian()), 30, np.random.default_rng(0))
    assert len(np.unique(chosen)) == 30
    assert len(np.unique(X[chosen[:4]], axis=0)) == 4


def test_rare_rows_are_seen():
    """995 rows in one place and 5 far away: uniform landmarks leave some of these with all of their variance."""
    kernel = bo.Gaussian(1.0)
    X = np.concatenate([0.3 * rows(0, 995, 2), 20 * rows(1, 5, 2)])
    residuals = {}
    for landmarks in ("uniform", "pivoted"):
        features = bo.NystroemFeatures(kernel, n_components=60, landmarks=landmarks, random_state=0).fit(X)
        residuals[landmarks] = 1 - np.sum(features.transform(X) ** 2, axis=1).min()
    assert residuals["uniform"] > 0.9
    assert residuals["pivoted"] < 0.5
    assert features.certify(X).value < 0.5


def test_what_is_drawn_at_once_is_nested_and_likes_large_residual_variances(monkeypatch):
    monkeypatch.setattr("bochner.features.pivoting.PIVOTS", 20)
    X = np.vstack([1e-3 * rows(0, 150, 2), 10 * rows(1, 50, 2)])  # a cluster that one landmark explains, and others
    wide = pivoted_rows(X, towards(bo.Gaussian()), 60, np.random.default_rng(1))
    assert len(np.unique(wide)) == 60
    for size in (10, 20, 45):
        np.testing.assert_array_equal(
            pivoted_rows(X, towards(bo.Gaussian()), size, np.random.default_rng(1)), wide[:size]
        )
    assert np.sum(wide[20:45] >= 150) >= 24  # of those outside of the cluster there are 30 left or more


def test_many_landmarks_of_a_rough_kernel_are_chosen_in_float32_as_well(monkeypatch):
    """The factor is float32 after the first 60: the rows are the same, copies among them or not, and nested."""
    X, kernel = np.repeat(rows(0, 300, 6), 2, axis=0), towards(bo.Matern(1.0, nu=0.5))
    monkeypatch.setattr("bochner.features.pivoting._FIRST", 60)
    narrow = pivoted_rows(X, kernel, 280, np.random.default_rng(1))
    assert len(np.unique(X[narrow], axis=0)) == 280
    np.testing.assert_array_equal(pivoted_rows(X, kernel, 200, np.random.default_rng(1)), narrow[:200])
    monkeypatch.setattr("bochner.features.pivoting._MUCH_LEFT", 2.0)
    np.testing.assert_array_equal(pivoted_rows(X, kernel, 280, np.random.default_rng(1)), narrow)
