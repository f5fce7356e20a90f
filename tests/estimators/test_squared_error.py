"""KernelClassifier by least squares on the signs of the classes: the model, its probabilities, its certificate."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import log_loss

import bochner as bo
from bochner.errors import (
    InvalidDataError,
    InvalidParameterError,
    LargeWeightWarning,
    LittleDataWarning,
    NoSkillWarning,
    WidthWarning,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((400, 3)) * [1.0, 1e5, 1e-4]
CLEAN = np.digitize(np.sin(2 * X[:, 0]) + X[:, 1] / 1e5, [-0.7, 0.7])
LABELS = np.where(RNG.random(400) < 0.1, RNG.integers(0, 3, 400), CLEAN)
NAMES = np.array(["low", "middle", "high"])[LABELS]


@pytest.mark.parametrize("labels", [LABELS, LABELS > 0], ids=["three", "two"])
@pytest.mark.parametrize("intercept", [True, False])
def test_it_is_ridge_on_the_signs(labels, intercept):
    weight = np.random.default_rng(1).uniform(0.2, 2, 400)
    model = bo.KernelClassifier(
        bo.Gaussian([1.0, 1e5, 1e-4]),
        features="nystroem",
        n_components=100,
        loss="squared_error",
        alpha=0.3,
        fit_intercept=intercept,
        random_state=0,
    )
    model.fit(X, labels, sample_weight=weight)
    Z, classes = model.features_.transform(X), np.unique(labels)
    signs = np.where(labels[:, None] == (classes if len(classes) > 2 else classes[1:]), 1.0, -1.0)
    ridge = Ridge(alpha=0.3, fit_intercept=intercept, solver="cholesky").fit(Z, signs, sample_weight=weight)
    expected = ridge.predict(Z).reshape(400, -1)
    np.testing.assert_allclose(model.decision_function(X).reshape(400, -1), expected, atol=1e-6)
    slack = np.sum(weight[:, None] * (signs - expected) ** 2) + 0.3 * np.sum(np.square(ridge.coef_))
    assert model.objective_ == pytest.approx(slack / 2, rel=1e-6)
    assert (model.loss_, model.dual_gap_) == ("squared_error", 0.0)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_exact_machine_has_the_objective_of_ridge_on_the_signs(intercept):
    weight, kernel = np.random.default_rng(1).uniform(0.2, 2, 400), bo.Gaussian([1.0, 1e5, 1e-4])
    model = bo.KernelClassifier(
        kernel, features="exact", loss="squared_error", alpha=0.3, fit_intercept=intercept, random_state=0
    )
    model.fit(X, NAMES, sample_weight=weight)
    signs = np.where(NAMES[:, None] == model.classes_, 1.0, -1.0)
    coef, K = model.fitted_.solution.coef, kernel(model.features_.map_.points)
    slack = np.sum(weight[:, None] * (signs - model.decision_function(X)) ** 2) + 0.3 * np.sum(coef * (K @ coef))
    assert model.objective_ == pytest.approx(slack / 2, rel=1e-6)


def test_the_loss_by_default_is_that_of_the_rows_and_the_penalty():
    assert bo.KernelClassifier(random_state=0).fit(X, NAMES).loss_ == "squared_error"
    assert bo.KernelClassifier(alpha=1.0, n_components=32, random_state=0).fit(X, NAMES).loss_ == "logistic"
    blocks = bo.scan_blocks(lambda: iter([(X[:200], LABELS[:200]), (X[200:], LABELS[200:])]), n_rows=400)
    settings = {"n_components": 32, "length_scale": 1.0, "random_state": 0}
    assert bo.KernelClassifier(**settings).fit(blocks).loss_ == "logistic"
    with pytest.raises(InvalidDataError, match="rows in memory"):
        bo.KernelClassifier(loss="squared_error", **settings).fit(blocks)
    with pytest.raises(InvalidParameterError, match="'auto' or a number"):
        bo.KernelClassifier(loss="squared_error", alpha="cv").fit(X, LABELS)


def test_probabilities_of_new_rows_are_calibrated():
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((6000, 2))
    labels = (rng.random(6000) < 1 / (1 + np.exp(-3 * rows[:, 0]))).astype(int)
    model = bo.KernelClassifier(random_state=0).fit(rows[:1000], labels[:1000])
    found = model.predict_proba(rows[1000:])
    np.testing.assert_allclose(found.sum(axis=1), 1)
    best = log_loss(labels[1000:], 1 / (1 + np.exp(-3 * rows[1000:, 0])))
    assert log_loss(labels[1000:], found) < 1.08 * best
    assert np.array_equal(np.argmax(found, axis=1), model.predict(rows[1000:]))


def test_classes_without_an_error_are_not_called_certain():
    labels = np.where(X[:, 0] > 0, "b", "a")
    apart = X + np.c_[np.where(X[:, 0] > 0, 5.0, -5.0), np.zeros((400, 2))]
    found = bo.KernelClassifier(random_state=0).fit(apart, labels).predict_proba(apart)
    assert 1e-4 < found.min() < 0.02


def test_the_certificate_is_the_distance_to_exact_ridge_on_the_signs():
    model = bo.KernelClassifier(bo.Gaussian([1.0, 1e5, 1e-4]), n_components=64, random_state=0).fit(X, NAMES)
    certificate = model.certify(X, y=NAMES)
    assert certificate.bound == "distance.RidgeDistance"
    assert "on signs of the classes" in certificate.statement
    K, alpha = bo.Gaussian([1.0, 1e5, 1e-4])(X), model.alpha_
    signs = np.where(NAMES[:, None] == model.classes_, 1.0, -1.0)
    system = np.block([[K + alpha * np.eye(400), np.ones((400, 1))], [np.ones((1, 400)), np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.vstack([signs, np.zeros((1, 3))]))
    exact = K @ solution[:-1] + solution[-1]
    truth = np.sqrt(np.mean((model.decision_function(X) - exact) ** 2))
    assert truth * (1 - 1e-9) <= certificate.value <= 1.2 * truth


def test_labels_that_nothing_predicts_are_told():
    rng = np.random.default_rng(5)
    with pytest.warns(NoSkillWarning, match="frequencies of the classes"):
        bo.KernelClassifier(bo.Gaussian(0.3), alpha=1e-6, loss="squared_error", random_state=0).fit(
            rng.standard_normal((300, 2)), rng.integers(0, 2, 300)
        )


def test_units_do_not_matter():
    plain = bo.KernelClassifier(random_state=0).fit(X, NAMES)
    other = bo.KernelClassifier(random_state=0).fit(X * [1e-3, 7.0, 1e6] + [5.0, 0.0, -2.0], NAMES)
    moved = other.decision_function(X * [1e-3, 7.0, 1e6] + [5.0, 0.0, -2.0])
    np.testing.assert_allclose(moved, plain.decision_function(X), atol=1e-3)
    assert np.mean(plain.predict(X) == NAMES) > 0.85


def test_few_rows_and_small_weights_are_told():
    with pytest.warns(LittleDataWarning, match="fitted to 5 row"):
        bo.KernelClassifier(alpha=1.0, n_components=8, random_state=0).fit(X[:5], [0, 1, 0, 1, 1])
    with pytest.warns(LittleDataWarning, match="sums to 1.*multiply them by 400"):
        bo.KernelRegressor(alpha=1.0, n_components=8, random_state=0).fit(
            X, X[:, 0], sample_weight=np.full(400, 1 / 400)
        )


def test_weights_that_sum_to_far_more_than_the_rows_are_told():
    with pytest.warns(LargeWeightWarning, match="sums to 4e.03.*divide them by 10"):
        bo.KernelRegressor(n_components=8, alpha="evidence", random_state=0).fit(
            X, X[:, 0], sample_weight=np.full(400, 10.0)
        )


def test_a_width_at_its_limit_is_told(monkeypatch):
    for module in ("planning.width", "fitting.landmark_width"):
        monkeypatch.setattr(f"bochner.{module}.EXACT_ROWS", 300)
        monkeypatch.setattr(f"bochner.{module}.LANDMARKS", (32, 64, 128))
    monkeypatch.setattr("bochner.fitting.landmark_width._Search.exact_pays", lambda search: False)
    rows = np.random.default_rng(3).uniform(-1, 1, (600, 3))
    with pytest.warns(WidthWarning, match="ended at 128 features"):
        bo.KernelRegressor(bo.Matern(0.6), random_state=0).fit(rows, np.sin(6 * rows).sum(axis=1))
