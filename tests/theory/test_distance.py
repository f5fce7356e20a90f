"""Statements about the distance to the exact kernel machine name their rows and have the coverage they promise."""

import numpy as np
import pytest
from scipy.stats import binomtest

import bochner as bo
from bochner.errors import InvalidDataError
from bochner.theory.distance import AnyTargetDistance, NewRows
from tests.strategies import rows


def test_new_rows_fail_at_most_as_often_as_they_say():
    rng, failures = np.random.default_rng(1), 0
    for _ in range(2000):
        failures += NewRows(difference=rng.uniform(size=150)).certificate(0.9, 0.1).value < 0.9
    assert binomtest(failures, 2000, 0.1, alternative="greater").pvalue > 1e-6
    assert failures > 0.03 * 2000


def test_too_few_new_rows_say_how_many_are_needed():
    with pytest.raises(InvalidDataError, match=r"needs 90 new rows\. Got 10"):
        NewRows(difference=np.zeros(10)).certificate(0.95, 0.01)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_bound_for_any_target_is_reached_by_the_worst_one(intercept):
    X = rows(0, 60, 3)
    root, alpha = np.sqrt(np.random.default_rng(1).exponential(size=60) + 0.1), 0.5
    Z = bo.FourierFeatures(n_components=40, random_state=0).fit_transform(X) * root[:, None]
    K = bo.Gaussian()(X) * np.outer(root, root)
    setting = {"exact": K, "approximate": Z @ Z.T, "root": root, "alpha": alpha, "intercept": intercept}
    bound = AnyTargetDistance(**setting, norms=np.ones(1))
    P = np.eye(60) - np.outer(root, root) / (root @ root) * intercept

    def fitted(M, y):
        return y - alpha * np.linalg.solve(P @ M @ P + alpha * np.eye(60), y)

    difference = fitted(K, P) - fitted(Z @ Z.T, P)
    _, _, vectors = np.linalg.svd(difference)
    rms = np.linalg.norm(difference @ vectors[0]) / np.sqrt(root @ root)
    assert bound.certificate().value == pytest.approx(rms, rel=1e-5)
    assert bound.certificate().value >= rms
