"""Squared hinge by Newton's method on the rows inside the margin: the minimum of dual ascent, in few steps."""

import numpy as np
import pytest

import bochner as bo
from bochner.data import ArrayRows
from bochner.features.nystroem import KernelMap, draw_nystroem_map
from bochner.solvers.active_set import ActiveSetAscent, MarginRows
from bochner.solvers.dual import DualAscent
from bochner.solvers.losses import Hinge
from bochner.solvers.penalty import QuadraticPenalty
from bochner.statistics.feature_stream import FeatureStream
from tests.strategies import rows

N, D = 4400, 240  # just too many for sweeps until nothing moves
X = rows(0, N, 2)
SIGNS = np.where(np.sin(3 * X[:, :1]) + 0.3 * rows(1, N, 1) > 0, 1.0, -1.0)
SIGNS = np.hstack([SIGNS, np.where(X[:, 1:] > 1.2, 1.0, -1.0)])
MAP = draw_nystroem_map(KernelMap(bo.Gaussian(0.7), X[:D]))


def ascent(kind, alpha, *, weight=None, intercept=True, max_iter=200, dtype=float):
    stream = FeatureStream(ArrayRows(X, SIGNS, None, np.dtype(dtype)), MAP)
    loss = Hinge(SIGNS, np.ones(N) if weight is None else weight, squared=True)
    solver = kind(stream, loss, fit_intercept=intercept, seed=0)
    return solver.solve(QuadraticPenalty(alpha), tol=1e-6, max_iter=max_iter)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.01, 100.0])
def test_steps_end_at_the_minimum_where_sweeps_have_far_to_go(alpha, intercept):
    found = ascent(ActiveSetAscent, alpha, intercept=intercept)
    assert found.converged
    assert found.n_iter < 60
    assert np.all(found.intercept == 0) != intercept
    sweeps = ascent(DualAscent, alpha, intercept=intercept, max_iter=60)
    assert found.objective <= sweeps.objective
    assert sweeps.objective - sweeps.gap <= found.objective + 1e-9 * found.objective
    assert sweeps.converged == (alpha > 1)


def test_rows_of_weight_zero_are_not_there_and_float32_features_do():
    weight = np.where(np.arange(N) % 3 == 0, 0.0, 2.0)
    found, narrow = (ascent(ActiveSetAscent, 1.0, weight=weight, dtype=dtype) for dtype in (float, np.float32))
    assert np.all(found.dual[weight == 0] == 0)
    np.testing.assert_allclose(narrow.objective, found.objective, rtol=1e-4)


@pytest.mark.parametrize("n", [30, 200])  # fewer rows than features, and more
def test_the_minimum_has_no_slope(n):
    Z, signs, weight = rows(2, n, 50), SIGNS[:n, 0], np.random.default_rng(0).uniform(0.5, 2, n)
    problem = MarginRows(Z, signs, weight, 0.3, True)
    beta, steps = problem.minimum(np.zeros(51))
    v = np.append(Z.T @ (beta * signs), beta @ signs) / 0.3
    margin = signs * (Z @ v[:-1] + v[-1])
    np.testing.assert_allclose(beta, 2 * weight * np.maximum(0, 1 - margin), atol=1e-6)
    assert steps < 20
