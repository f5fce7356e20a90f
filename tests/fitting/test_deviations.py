"""The power by which errors grow with the model's standard deviations."""

import numpy as np
import pytest

import bochner as bo
from bochner.fitting.deviations import DeviationPower


def left_out(
    power: float, n: int = 4000, seed: int = 0, law: str = "normal"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Errors whose size is a power of deviations that spread by a factor of three."""
    rng = np.random.default_rng(0)
    deviations = np.exp(0.5 * rng.standard_normal((n, 1)))
    noise = rng.standard_normal((n, 1)) if law == "normal" else rng.standard_t(3, (n, 1))
    return 0.3 * deviations**power * noise, deviations


@pytest.mark.parametrize("law", ["normal", "t3"])
@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_power_is_found(power, law):
    found = DeviationPower.of(*left_out(power, law=law))
    assert found.power[0] == pytest.approx(power, abs=0.25)  # five standard errors of the normal law


def test_the_power_minimises_its_criterion():
    errors, deviations = left_out(1.6, n=50)
    low, high = np.quantile(deviations, [0.01, 0.99])
    within = np.log(np.clip(deviations[:, 0], low / 1.5, high * 1.5))
    centred, sizes = within - within.mean(), np.abs(errors[:, 0])

    def criterion(p: float) -> float:
        return float(np.log(np.mean(sizes * np.exp(-p * centred))) + 4.0 * (p - 1) ** 2 / (2 * 50))

    found = DeviationPower.of(errors, deviations).power[0]
    assert all(criterion(found) <= criterion(p) + 1e-12 for p in np.linspace(0, 3, 301))


def test_one_row_far_from_all_others_does_not_set_the_power():
    errors, deviations = left_out(1.0)
    deviations[0], errors[0] = 1e3, 1e9
    found = DeviationPower.of(errors, deviations)
    assert found.high[0] < 10
    assert found.power[0] <= 3


def test_few_rows_keep_close_to_the_model():
    errors, deviations = left_out(3.0, n=6)
    assert abs(DeviationPower.of(errors, deviations).power[0] - 1) < 1.5


@pytest.mark.parametrize("errors", [np.zeros((20, 1)), np.full((20, 1), 0.7)])
def test_equal_deviations_have_no_power(errors):
    assert DeviationPower.of(errors, np.full((20, 1), 2.0)).power[0] == pytest.approx(1.0)


def test_beyond_what_was_seen_sizes_grow_with_the_deviations():
    law = DeviationPower(np.array([2.5]), np.array([1.0]), np.array([2.0]))
    assert law(np.array([[4.0], [8.0]])) == pytest.approx(np.array([[4.0], [8.0]]) * 2**1.5)
    assert law(np.array([[0.25]])) == pytest.approx(0.25)


def test_units_of_the_target_are_those_of_the_intervals():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (300, 1)) ** 3
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(300)
    new = np.linspace(-10, 10, 50)[:, None]
    widths = []
    for unit in (1.0, 1024.0):
        low, high = bo.KernelRegressor(random_state=0).fit(X, unit * y).predict(new, return_interval=0.9)[-1]
        widths.append((high - low) / unit)
    np.testing.assert_allclose(widths[0], widths[1], rtol=1e-6)


def test_intervals_in_a_gap_of_a_rough_field_hold_their_share():
    """A field whose kernel is not the model's: rows beside each other know less of a gap than it says."""
    rng = np.random.default_rng(3)
    centres = rng.uniform(0, 10, (60, 2))
    heights = rng.standard_normal(60)

    def field(X: np.ndarray) -> np.ndarray:
        return np.exp(-2 * np.linalg.norm(X[:, None] - centres, axis=2)) @ heights

    X = rng.uniform(0, 10, (1500, 2))
    gap = (np.abs(X - 5) < 1).all(axis=1)
    model = bo.KernelRegressor(random_state=0).fit(X[~gap], field(X[~gap]) + 0.01 * rng.standard_normal((~gap).sum()))
    target = field(X[gap]) + 0.01 * rng.standard_normal(gap.sum())
    low, high = model.predict(X[gap], return_interval=0.9)[-1]
    assert np.mean((low <= target) & (target <= high)) > 0.75
