"""Narrower models, more rows and bills: what the report says of other widths is what a fit would give."""

import numpy as np
import pytest
from sklearn import metrics

import bochner as bo
from bochner.reporting import summarise


def _targets(waves):
    """The training targets: the fixture's generator, run again."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (800, 2))
    return (np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(800))[:500]


def test_narrow_models_are_those_that_a_fit_at_that_width_gives(waves):
    part = summarise(waves.regressor, waves.X, waves.y)["more"]["widths"]
    kernel, seed = waves.regressor.features_.kernel_, waves.regressor.seed_
    for width, error, gcv in zip(part["widths"], part["held_out"], part["gcv"], strict=True):
        model = bo.KernelRegressor(kernel, n_components=width, alpha="gcv", random_state=seed)
        model.fit(waves.train, _targets(waves))
        assert error == pytest.approx(metrics.root_mean_squared_error(waves.y, model.predict(waves.X)), rel=0.02)
        assert gcv == pytest.approx(np.sqrt(np.nanmin(model.path_.gcv)), rel=0.01)
    assert part["widths"] == [16, 32, 64, 128]


def test_the_expected_error_with_more_rows_is_that_of_the_model_now(waves):
    part = summarise(waves.regressor)["more"]["rows"]
    model, now = waves.regressor, part["n_rows"].index(500.0)
    assert part["rmse"][now] == pytest.approx(np.sqrt(model.noise_variance_ * (1 + model.dof_ / 500)))
    assert part["rmse"] == sorted(part["rmse"], reverse=True)
    assert part["rmse"][-1] > part["noise"]


def test_memory_by_width_is_the_bill_of_a_fit(waves):
    part = summarise(waves.regressor)["more"]["bills"]
    plan = bo.plan(n_samples=500, n_features=2, kernel=bo.Gaussian())
    assert part["memory"][part["widths"].index(256)] == plan.memory
    assert plan.n_components == 256


def test_a_classifier_compares_widths_on_held_out_rows(waves):
    part = summarise(waves.classifier, waves.X, waves.labels)["more"]["widths"]
    assert part["widths"] == [16, 32, 64, 128]
    assert all(0 < error < 0.6 for error in part["held_out"])
    assert part["n_rows"] == 150
    assert "40 or more" in summarise(waves.classifier, waves.X[:20], waves.labels[:20])["more"]["widths"]["missing"]


def test_an_exact_machine_has_no_other_widths(waves):
    model = bo.KernelClassifier(features="exact", length_scale=1.0, alpha=0.1)
    found = summarise(model.fit(waves.train[:60], waves.train[:60, 0] > 0))
    assert "exact kernel machine" in found["more"]["bills"]["missing"]
    assert "Twice the features" not in found["answers"]["more"]
