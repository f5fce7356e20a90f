"""The level of the two-sample test: limits and counts."""

from scipy.stats import binom

from bochner.reproduce.two_sample_level import CHOICES, LAWS, limits, rejections


def test_limits_hold_with_their_confidence():
    for n, confidence in ((100, 0.99), (1000, 0.999)):
        low, high = limits(n, confidence)
        assert binom.cdf(high, n, 0.05) - binom.cdf(low - 1, n, 0.05) >= confidence
        assert 0 <= low < 0.05 * n < high <= n


def test_rejections_are_repeatable_and_few():
    low, high = limits(60, 1 - 1e-6)
    count = rejections("normal", "fixed", 30, 2, 60, seed=0)
    assert count == rejections("normal", "fixed", 30, 2, 60, seed=0)
    assert low <= count <= high
    assert set(CHOICES) >= {"median", "aggregate"}
    assert "ties" in LAWS
