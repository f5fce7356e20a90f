"""The distance to exact kernel ridge from a sample of the rows: limits that hold, for every kind of problem."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers.exact_ridge import ExactRidge, Patience
from bochner.solvers.sampled_ridge import Projection, dual_of_errors, sample_residual
from bochner.statistics.kernel_product import KernelProduct
from bochner.testing import rate_at_least
from bochner.theory.sampled_distance import SampledDistance
from tests.strategies import rows

KERNEL, DRAWS = bo.Gaussian(1.5), 60


def problem(n=1500, intercept=True, weighted=False, alpha=1.0, t=1):
    X = rows(0, n, 2)
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] ** 2][:t]) + 0.3 * rows(1, n, t) + 2.0
    weight = np.random.default_rng(2).exponential(size=n) + 0.1 if weighted else np.ones(n)
    return ExactRidge(KernelProduct(KERNEL, X), Y, weight, alpha, intercept)


def landmark_model(exact, n_landmarks):
    """Predictions of ridge regression on Nystroem features, and what they make of its errors."""
    X, s = exact.product.X, exact.root
    features = bo.NystroemFeatures(KERNEL, n_components=n_landmarks, random_state=0).fit(X)
    Z = features.transform(X)
    columns = np.hstack([Z, np.ones((len(X), 1))]) if exact.intercept else Z
    penalty = exact.alpha * np.eye(columns.shape[1])
    penalty[Z.shape[1] :] = 0
    coef = np.linalg.solve((s * columns).T @ (s * columns) + penalty, (s * columns).T @ (s * exact.Y))
    predictions = columns @ coef
    _, dual = dual_of_errors(exact, predictions)
    residual = np.maximum(features.map_.residual_variance(X, Z), 0) + 1e-10
    return predictions, Projection(Z @ (Z.T @ (exact.weight[:, None] * dual)), residual)


def true_distance(exact, predictions):
    low, high = exact.distance(predictions, Patience(tightness=1.0)).root_mean_square()
    assert high - low < 1e-4
    return low


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("t", [1, 2])
@pytest.mark.parametrize("landmarks", [True, False])
def test_limits_of_every_kind_of_problem_hold(intercept, weighted, t, landmarks):
    exact = problem(intercept=intercept, weighted=weighted, t=t)
    predictions, projection = landmark_model(exact, 8)
    truth = true_distance(exact, predictions)
    assert truth > 1e-3

    def fails(seed):
        kind = projection if landmarks else None
        sample = sample_residual(exact, predictions, kind, seed=seed, time_limit=0.0)
        return SampledDistance(sample=sample, alpha=exact.alpha).limit(0.2) < truth

    assert rate_at_least(sum(map(fails, range(DRAWS))), DRAWS) <= 0.2


def test_both_parts_of_the_limit_hold_as_often_as_they_say():
    """The norm, and the deviation at a given norm, are two events: each is checked against its own truth."""
    exact = problem(n=1000)
    predictions, projection = landmark_model(exact, 5)
    _, dual = dual_of_errors(exact, predictions)
    h = projection.values - KERNEL(exact.product.X) @ dual
    norm, spread, delta = float(np.sqrt(-(dual * h).sum())), float(np.sqrt(np.mean(h**2))), 0.1
    bounds = [
        SampledDistance(sample=sample_residual(exact, predictions, projection, seed=s, time_limit=0.0), alpha=1.0)
        for s in range(DRAWS)
    ]
    assert rate_at_least(sum(bound._norm(0, delta) < norm for bound in bounds), DRAWS) <= delta
    known = bounds[0].sample.known[0]
    assert rate_at_least(sum(bound._deviation(0, delta) - known < spread for bound in bounds), DRAWS) <= 2 * delta
    assert np.max(np.abs(h[:, 0]) / np.sqrt(projection.residual)) <= bounds[0]._range(0, norm)


def test_more_rows_and_more_landmarks_have_smaller_limits():
    exact = problem(n=4000, alpha=4.0)
    limits = []
    for n_landmarks in (5, 40):
        predictions, projection = landmark_model(exact, n_landmarks)
        for time_limit in (0.0, 60.0):
            sample = sample_residual(exact, predictions, projection, seed=0, time_limit=time_limit)
            limits.append(SampledDistance(sample=sample, alpha=4.0).limit(0.01))
    assert limits[1] < limits[0]
    assert limits[3] < limits[2] < limits[0]
    assert limits[3] < 0.05


def test_rows_and_the_end_of_a_sample_are_those_of_the_seed_and_the_caller():
    exact = problem(n=600)
    predictions, _ = landmark_model(exact, 5)
    one, same = (sample_residual(exact, predictions, seed=3, on_block=lambda number: number == 2) for _ in range(2))
    np.testing.assert_array_equal(one.residual, same.residual)
    assert len(one.residual) == 512
    other = sample_residual(exact, predictions, seed=4, on_block=lambda number: number == 2)
    assert not np.array_equal(one.residual, other.residual)


def test_no_limit_is_above_what_targets_allow():
    exact = problem(n=600, alpha=1e-6)
    predictions = np.full((600, 1), 2.0)
    sample = sample_residual(exact, predictions, seed=0, time_limit=0.0)
    most = exact.largest_distance(predictions)
    assert SampledDistance(sample=sample, alpha=1e-6, at_most=most).limit(0.01) == most
    assert true_distance(exact, predictions) < most
