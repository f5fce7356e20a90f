"""Estimators with features="exact": Gaussian processes, files, certificates, classes."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

import bochner as bo
from tests.strategies import rows


def table(n=200):
    X = rows(0, n, 2)
    return X, np.sin(2 * X[:, 0]) + 0.2 * rows(1, n, 1)[:, 0]


def test_predictions_and_error_bars_are_those_of_a_gaussian_process():
    X, y = table()
    model = bo.KernelRegressor(bo.Gaussian(0.8), features="exact", alpha=0.05, fit_intercept=False).fit(X, y)
    process = GaussianProcessRegressor(RBF(0.8), alpha=0.05, optimizer=None).fit(X, y)
    new = 2 * rows(2, 40, 2)
    mean, std = model.predict(new, return_std=True)
    expected, spread = process.predict(new, return_std=True)  # of a process of variance 1, without noise
    np.testing.assert_allclose(mean, expected, atol=1e-9)
    noise = model.noise_variance_
    np.testing.assert_allclose(std, np.sqrt(noise * (1 + spread**2 / 0.05)), rtol=1e-6)


@pytest.mark.parametrize(
    "kind", [bo.KernelRegressor, bo.KernelClassifier, bo.KernelQuantileRegressor, bo.KernelPoissonRegressor]
)
def test_fitted_models_know_whether_they_are_the_exact_machine(kind, tmp_path):
    X = rows(0, 80, 2)
    y = (X[:, 0] > 0).astype(int)
    models = [kind(features=each, random_state=0).fit(X, y) for each in ("exact", "nystroem", "fourier")]
    if kind is bo.KernelClassifier:
        assert all(
            kind(features="exact", loss=loss).fit(X, y).is_exact for loss in ("logistic", "hinge", "squared_hinge")
        )
    assert [model.is_exact for model in models] == [True, False, False]
    bo.save(models[0], tmp_path / "exact.bochner")
    assert bo.load(tmp_path / "exact.bochner").is_exact
    with pytest.raises(NotFittedError):
        kind(features="exact").is_exact  # noqa: B018


def test_an_exact_machine_by_iterations_is_exact():
    X = rows(0, 80, 2)
    assert bo.KernelRegressor(features="exact", solver="iterative").fit(X, X[:, 0]).is_exact
    assert bo.KernelRegressor(random_state=0).fit(X, X[:, 0]).is_exact  # so many are the default


def test_the_default_of_some_hundred_rows_is_exact():
    model = bo.KernelRegressor(random_state=0).fit(*table(400))
    assert isinstance(model.features_, (bo.KernelValues, bo.WarpedFeatures))
    assert model.coef_.shape == (400,)
    assert model.moments_ is None
    assert model.solver_ == "direct"


def test_far_from_the_rows_the_prediction_is_the_mean_and_the_error_bar_wide():
    X, y = table(400)
    model = bo.KernelRegressor(random_state=0).fit(X, y)
    with pytest.warns(bo.errors.ExtrapolationWarning):
        mean, std = model.predict(np.full((1, 2), 1e6), return_std=True)
    assert mean[0] == pytest.approx(model.intercept_)
    assert std[0] > 3 * np.median(model.predict(X, return_std=True)[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_types_and_sparse_rows(dtype):
    X, y = table()
    X[np.abs(X) < 0.3] = 0
    model = bo.KernelRegressor(bo.Gaussian(), features="exact", alpha=0.1)
    dense, sparse = model.fit(X.astype(dtype), y).predict(X.astype(dtype)), None
    sparse = model.fit(csr_array(X.astype(dtype)), y).predict(csr_array(X.astype(dtype)))
    assert dense.dtype == dtype
    np.testing.assert_allclose(dense, sparse, atol=1e-5)


def test_several_targets_are_those_of_each_alone():
    X, y = table()
    Y = np.c_[y, y**2, X[:, 1]]
    model = bo.KernelRegressor(bo.Gaussian(), features="exact", alpha=0.1)
    together = model.fit(X, Y).predict(X, return_std=True)
    for j in range(3):
        for left, right in zip(together, model.fit(X, Y[:, j]).predict(X, return_std=True)):
            np.testing.assert_allclose(left[:, j], right, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("warped", [True, False])
def test_a_file_gives_the_same_predictions_and_error_bars(tmp_path, warped):
    X, y = table()
    X = np.exp(3 * X) if warped else X
    model = bo.KernelRegressor(features="exact", random_state=0).fit(X, y)
    assert model.tuning_.warped == warped
    bo.save(model, tmp_path / "model.bochner")
    loaded = bo.load(tmp_path / "model.bochner")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_allclose(loaded.predict(X, return_std=True)[1], model.predict(X, return_std=True)[1], rtol=1e-9)
    assert (tmp_path / "model.bochner").stat().st_size < 100_000


def test_the_certified_distance_to_the_exact_machine_is_rounding():
    X, y = table()
    model = bo.KernelRegressor(bo.Gaussian(), features="exact", alpha=0.1).fit(X, y)
    assert model.certify(X, y=y).value < 1e-10
    with pytest.raises(bo.errors.AssumptionError, match="this is the exact kernel machine"):
        model.certify(X[:50])


def test_classes_are_told_apart_with_probabilities():
    X, y = table(600)
    labels = np.where(y > 0.5, "high", np.where(y < -0.5, "low", "middle"))
    model = bo.KernelClassifier(features="exact", random_state=0).fit(X[:400], labels[:400])
    assert model.score(X[400:], labels[400:]) > 0.7
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.certify(X[:400], y=labels[:400]).value < 1e-6


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_other_losses_of_the_exact_machine_have_a_small_exact_gap(loss, tmp_path):
    X, y = table(300)
    labels = np.where(y > 0, "high", "low")
    model = bo.KernelClassifier(bo.Gaussian(), features="exact", loss=loss, alpha=0.1, tol=1e-8, random_state=0)
    model.fit(X, labels)
    assert model.coef_.shape == (1, 300)
    assert 0 <= model.dual_gap_ <= 1e-8 * model.objective_
    assert model.certify(X, y=labels, tighten=False).value < 1e-3  # distance of the scores to the exact machine's
    bo.save(model, tmp_path / "m.bochner")
    loaded = bo.load(tmp_path / "m.bochner")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.certify(X, y=labels, tighten=False).value < 1e-3


def test_the_penalty_of_an_exact_classifier_is_chosen_on_some_rows(monkeypatch):
    monkeypatch.setattr("bochner.fitting.kernel_classifier.PILOT_ROWS", 120)
    X, y = table(300)
    model = bo.KernelClassifier(
        bo.Gaussian(), features="exact", loss="squared_hinge", alphas=[0.1, 1.0, 10.0], probability=True, random_state=0
    ).fit(X, np.digitize(y, [-0.5, 0.5]))
    assert model.alpha_ in (0.1, 1.0, 10.0)
    assert model.coef_.shape == (3, 300)
    assert model.dual_gap_ <= 1e-4 * model.objective_
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_a_hinge_of_many_rows_is_refused(monkeypatch):
    monkeypatch.setattr("bochner.estimators.makers.EXACT_ROWS", 50)
    X, y = table(60)
    with pytest.raises(bo.errors.InvalidDataError, match="with loss='hinge' takes at most 50 rows in memory"):
        bo.KernelClassifier(bo.Gaussian(), features="exact", loss="hinge", alpha=1.0).fit(X, y > 0)


def test_an_exact_classifier_beyond_the_budget_is_refused_with_the_bill():
    X, y = table(300)
    with (
        bo.config_context(memory="20KB"),
        pytest.raises(bo.errors.MemoryBudgetError, match="factors of the preconditioner"),
    ):
        bo.KernelClassifier(bo.Gaussian(), features="exact", loss="logistic", alpha=1.0).fit(X, y > 0)


@pytest.fixture
def few_are_many(monkeypatch):
    """Limits of thousands of rows made small: 100 rows of a pilot, 200 that are factorised, 400 that are iterated."""
    for module in ("landmark_width", "squared_classifier", "exact_penalty", "exact", "exact_iterative", "products"):
        name = f"bochner.fitting.{module}"
        for limit, value in {"PILOT_ROWS": 150, "EXACT_ROWS": 200, "EXACT_ITERATIVE_ROWS": 400}.items():
            monkeypatch.setattr(f"{name}.{limit}", value, raising=False)
    monkeypatch.setattr("bochner.fitting.landmark_width.LANDMARKS", (8, 16, 32))
    monkeypatch.setattr("bochner.fitting.landmark_width.MANY_LANDMARKS", 100)
    monkeypatch.setattr("bochner.planning.width.LANDMARKS", (8, 16, 32))
    monkeypatch.setattr("bochner.solvers.kernel_bill._LANDMARKS", 100)
    monkeypatch.setattr("bochner.fitting.exact_iterative._FACTOR_ROWS", 200)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize(("n", "solver", "width"), [(350, "iterative", 350), (800, "iterative", 100)])
def test_many_rows_that_few_landmarks_cannot_explain_have_many(n, solver, width):
    """The exact machine by iterations, then landmarks by products."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (n + 500, 2))
    y = np.sin(3 * X[:, 0]) * np.cos(2 * X[:, 1]) + 0.05 * rng.standard_normal(n + 500)
    model = bo.KernelRegressor(random_state=0).fit(X[:n], y[:n])
    assert (model.solver_, model.coef_.shape) == (solver, (width,))
    assert "clearly better" in model.width_curve_.reason
    mean, (low, high) = model.predict(X[n:], return_interval=0.9)
    assert np.mean((mean - y[n:]) ** 2) < 0.15 * y.var()
    assert 0.75 < np.mean((low <= y[n:]) & (y[n:] <= high)) < 0.99
    labels = np.where(y > 0.2, "high", "low")
    classifier = bo.KernelClassifier(random_state=0).fit(X[:n], labels[:n])
    assert classifier.coef_.shape == (1, width)
    assert classifier.score(X[n:], labels[n:]) > 0.85
    assert np.all(classifier.predict_proba(X[n:]) < 1)


