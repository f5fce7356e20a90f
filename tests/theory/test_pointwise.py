"""Pointwise bounds and exact moments: values, refusals, and the exact MGF that must not be under-estimated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ive
from scipy.stats import norm

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.kernels import Cauchy, Gaussian, Laplacian, Matern, Spline
from bochner.theory import moments, pointwise
from bochner.theory.cramer import exponents, tabulate
from bochner.theory.normalised import normalised

GAUSSIAN = Gaussian()


def cramer(m: int, r: float, t: float, embedding: str = "paired", kernel=GAUSSIAN) -> float:
    bound = pointwise.Cramer(kernel=kernel, difference=[r], embedding=embedding)
    return bound.probability(t, n_components=2 * m if embedding == "paired" else m)


def test_variances_have_their_closed_forms():
    assert moments.variance(GAUSSIAN, [1.0], n_components=100) == pytest.approx(0.00399576, rel=2e-6)
    assert moments.variance(GAUSSIAN, [1.0], n_components=100, embedding="phase") == pytest.approx(0.00699788, rel=2e-6)


def test_covariance_at_equal_pairs_is_the_variance():
    u, t = np.array([0.4, -1.0]), np.array([0.3, 2.0])
    for kernel in (GAUSSIAN, Laplacian(), 2.5 * Matern(nu=1.5)):
        for embedding in ("paired", "phase"):
            covariance = moments.covariance(kernel, u, u, n_components=60, embedding=embedding, total=t, other_total=t)
            assert covariance == pytest.approx(moments.variance(kernel, u, n_components=60, embedding=embedding))


def test_phase_covariance_needs_the_sums_of_the_points():
    with pytest.raises(InvalidParameterError, match="total"):
        moments.covariance(GAUSSIAN, [1.0], [1.0], n_components=60, embedding="phase")


@pytest.mark.parametrize(
    ("embedding", "hoeffding", "bernstein"),
    [
        ("paired", 0.270671, 0.00295623),
        ("phase", 0.138967, 0.0234627),
    ],
)
def test_hoeffding_and_bernstein_values(embedding, hoeffding, bernstein):
    first = pointwise.Hoeffding(kernel=GAUSSIAN, embedding=embedding)
    second = pointwise.Bernstein(kernel=GAUSSIAN, difference=[1.0], embedding=embedding)
    assert first.probability(0.2, n_components=200) == pytest.approx(hoeffding, rel=2e-6)
    assert second.probability(0.2, n_components=200) == pytest.approx(bernstein, rel=2e-6)


def test_bernstein_inverts_as_its_closed_form():
    bound = pointwise.Bernstein(kernel=GAUSSIAN, difference=[1.0])
    m, log_term, v, b = 100, np.log(2 / 0.01), 0.199788, 1 + np.exp(-0.5)
    c = b * log_term / (3 * m)
    assert bound.error(200, 0.01) == pytest.approx(c + np.sqrt(c**2 + 2 * v * log_term / m), rel=1e-5)


def test_relative_entropy_tails():
    above, below = pointwise.ChernoffKL(kernel=GAUSSIAN, difference=[1.0]).one_sided(0.2, 100)
    assert above == pytest.approx(0.0239668, rel=2e-6)
    assert below == pytest.approx(0.0581167, rel=2e-6)


@pytest.mark.parametrize(
    ("m", "r", "t", "embedding", "exact", "coarse"),
    [
        (100, 1.0, 0.1, "paired", 0.161572, 0.16159),
        (200, 2.0, 0.1, "paired", 0.249654, 0.24974),
        (200, 1.0, 0.1, "phase", 0.478488, 0.47861),
    ],
)
def test_cramer_values_lie_between_the_optimum_and_a_coarser_grid(m, r, t, embedding, exact, coarse):
    assert exact - 1e-6 <= cramer(m, r, t, embedding) <= coarse


def test_cramer_value_at_fifty_frequencies():
    assert cramer(50, 1.0, 0.2) == pytest.approx(0.01595, rel=1e-3)


def test_cramer_is_not_fooled_by_cancellation_at_small_distances():
    # P(k - cos(0.1 g) >= 0.02) exactly, for one frequency; the naive series returns 0 here.
    k = np.exp(-0.005)
    exact = 2 * norm.sf(np.arccos(k - 0.02) / 0.1)
    assert exact == pytest.approx(0.02508, rel=1e-3)
    assert cramer(1, 0.1, 0.02) >= exact
    assert cramer(20, 0.345, 0.05) >= 0.008


@pytest.mark.parametrize("r", [1e-6, 1e-3, 0.01, 0.05, 0.1, 0.3, 1.0, 2.5])
def test_cramer_exceeds_the_exact_probability_of_one_frequency(r):
    k = np.exp(-(r**2) / 2)
    bound = pointwise.Cramer(kernel=GAUSSIAN, difference=[r])
    for t in np.geomspace(1e-9, 1.9, 60):
        if k - t < -1:
            continue
        edge = np.arccos(k - t) / r
        once_around = 2 * (norm.sf(edge) - norm.sf((2 * np.pi - edge * r) / r))
        assert bound.probability(t, n_components=2) >= once_around * (1 - 1e-9)


@pytest.mark.parametrize("kernel", [GAUSSIAN, Laplacian(), Matern(nu=1.5), Cauchy()], ids=repr)
def test_table_is_never_below_the_exact_log_mgf(kernel):
    unit, grid = normalised(kernel), exponents()
    exactly_summed = grid.s <= 12  # beyond it a plain sum of the series loses its digits
    s = grid.s[exactly_summed]
    n = np.arange(1, 200)
    for r in (0.05, 0.4, 1.3, 4.0):
        table = tabulate(unit, [(np.array([[r]]), 1.0)], "paired", grid, n_groups=1)
        values, k = unit.multiples(np.array([r]), len(n)), float(unit.at(np.array([r])))
        for sign, row in ((1, table.upper[0, exactly_summed]), (-1, table.lower[0, exactly_summed])):
            terms = sign**n * ive(n, s[:, None]) * values
            exact = np.log(ive(0, s) + 2 * terms.sum(axis=1)) + s - sign * s * k
            assert np.all(row >= exact - 1e-6 * s)
            assert np.all(row <= exact + 1e-6 + 1e-3 * s)


@pytest.mark.parametrize("kernel", [GAUSSIAN, Laplacian(), Matern(nu=2.5)], ids=repr)
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_cramer_is_the_tightest(kernel, embedding):
    setting = {"kernel": kernel, "embedding": embedding}
    for r in (0.3, 1.0, 3.0):
        for t in (0.05, 0.1, 0.3):
            best = pointwise.Cramer(difference=[r], **setting).probability(t, n_components=400)
            bernstein = pointwise.Bernstein(difference=[r], **setting).probability(t, n_components=400)
            assert best <= min(1, 1.0001 * bernstein)
            assert best <= pointwise.Hoeffding(**setting).probability(t, n_components=400) * 1.0001


def test_an_impossible_deviation_has_probability_zero():
    assert cramer(100, 1.0, 1.9) == 0.0
    assert pointwise.ChernoffKL(kernel=GAUSSIAN, difference=[1.0]).probability(1.9, n_components=200) == 0.0


def test_sub_gaussian_lemma_is_refused_for_kernels_that_are_no_mixtures():
    for kernel in (Spline(), Gaussian() + Spline(), Spline() * Matern(nu=1.5)):
        with pytest.raises(AssumptionError, match="mixture"):
            pointwise.SubGaussian(kernel=kernel)
    for kernel in (Laplacian(), Matern(nu=1.5), 0.5 * Gaussian() + 0.5 * Laplacian()):
        paired = pointwise.SubGaussian(kernel=kernel).probability(0.3, n_components=100)
        assert pointwise.SubGaussian(kernel=Gaussian()).probability(0.3, n_components=100) < paired < 1
    assert pointwise.SubGaussian(kernel=2.0 * Gaussian([1.0, 3.0])).probability(1.0, n_components=100) < 1


def test_empirical_bernstein_value_and_refusals():
    bound = pointwise.EmpiricalBernstein(sample_variance=0.2, n_components=200, kernel=2.0 * GAUSSIAN)
    log_term = np.log(400)
    assert bound.error(0.01) == pytest.approx(2 * (np.sqrt(0.4 * log_term / 100) + 14 * log_term / 297))
    assert bound.certificate(0.01).value == bound.error(0.01)
    with pytest.raises(AssumptionError, match="two frequencies"):
        pointwise.EmpiricalBernstein(sample_variance=0.2, n_components=2, kernel=GAUSSIAN)
    with pytest.raises(InvalidParameterError, match="sample_variance"):
        pointwise.EmpiricalBernstein(sample_variance=-1.0, n_components=200, kernel=GAUSSIAN)


def test_a_kernel_that_is_not_stationary_is_refused():
    with pytest.raises(InvalidParameterError, match="stationary"):
        pointwise.SubGaussian(kernel="gaussian")
