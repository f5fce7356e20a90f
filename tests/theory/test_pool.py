"""Draws from a pool: the bound relative to the pool, who may use it, and that it holds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.features import fourier_map, transform
from bochner.sampling import Pilot
from bochner.sampling.leverage import in_groups, inclusion_probabilities
from bochner.theory import spectral
from bochner.theory.a_posteriori import SpectralCloseness
from bochner.theory.counterexample import rate_at_least
from bochner.theory.pool import GroupApproximation, PoolApproximation, leverage_of_pool

X = np.random.default_rng(0).uniform(-3, 3, (60, 1))
KERNEL, ALPHA, POOL = 2.0 * bo.Gaussian(), 1.2, 300
MEASURE, PILOT = KERNEL.spectral_measure(1), Pilot(X, KERNEL)


def sampler(**parameters):
    return bo.Leverage(**{"replacement": True, "penalty": ALPHA / 60, "pool_size": POOL, **parameters})


def pool_of(seed=0, **parameters):
    return sampler(**parameters).scored_pool(MEASURE, 40, 1, seed, PILOT)


def gram(frequencies, width, seed=0):
    Z = transform(fourier_map(frequencies, KERNEL, n_components=width, seed=seed), X, np.dtype(float))
    return Z @ Z.T


def pool_gram(pool):
    projection = X @ pool.omega.T
    features = np.hstack([np.cos(projection), np.sin(projection)])
    return KERNEL.variance / len(pool.omega) * features @ features.T


def test_it_is_what_the_definitions_say():
    pool = pool_of()
    bound = PoolApproximation.of(pool, X, kernel=KERNEL, alpha=ALPHA)
    K = pool_gram(pool)
    inverse = np.linalg.inv(K + ALPHA * np.eye(60))
    psi = np.exp(1j * X @ pool.omega.T)
    leverage = KERNEL.variance / POOL * np.real(np.einsum("ij,ik,kj->j", psi.conj(), inverse, psi))
    assert bound.statistical_dimension == pytest.approx(np.trace(K @ inverse))
    assert bound.largest_ratio == pytest.approx(np.max(leverage / pool.proposal))
    assert bound.operator_norm == pytest.approx(np.linalg.eigvalsh(K)[-1])
    count = 8 / 3 / 0.3**2 * bound.largest_ratio * np.log(16 * bound.statistical_dimension / 0.1)
    assert bound.frequencies_needed(0.3, 0.1) == pytest.approx(count)
    m = int(np.ceil(count))
    assert bound.accuracy(m, 0.1) <= 0.3 < bound.accuracy(m - 1, 0.1)
    sparse = PoolApproximation.of(pool, csr_array(X), kernel=KERNEL, alpha=ALPHA)
    assert sparse == bound
    phase = PoolApproximation.of(pool, X, kernel=KERNEL, alpha=ALPHA, embedding="phase")
    assert phase.frequencies_needed(0.3, 0.1) == pytest.approx(2 * count)


def test_the_best_proposal_needs_the_count_of_the_papers():
    """Scores of the pool itself, no mixing: d_tau is the statistical dimension."""
    dimension = PoolApproximation.of(pool_of(), X, kernel=KERNEL, alpha=ALPHA).statistical_dimension
    best = PoolApproximation(alpha=ALPHA, statistical_dimension=dimension, largest_ratio=dimension, operator_norm=50.0)
    assert best.frequencies_needed(0.5, 0.1) == pytest.approx(32 / 3 * dimension * np.log(160 * dimension))


def test_a_bound_is_for_its_own_way_of_drawing():
    kept_once = pool_of(replacement=False)
    with pytest.raises(AssumptionError, match="replacement=True"):
        PoolApproximation.of(kept_once, X, kernel=KERNEL, alpha=ALPHA)
    with pytest.raises(AssumptionError, match="replacement=False"):
        GroupApproximation.of(pool_of(), X, kernel=KERNEL, alpha=ALPHA, n_frequencies=20)


def test_groups_have_the_ratio_of_their_own_probabilities():
    pool = pool_of(replacement=False, mixing=0.05)
    setting = {"kernel": KERNEL, "alpha": ALPHA, "n_frequencies": 200}
    leverage, norm = leverage_of_pool(pool, X, kernel=KERNEL, alpha=ALPHA)
    _, inclusion = in_groups(inclusion_probabilities(pool.proposal, 200))
    below = inclusion < 1
    assert 0 < np.sum(~below) < 200
    paired, phase = (GroupApproximation.of(pool, X, embedding=each, **setting) for each in ("paired", "phase"))
    assert paired.largest_ratio == pytest.approx(200 * np.max(leverage[below] / inclusion[below]))
    assert phase.largest_ratio == pytest.approx(200 * np.max(leverage / inclusion))
    assert (paired.statistical_dimension, paired.operator_norm) == pytest.approx((leverage.sum(), norm))
    with pytest.raises(AssumptionError, match="200 groups"):
        paired.accuracy(201, 0.1)


def test_a_pool_that_is_kept_whole_is_exact():
    pool = pool_of(replacement=False)
    bound = GroupApproximation.of(pool, X, kernel=KERNEL, alpha=ALPHA, n_frequencies=POOL)
    assert bound.accuracy(POOL, 0.01) < 1e-12
    drawn = gram(FromPool(pool).draw(POOL, 0), 2 * POOL)
    np.testing.assert_allclose(drawn, pool_gram(pool), atol=1e-10)


def test_independent_draws_are_certified():
    bound = PoolApproximation.of(pool_of(), X, kernel=KERNEL, alpha=ALPHA)
    needed = int(np.ceil(bound.frequencies_needed(0.5, 0.1)))
    with pytest.raises(AssumptionError, match=f"at least {needed} draws"):
        bound.certificate(needed - 1, 0.1)
    certificate = bound.certificate(needed, 0.1)
    assert certificate.value <= 0.5
    assert certificate.delta == 0.1
    assert "pool" in certificate.statement


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"alpha": 0.0}, InvalidParameterError, "'alpha'"),
        ({"alpha": 1e6}, AssumptionError, "alpha <= "),
        ({"X": np.zeros((3, 2))}, InvalidParameterError, "'X'"),
        ({"X": np.zeros(3)}, ValueError, "2D array"),
        ({"X": np.full((3, 1), np.nan)}, ValueError, "NaN"),
        ({"X": np.zeros((0, 1))}, ValueError, "0 sample"),
        ({"embedding": "sine"}, InvalidParameterError, "'embedding'"),
    ],
)
def test_bad_input_is_named(changes, error, message):
    rows = changes.pop("X", X)
    with pytest.raises(error, match=message):
        PoolApproximation.of(pool_of(), rows, **{"kernel": KERNEL, "alpha": ALPHA, **changes})


def test_bad_settings_are_named():
    bound = PoolApproximation.of(pool_of(), X, kernel=KERNEL, alpha=ALPHA)
    for accuracy in (0.0, 0.6, -1.0):
        with pytest.raises(AssumptionError, match="accuracy"):
            bound.frequencies_needed(accuracy, 0.1)
    for m in (0, True, 1.5):
        with pytest.raises(InvalidParameterError, match="n_frequencies"):
            bound.accuracy(m, 0.1)
    with pytest.raises(InvalidParameterError, match="delta"):
        bound.accuracy(10_000, 1.0)
    with pytest.raises(AssumptionError, match="largest_ratio"):
        PoolApproximation(alpha=1.0, statistical_dimension=3.0, largest_ratio=2.0, operator_norm=9.0)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_given_the_pool_the_mean_of_the_draws_is_the_pool(embedding, replacement):
    """400 draws from one pool; every entry of the matrix within 6.5 standard errors: 1e-7 of false alarm."""
    pool, m = pool_of(replacement=replacement), 20
    fixed = FromPool(pool)
    width = 2 * m if embedding == "paired" else m
    estimates = np.array([gram(fixed.draw(m, seed), width, seed) for seed in range(400)])
    error = estimates.mean(axis=0) - pool_gram(pool)
    assert np.all(np.abs(error) <= 6.5 * estimates.std(axis=0) / 20 + 1e-12)


class FromPool:
    """Draws from one pool under many seeds, as `Leverage` makes them."""

    def __init__(self, pool):
        self.pool, self.sampler = pool, sampler(replacement=pool.replacement)

    def draw(self, m, seed):
        taken, weights = self.sampler._sample(self.pool, m, seed)
        return bo.sampling.Frequencies(bo.sampling.DenseProjection(self.pool.omega[taken]), weights)


@pytest.mark.parametrize(("embedding", "repeats"), [("paired", 400), ("phase", 200)])
def test_the_promise_holds_in_simulation(embedding, repeats):
    """Failures at the certified width, by the exact limit; and that a far narrower map does fail, so that it could."""
    pool, delta, accuracy = pool_of(), 0.1, 0.5
    bound = PoolApproximation.of(pool, X, kernel=KERNEL, alpha=ALPHA, embedding=embedding)
    draws, exact = FromPool(pool), pool_gram(pool)
    failures = {}
    for m in (int(np.ceil(bound.frequencies_needed(accuracy, delta))), 12):
        width = 2 * m if embedding == "paired" else m
        closeness = [
            SpectralCloseness(exact=exact, approximate=gram(draws.draw(m, seed), width, seed), alpha=ALPHA)
            for seed in range(repeats if m > 12 else 50)
        ]
        failures[m] = sum(each.certificate().value > accuracy for each in closeness)
    enough, few = failures.values()
    assert rate_at_least(enough, repeats) <= delta
    assert rate_at_least(few, 50) > delta


@pytest.mark.parametrize(("embedding", "repeats"), [("paired", 300), ("phase", 150)])
def test_the_promise_for_groups_holds_in_simulation(embedding, repeats):
    pool, delta, accuracy = pool_of(replacement=False, pool_size=20_000), 0.1, 0.5
    draws, exact = FromPool(pool), pool_gram(pool)
    setting = {"kernel": KERNEL, "alpha": ALPHA, "embedding": embedding}

    def is_enough(m):
        bound = GroupApproximation.of(pool, X, n_frequencies=m, **setting)
        return bound.frequencies_needed(accuracy, delta) <= m

    failures = {}
    for m in (next(m for m in range(500, 4000, 100) if is_enough(m)), 12):
        width = 2 * m if embedding == "paired" else m
        closeness = [
            SpectralCloseness(exact=exact, approximate=gram(draws.draw(m, seed), width, seed), alpha=ALPHA)
            for seed in range(repeats if m > 12 else 50)
        ]
        failures[m] = sum(each.certificate().value > accuracy for each in closeness)
    enough, few = failures.values()
    assert rate_at_least(enough, repeats) <= delta
    assert rate_at_least(few, 50) > delta


def test_with_a_certified_pool_it_speaks_of_the_kernel():
    """(1 - a)(1 - b) <= ... <= (1 + a)(1 + b): the pool against K, and the draw against the pool."""
    K = KERNEL(X)
    setting = {"n_points": 60, "alpha": ALPHA, "k_zero": 2.0, "operator_norm": float(np.linalg.norm(K, 2))}
    dimension = float(np.trace(K @ np.linalg.inv(K + ALPHA * np.eye(60))))
    of_pool = spectral.SpectralApproximation(**setting, statistical_dimension=dimension)
    size = int(np.ceil(of_pool.frequencies_needed(0.4, 0.05)))
    pool = pool_of(pool_size=size)
    m = int(np.ceil(PoolApproximation.of(pool, X, kernel=KERNEL, alpha=ALPHA).frequencies_needed(0.4, 0.05)))
    assert m < size / 4
    drawn = gram(FromPool(pool).draw(m, 0), 2 * m)
    delta = SpectralCloseness(exact=K, approximate=drawn, alpha=ALPHA).certificate().value
    assert delta <= 1.4**2 - 1
