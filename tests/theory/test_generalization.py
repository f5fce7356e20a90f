"""Feature counts for learning: operator bounds, risk, rates and tables."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.theory import Status, generalization, published, spectral


def operator(**changes: float) -> generalization.OperatorBound:
    return generalization.OperatorBound(**{"d_tau": 1000, "d_lambda": 20, "lam": 1e-3, "operator_norm": 0.5, **changes})


@pytest.mark.parametrize(
    ("d_tau", "d_lambda", "needed", "theorem", "corollary"),
    [
        (1000, 20, 64578.010, 71897.575, 43820.266),
        (50, 50, 3606.862, 4144.653, 2420.086),
    ],
)
def test_operator_bound_values(d_tau, d_lambda, needed, theorem, corollary):
    assert generalization.features_for_operator_bound(d_tau, d_lambda, 0.05) == pytest.approx(needed, rel=1e-6)
    setting = {"d_tau": d_tau, "d_lambda": d_lambda, "delta": 0.05}
    assert published.ZhuLiFeatures(**setting).value() == pytest.approx(theorem, rel=1e-7)
    assert published.ZhuLiCorollaryFeatures(**setting).value() == pytest.approx(corollary, rel=1e-6)


def test_operator_bound_refuses_what_it_cannot_certify():
    with pytest.raises(AssumptionError, match="lambda <="):
        operator(lam=1.0)
    with pytest.raises(AssumptionError, match="at least 64579"):
        operator().certificate(64_578, 0.05)
    assert operator().certificate(64_579, 0.05).delta == 0.05
    with pytest.raises(AssumptionError, match="log"):
        generalization.features_for_operator_bound(10, 0.1, 0.5)
    with pytest.raises(InvalidParameterError, match="d_lambda"):
        operator(d_lambda=-1)


@pytest.mark.parametrize("kept", [0.25, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(5))
def test_operator_inequality_holds_in_simulation(seed, kept):
    rng = np.random.default_rng(seed)
    mu, lam = np.r_[1.0, np.full(20, 1e-2)], 1e-2
    d_lambda = float(np.sum(mu / (mu + lam)))  # random signs: every draw has this leverage
    s = int(np.ceil(generalization.features_for_operator_bound(d_lambda, d_lambda, 0.05, kept=kept)))
    features = rng.choice([-1.0, 1.0], (s, 21)) * np.sqrt(mu)
    whitener = 1 / np.sqrt(mu + lam)
    sampled = whitener[:, None] * (features.T @ features / s + lam * np.eye(21)) * whitener
    assert np.linalg.eigvalsh(sampled).min() >= kept


@pytest.mark.parametrize("kept", [0.2, 1.0, -1.0, np.nan])
def test_a_share_that_cannot_be_kept_is_refused(kept):
    with pytest.raises(InvalidParameterError, match="'kept'"):
        generalization.features_for_operator_bound(10, 10, 0.05, kept=kept)


def test_approximation_error_at_half():
    bound = generalization.ApproximationError(operator=operator(lam=2e-4), norm=3.0)
    assert bound.error() == pytest.approx(0.06)
    assert bound.certificate(70_000, 0.05).value == pytest.approx(0.06)


def test_excess_risk_is_its_formula():
    bound = generalization.ExcessRisk(operator=operator(lam=5e-3), n_points=10_000, norm_bound=2.0)
    reach = 4 * np.sqrt(2)
    expected = 2 * 0.1 + reach / 100 + 2 * reach * np.sqrt(np.log(80) / 20_000)
    assert bound.excess(0.05) == pytest.approx(expected)
    assert bound.features_needed(0.05) == operator().features_needed(0.025)
    assert bound.certificate(80_000, 0.05).value == pytest.approx(expected)


def test_spectral_approximation():
    setting = {"n_points": 1000, "alpha": 1.0, "statistical_dimension": 20.0, "operator_norm": 300.0}
    bound = spectral.SpectralApproximation(**setting)
    assert bound.frequencies_needed(0.5, 0.1) == pytest.approx(86089.7, rel=1e-6)
    phase = spectral.SpectralApproximation(**setting, embedding="phase")
    assert phase.frequencies_needed(0.5, 0.1) == pytest.approx(2 * 86089.66, rel=1e-6)
    assert bound.certificate(86_090, 0.5, 0.1).value == 0.5
    for accuracy in (0.0, 0.6):
        with pytest.raises(AssumptionError, match="accuracy"):
            bound.frequencies_needed(accuracy, 0.1)
    with pytest.raises(AssumptionError, match="alpha"):
        spectral.SpectralApproximation(**{**setting, "alpha": 301.0})


@pytest.mark.parametrize(
    ("r", "gamma", "penalty", "risk", "plain", "weighted"),
    [
        (0.5, 1, 0.5, 0.5, 0.5, 0.5),
        (11 / 16, 1 / 8, 0.666667, 0.916667, 0.697917, 0.333333),
        (7 / 8, 1 / 4, 0.5, 0.875, 0.59375, 0.5),
        (1, 0, 0.5, 1, 0.5, 0.5),
    ],
)
def test_rudi_rosasco_exponents(r, gamma, penalty, risk, plain, weighted):
    second = generalization.RudiRosascoTheorem2(r=r, gamma=gamma)
    third = generalization.RudiRosascoTheorem3(r=r, gamma=gamma, alpha=gamma)
    assert (second.penalty, second.risk, second.features) == pytest.approx((penalty, risk, plain), abs=5e-7)
    assert third.features == pytest.approx(weighted, abs=5e-7)
    assert generalization.RudiRosascoTheorem3(r=r, gamma=gamma).features == pytest.approx(second.features)


def test_more_exponents():
    assert generalization.RudiRosascoTheorem2(r=0.5, gamma=0.0).features == 1.0
    assert generalization.RudiRosascoTheorem1.features == 0.5
    nystroem = generalization.NystroemComparison(r=7 / 8, gamma=1 / 4)
    assert (nystroem.uniform_centres, nystroem.leverage_centres) == (0.5, 0.125)
    for bad in ({"r": 0.4}, {"r": 1.1}, {"gamma": -0.1}):
        with pytest.raises(InvalidParameterError):
            generalization.RudiRosascoTheorem2(**bad)
    with pytest.raises(InvalidParameterError, match="alpha"):
        generalization.RudiRosascoTheorem3(r=0.5, gamma=0.5, alpha=0.2)


def test_tables_are_data():
    row = next(row for row in generalization.TABLE_1 if row.spectrum == "i^(-2 gamma)")
    assert row.exponent(1.0, 2.0) == pytest.approx(1 / 8)
    assert all(row.status is Status.ASYMPTOTIC for row in generalization.TABLE_1)
    wrong = next(row for row in generalization.TABLE_2 if row.status is Status.CORRECTED)
    assert wrong.exponent(1.0, 2.0) == pytest.approx(1 / 4)  # printed n^(1/8)
    assert generalization.corrected_plain_exponent(0.5, 0.3) == 1.0
    assert generalization.corrected_plain_exponent(1.0, 1.0) == 1.0


def test_local_complexity():
    assert generalization.local_complexity([1.0, 0.0, 0.0], 100) == pytest.approx(0.01)
    assert generalization.local_complexity(np.full(100, 0.01), 100) == pytest.approx(0.1)