@pytest.mark.usefixtures("few_are_many")
def test_rows_that_are_left_out_of_many_teach_no_machine_of_classes(monkeypatch):
    """Regressions, whose error bars these rows calibrate, and machines that were asked for have all rows."""
    monkeypatch.setattr("bochner.fitting.exact_iterative._HARDLY_ANY", 5)
    X = np.random.default_rng(0).uniform(-3, 3, (850, 2))
    y = np.sin(3 * X[:, 0]) * np.cos(2 * X[:, 1])
    (X, y), (new, its) = (X[:350], y[:350]), (X[350:], y[350:])
    model = bo.KernelClassifier(random_state=0).fit(X, y > 0.2)
    assert np.sum(model.coef_ == 0) == 70
    assert model.score(new, its > 0.2) > 0.85
    asked = bo.KernelClassifier(model.tuning_.kernel, features="exact", random_state=0).fit(X, y > 0.2)
    for other in (asked, bo.KernelRegressor(random_state=0).fit(X, y)):
        assert np.all(other.coef_ != 0)


@pytest.mark.usefixtures("few_are_many")
def test_many_rows_that_few_landmarks_explain_have_few():
    X = rows(0, 350, 2)
    y = X[:, 0] + 0.2 * rows(1, 350, 1)[:, 0]  # without noise, the exact machine is better by digits that no one sees
    assert bo.KernelRegressor(random_state=0).fit(X, y).coef_.shape[0] <= 32


