"""Johnson-Lindenstrauss bounds of linear sketches."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

import bochner as bo
from bochner.errors import AssumptionError
from bochner.estimators.map_transformer import CertificateContext
from bochner.testing import check_bound, check_failure_rate
from bochner.theory.sketch import JohnsonLindenstrauss


def test_inversion_is_exact_and_monotone():
    check_bound(JohnsonLindenstrauss())
    check_bound(JohnsonLindenstrauss(n_points=1000))


@pytest.mark.parametrize("eps", [1e-6, 0.01, 0.3, 2.0])
def test_it_is_above_the_exact_tail_of_a_squared_norm_and_below_the_textbook_bound(eps):
    D = max(4, int(8 / eps**2))
    bound = JohnsonLindenstrauss().probability(eps, n_components=D)
    exact = chi2.sf(D * (1 + eps), D) + chi2.cdf(D * (1 - eps), D)
    assert exact <= bound <= 2 * np.exp(-D * (eps**2 / 4 - eps**3 / 6)) * (1 + 1e-6)


@pytest.mark.parametrize("correlation", [-1.0, -0.4, 0.0, 0.7, 1.0])
def test_simulated_errors_keep_the_promise(correlation):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 20_000, 30))
    errors = np.abs((a * (correlation * a + np.sqrt(1 - correlation**2) * b)).mean(axis=1) - correlation)
    assert check_failure_rate(JohnsonLindenstrauss(), errors, 30)


def test_a_promise_with_four_times_the_exponent_is_broken():
    class TooGood(JohnsonLindenstrauss):
        def probability(self, eps, *, n_components):
            return super().probability(eps, n_components=4 * n_components)

    errors = np.abs((np.random.default_rng(0).standard_normal((20_000, 30)) ** 2).mean(axis=1) - 1)
    with pytest.raises(AssertionError):
        check_failure_rate(TooGood(), errors, 30)


def test_all_pairs_of_many_points_are_within_the_bound():
    rng, bound, broken = np.random.default_rng(1), JohnsonLindenstrauss(n_points=40), 0
    X = rng.standard_normal((40, 8)) * np.exp(rng.standard_normal((40, 1)))
    norms = np.linalg.norm(X, axis=1)
    limit = bound.error(100, 0.2)
    for seed in range(200):
        Z = bo.SketchFeatures(n_components=100, random_state=seed).fit_transform(X)
        broken += np.max(np.abs(Z @ Z.T - X @ X.T) / np.outer(norms, norms)) > limit
    assert broken <= 75  # of 200 at 0.2: more has probability below 1e-6


def test_a_sketch_certifies_what_it_computes_and_what_it_promises():
    X = np.random.default_rng(0).standard_normal((50, 300)).astype(np.float32)
    features = bo.SketchFeatures(n_components=2000, random_state=0).fit(X)
    computed = features.certify(X, delta=0.05)
    (promised,) = computed.others
    assert computed.delta == 0
    assert promised.delta == 0.05
    assert computed.value < promised.value
    assert "draw of the directions" in promised.statement
    largest = np.max(np.sum(X.astype(float) ** 2, axis=1))
    assert promised.value == pytest.approx(JohnsonLindenstrauss(n_points=50).error(2000, 0.05) * largest)
    many = features.certify(np.tile(X, (100, 1)), delta=0.05)
    assert many.bound == "sketch.JohnsonLindenstrauss"
    fitted = features.certify_rows_of_fit(50, 0.05, CertificateContext())
    assert fitted.value == pytest.approx(JohnsonLindenstrauss(n_points=50).error(2000, 0.05))


def test_features_that_tuning_has_seen_are_promised_nothing():
    X = np.random.default_rng(0).standard_normal((5000, 3))
    features, seen = bo.SketchFeatures(n_components=20, random_state=0).fit(X), CertificateContext(independent=False)
    assert features.certify_kernel(X[:20], 0.05, seen).others == ()
    with pytest.raises(AssumptionError, match="5,000 rows are too many"):
        features.certify_kernel(X, 0.05, seen)
    with pytest.raises(AssumptionError, match="seen by tuning"):
        features.certify_rows_of_fit(20, 0.05, seen)


def test_points_are_counted():
    with pytest.raises(ValueError, match=r"'n_points' parameter of JohnsonLindenstrauss.*Got 0"):
        JohnsonLindenstrauss(n_points=0)
