"""Evidence over time: a martingale whose false alarms are bounded, and the law of a squared distance."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, chi2

from bochner.comparison.null_law import ChiSquaredMixture
from bochner.comparison.sequential import ConformalEvidence, bet


@pytest.mark.parametrize("n", [1, 2, 21, 512, 513, 5000])
def test_the_bet_is_fair_and_decreasing(n):
    bets = np.array([bet(j / n, n) for j in range(1, n + 1)])
    assert 0.99 < bets.mean() <= 1 + 1e-12
    assert np.all(np.diff(bets) < 0)


def test_the_bet_is_a_mixture_of_powers():
    mixture = [quad(lambda e, p=p: e * p ** (e - 1), 0, 1)[0] for p in (0.01, 0.4, 1.0)]
    bets = [bet(p, 100) for p in (0.01, 0.4, 1.0)]
    assert np.divide(bets, bets[-1]) == pytest.approx(np.divide(mixture, mixture[-1]), rel=1e-5)


def test_p_values_are_ranks_and_ties_count_as_larger():
    evidence = ConformalEvidence([1.0, 2.0, 3.0])
    assert evidence.observe(2.5) == 2 / 4
    assert evidence.observe(2.5) == 3 / 5
    assert evidence.observe(9.0) == 1 / 6
    assert evidence.observe(0.0) == 1.0
    assert evidence.scores == sorted([1.0, 2.0, 2.5, 2.5, 3.0, 9.0, 0.0])


def test_evidence_is_its_definition():
    evidence, prior = ConformalEvidence(np.arange(10.0)), lambda t: 1 / (1 + np.log(1 + t))
    bets = [bet(evidence.observe(score), len(evidence.scores)) for score in (4.5, 11.0, 12.0, 3.0)]
    expected = sum((prior(s) - prior(s + 1)) * np.prod(bets[s:]) for s in range(4)) + prior(4)
    assert np.exp(evidence.log_evidence) == pytest.approx(expected, rel=1e-12)


def test_exchangeable_scores_rarely_raise_an_alarm_ever():
    rng, alarms, rate = np.random.default_rng(0), 0, 0.1
    for _ in range(250):
        evidence = ConformalEvidence(rng.standard_normal(20))
        best = -np.inf
        for score in rng.standard_normal(120):
            evidence.observe(score)
            best = max(best, evidence.log_evidence)
        alarms += best >= -np.log(rate)
    assert alarms <= binom.isf(1e-7, 250, rate)
    assert alarms > 0  # and the bound is not vacuous


def test_a_change_is_found_whenever_it_comes():
    for late in (5, 500):
        rng = np.random.default_rng(late)
        evidence = ConformalEvidence(rng.standard_normal(100))
        for score in rng.standard_normal(late):
            evidence.observe(score)
        assert evidence.log_evidence < np.log(100)
        for score in rng.standard_normal(15) + 6:
            evidence.observe(score)
        assert evidence.log_evidence > np.log(100)


def test_the_law_of_equal_weights_is_chi_squared():
    law = ChiSquaredMixture(np.full(6, 0.5))
    for level in (0.9, 0.5, 0.1, 1e-3, 1e-8):
        value = 0.5 * chi2.isf(level, 6)
        assert law.survival(value) == pytest.approx(level, rel=0.03)
        assert law.survival(law.quantile(level)) == pytest.approx(level, rel=1e-6)


def test_the_law_of_unequal_weights_is_that_of_a_simulation():
    weights = np.array([1, 0.5, 0.2, 0.1, *[0.02] * 20])
    draws = np.random.default_rng(0).chisquare(1, (200_000, 24)) @ weights
    law = ChiSquaredMixture(weights)
    for level in (0.9, 0.5, 0.1, 0.01):
        assert law.survival(np.quantile(draws, 1 - level)) == pytest.approx(level, rel=0.07)
    values = [law.survival(value) for value in np.linspace(0.0, 3 * law.mean, 400)]
    assert np.all(np.diff(values) < 1e-9)


def test_a_constant_has_no_tail():
    law = ChiSquaredMixture(np.zeros(3))
    assert (law.survival(0.0), law.survival(1e-3), law.quantile(0.01)) == (1.0, 0.0, 0.0)


def orders_of(scores, start, tie):
    """p-values (orders, steps) and evidence of all orders of some scores, the first `start` of which are reference."""
    pvalues, evidence = [], []
    for order in permutations(scores):
        run = ConformalEvidence(order[:start])
        values = [(run.observe(s, s - tie), np.exp(run.log_evidence)) for s in order[start:]]
        pvalues.append([p for p, _ in values])
        evidence.append([e for _, e in values])
    return np.array(pvalues), np.array(evidence)


@pytest.mark.slow
@pytest.mark.parametrize("scores", [(0, 1, 2, 3, 4, 5, 6), (0, 0, 0, 0, 0, 0, 1), (0, 0, 1, 1, 1, 2, 2), (1,) * 7])
@pytest.mark.parametrize("tie", [0.0, 1.5])
def test_p_values_with_ties_are_no_smaller_than_uniform_ones(scores, tie):
    """Exact: exchangeable scores are all orders of them with the same probability."""
    start = 3
    pvalues, evidence = orders_of(scores, start, tie)
    for t in range(len(scores) - start):
        n_ranks = start + t + 1
        for j in range(1, n_ranks + 1):
            assert np.mean(pvalues[:, t] <= j / n_ranks + 1e-12) <= j / n_ranks + 1e-12
    assert np.all(evidence.mean(axis=0) <= 1 + 1e-12)
    if len(set(scores)) == len(scores) and tie == 0:
        np.testing.assert_allclose(evidence.mean(axis=0), 1)  # a martingale
    for rate in (0.3, 0.5, 0.8):  # Ville's inequality
        assert np.mean(evidence.max(axis=1) >= 1 / rate) <= rate
