"""Orbit embeddings: the repaired Theorems 3.1 and 3.2, and full orbits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.kernels import Gaussian, Laplacian
from bochner.theory import orbit

GAUSSIAN = Gaussian()


@pytest.mark.parametrize(
    ("s", "r", "eps", "value"),
    [
        (2 * 10**6, 2 * 10**4, 0.2, 4.35e-4),
        (10**6, 10**4, 0.3, 1.94e-4),
    ],
)
def test_sampled_orbit_improves_on_a_coarse_grid(s, r, eps, value):
    bound = orbit.SampledOrbit(kernel=GAUSSIAN, n_features=2, diameter=2.0, n_transforms=r)
    assert 0 < bound.probability(eps + 1 / r, n_components=s) <= value


def test_sampled_orbit_at_one_radius_of_the_cover():
    # The minimum over eta is at most the value at any eta: here 1e-4 diameters, written out.
    s, r, e, d, diameter = 2 * 10**6, 2 * 10**4, 0.2, 2, 2.0
    eta = 1e-4 * diameter
    pairs, slope = (2 * diameter / eta) ** (2 * d), 2 * np.sqrt(d) + np.sqrt(2 / np.e)
    t = e / 2 - 4 * np.exp(-0.5) * eta
    value = 2 * pairs * np.exp(-s * e**2 / 128) + 32 * eta**2 * slope**2 / e**2 + 2 * pairs * np.exp(-r * t**2 / 2)
    assert value == pytest.approx(4.35e-4, rel=2e-3)
    bound = orbit.SampledOrbit(kernel=GAUSSIAN, n_features=d, diameter=diameter, n_transforms=r)
    assert bound.probability(e + 1 / r, n_components=s) <= value


def test_error_includes_the_diagonal_of_the_gram_sum():
    bound = orbit.SampledOrbit(kernel=GAUSSIAN, n_features=2, diameter=2.0, n_transforms=100)
    assert bound.probability(0.0099, n_components=10**7) == 1.0


def test_lemmas():
    assert orbit.hilbert_mean_error(1.0, 100, 0.05) == pytest.approx(0.344775, rel=2e-6)
    assert orbit.random_function_error(1.0, 1000, 100, 0.05, 0.05) == pytest.approx(0.453802, rel=2e-6)


def test_excess_risk_is_its_formula():
    bound = orbit.ExcessRisk(lipschitz=1.0, bound=2.0, n_points=10_000, n_components=400, n_transforms=100)
    estimation = 8 / 100 + 2 / 100 + 2 * np.sqrt(2 * np.log(2 / 0.01)) / 100
    approximation = 2 * (1 / 20 + 1 / 10) * (1 + np.sqrt(2 * np.log(1 / 0.01)))
    assert bound.excess(0.01) == pytest.approx(2 * estimation + approximation)
    assert bound.certificate(0.03).value == pytest.approx(bound.excess(0.01))
    assert bound.certificate(0.03).delta == 0.03


def test_full_orbits_count_the_diagonal():
    one = orbit.FullOrbitHoeffding(kernel=GAUSSIAN)
    many = orbit.FullOrbitHoeffding(kernel=GAUSSIAN, n_points=10)
    assert one.probability(0.3, n_components=400) == pytest.approx(2 * np.exp(-400 * 0.09 / 2))
    assert many.probability(0.3, n_components=400) == pytest.approx(55 * one.probability(0.3, n_components=400))


def test_full_orbit_empirical_bernstein_is_a_certificate():
    bound = orbit.FullOrbitEmpiricalBernstein(sample_variance=0.01, n_components=2000, kernel=GAUSSIAN)
    assert bound.certificate(0.01).bound == "orbit.FullOrbitEmpiricalBernstein"


def test_refusals():
    setting = {"n_features": 2, "diameter": 2.0, "n_transforms": 10}
    with pytest.raises(AssumptionError, match="Gaussian"):
        orbit.SampledOrbit(kernel=Laplacian(), **setting)
    with pytest.raises(AssumptionError, match="one length scale"):
        orbit.SampledOrbit(kernel=Gaussian([1.0, 2.0]), **setting)
    with pytest.raises(AssumptionError, match="phase"):
        orbit.SampledOrbit(kernel=GAUSSIAN, **setting, embedding="paired")
    with pytest.raises(InvalidParameterError, match="n_transforms"):
        orbit.SampledOrbit(kernel=GAUSSIAN, n_features=2, diameter=2.0, n_transforms=1)
    with pytest.raises(InvalidParameterError, match="n_points"):
        orbit.FullOrbitHoeffding(kernel=GAUSSIAN, n_points=0)
    with pytest.raises(InvalidParameterError, match="delta"):
        orbit.ExcessRisk(lipschitz=1.0, bound=1.0, n_points=9, n_components=9, n_transforms=9).excess(0.5)


def test_sampled_orbits_at_points_are_their_formula():
    bound = orbit.SampledOrbitHoeffding(kernel=GAUSSIAN, n_points=10, n_transforms=1000)
    e, D, r = 0.3, 2000, 1000
    values = [55 * 2 * (np.exp(-D * (e - t) ** 2 / 2) + np.exp(-r * t**2 / 2)) for t in np.linspace(0.01, 0.29, 57)]
    assert bound.probability(e + 1 / r, n_components=D) == pytest.approx(min(values), rel=0.02)
    assert bound.probability(0.0009, n_components=D) == 1.0


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_needed_numbers_are_the_smallest_that_are_enough(embedding):
    setting = {"kernel": GAUSSIAN, "n_points": 50, "embedding": embedding}
    r = orbit.transforms_needed(n_components=20_000, eps=0.2, delta=0.01, **setting)

    def probability(transforms, width):
        bound = orbit.SampledOrbitHoeffding(n_transforms=transforms, **setting)
        return bound.probability(0.2, n_components=width)

    assert probability(r, 20_000) <= 0.01 < probability(r - 1, 20_000)
    D = orbit.features_needed(n_transforms=r, eps=0.2, delta=0.01, **setting)
    assert D <= 20_000
    assert probability(r, D) <= 0.01 < probability(r, D - 2)
    whole = orbit.features_needed(eps=0.2, delta=0.01, **setting)
    assert whole < D
    many = orbit.features_needed(n_transforms=10**9, eps=0.2, delta=0.01, **setting)
    assert many == pytest.approx(whole, rel=0.01)


def test_theorem_3_1_counts_its_transformations():
    setting = {"kernel": GAUSSIAN, "n_features": 2, "diameter": 2.0}
    r = orbit.SampledOrbit(n_transforms=2, **setting).transforms_needed(0.3, 0.01, n_components=10**6)
    values = [orbit.SampledOrbit(n_transforms=k, **setting).probability(0.3, n_components=10**6) for k in (r - 1, r)]
    assert values[1] <= 0.01 < values[0]


def test_a_width_that_is_too_small_for_any_number_of_transformations_is_refused():
    with pytest.raises(AssumptionError, match="enough for eps with all transformations"):
        orbit.transforms_needed(n_points=50, n_components=100, eps=0.1, delta=0.01, kernel=GAUSSIAN)
    with pytest.raises(AssumptionError, match="non-negative"):
        orbit.SampledOrbitHoeffding(kernel=GAUSSIAN + GAUSSIAN, n_points=5, n_transforms=10)


@pytest.mark.parametrize("r", [10, 100, 1000])
def test_sampled_orbits_hold_where_the_printed_theorem_does_not(r):
    """q: the identity with probability 3/4, else one of many far shifts; x = y. The law of the error is binomial.

    With a of r draws the identity, the mean over pairs is (a^2 + r - a) / r^2, and k_q(x, x) = 9/16.
    The frequencies are so many that they do not matter.
    """
    a = np.arange(r + 1)
    error = np.abs((a**2 + r - a) / r**2 - 9 / 16)
    bound = orbit.SampledOrbitHoeffding(kernel=GAUSSIAN, n_transforms=r)
    for eps in np.linspace(0.02, 0.5, 40):
        exact = binom.pmf(a, r, 0.75)[error >= eps].sum()
        assert exact <= bound.probability(eps, n_components=2 * 10**9)


def test_invariance_is_the_largest_move():
    still = np.array([[3.0, 4.0], [1.0, 0.0]])
    certificate = orbit.Invariance(moved=np.array([still, still + np.array([0.0, 0.5])]), still=still).certificate()
    assert certificate.value == pytest.approx(0.5)
    assert certificate.details["relative"] == pytest.approx(np.sqrt(0.125 / 13))