@pytest.mark.usefixtures("few_are_many")
def test_an_exact_classifier_of_many_rows_is_iterated():
    X, y = table(300)
    labels = np.digitize(y, [-0.5, 0.5])
    shared = {"kernel": bo.Gaussian(), "features": "exact", "alpha": 0.1, "random_state": 0, "tol": 1e-6}
    found = bo.KernelClassifier(**shared).fit(X, labels)
    direct = np.stack([bo.KernelRegressor(**shared).fit(X, 2.0 * (labels == c) - 1).predict(X) for c in range(3)], 1)
    np.testing.assert_allclose(found.decision_function(X), direct, atol=1e-3)


@pytest.mark.parametrize("as_masks", [False, True])
def test_given_folds_are_of_all_rows_where_the_penalty_is_chosen_on_some(monkeypatch, as_masks):
    monkeypatch.setattr("bochner.fitting.kernel_classifier.PILOT_ROWS", 60)
    X = np.random.default_rng(0).standard_normal((150, 2))
    labels, part = X[:, 0] > 0, np.arange(150) % 3
    folds = [(part != k, part == k) for k in range(3)]
    if not as_masks:
        folds = [(np.flatnonzero(seen), np.flatnonzero(left_out)) for seen, left_out in folds]
    settings = {"features": "exact", "loss": "logistic", "length_scale": 1.0, "random_state": 0}
    model = bo.KernelClassifier(alpha="cv", cv=folds, alphas=[0.1, 1.0], **settings).fit(X, labels)
    assert model.cv_losses_.shape == (2, 3)
    assert model.score(X, labels) > 0.9
