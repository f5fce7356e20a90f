"""Lower bounds, and the construction that refutes a dimension-free uniform bound."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.theory import lower, published


def test_impossibility_values():
    assert lower.impossibility_lower_bound(40, 100, 3) == pytest.approx(0.951982, rel=1e-6)
    assert lower.impossibility_lower_bound(100, 400, 3) == pytest.approx(1.0, rel=1e-6)
    assert 1 - lower.impossibility_lower_bound(200, 600, 3) <= 5e-15
    assert lower.impossibility_lower_bound(101, 100, 3) == 0.0
    claim = lower.Impossibility(n_frequencies=40, n_features=100, radius=3.0)
    assert claim.value() == lower.impossibility_lower_bound(40, 100, 3)


def test_refuted_claims_at_the_same_settings():
    assert published.li_honorio_thm1(40, 3, 1.0) == pytest.approx(0.0650929, rel=2e-6)
    assert published.li_honorio_thm1(100, 3, 1.0) == pytest.approx(3.232e-04, rel=2e-4)
    assert published.li_honorio_thm1(200, 3, 1.0) == pytest.approx(6.17e-08, rel=1e-3)
    assert published.li_honorio_thm1(200, 6, 0.66) == pytest.approx(1.57e-3, rel=3e-3)


def test_violating_difference_makes_every_cosine_minus_one():
    omega = np.random.default_rng(0).standard_normal((20, 50))
    u = lower.violating_difference(omega)
    assert np.cos(omega @ u) == pytest.approx(-np.ones(20))
    assert abs(np.cos(omega @ u).mean() - np.exp(-u @ u / 2)) >= 1
    with pytest.raises(AssumptionError, match="no more frequencies than dimensions"):
        lower.violating_difference(omega.T)


def test_separation_values():
    assert lower.separation(1.0) == pytest.approx(0.31723471, rel=1e-7)
    assert lower.separation(9.0) == pytest.approx(0.59466141, rel=1e-7)
    assert lower.separation(2.09212207) == pytest.approx(lower.separation(9.0), rel=1e-8)
    assert published.LiHonorioTheorem2(m=4, R=1.0).value() == pytest.approx(0.00536663, rel=2e-6)


@pytest.mark.parametrize(("m", "value"), [(4, 0.021795), (100, 0.004037), (1000, 0.001257)])
def test_optimised_minimax_error(m, value):
    bound = lower.MinimaxError(n_frequencies=m, radius=2.0)
    assert bound.value() == pytest.approx(value, abs=6e-7)
    assert bound.value() >= published.LiHonorioTheorem2(m=m, R=2.0).value()
    assert bound.certificate().delta == 0.0


def test_minimax_probability_implies_the_printed_one():
    bound = lower.MinimaxProbability(n_frequencies=4, radius=1.0, eps=0.1)
    assert bound.value() == pytest.approx(0.0338338, rel=2e-6)
    assert bound.value() >= published.LiHonorioTheorem3(m=4, R=1.0, eps=0.1).value()
    with pytest.raises(AssumptionError, match="2 eps"):
        lower.MinimaxProbability(n_frequencies=4, radius=1.0, eps=0.2)


def test_refusals():
    for bad in ((0, 5, 1.0), (2.5, 5, 1.0), (5, 0, 1.0)):
        with pytest.raises(InvalidParameterError, match="integer"):
            lower.impossibility_lower_bound(*bad)
    with pytest.raises(InvalidParameterError, match="radius"):
        lower.impossibility_lower_bound(5, 5, -1.0)
