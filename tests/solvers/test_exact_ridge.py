"""The distance to exact kernel ridge is bracketed at any time, by any number of products."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers import kernel_preconditioner
from bochner.solvers.exact_ridge import ExactRidge, Patience
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows


def problem(seed, n=300, weighted=True, k=2):
    rng = np.random.default_rng(seed)
    X, Y = rows(seed, n, 3), rng.standard_normal((n, k)) + [5.0, 0.0][:k]
    return X, Y, rng.exponential(size=n) + 0.05 if weighted else np.ones(n)


def dense(kernel, X, Y, weight, alpha, intercept, new):
    n, s = len(X), np.sqrt(weight)[:, None]
    M = s * kernel(X) * s.T + alpha * np.eye(n)
    border = s if intercept else np.zeros((n, 1))
    system = np.block([[M, border], [border.T, np.full((1, 1), float(not intercept))]])
    found = np.linalg.solve(system, np.vstack([s * Y, np.zeros((1, Y.shape[1]))]))
    return kernel(X) @ (s * found[:n]) + found[n], kernel(new, X) @ (s * found[:n]) + found[n]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("dense_rows", [4000, 0])
def test_every_number_of_products_gives_valid_limits_and_more_are_tighter(intercept, weighted, dense_rows, monkeypatch):
    monkeypatch.setattr(kernel_preconditioner, "DENSE_ROWS", dense_rows)
    monkeypatch.setattr(kernel_preconditioner, "_LANDMARKS", 40)
    kernel, alpha, new = bo.Gaussian(1.0), 0.1, rows(9, 50, 3)
    X, Y, weight = problem(0, weighted=weighted)
    fitted, at_new = dense(kernel, X, Y, weight, alpha, intercept, new)
    predictions = fitted + 0.1 * rows(1, 300, 2)
    difference = fitted - predictions
    truth = np.sqrt(np.sum(weight[:, None] * difference**2) / weight.sum() / 2)
    widths = []
    for products in (3, 5, 9, 30):
        exact = ExactRidge(KernelProduct(kernel, X), Y, weight, alpha, intercept)
        found = exact.distance(predictions, Patience(tightness=1.0, max_products=products))
        low, high = found.root_mean_square()
        assert low <= truth * (1 + 1e-9)
        assert high >= truth * (1 - 1e-9)
        assert found.largest() >= np.abs(difference).max()
        assert found.n_products <= products
        values, slack = found.at(new)
        assert np.all(np.abs(values - at_new) <= slack + 1e-9)
        widths.append(high - low)
    assert widths[-1] < 1e-6
    assert widths[-1] <= widths[0] + 1e-9


def test_the_search_ends_at_the_tightness_that_was_asked_for():
    X, Y, weight = problem(1)
    exact = ExactRidge(KernelProduct(bo.Gaussian(0.5), X), Y, weight, 0.01, True)
    low, high = exact.distance(np.zeros_like(Y), Patience(tightness=1.5)).root_mean_square()
    assert high <= 1.5 * low


def test_a_time_limit_of_nothing_still_gives_valid_limits():
    X, Y, weight = problem(2)
    kernel = bo.Gaussian(0.5)
    fitted, _ = dense(kernel, X, Y, weight, 0.01, True, X)
    exact = ExactRidge(KernelProduct(kernel, X), Y, weight, 0.01, True)
    found = exact.distance(np.zeros_like(Y), Patience(time_limit=1e-9))
    truth = np.sqrt(np.sum(weight[:, None] * fitted**2) / weight.sum() / 2)
    assert found.root_mean_square()[0] <= truth <= found.root_mean_square()[1]
    assert found.n_products == 2  # the mean of the kernel, the residual at the start


@pytest.mark.parametrize("alpha", [1e-6, 1e-9, 1e-11])
def test_tiny_penalties_have_limits_that_hold_and_are_useful(alpha):
    """The truth by elimination in extended precision, with kernel values of that precision."""
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("no floats beyond float64 here")
    n, wide = 120, np.longdouble
    X = rows(0, n, 2)
    y = np.sin(2 * X[:, 0]) + 0.3 * rows(1, n, 1)[:, 0]
    apart = X.astype(wide)[:, None] - X.astype(wide)[None]
    K = np.exp(-np.sum(apart**2, axis=2) / (2 * wide(1.5) ** 2))
    border = np.ones((n, 1), wide)
    system = np.block([[K + wide(alpha) * np.eye(n, dtype=wide), border], [border.T, np.zeros((1, 1), wide)]])
    found = eliminated(system, np.append(y, 0).astype(wide))
    fitted = (K @ found[:n] + found[n]).astype(float)[:, None]
    exact = ExactRidge(KernelProduct(bo.Gaussian(1.5), X), y[:, None], np.ones(n), alpha, True)
    distance = exact.distance(fitted + 0.1 * rows(2, n, 1), Patience())
    truth = np.sqrt(np.mean((0.1 * rows(2, n, 1)) ** 2))
    low, high = distance.root_mean_square()
    assert low <= truth <= high <= 1.05 * truth + 1e-12 / alpha
    assert np.max(np.abs(0.1 * rows(2, n, 1))) <= distance.largest()


def eliminated(system, right):
    """Solution by elimination with pivots, in the float type of the system."""
    A, n = np.column_stack([system, right]), len(right)
    for k in range(n):
        pivot = k + np.argmax(np.abs(A[k:, k]))
        A[[k, pivot]] = A[[pivot, k]]
        A[k + 1 :] -= np.outer(A[k + 1 :, k] / A[k, k], A[k])
    x = np.zeros(n, A.dtype)
    for k in range(n - 1, -1, -1):
        x[k] = (A[k, -1] - A[k, k + 1 : n] @ x[k + 1 :]) / A[k, k]
    return x


def test_one_row_and_duplicated_rows_are_no_trouble():
    for X in (np.zeros((1, 2)), np.zeros((5, 2)), np.repeat(rows(0, 3, 2), 4, axis=0)):
        Y = np.arange(float(len(X)))[:, None]
        exact = ExactRidge(KernelProduct(bo.Gaussian(), X), Y, np.ones(len(X)), 1e-6, True)
        low, high = exact.distance(np.zeros_like(Y), Patience()).root_mean_square()
        fitted, _ = dense(bo.Gaussian(), X, Y, np.ones(len(X)), 1e-6, True, X)
        truth = np.sqrt(np.mean(fitted**2))
        assert low <= truth * (1 + 1e-6)
        assert truth <= high * (1 + 1e-6) + 1e-12
