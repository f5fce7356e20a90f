"""DriftDetector: false alarms, detection, explanation, files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import bochner as bo
from bochner.errors import InvalidDataError, MissingExtraError
from tests.strategies import rows


@pytest.fixture(scope="module")
def detector():
    return bo.DriftDetector(n_components=128, random_state=0).fit(rows(0, 4000, 4))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "b", "d"),
    [(1000, 30, 2), *(pytest.param(*c, marks=pytest.mark.slow) for c in [(600, 600, 2), (600, 100, 8)])],
)
def test_batches_of_the_reference_law_raise_alarms_at_the_stated_rate(n, b, d):
    def alarm(seed):
        rng = np.random.default_rng([n, seed])
        detector = bo.DriftDetector(n_components=32, false_alarm_rate=0.1, window=20, random_state=seed)
        return detector.fit(rng.standard_normal((n, d))).predict(rng.standard_normal((b, d))).is_drift

    count = sum(alarm(seed) for seed in range(200))
    # The law is that of the central limit theorem: a tenth is left for it beside the binomial limits.
    assert binom.ppf(1e-7, 200, 0.09) <= count <= binom.isf(1e-7, 200, 0.11)


def test_a_stream_of_the_reference_law_rarely_ever_raises_an_alarm():
    def alarm(seed):
        rng = np.random.default_rng([3, seed])
        detector = bo.DriftDetector(n_components=16, false_alarm_rate=0.1, window=5, random_state=seed)
        return detector.fit(rng.standard_normal((200, 1))).update(rng.standard_normal((300, 1)))

    assert sum(alarm(seed) for seed in range(100)) <= binom.isf(1e-7, 100, 0.1)


def test_a_report_says_what_moved_and_how_far(detector):
    batch = rows(1, 200, 4) + np.array([0, 0, 1.0, 0])
    report = detector.predict(batch)
    assert report
    assert report.is_drift
    assert report.pvalue < 1e-6
    assert report.statistic > report.threshold
    assert report.contributions.sum() == pytest.approx(1)
    assert report.contributions[2] > 0.8
    assert not detector.predict(rows(2, 200, 4))


def test_a_changed_dependence_is_attributed_to_both_features(detector):
    batch = rows(1, 1000, 4)
    batch[:, 3] = batch[:, 0]
    share = detector.predict(batch).contributions
    assert set(np.argsort(share)[-2:]) == {0, 3}
    assert share[[0, 3]].sum() > 0.8


def test_the_threshold_is_where_the_p_value_is_the_rate(detector):
    from bochner.comparison.null_law import ChiSquaredMixture

    report = detector.predict(rows(2, 50, 4))
    law = ChiSquaredMixture(detector._eigenvalues * (1 / 50 + 1 / 4000))
    assert law.survival(report.threshold) == pytest.approx(0.01, rel=1e-6)
    assert report.pvalue == law.survival(report.statistic)


@pytest.mark.parametrize("sizes", [(1, 7, 500), (508,)])
def test_a_stream_may_come_in_pieces_of_any_size(detector, sizes):
    detector.reset()
    X = rows(5, 508, 4)
    start = 0
    for size in sizes:
        detector.update(X[start : start + size])
        start += size
    whole = detector.reset()
    whole.update(X)
    history = whole.history_
    assert len(history["rows"]) == 508 // detector.window_
    assert history["rows"][-1] == 508 // detector.window_ * detector.window_
    detector.reset()
    start = 0
    for size in sizes:
        detector.update(X[start : start + size])
        start += size
    for name, values in detector.history_.items():
        np.testing.assert_allclose(values, history[name], rtol=1e-9)


def test_drift_in_a_stream_is_found_soon_and_explained(detector):
    detector.reset()
    assert not detector.update(rows(6, 1000, 4))
    assert detector.detected_at_ is None
    assert detector.update(rows(7, 1000, 4) + np.array([0, 1.5, 0, 0]))
    assert 1000 < detector.detected_at_ <= 1500
    assert np.argmax(detector.contributions_) == 1
    assert detector.reset().detected_at_ is None


def test_a_file_gives_the_same_detector(detector, tmp_path):
    detector.reset()
    detector.update(rows(6, 333, 4))
    path = tmp_path / "reference.bochner"
    bo.save(detector, path)
    bo.save(detector, path)
    assert [each.name for each in tmp_path.iterdir()] == ["reference.bochner"]
    assert path.stat().st_size < 50_000
    loaded = bo.load(path)
    assert loaded.get_params() == detector.get_params()
    batch = rows(8, 100, 4) + 0.3
    assert loaded.predict(batch).pvalue == detector.predict(batch).pvalue
    for each in (detector, loaded):
        each.update(rows(9, 500, 4) + 2)
    assert loaded.detected_at_ == detector.detected_at_ is not None
    for name, values in detector.history_.items():
        np.testing.assert_array_equal(loaded.history_[name], values)
    np.testing.assert_array_equal(loaded.contributions_, detector.contributions_)


def test_files_hold_kernels_samplers_and_names(tmp_path):
    frame = pd.DataFrame(rows(0, 200, 2), columns=["a", "b"])
    kernel = bo.Matern(np.array([1.0, 2.0]), nu=2.5) + 0.5 * bo.Gaussian()
    for sampling in ("qmc", bo.Orthogonal()):
        detector = bo.DriftDetector(kernel, sampling=sampling, random_state=np.random.default_rng(0)).fit(frame)
        bo.save(detector, tmp_path / "d.bochner")
        loaded = bo.load(tmp_path / "d.bochner")
        np.testing.assert_array_equal(loaded.kernel_(frame), detector.kernel_(frame))
        assert list(loaded.feature_names_in_) == ["a", "b"]
        assert loaded.predict(frame).pvalue == detector.predict(frame).pvalue


def test_the_plot_shows_evidence_threshold_and_alarm(detector):
    detector.reset()
    detector.update(rows(6, 300, 4))
    detector.update(rows(7, 600, 4) + 2)
    axes = detector.plot()
    labels = [line.get_label() for line in axes.get_lines()]
    assert any("evidence" in label for label in labels)
    assert any(f"{detector.detected_at_:,} rows" in label for label in labels)
    assert detector.plot(axes) is axes


def test_without_matplotlib_the_plot_names_the_extra(detector, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"bochner\[plot\]"):
        detector.plot()


def test_float32_is_close_to_float64():
    X = rows(0, 1000, 3)
    batch = rows(1, 100, 3)
    double, single = (
        bo.DriftDetector(random_state=0, length_scale=2.0).fit(X.astype(t)).predict(batch.astype(t)).pvalue
        for t in (np.float64, np.float32)
    )
    assert single == pytest.approx(double, rel=1e-3)


def test_refusals(detector, tmp_path):
    with pytest.raises(InvalidDataError, match="at least 8 windows of 50 rows"):
        bo.DriftDetector(window=50).fit(rows(0, 100, 2))
    with pytest.raises(ValueError, match="features"):
        detector.predict(rows(0, 10, 3))
    with pytest.raises(ValueError, match="NaN"):
        detector.update(np.full((3, 4), np.nan))
    with pytest.raises(ValueError, match="false_alarm_rate"):
        bo.DriftDetector(false_alarm_rate=0).fit(rows(0, 400, 2))


def test_a_constant_reference_and_a_single_row_are_answered():
    detector = bo.DriftDetector(window=5, random_state=0).fit(np.ones((100, 2)))
    assert detector.predict(np.ones((10, 2))).pvalue == 1
    assert detector.predict(np.zeros((10, 2))).is_drift
    assert 0 < bo.DriftDetector(random_state=0).fit(rows(0, 500, 2)).predict(rows(1, 1, 2)).pvalue <= 1
