"""Duality gaps of exact kernel classifiers: never below the true distance, and next to nothing at the optimum."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers.exact_classifier import logistic_gap, margin_gap
from bochner.solvers.losses import Hinge, Logistic
from bochner.statistics.kernel_product import KernelProduct
from tests import reference
from tests.strategies import rows

KERNEL, ALPHA = bo.Gaussian(1.5), 0.7
INTERCEPT = pytest.mark.parametrize("intercept", [True, False])


def labelled_rows(columns, n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rows(seed, n, 2)
    scores = reference.class_scores(np.sin(2 * X @ rng.standard_normal((2, columns))))
    return X, np.argmax(2 * scores + rng.gumbel(size=scores.shape), axis=1), rng.integers(1, 4, n).astype(float)


def exact_features(X, new):
    """Features whose inner products are the kernel at all these rows: the exact machine is then a linear one."""
    both = np.vstack([X, new])
    values, vectors = np.linalg.eigh(KERNEL(both))
    Z = vectors * np.sqrt(np.maximum(values, 0))
    return Z[: len(X)], Z[len(X) :]


@INTERCEPT
@pytest.mark.parametrize("columns", [1, 3])
def test_the_logistic_gap_bounds_the_distance_from_the_exact_machine(columns, intercept):
    X, labels, weight = labelled_rows(columns)
    new = rows(9, 15, 2)
    Z, Z_new = exact_features(X, new)
    coef, offset = reference.logistic_minimum(Z, labels, weight, ALPHA, columns, intercept)
    least = reference.logistic_objective(Z, labels, weight, ALPHA, coef, offset)
    product, loss = KernelProduct(KERNEL, X), Logistic(labels, weight)
    for noise in (0.0, 0.01, 0.3):
        found = logistic_gap(
            product, loss, Z @ coef + offset + noise * rows(1, 40, columns), ALPHA, intercept=intercept
        )
        own = Z.T @ found.dual / ALPHA
        objective = reference.logistic_objective(Z, labels, weight, ALPHA, own, found.intercept)
        assert found.objective[0] == pytest.approx(objective, rel=1e-11)
        assert objective - least <= found.gap[0] + 1e-9 * least
        assert ALPHA * np.sum((own - coef) ** 2) <= found.gap[0] + 1e-9 * least
        scores, rounding = found.at(product, new)
        np.testing.assert_allclose(scores, Z_new @ own + found.intercept, atol=1e-9)
        moved = np.abs(Z_new @ own - Z_new @ coef)
        assert np.all(moved <= found.radius(KERNEL.diag(new)) + rounding + 1e-6)
        if columns == 1:
            assert abs(found.intercept[0] - offset[0]) <= found.intercept_radius(KERNEL.diag(X)) + 1e-6
        if noise == 0:
            assert found.gap[0] <= 1e-7 * least


@INTERCEPT
@pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared_hinge"])
def test_the_margin_gap_bounds_the_distance_from_the_exact_machine(squared, intercept):
    X, labels, weight = labelled_rows(3)
    signs = np.where(labels[:, None] == np.arange(3), 1.0, -1.0)
    Z, _ = exact_features(X, X[:1])
    product, loss = KernelProduct(KERNEL, X), Hinge(signs, weight, squared=squared)
    least = np.array([reference.hinge_minimum(Z, y, weight, ALPHA, intercept, squared) for y in signs.T])
    for seed in range(3):
        dual = np.random.default_rng(seed).uniform(0, 0.5, (40, 3)) * weight[:, None]
        found = margin_gap(product, loss, dual, ALPHA, intercept=intercept)
        own = Z.T @ (signs * dual) / ALPHA
        objective = reference.hinge_objective(Z, signs, weight, ALPHA, own, found.intercept, squared)
        np.testing.assert_allclose(found.objective, objective, rtol=1e-11)
        assert np.all(objective - least <= found.gap + 1e-7 * least)
        np.testing.assert_allclose(found.scores, Z @ own + found.intercept, atol=1e-9)
        assert found.intercept_radius(KERNEL.diag(X)) == 0.0


def test_dual_variables_outside_their_box_are_brought_back():
    X, labels, weight = labelled_rows(1)
    loss = Hinge(np.where(labels == 1, 1.0, -1.0)[:, None], weight, squared=False)
    found = margin_gap(KernelProduct(KERNEL, X), loss, np.full((40, 1), 1e6), ALPHA, intercept=False)
    np.testing.assert_array_equal(np.abs(found.dual[:, 0]), weight)
    below = margin_gap(KernelProduct(KERNEL, X), loss, np.full((40, 1), -1.0), ALPHA, intercept=False)
    assert not np.any(below.dual)
    assert below.gap[0] == pytest.approx(weight.sum(), rel=1e-12)  # f = 0: every row has a loss of its weight


def test_one_row_is_a_problem_with_a_closed_form():
    """max(0, 1 - f) + alpha/2 f^2 with k = 1 is least at f = 1 for alpha < 1, where beta = alpha."""
    product, loss = KernelProduct(KERNEL, np.zeros((1, 2))), Hinge(np.ones((1, 1)), np.ones(1), squared=False)
    found = margin_gap(product, loss, np.full((1, 1), ALPHA), ALPHA, intercept=False)
    assert found.scores[0, 0] == pytest.approx(1.0, rel=1e-15)
    assert 0 <= found.gap[0] <= 1e-12


def test_many_classes_have_an_intercept_whose_gradient_vanishes():
    """Beyond 64 classes the intercept is found by counts instead of Newton's equations."""
    n_classes, n = 70, 210
    labels = np.arange(n) % n_classes
    loss = Logistic(labels, np.random.default_rng(0).uniform(0.5, 2, n))
    found = logistic_gap(KernelProduct(KERNEL, rows(0, n, 2)), loss, rows(1, n, n_classes), ALPHA, intercept=True)
    assert np.abs(found.dual.sum(axis=0)).max() <= 1e-10 * loss.weight.sum()
    assert np.isfinite(found.gap[0])
