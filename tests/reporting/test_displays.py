"""Displays hold the numbers of the report, draw them on the axes they are given, and refuse what they cannot know."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidDataError, InvalidParameterError
from bochner.reporting import summarise

matplotlib.use("Agg")
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def test_a_display_draws_on_new_axes_or_on_those_given(waves):
    display = bo.RidgePathDisplay.from_estimator(waves.regressor)
    assert display.ax_.figure is display.figure_
    _, ax = pyplot.subplots()
    assert display.plot(ax).ax_ is ax
    assert len(ax.lines) == 2


def test_the_kernel_error_is_that_of_the_report(waves):
    display = bo.KernelErrorDisplay.from_estimator(waves.regressor, waves.X)
    curve = summarise(waves.regressor, waves.X)["approximation"]["curve"]
    for name in ("widths", "largest", "root_mean_square", "guaranteed"):
        assert getattr(display, name).tolist() == curve[name]
    drawn = display.ax_.lines[0].get_xydata()
    assert drawn.tolist() == np.c_[display.widths, display.largest].tolist()


def test_the_kernel_error_of_other_maps_is_refused(waves):
    model = bo.KernelRegressor(features=bo.NystroemFeatures(n_components=10, random_state=0)).fit(waves.X, waves.y)
    with pytest.raises(AssumptionError, match="NystroemFeatures"):
        bo.KernelErrorDisplay.from_estimator(model, waves.X)


@pytest.mark.parametrize("alpha", ["gcv", "evidence", "loo"])
def test_the_path_shows_what_chose_the_penalty(waves, alpha):
    model = bo.KernelRegressor(n_components=32, length_scale=1.0, alpha=alpha, random_state=0).fit(waves.X, waves.y)
    display = bo.RidgePathDisplay.from_estimator(model)
    assert display.criterion == {"evidence": "log_evidence"}.get(alpha, alpha)
    assert display.alpha == model.alpha_
    best = np.nanargmax(display.values) if alpha == "evidence" else np.nanargmin(display.values)
    assert abs(np.log(display.alphas[best] / model.alpha_)) < 1.2  # refined between the neighbours of the best
    dof = bo.RidgePathDisplay.from_estimator(model, criterion="dof")
    assert dof.values.tolist() == model.path_.dof.tolist()


def test_the_path_of_a_classifier_is_its_cross_validation(waves):
    model = bo.KernelClassifier(n_components=32, length_scale=1.0, alpha="cv", cv=2, alphas=[1.0, 0.1], random_state=0)
    display = bo.RidgePathDisplay.from_estimator(model.fit(waves.X, waves.labels))
    assert display.values.tolist() == model.cv_losses_.mean(axis=1).tolist()


def test_a_given_penalty_has_no_path(waves):
    model = bo.KernelRegressor(n_components=32, length_scale=1.0, alpha=1.0, random_state=0).fit(waves.X, waves.y)
    with pytest.raises(AssumptionError, match="given"):
        bo.RidgePathDisplay.from_estimator(model)
    with pytest.raises(InvalidParameterError, match="criterion"):
        bo.RidgePathDisplay.from_estimator(waves.regressor, criterion="cv")


def test_the_spectrum_falls_and_has_the_trace_of_the_moments(waves):
    display = bo.SpectrumDisplay.from_estimator(waves.regressor)
    assert np.all(np.diff(display.eigenvalue) <= 0)
    assert display.penalty == waves.regressor.alpha_ / 500
    pca = bo.KernelPCA(width=32, random_state=0).fit(waves.X)
    shown = bo.SpectrumDisplay.from_estimator(pca)
    assert shown.eigenvalue[0] == pytest.approx(pca.eigenvalues_[0] / 300)
    with pytest.raises(AssumptionError, match="moments"):
        bo.SpectrumDisplay.from_estimator(waves.classifier)


def test_error_bars_that_are_half_as_wide_are_seen_to_be(waves):
    rng = np.random.default_rng(0)
    y = rng.standard_normal(4000)
    honest = bo.ErrorBarDisplay.from_predictions(y, np.zeros(4000), np.ones(4000))
    bold = bo.ErrorBarDisplay.from_predictions(y, np.zeros(4000), np.full(4000, 0.5))
    # 5.3 standard errors of a share: 1e-7 for each of eleven levels.
    assert np.all(np.abs(honest.observed - honest.levels) <= 5.3 / 1.96 * (honest.high - honest.levels + 1e-12))
    assert np.all(bold.observed[:-1] < bold.low[:-1])
    shown = bo.ErrorBarDisplay.from_estimator(waves.regressor, waves.X, waves.y)
    part = summarise(waves.regressor, waves.X, waves.y)["quality"]["coverage"]
    assert shown.observed.tolist() == part["observed"]
    with pytest.raises(InvalidDataError, match="one shape"):
        bo.ErrorBarDisplay.from_predictions(y, np.zeros(4000), 1.0)


def test_the_witness_is_that_of_the_result_along_its_columns():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((200, 3)), rng.standard_normal((150, 3)) + np.array([0.0, 2.0, 0.0])
    result = bo.mmd_test(X, Y, rng=0, n_resamples=19)
    display = bo.WitnessDisplay.from_result(result, X, Y, columns=1, n_points=15)
    points = np.repeat(np.median(np.vstack([X, Y]), axis=0)[None], 15, axis=0)
    points[:, 1] = display.grid[0]
    np.testing.assert_allclose(display.values.ravel(), result.witness(points))
    assert display.values.ravel()[0] > 0 > display.values.ravel()[-1]
    surface = bo.WitnessDisplay.from_samples(pd.DataFrame(X, columns=list("abc")), Y, columns=(2, 1), n_points=9, rng=0)
    assert surface.names == ("c", "b")
    assert surface.values.shape == (9, 9)
    assert np.all(surface.values[0] > surface.values[-1])
    for columns in (3, (0, 0), (0, 1, 2)):
        with pytest.raises(InvalidParameterError, match="columns"):
            bo.WitnessDisplay.from_samples(X, Y, columns=columns, rng=0)


def test_drift_shows_the_stream_and_the_columns_behind_the_alarm():
    rng = np.random.default_rng(0)
    detector = bo.DriftDetector(random_state=0).fit(pd.DataFrame(rng.standard_normal((2000, 3)), columns=list("abc")))
    with pytest.raises(AssumptionError, match="No alarm"):
        bo.DriftDisplay.from_estimator(detector, kind="contributions")
    batch = pd.DataFrame(rng.standard_normal((600, 3)) + np.array([0, 2, 0]), columns=list("abc"))
    detector.update(batch)
    evidence = bo.DriftDisplay.from_estimator(detector)
    assert evidence.ax_.lines[0].get_ydata().tolist() == detector.history_["evidence"].tolist()
    shares = bo.DriftDisplay.from_estimator(detector, batch, kind="contributions")
    assert shares.names[int(np.argmax(shares.contributions))] == "b"
    assert shares.contributions.tolist() == detector.contributions(batch).tolist()
    with pytest.raises(InvalidParameterError, match="kind"):
        bo.DriftDisplay.from_estimator(detector, kind="pie")
