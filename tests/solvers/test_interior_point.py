"""Interior points: quadratic programs with bounds, against their duality gap and against each other."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.solvers.interior_point import Bounds, interior_point
from bochner.solvers.interior_rows import KeptRows, StreamedRows
from tests.identity_features import stream_of
from tests.strategies import rows


def program(n, D, quantile, seed=0):
    """Waves of rows with a constant, targets, and the box of a quantile."""
    X = rows(seed, n, 3)
    F = np.column_stack([np.cos(X @ (2 * rows(seed + 1, 3, D))) / np.sqrt(D), np.ones(n)])
    y = np.sin(3 * X[:, 0]) + 0.3 * rows(seed + 2, n, 1)[:, 0]
    return F, y, Bounds(np.full(n, quantile - 1.0), np.full(n, quantile))


def relative_gap(F, y, bounds, alpha, b):
    w = F.T @ b / alpha
    r = y - F @ w
    objective = np.sum(np.maximum(bounds.upper * r, bounds.lower * r)) + alpha / 2 * w @ w
    return (objective - (y @ b - alpha / 2 * w @ w)) / objective


@pytest.mark.parametrize(("n", "D"), [(1, 1), (2, 5), (40, 7), (40, 90), (300, 64)])
@pytest.mark.parametrize("quantile", [0.01, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("alpha", [1e-4, 0.1, 1e3])
def test_the_gap_is_closed_inside_of_the_bounds(n, D, quantile, alpha):
    F, y, bounds = program(n, D, quantile)
    b, steps = interior_point(KeptRows(F), y, bounds, alpha, tol=1e-10, max_iter=100)
    assert np.all((b >= bounds.lower) & (b <= bounds.upper))
    assert relative_gap(F, y, bounds, alpha, b) < 1e-6
    assert steps < 60


def test_wide_and_narrow_features_of_one_kernel_have_one_minimum():
    """As many rows as features are solved by the other matrix."""
    F, y, bounds = program(60, 30, 0.3)
    wide = np.column_stack([F, np.zeros((60, 40))])
    first, second = (interior_point(KeptRows(each), y, bounds, 0.01, tol=1e-12, max_iter=100)[0] for each in (F, wide))
    np.testing.assert_allclose(first @ F, second @ F, atol=1e-6)


@pytest.mark.parametrize("y", [np.zeros(20), np.ones(20), np.r_[1e9, np.zeros(19)], 1e-9 * np.arange(20.0)])
def test_targets_without_a_scale_end_too(y):
    F, _, bounds = program(20, 6, 0.5)
    b, _ = interior_point(KeptRows(F), y, bounds, 0.1, tol=1e-10, max_iter=100)
    assert np.all(np.isfinite(b))
    assert np.all((b >= bounds.lower) & (b <= bounds.upper))


def test_repeated_rows_and_repeated_features_do_not_matter():
    F, y, bounds = program(50, 10, 0.5)
    again, twice_y, halves = (
        np.vstack([F, F]),
        np.r_[y, y],
        Bounds(np.r_[bounds.lower, bounds.lower] / 2, np.full(100, 0.25)),
    )
    once = interior_point(KeptRows(F), y, bounds, 0.01, tol=1e-12, max_iter=100)[0]
    twice = interior_point(KeptRows(again), twice_y, halves, 0.01, tol=1e-12, max_iter=100)[0]
    np.testing.assert_allclose(again.T @ twice, F.T @ once, atol=1e-6)


def test_a_small_table_is_solved_in_a_few_steps_to_a_small_gap():
    X, y = rows(0, 200, 4), np.sin(rows(0, 200, 4)).sum(axis=1) + 0.1 * rows(1, 200, 1)[:, 0]
    model = bo.KernelQuantileRegressor(
        quantile=[0.1, 0.9], alpha=0.01, length_scale=2.0, n_components=64, random_state=0
    )
    assert model.fit(X, y).n_iter_ < 60
    assert model.dual_gap_ < 1e-6 * model.objective_


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_rows_that_are_read_have_the_products_of_rows_in_memory(fit_intercept):
    rng, chosen = np.random.default_rng(0), np.array([0, 3, 4, 17, 29])
    Z, w, b, d = rows(0, 30, 4), rng.standard_normal(4 + fit_intercept), rng.random(5), 0.5 + rng.random(5)
    kept = KeptRows(np.column_stack([Z[chosen], np.ones((5, int(fit_intercept)))]))
    read = StreamedRows(stream_of(Z, keep=False), chosen, fit_intercept=fit_intercept)
    np.testing.assert_allclose(read.forward(w), kept.forward(w))
    np.testing.assert_allclose(read.adjoint(b), kept.adjoint(b))
    np.testing.assert_allclose(np.tril(read.gram(d)), np.tril(kept.gram(d)))
    np.testing.assert_allclose(read.solver(d, 0.3)(b), kept.solver(d, 0.3)(b))
