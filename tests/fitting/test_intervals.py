"""Error bars and intervals cover what they say, and targets without noise get the digits they want."""

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import t as student

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.fitting.intervals import ConformalScores, normal_half_widths
from tests.strategies import rows

RISK = 1e-6 / 2
"""Of each side: how often a right program may fail."""


def problem(seed, n, noise):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * noise(rng, n)


def heavy_tails(rng, n):
    return student(2.5).rvs(n, random_state=rng)


def model(**parameters):
    return bo.KernelRegressor(**{"n_components": 128, "length_scale": 1.5, "random_state": 0, **parameters})


@pytest.mark.parametrize("alpha", ["gcv", "evidence", "loo"])
@pytest.mark.parametrize("width", [64, 512])
def test_error_bars_cover_nine_in_ten_for_normal_noise(alpha, width):
    """The model's own error is a part of the noise, so 1.5 points are allowed beside the binomial limits."""
    X, y = problem(0, 6000, lambda rng, n: rng.standard_normal(n))
    fitted = model(alpha=alpha, n_components=width).fit(X[:1500], y[:1500])
    mean, (low, high) = fitted.predict(X[1500:], return_interval=0.9)
    hits = np.mean((low <= y[1500:]) & (y[1500:] <= high))
    assert binom.ppf(RISK, 4500, 0.9) / 4500 - 0.015 <= hits <= binom.isf(RISK, 4500, 0.9) / 4500 + 0.015
    assert np.all((low < mean) & (mean < high))


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_conformal_intervals_cover_whatever_the_noise(level):
    """Cover of one fit is Beta(k, m + 1 - k); the mean over 40 fits of 25 new rows each is compared with its bounds."""
    hits = []
    for seed in range(40):
        X, y = problem(seed, 425, heavy_tails)
        fitted = model(interval="conformal", random_state=seed, alpha=1e-3).fit(X[:400], y[:400])
        _, (low, high) = fitted.predict(X[400:], return_interval=level)
        hits += list((low <= y[400:]) & (y[400:] <= high))
    # Hits of one fit are correlated: 40 held-out rows make the variance of a fit's cover 1/42 of that of one hit.
    spread = np.sqrt(level * (1 - level) * (1 / len(hits) + 1 / (40 * 42)))
    assert level - 5 * spread <= np.mean(hits) <= level + 1 / 41 + 5 * spread


def test_normal_intervals_miss_where_the_noise_is_not_normal_and_conformal_ones_do_not():
    X, y = problem(1, 8000, heavy_tails)
    covers = []
    for interval in ("normal", "conformal"):
        fitted = model(interval=interval).fit(X[:4000], y[:4000])
        _, (low, high) = fitted.predict(X[4000:], return_interval=0.9)
        covers.append(np.mean((low <= y[4000:]) & (y[4000:] <= high)))
    assert covers[0] > 0.93
    assert covers[1] == pytest.approx(0.9, abs=0.03 + 0.05)
    assert abs(covers[1] - 0.9) < abs(covers[0] - 0.9)


def test_held_out_rows_are_not_in_the_model():
    X, y = problem(2, 300, lambda rng, n: rng.standard_normal(n))
    fitted = model(interval="conformal", length_scale="auto").fit(X, y)
    assert fitted.moments_.weight == 270
    assert len(fitted.fitted_.conformal.scores) == 30
    assert not hasattr(fitted, "partial_fit")


def test_the_factor_is_the_right_order_statistic_and_infinite_for_too_few_rows():
    scores = ConformalScores.of(np.arange(1.0, 20)[:, None], np.zeros((19, 1)), np.ones((19, 1)))
    assert scores.factor(0.9) == 18  # the 18th of 19: ceil(20 * 0.9)
    assert scores.factor(0.95) == 19
    assert np.isinf(scores.factor(0.96))
    assert normal_half_widths(np.ones(1), 0.9) == pytest.approx(1.6449, abs=1e-4)
    assert ConformalScores.of(np.ones((2, 1)), np.ones((2, 1)), np.zeros((2, 1))).factor(0.5) == 0


def test_intervals_come_in_the_shape_and_type_of_the_prediction():
    X = rows(0, 200, 2).astype(np.float32)
    for target in (X[:, 0], X):
        for interval in ("normal", "conformal"):
            mean, std, (low, high) = (
                model(interval=interval).fit(X, target).predict(X[:5], return_std=True, return_interval=0.8)
            )
            assert mean.shape == std.shape == low.shape == high.shape == target[:5].shape
            assert mean.dtype == std.dtype == low.dtype == np.float32


