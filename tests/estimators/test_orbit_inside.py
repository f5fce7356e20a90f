"""Orbit features serve every estimator and the two-sample test through `features=`."""

import numpy as np
import pytest

import bochner as bo
from tests.strategies import rows

SIGNS = bo.groups.SignFlips()
X = rows(0, 400, 3)
y = (np.abs(X[:, 0]) > 0.7).astype(int)
FLIPPED = X * np.where(rows(1, 400, 3) > 0, 1, -1)


def orbit(width=128):
    return bo.OrbitFeatures(SIGNS, bo.FourierFeatures(bo.Gaussian(1.5), n_components=width, random_state=0))


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_a_classifier_on_orbit_features_does_not_see_the_symmetry(loss):
    model = bo.KernelClassifier(features=orbit(), loss=loss, alpha=0.1).fit(X[:200], y[:200])
    np.testing.assert_allclose(model.decision_function(FLIPPED), model.decision_function(X), atol=1e-8)
    assert model.score(X[200:], y[200:]) > 0.9


def test_components_of_orbit_features_do_not_see_the_symmetry():
    components = bo.KernelPCA(features=orbit(), n_components=3).fit(X)
    np.testing.assert_allclose(components.transform(FLIPPED), components.transform(X), atol=1e-8)


def test_a_two_sample_test_on_orbit_features_sees_only_what_is_left_of_a_difference():
    positive = np.abs(rows(2, 400, 3))
    assert bo.mmd_test(X, positive, rng=0).pvalue == pytest.approx(0.001)
    assert bo.mmd_test(X, positive, features=orbit(), rng=0).pvalue > 0.01
    wider = bo.mmd_test(X, 2 * rows(3, 400, 3), features=orbit(), rng=0)
    assert wider.pvalue == pytest.approx(0.001)
    assert wider.error_bound is None
    assert wider.n_components == 128
    np.testing.assert_allclose(wider.witness(FLIPPED), wider.witness(X), atol=1e-8)


@pytest.mark.slow
def test_the_level_holds_for_features_that_are_fitted_to_the_rows():
    landmarks = bo.NystroemFeatures(bo.Gaussian(1.0), n_components=10, random_state=0)
    pvalues = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        A, B = rng.standard_normal((20, 2)), rng.standard_normal((30, 2))
        pvalues.append(bo.mmd_test(A, B, features=landmarks, n_resamples=19, rng=seed).pvalue)
    assert np.mean(np.array(pvalues) <= 0.1) < 0.1 + 5 * np.sqrt(0.09 / 300)
