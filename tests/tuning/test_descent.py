"""Descents over scales: units of the rows, starts, and the optimiser."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import bochner as bo
from bochner.tuning.clock import Clock
from bochner.tuning.descent import Descent, Size, TuningRows, quasi_newton, starts

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((80, 3)) * [1, 100, 1e-3] + 5, RNG.standard_normal((80, 2))


def test_rows_are_in_units_of_their_spread_and_targets_of_variance_one():
    data = TuningRows.of(X, Y, None, per_feature=True)
    np.testing.assert_allclose(data.X.std(axis=0), 1)
    np.testing.assert_allclose(data.X * data.unit, X - X.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(data.Y.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.Y.std(axis=0), 1)
    assert data.n_scales == 3
    assert TuningRows.of(X, Y, None, per_feature=False).n_scales == 1


def test_a_weight_is_a_row_given_so_often():
    weight = RNG.integers(0, 3, 80)
    weighted = TuningRows.of(X, Y, weight, per_feature=True)
    repeated = TuningRows.of(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0), None, per_feature=True)
    np.testing.assert_allclose(weighted.unit, repeated.unit)
    np.testing.assert_allclose(np.repeat(weighted.Y, weight[weight > 0].astype(int), axis=0), repeated.Y, atol=1e-12)


@pytest.mark.parametrize(("kernel", "metric"), [(bo.Gaussian(), "euclidean"), (bo.Laplacian(), "cityblock")])
def test_the_first_start_is_the_median_distance_and_the_others_are_near_it(kernel, metric):
    data = TuningRows.of(X, Y, None, per_feature=True)
    first, second, third = starts(data, kernel, 0, 3)
    np.testing.assert_allclose(first.scales, np.median(pdist(data.X, metric)))
    assert first.noise == pytest.approx(0.1)
    assert first.signal == 1.0
    assert not np.array_equal(second.log_scales, third.log_scales)
    assert second.log_noise == third.log_noise == first.log_noise


def bowl(theta):
    return float(np.sum((theta - 1) ** 2)), 2 * (theta - 1)


def test_the_optimiser_finds_the_minimum_within_its_bounds_and_records_the_way():
    start = np.array([3.0, -2.0])
    free = [(-10.0, 10.0)] * 2
    end, losses = quasi_newton(bowl, start, bowl(start)[0], free, Clock(None), iterations=50)
    np.testing.assert_allclose(end, 1, atol=1e-4)
    assert losses[0] == bowl(start)[0]
    assert losses[-1] == pytest.approx(bowl(end)[0])
    end, _ = quasi_newton(bowl, start, bowl(start)[0], [(2.0, 4.0), (-10.0, 10.0)], Clock(None), iterations=50)
    np.testing.assert_allclose(end, [2, 1], atol=1e-4)


def test_no_iteration_begins_after_the_budget():
    start = np.full(30, 5.0)
    slow = lambda theta: (float(np.sum(np.arange(30) * theta**4)), 4 * np.arange(30) * theta**3)  # noqa: E731
    _, losses = quasi_newton(slow, start, slow(start)[0], [(-10.0, 10.0)] * 30, Clock(0.0), iterations=50)
    assert len(losses) == 2


@pytest.mark.parametrize("frequencies", [32, None])
def test_a_stage_ends_no_higher_than_it_began_and_leaves_its_start(frequencies):
    data = TuningRows.of(X, np.sin(X[:, :1]), None, per_feature=True)
    start = starts(data, bo.Gaussian(), 0, 1)[0]
    before = start.log_scales.copy()
    stage = Descent(data, bo.Gaussian(), start, 0, "evidence", None, Clock(None)).run(Size(80, frequencies, 5, (0.5,)))
    assert stage.losses[-1] <= stage.losses[0]
    assert stage.n_rows == 80
    assert stage.n_frequencies == frequencies
    assert stage.theta.shape == (5,)
    np.testing.assert_array_equal(start.log_scales, before)


def test_a_given_penalty_is_the_ratio_of_the_variances():
    data = TuningRows.of(X, np.sin(X[:, :1]), None, per_feature=False)
    start = starts(data, bo.Gaussian(), 0, 1)[0]
    stage = Descent(data, bo.Gaussian(), start, 0, "evidence", 0.3, Clock(None)).run(Size(80, 32, 5))
    assert np.exp(stage.theta[-2] - stage.theta[-1]) == pytest.approx(0.3)


def test_two_iterations_that_hardly_gain_end_a_descent_and_one_does_not():
    def valley(theta):
        return float(theta[0] ** 2 + 1e-6 * np.sum(np.arange(1, 30) * theta[1:] ** 4)), np.append(
            2 * theta[0], 4e-6 * np.arange(1, 30) * theta[1:] ** 3
        )

    start, bounds = np.full(30, 2.0), [(-10.0, 10.0)] * 30
    ways = [
        quasi_newton(
            valley, start, valley(start)[0], bounds, Clock(None), iterations=50, smallest_gain=0, settled=least
        )[1]
        for least in (0.0, 1e-3)
    ]
    assert len(ways[1]) < len(ways[0])
    assert ways[1] == ways[0][: len(ways[1])]
    gains = -np.diff(ways[1])
    assert np.all(gains[-2:] < 2e-3)
    assert ways[1][-1] - ways[0][-1] < 1e-2
