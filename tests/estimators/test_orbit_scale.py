"""Length scales of orbit features: learned from targets where there are any."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner import groups
from tests.strategies import rows

SHIFTS = groups.CyclicShifts()
X = rows(0, 400, 4)
WAVES = np.sin(2.5 * X).sum(axis=1)  # finer than the median distance, and the same for all shifts
MEDIAN = float(np.median(pdist(X)))


def scale_of(model):
    return float(model.features_.base_.kernel_.length_scale)


def test_targets_that_vary_on_a_short_scale_have_one():
    features = bo.OrbitFeatures(SHIFTS, random_state=0)
    assert scale_of(bo.KernelRegressor(features=features).fit(X, WAVES)) < 0.6 * MEDIAN
    assert scale_of(bo.KernelRegressor(features=features).fit(X, X.sum(axis=1))) >= MEDIAN
    assert features.fit(X).base_.kernel_.length_scale == pytest.approx(MEDIAN)


def test_learned_scales_predict_better_than_the_median():
    own = bo.OrbitFeatures(SHIFTS, random_state=0)
    median = bo.OrbitFeatures(SHIFTS, bo.FourierFeatures(bo.Gaussian(MEDIAN)), random_state=0)
    new = rows(1, 300, 4)
    errors = [
        1 - bo.KernelRegressor(features=each).fit(X, WAVES).score(new, np.sin(2.5 * new).sum(axis=1))
        for each in (own, median)
    ]
    assert errors[0] < 0.8 * errors[1]


@pytest.mark.parametrize("labels", [WAVES > 0, np.where(WAVES > 0, "up", "down"), (WAVES > 0).astype(int)])
def test_labels_of_any_kind_tell_a_scale(labels):
    model = bo.KernelClassifier(features=bo.OrbitFeatures(SHIFTS, random_state=0), random_state=0).fit(X, labels)
    assert scale_of(model) < 0.6 * MEDIAN
    other = make_pipeline(bo.OrbitFeatures(SHIFTS, random_state=0), RidgeClassifier()).fit(X, labels)
    assert float(other[0].base_.kernel_.length_scale) < 0.6 * MEDIAN


def test_order_of_classes_does_not_matter():
    """Numbers of classes are names."""
    three = np.digitize(WAVES, [-1, 1])
    renamed = np.array([1, 2, 0])[three]
    scales = [
        scale_of(bo.KernelClassifier(features=bo.OrbitFeatures(SHIFTS, random_state=0), loss=loss, alpha=1.0).fit(X, y))
        for loss in ("squared_error", "logistic")
        for y in (three, renamed)
    ]
    assert len(set(scales)) == 1


def test_rows_of_weight_zero_do_not_tell_a_scale():
    features, weight = bo.OrbitFeatures(SHIFTS, random_state=0), np.repeat([1.0, 0.0], 200)
    spoiled = np.where(weight > 0, WAVES, X.sum(axis=1) * 100)
    fit = [bo.KernelRegressor(features=features).fit(X, y, sample_weight=weight) for y in (WAVES, spoiled)]
    assert scale_of(fit[0]) == scale_of(fit[1])


@pytest.mark.parametrize("base", [bo.FourierFeatures(bo.Gaussian(3.0)), bo.FourierFeatures(gamma=0.5)])
def test_a_scale_that_is_given_is_kept(base):
    model = bo.KernelRegressor(features=bo.OrbitFeatures(SHIFTS, base, random_state=0)).fit(X, X.sum(axis=1))
    assert model.features_.base_.kernel_.length_scale in (3.0, 1.0)


def test_landmarks_as_a_base_learn_it_too():
    base = bo.NystroemFeatures(n_components=50)
    model = bo.KernelRegressor(features=bo.OrbitFeatures(SHIFTS, base, random_state=0)).fit(X, WAVES)
    assert scale_of(model) < 0.6 * MEDIAN
