"""Parameters by name: their vectors, and the coordinates that a descent moves."""

import numpy as np
import pytest

from bochner.tuning.coordinates import FreeVariances, GivenRatio
from bochner.tuning.parameters import ClassifierParameters, EvidenceParameters

EVIDENCE = EvidenceParameters(np.array([0.1, 0.5]), -2.0, 0.3)
CLASSIFIER = ClassifierParameters(np.array([0.1, 0.5]), -7.0)


@pytest.mark.parametrize(
    ("parameters", "vector"), [(EVIDENCE, [0.1, 0.5, -2.0, 0.3]), (CLASSIFIER, [0.1, 0.5, -7.0])], ids=["ridge", "log"]
)
def test_vectors_have_the_scales_first_and_come_back(parameters, vector):
    np.testing.assert_array_equal(parameters.to_vector(), vector)
    again = type(parameters).from_vector(np.array(vector))
    np.testing.assert_array_equal(again.log_scales, parameters.log_scales)
    np.testing.assert_array_equal(again.to_vector(), vector)
    np.testing.assert_array_equal(again.scales, np.exp([0.1, 0.5]))


def test_variances_and_penalty_are_exponentials():
    assert EVIDENCE.noise == np.exp(-2.0)
    assert EVIDENCE.signal == np.exp(0.3)
    assert CLASSIFIER.penalty == np.exp(-7.0)


def test_stretching_moves_the_scales_alone_and_leaves_the_original():
    moved = EVIDENCE.stretched(np.log(2.0))
    np.testing.assert_allclose(moved.scales, 2 * EVIDENCE.scales)
    np.testing.assert_allclose(EVIDENCE.stretched(np.array([0.0, 1.0])).log_scales, [0.1, 1.5])
    assert (moved.log_noise, moved.log_signal) == (-2.0, 0.3)
    np.testing.assert_array_equal(EVIDENCE.log_scales, [0.1, 0.5])


def test_the_common_scale_is_the_geometric_mean():
    common = EVIDENCE.with_common_scale()
    np.testing.assert_allclose(common.scales, [np.sqrt(np.exp(0.1) * np.exp(0.5))])
    np.testing.assert_allclose(common.to_vector(), [0.3, -2.0, 0.3])


def bowl(theta):
    """sum_i i theta_i^2."""
    weight = np.arange(1.0, len(theta) + 1)
    return float(weight @ theta**2), 2 * weight * theta


def test_free_variances_are_the_loss_itself():
    free = FreeVariances(bowl)
    vector = free.vector(EVIDENCE)
    assert free(vector)[0] == bowl(vector)[0]
    np.testing.assert_array_equal(free.parameters(vector).to_vector(), vector)
    assert len(free.bounds(EVIDENCE)) == 4


def test_a_given_ratio_is_kept_and_the_gradient_is_that_of_finite_differences():
    tied = GivenRatio(bowl, np.log(0.5))
    vector = tied.vector(EVIDENCE)
    found = tied.parameters(vector)
    assert found.noise / found.signal == pytest.approx(0.5)
    steps = 1e-6 * np.eye(3)
    expected = [(tied(vector + step)[0] - tied(vector - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(tied(vector)[1], expected, rtol=1e-6)
    assert len(tied.bounds(EVIDENCE)) == 3


def test_bounds_reach_from_the_start():
    low, high = FreeVariances(bowl).bounds(EVIDENCE)[1]
    assert low == pytest.approx(0.5 + np.log(1e-2))
    assert high == pytest.approx(0.5 + np.log(1e3))
