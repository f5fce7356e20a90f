"""KernelNovelty: Mahalanobis distances by their definition, however rows arrive, and the rate of false alarms."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidDataError
from tests.strategies import rows

X = rows(0, 300, 3)
FIXED = {"n_components": 64, "length_scale": 2.0, "random_state": 0}


def test_scores_are_ridge_leverages_and_left_out_ones_are_those_of_a_fit_without_the_row():
    model = bo.KernelNovelty(alpha=0.5, **FIXED).fit(X)
    Z, z = model.features_.transform(X), model.features_.transform(X[:5] + 1)

    def distances(Z, z):
        G = (Z - Z.mean(0)).T @ (Z - Z.mean(0)) + 0.5 * np.eye(64)
        return len(Z) * np.sum((z - Z.mean(0)) * np.linalg.solve(G, (z - Z.mean(0)).T).T, axis=1)

    np.testing.assert_allclose(-model.score_samples(X[:5] + 1), distances(Z, z), rtol=1e-8)
    left_out = model._fitted.left_out(-model.score_samples(X[:3]))
    expected = [distances(np.delete(Z, i, axis=0), Z[i : i + 1])[0] for i in range(3)]
    np.testing.assert_allclose(left_out, expected, rtol=1e-7)


def test_the_automatic_penalty_has_the_root_of_n_effective_dimensions():
    model = bo.KernelNovelty(**FIXED).fit(X)
    eigenvalues = np.linalg.eigvalsh(model.moments_.zz)
    assert np.sum(eigenvalues / (eigenvalues + model.alpha_)) == pytest.approx(np.sqrt(300), rel=1e-6)


@pytest.mark.parametrize(("n", "rate"), [(100, 0.1), (400, 0.05)])
def test_the_rate_of_false_alarms_among_new_rows_is_that_promised(n, rate):
    # Given the threshold the rate is beta distributed around the promise: 30 fits average it.
    alarms = 0
    for seed in range(30):
        train, new = np.split(np.random.default_rng([n, seed]).standard_normal((n + 100, 2)), [n])
        model = bo.KernelNovelty(n_components=128, false_alarm_rate=rate, random_state=seed).fit(train)
        alarms += int(np.sum(model.predict(new) == -1))
    spread = np.sqrt(30 * (100 * rate + 100**2 * rate / n))
    assert abs(alarms - 3000 * rate) < 6 * spread


def test_far_rows_and_holes_are_outliers():
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 800)
    ring = np.c_[np.cos(angle), np.sin(angle)] + 0.05 * rows(1, 800, 2)
    model = bo.KernelNovelty(length_scale=0.5, n_components=256, false_alarm_rate=0.01, random_state=0).fit(ring)
    assert model.predict([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [1e6, 0.0]]).tolist() == [-1, 1, -1, -1]


def test_units_do_not_matter():
    factor, offset = np.array([1e-6, 1.0, 1e6]), np.array([0.0, -5.0, 1e3])
    plain = bo.KernelNovelty(n_components=64, random_state=0).fit(X)
    moved = bo.KernelNovelty(n_components=64, random_state=0).fit(factor * (X + offset))
    np.testing.assert_allclose(
        moved.decision_function(factor * (X + offset)), plain.decision_function(X), rtol=1e-5, atol=1e-4
    )


def test_any_split_of_the_rows_gives_the_same_model(monkeypatch):
    monkeypatch.setattr("bochner.estimators.novelty._CALIBRATION_ROWS", 100)
    whole = bo.KernelNovelty(**FIXED).fit(X)
    parts = bo.KernelNovelty(**FIXED)
    for part in np.split(X, [7, 8, 150]):
        parts.partial_fit(part)
    scanned = bo.KernelNovelty(**FIXED).fit(bo.scan_blocks([X[:120], X[120:]]))
    for other in (parts, scanned):
        assert other.offset_ == pytest.approx(whole.offset_, rel=1e-8)
        np.testing.assert_allclose(other.score_samples(X), whole.score_samples(X), rtol=1e-7)
    assert whole._sample.rows.shape == (100, 3)


def test_contamination_is_the_share_of_the_rows_of_the_fit():
    model = bo.KernelNovelty(contamination=0.1, **FIXED).fit(X)
    assert np.sum(model.predict(X) == -1) == 30
    assert np.array_equal(model.predict(X), np.where(model.score_samples(X) < model.offset_, -1, 1))


def test_constant_and_repeated_rows_are_usual():
    model = bo.KernelNovelty(**FIXED).fit(np.ones((20, 2)))
    assert model.predict([[1.0, 1.0], [3.0, 1.0]]).tolist() == [1, -1]
    again = bo.KernelNovelty(**FIXED).fit(np.repeat(X[:10], 20, axis=0).astype(np.float32))
    assert again.predict(X[:10].astype(np.float32)).tolist() == [1] * 10


def test_refusals():
    for setting in ({"contamination": 0.6}, {"false_alarm_rate": 0.0}, {"alpha": 0.0}, {"n_components": 0}):
        with pytest.raises(ValueError, match=f"'{next(iter(setting))}' parameter of KernelNovelty"):
            bo.KernelNovelty(**setting).fit(X)
    with pytest.raises(InvalidDataError, match="at least 2 rows"):
        bo.KernelNovelty(**FIXED).partial_fit(X[:1]).predict(X)
    with pytest.raises(ValueError, match="NaN"):
        bo.KernelNovelty(**FIXED).fit(X * np.nan)