def test_what_is_wrong_is_named():
    X, y = problem(0, 30, heavy_tails)
    with pytest.raises(InvalidDataError, match=r"needs at least 40 rows\. Got 30"):
        model(interval="conformal").fit(X, y)
    with pytest.raises(InvalidParameterError, match=r"'return_interval' parameter of predict .* Got 90 instead"):
        model().fit(X, y).predict(X, return_interval=90)


# Precision.


def smooth(n):
    X = np.random.default_rng(0).uniform(-1, 1, (n, 2)).astype(np.float32)
    return X, np.exp(X.astype(float)[:, 0]) * np.cos(X.astype(float)[:, 1])


def test_targets_without_noise_take_float32_rows_to_float64():
    X, y = smooth(2000)
    fitted = bo.KernelRegressor(n_components=256, length_scale=1.0, random_state=0).fit(X[:1000], y[:1000])
    assert fitted.precision_ == np.float64
    assert fitted.predict(X).dtype == np.float32
    error = np.sqrt(np.mean((fitted.predict(X[1000:]) - y[1000:]) ** 2))
    double = bo.KernelRegressor(n_components=256, length_scale=1.0, random_state=0).fit(
        X[:1000].astype(float), y[:1000]
    )
    assert error < 1e-5
    assert fitted.alpha_ == pytest.approx(double.alpha_, rel=1e-2)


def test_noisy_targets_stay_in_float32():
    X, y = smooth(2000)
    noisy = y + 0.1 * np.random.default_rng(0).standard_normal(2000)
    assert bo.KernelRegressor(n_components=256, length_scale=0.3, random_state=0).fit(X, noisy).precision_ == np.float32


def test_without_memory_for_float64_the_float32_model_stands():
    X, y = smooth(1000)
    plain = {"n_components": 512, "length_scale": 1.0, "random_state": 0}
    with bo.config_context(memory=7_000_000, n_threads=1):
        fitted = bo.KernelRegressor(**plain).fit(X, y)
    assert fitted.precision_ == np.float32
    assert fitted.score(X, y) > 0.999


def test_scores_count_as_often_as_their_weights_say():
    """Rows that are there many times with the same target are kept once, with their number as a weight."""
    errors, one = np.array([[0.1], [3.0], [0.2], [2.0]]), np.ones((4, 1))
    weighted = ConformalScores.of(errors, np.zeros((4, 1)), one, np.array([40.0, 1.0, 40.0, 19.0]))
    np.testing.assert_array_equal(weighted.scores.ravel(), [0.1, 0.1, 0.2, 2.0])
    equal = ConformalScores.of(errors, np.zeros((4, 1)), one, np.full(4, 7.0))
    np.testing.assert_array_equal(equal.scores, ConformalScores.of(errors, np.zeros((4, 1)), one).scores)


def test_intervals_of_inputs_and_targets_in_whole_numbers_cover():
    """2,000 rows are a few hundred distinct ones; unweighted, these covered 97.5 %. Limits as for normal noise."""
    rng = np.random.default_rng(3)
    X = np.round(rng.standard_normal((6000, 3)))
    y = np.round(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] / 2 + 0.3 * rng.standard_normal(6000))
    fitted = bo.KernelRegressor(random_state=0, length_scale=1.0, kernel=bo.Matern()).fit(X[:2000], y[:2000])
    _, (low, high) = fitted.predict(X[2000:], return_interval=0.9)
    hits = np.mean((low <= y[2000:]) & (y[2000:] <= high))
    assert binom.ppf(RISK, 4000, 0.9) / 4000 - 0.015 <= hits <= binom.isf(RISK, 4000, 0.9) / 4000 + 0.015


@pytest.mark.filterwarnings("ignore::bochner.errors.LittleDataWarning")
@pytest.mark.parametrize("features", ["auto", "exact", "nystroem", "fourier"])
def test_a_single_row_says_nothing_of_others(features):
    X = np.arange(6.0).reshape(3, 2)
    _, (low, high) = bo.KernelRegressor(features=features).fit(X[:1], [2.0]).predict(X, return_interval=0.9)
    assert np.all(low == -np.inf)
    assert np.all(high == np.inf)


def test_rows_that_are_added_leave_no_stale_scores():
    """Those of leave-one-out errors were taken for multiples of another noise: intervals of 2.5 times the width."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1200, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(1200)
    fitted = bo.KernelRegressor(features="nystroem", random_state=0).fit(X[:150], y[:150])
    _, (low, high) = fitted.partial_fit(X[150:200], y[150:200]).predict(X[200:], return_interval=0.9)
    assert 0.85 <= np.mean((low <= y[200:]) & (y[200:] <= high)) <= 0.95
    assert np.median(high - low) < 0.45
