"""Kernels and penalties that iterations can hardly solve: no residual is above that of zero."""

import warnings

import numpy as np
import pytest

import bochner as bo

N = 400
KERNELS = (
    bo.Gaussian,
    lambda scale: bo.Matern(length_scale=scale, nu=0.5),
    lambda scale: bo.Matern(length_scale=scale, nu=1.5),
    lambda scale: bo.Matern(length_scale=scale, nu=2.5),
    bo.Cauchy,
)


def drawn(seed):
    """Rows, some with heavy tails, a kernel with scales up to 10^4 spreads, and a penalty down to 1e-8."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, int(rng.integers(1, 6))))
    if seed % 3 == 0:
        X[:, 0] = rng.exponential(40, N) ** 1.2 - 15
    if seed % 5 == 1:
        X[:, 0] = rng.lognormal(0, 3, N)
    y = X[:, 0] / X[:, 0].std() + np.sin(X[:, -1]) + 0.3 * rng.standard_normal(N)
    scale = X.std(axis=0) * 10 ** rng.uniform(-1, 4, X.shape[1])
    return X.astype(np.float32 if seed % 2 else float), y, KERNELS[seed % 5](scale), 10 ** rng.uniform(-8, 0)


@pytest.mark.parametrize("block", range(10))
def test_no_residual_is_above_that_of_zero(block):
    for seed in range(20 * block, 20 * block + 20):
        X, y, kernel, alpha = drawn(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = bo.KernelRegressor(
                kernel, features="exact", solver="iterative", alpha=alpha, tol=1e-4, random_state=0
            ).fit(X, y)
        solution = model.fitted_.solution
        points, coef = model.feature_map_.kernel_values.points, solution.coef[:, 0]
        targets = y[np.argmin(np.abs(points[:, None] - X.astype(float)).sum(axis=2), axis=1)]
        residual = targets - kernel(points) @ coef - solution.intercept - solution.alpha * coef
        relative = np.linalg.norm(residual) / np.linalg.norm(y - y.mean())
        assert relative <= 1 + 1e-6, seed
        assert relative < 1e-3 or any("residual" in str(each.message).lower() for each in caught), seed


def test_float64_takes_over_where_residuals_grow():
    rng = np.random.default_rng(0)
    n = 3000
    long_tail = np.round(rng.exponential(40, n) ** 1.2 - 15)
    X = np.column_stack([long_tail, rng.standard_normal((n, 4))]).astype(np.float32)
    y = long_tail + 0.1 * long_tail * X[:, 2] + 10 * rng.standard_normal(n)
    kernel = bo.Gaussian(length_scale=[128.0, 20, 20, 20, 20])
    model = bo.KernelRegressor(kernel, features="exact", solver="iterative", alpha=1e-4, random_state=0).fit(X, y)
    assert model.residuals_[-1] < 1e-3
    assert np.std(model.predict(X) - y) < 0.15 * y.std()
