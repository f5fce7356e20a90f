"""Two classes of many rows, most of them far inside: the default classifier is a squared hinge on few rows."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import log_loss

import bochner as bo
from bochner.features import RankWarp, WarpedMap, transform
from bochner.features.nystroem import KernelMap
from tests.strategies import rows

N = 1500
X, X_NEW = rows(0, N, 2), rows(1, 500, 2)
KERNEL = bo.Matern(1.0)


def labels(X):
    return np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0, "above", "below")


@pytest.fixture
def many(monkeypatch):
    """Searches take these rows for many, whose exact machine is better than landmarks."""

    def pays(search):
        search._alpha = 0.02
        search._steps.take(N, np.ones(3), np.ones(3), np.ones(3))
        return True

    for module in ("fitting.landmark_width", "estimators.classifier_rows"):
        monkeypatch.setattr(f"bochner.{module}.EXACT_ROWS", 500)
    monkeypatch.setattr("bochner.fitting.landmark_width._Search.exact_pays", pays)
    monkeypatch.setattr("bochner.fitting.landmark_width._Search.is_easy", lambda search: False)
    return partial(bo.KernelClassifier, KERNEL, random_state=0)


def test_it_has_few_rows_a_gap_probabilities_a_file_and_a_certificate(many, tmp_path):
    y = labels(X)
    model = many().fit(X, y)
    assert model.loss_ == "squared_hinge"
    assert model.features_.map_.n_components == len(model.fitted_.solution.coef) < N / 4
    assert 0 <= model.dual_gap_ < 0.01 * model.objective_
    assert model.score(X_NEW, labels(X_NEW)) > 0.97
    assert log_loss(labels(X_NEW), model.predict_proba(X_NEW)) < 0.1
    assert model.fitted_.relative_error < 0.5
    bo.save(model, tmp_path / "model.bochner")
    loaded = bo.load(tmp_path / "model.bochner")
    np.testing.assert_array_equal(loaded.decision_function(X_NEW), model.decision_function(X_NEW))
    certificate = model.certify(X, y=y, tighten=False)
    assert "squared hinge" in certificate.statement
    assert certificate.value < 1.0


def test_a_loss_that_is_named_is_kept_and_so_are_classes_that_overlap(many):
    assert many(loss="squared_error").fit(X, labels(X)).loss_ == "squared_error"
    mixed = (labels(X) == "above") ^ (np.random.default_rng(0).random(N) < 0.2)
    assert many().fit(X, mixed).loss_ == "squared_error"


def test_some_points_of_warped_kernel_values_are_columns_of_all():
    warp, index = RankWarp.of(X), np.array([3, 700, 20])
    whole = WarpedMap(warp, KernelMap(KERNEL, warp(X)))
    some, values = (transform(each, X_NEW, np.dtype(float)) for each in (whole.with_points_at(index), whole))
    np.testing.assert_allclose(some, values[:, index], rtol=1e-6)
