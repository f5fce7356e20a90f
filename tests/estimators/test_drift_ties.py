"""DriftDetector: the bound on false alarms, whatever the number types, the ties and the pieces of a stream."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import bochner as bo
from bochner.comparison.windows import RoundedFourier, window_means
from bochner.features import transform
from tests.strategies import rows, seeds

TYPES = [np.float32, np.float64]
OTHER_TYPES = [(np.float32, np.float32), (np.float32, np.float64), (np.float64, np.float64)]
LAWS = {
    "rare binary": lambda rng, n: (rng.random((n, 3)) < 0.001).astype(float),
    "rare values that float32 has not": lambda rng, n: np.where(rng.random((n, 2)) < 0.002, 0.7, 0.1),
    "rare counts beside a constant": lambda rng, n: np.column_stack([rng.poisson(0.002, n), np.full(n, 0.3)]),
    "constant": lambda rng, n: np.full((n, 2), 0.1),
    "duplicated rows": lambda rng, n: np.round(rng.standard_normal((n, 1)), 0) / 3,
    "one column of many is not constant": lambda rng, n: np.pad(
        rng.standard_normal((n, 1)), ((0, 0), (0, 20)), constant_values=0.1
    ),
}


def small_detector(seed, **options):
    return bo.DriftDetector(n_components=16, window=5, random_state=seed, **options)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("reference_type", "stream_type"),
    [(np.float64, np.float32), *(pytest.param(a, b, marks=pytest.mark.slow) for a, b in OTHER_TYPES)],
)
def test_a_stream_of_the_reference_law_rarely_ever_raises_an_alarm(law, reference_type, stream_type):
    def alarm(seed):
        rng = np.random.default_rng([11, seed])
        detector = small_detector(seed, false_alarm_rate=0.02).fit(LAWS[law](rng, 1000).astype(reference_type))
        return detector.update(LAWS[law](rng, 2000).astype(stream_type))

    assert sum(alarm(seed) for seed in range(20)) <= binom.isf(1e-7, 20, 0.02)


@st.composite
def streams(draw):
    """Reference and stream with ties, and a cut of the stream into pieces."""
    rng, d = np.random.default_rng(draw(seeds)), draw(st.sampled_from([1, 2, 17, 40]))
    values = draw(st.sampled_from([(0.0, 1.0), (0.1, 0.7, 1 / 3), (-1e3, 1e3), (0.1, 0.1)]))
    pools = [rng.choice(values, size=(n, d)) for n in (80, 60)]
    if draw(st.booleans()):
        pools = [np.repeat(pool[: len(pool) // 4], 4, axis=0) for pool in pools]
    cuts = sorted(draw(st.lists(st.integers(0, 60), max_size=6)))
    return *pools, [0, *cuts, 60]


@given(streams(), st.sampled_from(TYPES), st.sampled_from(TYPES), st.sampled_from("CF"), st.sampled_from([1, 2]), seeds)
@settings(max_examples=40, deadline=None)
def test_scores_depend_on_the_rows_alone(data, reference_type, stream_type, order, threads, seed):
    """The same bits for any number type, memory order, cut of the stream and number of threads."""
    reference, stream, cuts = data

    def history(detector, pieces):
        for piece in pieces:
            if len(piece):
                detector.update(piece)
        return detector.history_

    expected = history(small_detector(seed, length_scale=2.0).fit(reference), [stream])
    with bo.config_context(n_threads=threads):
        detector = small_detector(seed, length_scale=2.0).fit(np.array(reference, reference_type, order=order))
        pieces = [np.array(stream[a:b], stream_type, order=order) for a, b in pairwise(cuts)]
        found = history(detector, pieces)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)


@pytest.mark.parametrize("integer", [bool, np.int8, np.int64])
def test_integers_and_truth_values_score_as_floats(integer):
    rng = np.random.default_rng(0)
    reference, stream = ((rng.random((n, 3)) < 0.1) for n in (400, 200))
    histories = []
    for type_ in (float, integer):
        detector = small_detector(0).fit(reference.astype(type_))
        detector.update(stream.astype(type_))
        histories.append(detector.history_)
    for name in histories[0]:
        np.testing.assert_array_equal(histories[0][name], histories[1][name])


@pytest.mark.parametrize("d", [3, 60])
def test_equal_windows_have_equal_means_wherever_they_stand(d):
    feature_map = bo.FourierFeatures(n_components=30, random_state=0).fit(rows(0, 5, d)).map_
    one = rows(1, 7, d)
    X = np.vstack([rows(2, 700, d), one, rows(3, 7 * 2000, d), one, one[:3]])
    means = window_means(X, RoundedFourier(feature_map, np.dtype(float)), 7)
    assert len(means) == 2102
    np.testing.assert_array_equal(means[100], means[2101])
    np.testing.assert_allclose(means[0], transform(feature_map, X[:7], np.dtype(float)).mean(axis=0), atol=1e-14)


def test_rows_far_from_zero_keep_their_digits():
    """Rounding to float32 is left out where it would hide what the kernel sees."""
    rng = np.random.default_rng(0)
    offset = 1.7e9
    detector = small_detector(0, false_alarm_rate=0.01).fit(offset + rng.standard_normal((1000, 1)))
    assert not detector.update(offset + rng.standard_normal((200, 1)))
    assert detector.update(offset + 3 + rng.standard_normal((300, 1)))


def test_the_rows_that_scores_are_ranked_among_decide_nothing_of_the_score():
    """Only every other window is learned from: the kernel, the mean and the number type do not know the rest."""
    X = rows(0, 100, 2)
    other = X.reshape(20, 5, 2).copy()
    other[1::2] *= 1e6
    first, second = (small_detector(0).fit(each) for each in (X, other.reshape(100, 2)))
    np.testing.assert_array_equal(first.kernel_.length_scale, second.kernel_.length_scale)
    assert first._row_type == second._row_type
    np.testing.assert_array_equal(first._window_mean, second._window_mean)


@pytest.mark.parametrize("reference_type", TYPES)
@pytest.mark.parametrize("batch_type", TYPES)
def test_a_batch_of_the_constant_that_the_reference_is_has_no_drift(reference_type, batch_type):
    detector = small_detector(0).fit(np.full((300, 3), 0.1, reference_type))
    for n in (1, 7, 1000):
        assert detector.predict(np.full((n, 3), 0.1, batch_type)).pvalue == 1
        assert detector.predict(np.full((n, 3), 0.2, batch_type)).is_drift


@pytest.mark.parametrize("reference_type", TYPES)
def test_a_file_keeps_the_scores(reference_type, tmp_path):
    rng = np.random.default_rng(0)
    detector = small_detector(0).fit((rng.random((400, 3)) < 0.01).astype(reference_type))
    stream = (rng.random((203, 3)) < 0.01).astype(float)
    detector.update(stream[:101])
    bo.save(detector, tmp_path / "d.bochner")
    loaded = bo.load(tmp_path / "d.bochner")
    for each in (detector, loaded):
        each.update(stream[101:].astype(np.float32))
    for name, values in detector.history_.items():
        np.testing.assert_array_equal(loaded.history_[name], values)


def test_a_reference_that_was_scored_in_float32_raises_no_alarms():
    """Files of the first form hold such scores: distances that float32 cannot tell apart are ties."""
    rng = np.random.default_rng(0)
    detector = small_detector(0).fit((rng.random((1000, 3)) < 0.001).astype(np.float32))
    detector._calibration = np.sort(detector._calibration * (1 - 1e-6 * rng.random(len(detector._calibration))))
    stream = (rng.random((2000, 3)) < 0.001).astype(np.float32)
    old = deepcopy(detector.reset())
    del old._row_type, old._resolution  # the first form has none
    assert detector.update(stream)  # what ranks by rounding do
    assert not old.update(stream)


def test_rows_beyond_the_range_of_float32_are_drift_and_no_error():
    detector = small_detector(0).fit(rows(0, 2000, 1, np.float32))
    assert detector.update(np.full((200, 1), 1e300))
    assert np.all(np.isfinite(detector.history_["statistic"]))
    assert detector.predict(np.full((100, 1), -1e300)).is_drift


@pytest.mark.parametrize("window", [1, 3])
def test_the_smallest_references_and_windows_have_valid_ranks(window):
    detector = bo.DriftDetector(n_components=2, window=window, random_state=0).fit(rows(0, 8 * window, 1))
    detector.update(rows(1, 7, 1))
    history = detector.history_
    assert len(history["pvalue"]) == 7 // window
    assert np.all(history["pvalue"] >= 1 / (4 + np.arange(1, 7 // window + 1)) - 1e-12)
