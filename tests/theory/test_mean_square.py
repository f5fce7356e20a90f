"""Mean squared errors: the exact mean, and two concentration bounds."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.kernels import Gaussian
from bochner.theory import mean_square, published

GAUSSIAN = Gaussian()


@pytest.mark.parametrize(("b", "paired", "phase"), [(3, 0.659734, 0.829867), (5, 0.785841, 0.892920)])
def test_brackets_on_an_interval(b, paired, phase):
    assert mean_square.interval_bracket(GAUSSIAN, b) == pytest.approx(paired, rel=2e-6)
    assert mean_square.interval_bracket(GAUSSIAN, b, embedding="phase") == pytest.approx(phase, rel=2e-6)


def test_bracket_of_a_fine_grid_is_that_of_the_interval():
    x = (np.arange(200) + 0.5) / 200 * 6 - 3
    differences = (x[:, None] - x).reshape(-1, 1)
    assert mean_square.bracket(GAUSSIAN, differences) == pytest.approx(0.659734, rel=1e-3)
    doubled = mean_square.bracket(GAUSSIAN, differences, weights=np.full(len(differences), 2 / len(differences)))
    assert doubled == pytest.approx(2 * mean_square.bracket(GAUSSIAN, differences))


def test_exact_mean_scales_with_the_square_of_the_kernel():
    one = mean_square.ExactMean(kernel=GAUSSIAN, bracket=0.659734)
    three = mean_square.ExactMean(kernel=3.0 * GAUSSIAN, bracket=0.659734)
    assert one.mean(100) == pytest.approx(0.00659734)
    assert three.mean(100) == pytest.approx(9 * one.mean(100))
    assert one.certificate(100).value == one.mean(100)


def test_propositions_7_and_8():
    paired = mean_square.SquaredNormMcDiarmid(kernel=GAUSSIAN)
    phase = mean_square.SquaredNormMcDiarmid(kernel=GAUSSIAN, embedding="phase")
    assert paired.probability(0.5, n_components=1000) == pytest.approx(0.0402316, rel=2e-6)
    assert phase.probability(0.5, n_components=4000) == pytest.approx(0.0620959, rel=2e-6)
    assert published.SutherlandSchneiderProp7(D=1000, eps=0.5).value() == pytest.approx(0.283937, rel=3e-6)
    assert published.SutherlandSchneiderProp8(D=4000, eps=0.5).value() == pytest.approx(0.283937, rel=3e-6)


@pytest.mark.parametrize(("embedding", "value"), [("paired", 0.135152), ("phase", 0.183617)])
def test_hilbert_norm(embedding, value):
    bracket = mean_square.interval_bracket(GAUSSIAN, 3, embedding=embedding)
    bound = mean_square.HilbertNorm(kernel=GAUSSIAN, bracket=bracket, embedding=embedding)
    assert bound.error(1000, 0.05) == pytest.approx(value, rel=4e-6)


def test_an_infinite_measure_is_refused():
    with pytest.raises(AssumptionError, match="finite measure"):
        mean_square.HilbertNorm(kernel=GAUSSIAN, bracket=0.6, mass=np.inf)
    with pytest.raises(InvalidParameterError, match="mass"):
        mean_square.SquaredNormMcDiarmid(kernel=GAUSSIAN, mass=0.0)
