"""Weak priors on ratios of scales and of variances."""

import numpy as np
from scipy.optimize import approx_fprime

import bochner as bo
from bochner.datasets import make_waves
from bochner.tuning.automatic import tune_automatically
from bochner.tuning.columns import Columns
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.parameters import EvidenceParameters
from bochner.tuning.scale_prior import Posterior, ScalePrior

THETA = np.array([0.3, -0.2, 0.5, -2.0, 0.4])


def test_the_gradient_is_that_of_the_value():
    prior = ScalePrior(0.5, 0.1)
    slope = prior(EvidenceParameters.from_vector(THETA), 20)[1].to_vector()
    numeric = approx_fprime(THETA, lambda theta: prior(EvidenceParameters.from_vector(theta), 20)[0], 1e-6)
    np.testing.assert_allclose(slope, numeric, atol=1e-6)


def test_common_factors_of_scales_and_of_variances_have_no_prior():
    prior = ScalePrior(0.5, 0.1)
    moved = THETA + np.array([1.0, 1.0, 1.0, 2.0, 2.0])
    values = [prior(EvidenceParameters.from_vector(theta), 20)[0] for theta in (THETA, moved)]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-12)


def test_a_posterior_is_the_sum():
    rng = np.random.default_rng(0)
    evidence = KernelEvidence(rng.normal(size=(20, 3)), rng.normal(size=(20, 1)), None, bo.Gaussian())
    prior = ScalePrior(0.5, 0.1)
    value, gradient = Posterior(evidence, prior, 20)(THETA)
    added, slope = prior(EvidenceParameters.from_vector(THETA), 20)
    np.testing.assert_allclose(value, evidence(THETA)[0] + added)
    np.testing.assert_allclose(gradient, evidence(THETA)[1] + slope.to_vector())


def test_the_evidence_that_is_told_has_no_prior():
    waves = make_waves(60)
    X, Y = waves.X.astype(float), waves.y[:, None]
    tuning = tune_automatically(X, Y, [bo.Gaussian()], seed=0, warps=False)
    standardised = (Y - Y.mean()) / Y.std()
    evidence = KernelEvidence(Columns.plain(X, None).X, standardised, None, bo.Gaussian())
    told = [-evidence(stage.theta)[0] for stage in tuning.stages]
    assert np.min(np.abs(np.array(told) - tuning.log_evidence)) < 1e-8
