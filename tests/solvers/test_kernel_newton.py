"""Exact kernel classifiers by Newton's method: against SciPy's minimum of the dense problem, and their own gap."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import bochner as bo
from bochner.solvers import (
    Hinge,
    KernelLogistic,
    KernelNewton,
    KernelSquaredHinge,
    LandmarkFeatures,
    Logistic,
    signs_of,
)
from bochner.solvers.kernel_losses import RowCurvature
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

N, ALPHA, KERNEL = 70, 0.3, bo.Matern(1.5, nu=2.5)
X = rows(0, N, 3)
SCORE = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rows(1, N, 1)[:, 0]
WEIGHT = np.random.default_rng(2).uniform(0.5, 2, N)


def labels(n_classes):
    return np.digitize(SCORE, np.quantile(SCORE, np.arange(1, n_classes) / n_classes))


def kernel_loss(name, n_classes, intercept):
    if name == "logistic":
        loss = Logistic(labels(n_classes), WEIGHT)
        return KernelLogistic(loss, 1 if n_classes == 2 else n_classes, intercept=intercept)
    return KernelSquaredHinge(Hinge(signs_of(labels(n_classes), n_classes), WEIGHT, squared=True), intercept=intercept)


def in_float32(product):
    return replace(product, precision=np.dtype(np.float32), room=10**9, _counter=[0])


def solved(loss, tol=1e-8, n_landmarks=20, dtype=np.float32):
    product = KernelProduct(KERNEL, X)
    features = LandmarkFeatures(product, np.arange(n_landmarks), np.dtype(dtype), True)
    return KernelNewton(product, in_float32(product), loss, features, ALPHA).solve(tol=tol, max_iter=50)


def least_objective(loss):
    """By L-BFGS on a root of the kernel matrix, all columns together."""
    Z = np.linalg.cholesky(KERNEL(X, X) + loss.constant + 1e-12 * np.eye(N))
    n, t = loss.shape

    def objective(theta):
        W, w_0 = theta[: n * t].reshape(n, t), theta[n * t :] * loss.free_intercept
        scores = Z @ W + w_0
        G = loss.gradient(scores)
        value = np.sum(loss.value(scores)) + ALPHA / 2 * np.sum(W**2)
        return value, np.append((Z.T @ G + ALPHA * W).ravel(), G.sum(axis=0) * loss.free_intercept)

    options = {"maxiter": 5000, "maxfun": 5000, "ftol": 1e-14, "gtol": 1e-8}
    return minimize(objective, np.zeros(n * t + t), jac=True, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["logistic", "squared_hinge"])
def test_the_gap_holds_the_distance_to_the_least_objective(name, n_classes, intercept):
    loss = kernel_loss(name, n_classes, intercept)
    found, least = solved(loss), least_objective(loss)
    assert found.converged
    assert -1e-7 * least <= found.objective - least <= found.gap + 1e-7 * least
    assert found.gap <= 1e-7 * least


@pytest.mark.parametrize("name", ["logistic", "squared_hinge"])
def test_the_objective_is_that_of_the_coefficients(name):
    loss = kernel_loss(name, 3, True)
    found = solved(loss)
    K = KERNEL(X, X)
    scores = K @ found.coef + found.intercept
    penalty = np.sum(found.coef * (K @ found.coef)) + loss.constant * np.sum(found.intercept**2)
    assert np.sum(loss.value(scores)) + ALPHA / 2 * penalty == pytest.approx(found.objective, rel=1e-10)
    np.testing.assert_allclose(-loss.gradient(scores) / ALPHA, found.coef, atol=1e-2)


def test_few_steps_are_reported_as_not_converged():
    product = KernelProduct(KERNEL, X)
    features = LandmarkFeatures(product, np.arange(20), np.dtype(np.float32), True)
    loss = kernel_loss("logistic", 2, True)
    found = KernelNewton(product, in_float32(product), loss, features, ALPHA).solve(tol=1e-8, max_iter=1)
    assert (found.n_iter, found.converged) == (1, False)
    assert found.objective - least_objective(loss) <= found.gap


def test_a_tolerance_that_float32_tiles_do_not_reach_is_reached_in_float64():
    assert solved(kernel_loss("squared_hinge", 3, True), tol=1e-10).converged


@pytest.mark.parametrize("name", ["logistic", "squared_hinge"])
def test_the_curvature_is_the_derivative_of_the_gradient(name):
    loss = kernel_loss(name, 3, True)
    scores, move = 0.5 * rows(3, N, 3), 1e-6 * rows(4, N, 3)
    curvature = loss.curvature(scores)
    found = curvature.times(curvature.adjoint(move))
    difference = loss.gradient(scores + move) - loss.gradient(scores - move)
    np.testing.assert_allclose(found, difference / 2, atol=1e-5 * np.abs(found).max())
    whole = np.einsum("it,iu->tu", curvature.scale, curvature.scale)
    assert curvature.total().shape == whole.shape
    np.testing.assert_allclose(curvature.weight.sum(axis=0), np.diag(curvature.total()))


def test_the_inverse_of_a_factor_undoes_it():
    unit = np.sqrt(np.random.default_rng(0).dirichlet(np.ones(3), N))
    curvature = RowCurvature(np.sqrt(WEIGHT)[:, None] * unit, unit)
    B = curvature.projected(rows(5, N, 3))
    np.testing.assert_allclose(curvature.inverse(curvature.times(B)), B, atol=1e-10)


@pytest.mark.parametrize("name", ["logistic", "squared_hinge"])
def test_rows_that_contradict_each_other_have_no_scores_and_no_gap(name):
    twice, labels = np.repeat(X[:30], 2, axis=0), np.tile([0, 1], 30)
    ones, product = np.ones(60), KernelProduct(KERNEL, twice)
    features = LandmarkFeatures(product, np.arange(0, 60, 4), np.dtype(np.float32), True)
    hinge = KernelSquaredHinge(Hinge(signs_of(labels, 2), ones, squared=True), intercept=True)
    loss = KernelLogistic(Logistic(labels, ones), 1, intercept=True) if name == "logistic" else hinge
    found = KernelNewton(product, in_float32(product), loss, features, ALPHA).solve(tol=1e-6, max_iter=20)
    assert found.converged
    np.testing.assert_allclose(KERNEL(X, twice) @ found.coef, 0, atol=1e-3)
