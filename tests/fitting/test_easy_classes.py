"""Classes that are easily told apart have few landmarks and a short search, of any number of rows; others as before."""

import numpy as np
import pytest

import bochner as bo
from bochner.estimators import classifier_rows
from bochner.fitting import FeatureSettings, landmark_width, squared_classifier
from bochner.tuning import learners

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (4000, 2))
X[:, 0] += 0.2 * np.sign(X[:, 0])  # a gap between the classes
EASY = np.where(X[:, 0] > 0, "above", "below")
TRAIN, NEW = slice(0, 2500), slice(2500, None)


@pytest.fixture
def many(monkeypatch):
    """Thresholds by which 2,500 rows are many, for exact machines and for landmarks."""
    monkeypatch.setattr(classifier_rows, "EXACT_ROWS", 1500)
    monkeypatch.setattr(landmark_width, "FEW_ROWS", 1800)


@pytest.fixture
def given_kernel(monkeypatch):
    """No long search, which is not the subject."""
    monkeypatch.setattr(FeatureSettings, "kernel_for", lambda *_args, **_settings: (bo.Gaussian(0.4), None))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_easy_rows_have_few_landmarks_that_are_fitted_to_all_of_them(many, dtype):
    model = bo.KernelClassifier(random_state=0).fit(X[TRAIN].astype(dtype), EASY[TRAIN])
    assert type(model.features_).__name__ in ("NystroemFeatures", "WarpedFeatures")
    assert model.features_.map_.n_components <= 512
    assert model.fitted_.n_rows == 2500
    assert len(model.tuning_.stages) <= 3
    assert model.score(X[NEW].astype(dtype), EASY[NEW]) > 0.99
    assert model.predict_proba(X[NEW].astype(dtype)).max() < 1


def test_they_are_searched_for_on_some_rows_and_have_the_moments_of_all(many, monkeypatch):
    kept = []
    whole = squared_classifier.search_few_landmarks
    monkeypatch.setattr(squared_classifier, "search_few_landmarks", lambda *a: kept.append(whole(*a)) or kept[-1])
    bo.KernelClassifier(random_state=0).fit(X[TRAIN], EASY[TRAIN])
    fit, left_out = kept[0]
    assert fit.moments.weight == 2500
    assert len(left_out.errors) == 2500
    assert "make mistakes on" in fit.width_curve.reason


def test_weights_of_two_are_rows_that_count_twice(many):
    weight = np.where(np.arange(2500) % 2, 2.0, 1.0)
    model = bo.KernelClassifier(random_state=0).fit(X[TRAIN], EASY[TRAIN], sample_weight=weight)
    assert len(model.tuning_.stages) <= 3
    assert model.score(X[NEW], EASY[NEW]) > 0.99


def test_an_interrupted_fit_of_easy_rows_goes_on_to_the_same_model(many, tmp_path):
    plain = bo.KernelClassifier(random_state=0).fit(X[TRAIN], EASY[TRAIN])
    model = bo.KernelClassifier(random_state=0, checkpoint=tmp_path / "c").fit(X[TRAIN], EASY[TRAIN])
    np.testing.assert_array_equal(model.decision_function(X[NEW]), plain.decision_function(X[NEW]))


def test_classes_that_are_not_easy_have_the_same_model_as_without_the_rule(many, given_kernel, monkeypatch):
    y = np.where(RNG.random(len(X)) < 0.1, "above", EASY)
    model = bo.KernelClassifier(random_state=0).fit(X[TRAIN], y[TRAIN])
    monkeypatch.setattr(learners, "tune_easily", lambda *_args, **_settings: None)
    as_before = bo.KernelClassifier(random_state=0).fit(X[TRAIN], y[TRAIN])
    assert type(as_before.features_).__name__ == "KernelValues"
    np.testing.assert_array_equal(model.decision_function(X[NEW]), as_before.decision_function(X[NEW]))


def test_few_landmarks_that_make_too_many_mistakes_are_left(many, given_kernel, monkeypatch):
    tried = []
    monkeypatch.setattr(squared_classifier, "search_few_landmarks", lambda *_: tried.append(True))
    model = bo.KernelClassifier(random_state=0).fit(X[TRAIN], EASY[TRAIN])
    assert tried == [True]
    assert type(model.features_).__name__ == "KernelValues"


@pytest.mark.parametrize(
    "settings", [{"n_components": 64}, {"length_scale": 0.5}, {"features": "fourier"}, {"kernel": bo.Gaussian(0.4)}]
)
def test_what_is_given_is_not_searched_for(many, given_kernel, monkeypatch, settings):
    monkeypatch.setattr(learners, "tune_easily", None)  # calling it would fail
    bo.KernelClassifier(random_state=0, **settings).fit(X[TRAIN], EASY[TRAIN])
