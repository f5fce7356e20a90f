"""Expected suprema and concentration around them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.kernels import Gaussian, Laplacian, Matern
from bochner.theory import expectation, published

GAUSSIAN = Gaussian()


def test_entropy_integrals():
    assert quad(lambda u: np.sqrt(np.log(8 / u)), 0, 0.5)[0] == pytest.approx(expectation.GAMMA, rel=1e-9)
    general, ball = (
        quad(lambda u: np.sqrt(2 * np.log(4 * np.sqrt(2) / u)), 0, 1 / (q * np.sqrt(2)))[0] for q in (1, 2)
    )
    assert general == pytest.approx(expectation.GAMMA_PHASE, rel=1e-9)
    assert ball == pytest.approx(expectation.GAMMA, rel=1e-9)


@pytest.mark.parametrize(
    ("D", "d", "ell", "printed", "replaced"),
    [
        (1000, 1, 6.0, 22.527, 12.9705),
        (10_000, 10, 10.0, 57.7661, 21.6176),
    ],
)
def test_replacement_of_proposition_3(D, d, ell, printed, replaced):
    assert published.SutherlandSchneiderProp3(D=D, d=d, ell=ell).value() == pytest.approx(printed, rel=1e-5)
    bound = expectation.DudleyPaired(kernel=GAUSSIAN, n_features=d, diameter=ell)
    assert bound.unclipped(D) == pytest.approx(replaced, rel=5e-6)
    assert bound.mean(D) == 2.0  # no error is larger: the formula is vacuous here


def test_replacement_of_proposition_4():
    ball = expectation.DudleyPhase(kernel=GAUSSIAN, n_features=2, diameter=3.0, ball=True)
    expected = 4 / 100 + 96 * 0.963941 * 3 * np.sqrt(2) * (100 + np.sqrt(2)) / 10_000
    assert ball.unclipped(10_000) == pytest.approx(expected, rel=1e-6)
    general = expectation.DudleyPhase(kernel=GAUSSIAN, n_features=2, diameter=3.0)
    assert general.unclipped(10_000) > ball.unclipped(10_000)
    assert published.SutherlandSchneiderProp4(D=10_000, d=2, ell=3.0).value() > 0


def test_other_kernels_use_the_frobenius_norm():
    bound = expectation.DudleyPaired(kernel=Matern(nu=2.0), n_features=3, diameter=1.0)
    assert bound.unclipped(2 * 10**6) == pytest.approx(48 * expectation.GAMMA * np.sqrt(3) * np.sqrt(6) / 1000)
    with pytest.raises(AssumptionError, match="second moment"):
        expectation.DudleyPaired(kernel=Laplacian(), n_features=3, diameter=1.0).mean(100)


def test_integrated_cover():
    bound = expectation.IntegratedCover(kernel=GAUSSIAN, n_features=1, diameter=6.0)
    assert bound.mean(500) == pytest.approx(0.1966, rel=5e-3)
    assert bound.mean(2000) < bound.mean(500)
    assert (3.0 * 1.0) * bound.mean(500) == pytest.approx(
        expectation.IntegratedCover(kernel=3.0 * GAUSSIAN, n_features=1, diameter=6.0).mean(500)
    )
    assert bound.certificate(500).delta == 0.0
    with pytest.raises(AssumptionError, match="Gaussian"):
        expectation.IntegratedCover(kernel=Matern(nu=2.5), n_features=1, diameter=6.0)


@pytest.mark.parametrize(
    ("embedding", "D", "mean", "eps", "value"),
    [
        ("paired", 500, 0.07, 0.1, 0.228464),
        ("paired", 2000, 0.04, 0.08, 0.0112658),
        ("phase", 500, 0.09, 0.1, 0.217754),
        ("phase", 2000, 0.05, 0.08, 0.00968012),
    ],
)
def test_concentration_values(embedding, D, mean, eps, value):
    bound = expectation.Concentration(kernel=GAUSSIAN, mean=mean, embedding=embedding)
    assert bound.probability(eps, n_components=D) == pytest.approx(value, rel=3e-6)


def test_concentration_inverts_as_its_closed_form():
    D, mean, delta = 500, 0.07, 0.05
    a, b, log_term = 16 * mean + 2, 8 / 3, np.log(1 / delta)
    expected = (b * log_term + np.sqrt(b**2 * log_term**2 + 4 * D * a * log_term)) / (2 * D)
    assert expectation.Concentration(kernel=GAUSSIAN, mean=mean).error(D, delta) == pytest.approx(expected, rel=1e-8)


def test_printed_concentration_is_vacuous_where_the_repaired_one_is_not():
    assert published.SutherlandSchneiderProp5(D=500, mean=0.07, eps=0.1).value() == pytest.approx(1.78439, rel=3e-6)
    assert published.SutherlandSchneiderProp6(D=500, mean=0.09, eps=0.1).value() == pytest.approx(1.62, rel=5e-3)


def test_kernels_that_are_not_gaussian_have_a_larger_wimpy_variance():
    gaussian = expectation.Concentration(kernel=GAUSSIAN, mean=0.1).probability(0.1, n_components=500)
    other = expectation.Concentration(kernel=Laplacian(), mean=0.1).probability(0.1, n_components=500)
    told = expectation.Concentration(kernel=Laplacian(), mean=0.1, wimpy_variance=1.0)
    assert gaussian < other
    assert told.probability(0.1, n_components=500) == gaussian


def test_refusals():
    with pytest.raises(InvalidParameterError, match="mean"):
        expectation.Concentration(kernel=GAUSSIAN, mean=-0.1)
    with pytest.raises(AssumptionError, match="w <= 2"):
        expectation.Concentration(kernel=GAUSSIAN, mean=0.1, wimpy_variance=3.0)
