"""Calibration by region: error bars that hold for all rows together are looked at in fifths of the predictions."""

import numpy as np
import pytest

import bochner as bo
from bochner.reporting.validation import coverage


def test_one_width_for_all_is_too_wide_here_and_too_narrow_there():
    rng = np.random.default_rng(0)
    mean = rng.uniform(0, 1, 2000)
    noise = 0.1 + mean
    y = mean + noise * rng.standard_normal(2000)
    same = coverage(y, mean, np.full(2000, np.sqrt(np.mean(noise**2))))["regions"]
    right = coverage(y, mean, noise)["regions"]
    assert [each["n_rows"] for each in same] == [400] * 5
    assert same[0]["true_low"] > 0.9
    assert same[-1]["true_high"] < 0.9
    assert all(abs(each["observed"] - 0.9) < 0.075 for each in right)  # five standard errors
    assert [each["low"] for each in right] == sorted(each["low"] for each in right)


def test_few_rows_have_no_regions():
    assert coverage(np.zeros(99), np.zeros(99), np.ones(99))["regions"] == []


def test_the_report_shows_them(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (400, 1))
    y = 3 * X[:, 0] + (0.05 + X[:, 0]) * rng.standard_normal(400)
    model = bo.KernelRegressor(features="fourier", n_components=32, length_scale=0.5, random_state=0).fit(X, y)
    bo.report(model, tmp_path / "page.html", X=X, y=y)
    page = (tmp_path / "page.html").read_text()
    assert "Do the error bars hold everywhere?" in page
    assert "too wide" in page
    assert "too narrow" in page


@pytest.mark.parametrize("n_targets", [1, 2])
def test_the_first_of_several_targets_is_shown(n_targets):
    Y = np.random.default_rng(0).standard_normal((200, n_targets))
    assert len(coverage(Y, np.zeros_like(Y), np.ones_like(Y))["regions"]) == 5


def test_shares_are_those_of_the_intervals_that_the_model_gives(tmp_path):
    """Noise of a t law with two degrees of freedom: its 90 % intervals are no 1.64 standard deviations."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (600, 1))
    y = 3 * X[:, 0] + 0.1 * rng.standard_t(2, 600)
    model = bo.KernelRegressor(random_state=0).fit(X[:300], y[:300])
    mean, std, (low, high) = model.predict(X[300:], return_std=True, return_interval=0.9)
    found = bo.report(model, tmp_path / "page.html", X=X[300:], y=y[300:]).summary["quality"]["coverage"]
    share = found["observed"][list(found["levels"]).index(0.9)]
    assert share == pytest.approx(np.mean((low <= y[300:]) & (y[300:] <= high)))
    assert share != pytest.approx(np.mean(np.abs(y[300:] - mean) <= 1.6449 * std), abs=0.01)
