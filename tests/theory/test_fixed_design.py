"""Risk of ridge regression with random features at the training rows: the bound against the risk in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.theory.counterexample import rate_at_least
from bochner.theory.fixed_design import RidgeRisk
from bochner.theory.generalization import OperatorBound

N, LAM, NOISE = 80, 0.05, 0.3
X = np.random.default_rng(1).uniform(-2, 2, (N, 1))
K = bo.Gaussian()(X)
COEFFICIENTS = np.random.default_rng(2).standard_normal(N) / N
F, NORM = K @ COEFFICIENTS, float(np.sqrt(COEFFICIENTS @ K @ COEFFICIENTS))


def bound(**changes):
    mu = np.linalg.eigvalsh(K) / N
    operator = OperatorBound(d_tau=1 / LAM, d_lambda=float(np.sum(mu / (mu + LAM))), lam=LAM, operator_norm=mu[-1])
    return RidgeRisk(**{"operator": operator, "n_points": N, "norm": NORM, "noise": NOISE, **changes})


def risk(K_hat, f):
    """Squared bias and variance at the rows, in closed form."""
    smoother = np.linalg.solve(K_hat + N * LAM * np.eye(N), K_hat)
    return np.mean((smoother @ f - f) ** 2) + NOISE**2 * np.sum(smoother**2) / N


def approximate(m, seed):
    Z = bo.FourierFeatures(bo.Gaussian(), n_components=2 * m, random_state=seed).fit_transform(X)
    return Z @ Z.T


def test_the_risk_stays_below_the_bound():
    claim, delta = bound(), 0.2
    m = claim.features_needed(delta)
    promised = claim.risk(m, delta)
    risks = [risk(approximate(m, seed), F) for seed in range(60)]
    assert rate_at_least(sum(value > promised for value in risks), 60) <= delta
    assert promised < np.mean(F**2) + NOISE**2  # it says more than that the risk is at most that of the targets
    assert promised <= 20 * risk(K, F)


def test_the_two_steps_of_the_proof_hold_for_every_draw_with_the_operator_inequality():
    """Bias at most 2 lambda ||f||^2 and trace at most twice the mean leverage, where K^ + a >= (K + a)/2."""
    alpha, whitener = N * LAM, np.linalg.inv(np.linalg.cholesky(K + N * LAM * np.eye(N)))
    checked = 0
    for seed in range(40):
        K_hat = approximate(40, seed)
        if np.linalg.eigvalsh(whitener @ (K_hat + alpha * np.eye(N)) @ whitener.T)[0] < 0.5:
            continue
        checked += 1
        smoother = np.linalg.solve(K_hat + alpha * np.eye(N), K_hat)
        assert np.mean((smoother @ F - F) ** 2) <= 2 * LAM * NORM**2
        assert np.trace(smoother) <= 2 * np.trace(np.linalg.solve(K + alpha * np.eye(N), K_hat))
    assert checked >= 10


def test_it_is_its_formula():
    claim, delta = bound(), 0.1
    m = 2 * claim.features_needed(delta)
    d, log = claim.operator.d_lambda, np.log(20)
    spread = np.sqrt(2 * 20 * d * log / m) + 20 * log / (3 * m)
    assert claim.risk(m, delta) == pytest.approx(0.1 * NORM**2 + 2 * NOISE**2 / N * (d + spread))
    assert claim.certificate(m, delta).value == claim.risk(m, delta)
    assert claim.risk(4 * m, delta) < claim.risk(m, delta) < claim.risk(m, delta / 10)


def test_the_orders_are_those_of_rudi_and_rosasco():
    """lambda = n^(-1/2), capacity 1/2: risk of order n^(-1/2) with sqrt(n) log n features."""
    values = []
    for n in (10**4, 10**6, 10**8):
        lam = n**-0.5
        operator = OperatorBound(d_tau=1 / lam, d_lambda=lam**-0.5, lam=lam, operator_norm=0.5)
        claim = RidgeRisk(operator=operator, n_points=n, norm=1.0, noise=1.0)
        m = claim.features_needed(0.05)
        values.append((claim.risk(m, 0.05) * np.sqrt(n), m / (np.sqrt(n) * np.log(n))))
    risks, counts = np.array(values).T
    assert np.all(np.diff(risks) < 0)
    assert risks[-1] < 2.1
    assert np.all(np.diff(counts) < 0)


def test_what_it_cannot_promise_is_refused():
    with pytest.raises(AssumptionError, match="independent draws"):
        bound().risk(10, 0.1)
    for changes, name in (({"n_points": 0}, "n_points"), ({"norm": -1.0}, "norm"), ({"noise": np.inf}, "noise")):
        with pytest.raises(InvalidParameterError, match=name):
            bound(**changes)
    with pytest.raises(InvalidParameterError, match="delta"):
        bound().risk(10**6, 1.5)
