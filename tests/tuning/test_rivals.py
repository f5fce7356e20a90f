"""One scale for all columns as a rival of a classifier's scales or metric: told if it is close, chosen by mistakes."""

import numpy as np
import pytest

import bochner as bo
from bochner.fitting.landmark_width import _is_as_good
from bochner.fitting.left_out import LeftOut
from bochner.tuning import candidates as candidates_module
from bochner.tuning import learners, tune_automatically


@pytest.fixture
def small_search(monkeypatch):
    """Refinements and samples that leave rows of a table of a thousand unseen."""
    monkeypatch.setattr(candidates_module, "_REFINED", dict.fromkeys(candidates_module._REFINED, 300))
    monkeypatch.setattr(learners, "TUNING_ROWS", 600)


def rings(n, d, seed=0):
    """Classes by the distance from the origin: all columns count the same."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (np.linalg.norm(X, axis=1) > np.sqrt(d - 0.5)).astype(int)


def told(X, y, **settings):
    found = tune_automatically(X, y[:, None].astype(float), [bo.Matern(nu=1.5)], seed=0, warps=False, **settings)
    return found.rivals


def test_one_scale_is_told_where_there_are_more_rows_than_the_search_has(small_search):
    X, y = rings(600, 3)
    assert told(X, y, n_samples=600, rivals=True) == ()
    assert told(X, y, n_samples=1000) == ()
    for rival in told(X, y, n_samples=1000, rivals=True):
        assert np.ptp(rival.length_scale / X.std(axis=0)) < 0.1
        assert rival.rivals == ()


def test_one_scale_is_not_told_where_one_column_of_many_counts(small_search):
    X, _ = rings(600, 12)
    assert told(X, (np.sin(3 * X[:, 0]) > 0).astype(int), n_samples=1000, rivals=True) == ()


def test_a_classifier_has_one_of_both_and_files_hold_no_rivals(small_search, tmp_path):
    X, y = rings(1000, 3)
    model = bo.KernelClassifier(random_state=0).fit(X, y)
    assert model.tuning_.rivals == ()
    new, truth = rings(1000, 3, seed=1)
    assert model.score(new, truth) > 0.93
    bo.save(model, tmp_path / "m.bochner")
    np.testing.assert_array_equal(bo.load(tmp_path / "m.bochner").decision_function(new), model.decision_function(new))


def left_out(mistakes, classes):
    """Leave-one-out errors of signs of classes with so many mistakes among 1,000 rows."""
    wrong = np.arange(1000) < mistakes
    if classes == 2:
        return LeftOut(np.where(wrong, 1.5, 0.2)[:, None], np.ones(1000), np.ones(1000), np.ones((1000, 1)))
    signs = np.tile([1.0, -1.0, -1.0], (1000, 1))
    errors = np.where(wrong[:, None], [2.0, -2.0, 0.0], [0.1, 0.0, 0.0])
    return LeftOut(errors, np.ones(1000), np.ones(1000), signs)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_simpler_kernel_may_make_more_mistakes_by_two_standard_errors(classes):
    assert left_out(20, classes).mistakes().sum() == 20
    other = left_out(20, classes)
    assert _is_as_good(left_out(10, classes), other)
    assert _is_as_good(left_out(21, classes), other)
    assert not _is_as_good(left_out(27, classes), other)
