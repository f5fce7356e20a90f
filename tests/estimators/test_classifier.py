"""KernelClassifier is logistic regression or a support vector machine on features, however large the data."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold
from sklearn.svm import SVC, LinearSVC

import bochner as bo
from bochner.errors import FirstBlockWarning, MemoryBudgetError
from tests.strategies import rows

DIGITS = load_digits()
X, y = DIGITS.data / 16, DIGITS.target
LOSSES = ["logistic", "hinge", "squared_hinge"]


def model(**parameters):
    return bo.KernelClassifier(
        **{"n_components": 256, "length_scale": 1.5, "alpha": 0.1, "random_state": 0, **parameters}
    )


def objective(loss, Z, labels, coef, intercept, alpha):
    """The objective as the documentation states it, one row after another."""
    scores = Z @ coef.T + intercept
    if loss == "logistic":
        full = np.c_[np.zeros(len(Z)), scores] if scores.shape[1] == 1 else scores
        losses = np.log(np.exp(full).sum(axis=1)) - full[np.arange(len(Z)), labels]
        return losses.sum() + alpha / 2 * np.sum(coef**2)
    classes = [1] if scores.shape[1] == 1 else np.arange(scores.shape[1])
    violation = np.maximum(0, 1 - np.where(labels[:, None] == classes, 1, -1) * scores)
    power = 2 if loss == "squared_hinge" else 1
    return np.sum(violation**power) + alpha / 2 * (np.sum(coef**2) + np.sum(intercept**2))


def theirs(loss, alpha):
    if loss == "logistic":
        return LogisticRegression(C=1 / alpha, tol=1e-6, max_iter=20_000)
    return LinearSVC(loss=loss, C=1 / alpha, dual=True, tol=1e-5, max_iter=50_000, random_state=0)


@pytest.mark.parametrize(("alpha", "n_classes"), [(1.0, 2), (1.0, 10), (0.03, 3)])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_is_that_of_liblinear_and_lbfgs(loss, alpha, n_classes):
    chosen = y < n_classes
    fitted = model(alpha=alpha, loss=loss).fit(X[chosen], y[chosen])
    Z = fitted.features_.transform(X[chosen])
    peer = theirs(loss, alpha).fit(Z, y[chosen])
    best = objective(loss, Z, y[chosen], peer.coef_, peer.intercept_, alpha)
    assert fitted.objective_ == pytest.approx(
        objective(loss, Z, y[chosen], fitted.coef_, fitted.intercept_, alpha), rel=1e-9
    )
    assert fitted.objective_ <= best * (1 + 1e-4)
    assert fitted.objective_ - best <= fitted.dual_gap_ + 1e-7 * best
    assert fitted.dual_gap_ <= 1e-4 * fitted.objective_


@pytest.mark.parametrize("loss", LOSSES)
def test_a_pilot_of_some_rows_finds_the_same_minimum(loss):
    """Enough rows that neither Newton's pilot nor a sweep has them all; one pass over more rows than a block."""
    data = rows(0, 9000, 3)
    labels = (np.sin(3 * data[:, 0]) + data[:, 1] > 0.3 * rows(1, 9000, 1)[:, 0]).astype(int)
    settings = {"n_components": 64, "length_scale": 1.0, "alpha": 0.5, "random_state": 0}
    fitted = bo.KernelClassifier(loss=loss, **settings).fit(data, labels)
    Z = fitted.features_.transform(data)
    peer = theirs(loss, 0.5).fit(Z, labels)
    best = objective(loss, Z, labels, peer.coef_, peer.intercept_, 0.5)
    assert best - 1e-6 * best <= fitted.objective_ <= best * (1 + 1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_computing_features_anew_gives_the_model_of_kept_ones(loss):
    labels = y if loss == "logistic" else y > 4  # classes of a hinge are machines of their own
    exact = {"n_components": 401, "loss": loss, "tol": 1e-7, "alpha": 1.0, "max_iter": 10_000}
    whole = model(**exact).fit(X, labels)
    with bo.config_context(memory=24 * 10**6 if loss == "logistic" else 11 * 10**6):  # the features take 5.8 MB
        small = model(**exact).fit(X, labels)
    np.testing.assert_allclose(small.decision_function(X), whole.decision_function(X), atol=5e-3)
    assert small.objective_ == pytest.approx(whole.objective_, rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_as_accurate_as_an_exact_support_vector_machine(loss):
    train, test = slice(0, 1200), slice(1200, None)
    exact = SVC(gamma=1 / (2 * 1.5**2), C=10).fit(X[train], y[train]).score(X[test], y[test])
    fitted = model(n_components=1024, alpha=0.1 if loss == "hinge" else 0.02, loss=loss).fit(X[train], y[train])
    assert fitted.score(X[test], y[test]) > exact - 0.03


def test_labels_may_be_strings_and_probabilities_follow_classes():
    iris = load_iris()
    names = iris.target_names[iris.target]
    fitted = model(length_scale="median").fit(iris.data, names)
    assert list(fitted.classes_) == sorted(set(names))
    assert fitted.score(iris.data, names) > 0.95
    probabilities = fitted.predict_proba(iris.data)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(iris.data)), probabilities)
    assert np.array_equal(fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(iris.data))
    assert fitted.decision_function(iris.data).shape == (150, 3)


@cache
def noisy_classes(n_classes):
    """Rows, their classes, and probabilities of the last 3,000 rows by the logistic loss."""
    data = rows(0, 6000, 2)
    noisy = np.digitize(data[:, 0] + 0.7 * rows(1, 6000, 1)[:, 0], np.linspace(-1.5, 1.5, n_classes + 1)[1:-1])
    logistic = model(length_scale="median").fit(data[:3000], noisy[:3000])
    return data, noisy, logistic.predict_proba(data[3000:])


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n_classes", [2, 10])
def test_probabilities_of_a_support_vector_machine_are_calibrated_on_new_rows(loss, n_classes):
    data, noisy, logistic = noisy_classes(n_classes)
    fitted = model(n_components=64, length_scale="median", loss=loss, alpha=1.0, probability=True)
    p = fitted.fit(data[:3000], noisy[:3000]).predict_proba(data[3000:])
    truth = noisy[3000:]
    assert log_loss(truth, p) < 1.2 * log_loss(truth, logistic)
    confidence, right = p.max(axis=1), fitted.classes_[p.argmax(axis=1)] == truth
    assert abs(confidence.mean() - right.mean()) < 0.05
    assert np.array_equal(fitted.classes_[p.argmax(axis=1)], fitted.predict(data[3000:]))


def test_without_probability_a_hinge_loss_has_no_predict_proba():
    fitted = model(loss="hinge").fit(X, y)
    assert not hasattr(fitted, "predict_proba")
    with pytest.raises(AttributeError) as refused:
        fitted.predict_proba(X)
    assert "probability=True" in str(refused.value.__cause__)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_cross_validated_penalty_is_the_best_of_the_path(loss):
    few, labels = X[y < 4], y[y < 4]
    noisy = np.where(rows(5, len(labels), 1)[:, 0] > 1.3, (labels + 1) % 4, labels)
    alphas = [300.0, 10.0, 1e-4]
    fitted = model(alpha="cv", alphas=alphas, cv=3, loss=loss).fit(few, noisy)
    assert fitted.alphas_.tolist() == alphas
    assert fitted.cv_losses_.shape == (3, 3)
    assert fitted.alpha_ == alphas[int(np.argmin(fitted.cv_losses_.mean(axis=1)))] == 10.0
    again = model(alpha=10.0, loss=loss).fit(few, noisy)
    np.testing.assert_allclose(fitted.objective_, again.objective_, rtol=1e-3)


def test_any_splitter_of_scikit_learn_makes_the_folds_and_default_penalties_work():
    fitted = model(alpha="cv", cv=KFold(2)).fit(X[:600], y[:600])
    assert fitted.cv_losses_.shape == (10, 2)
    assert fitted.score(X[600:], y[600:]) > 0.91
    with pytest.raises(ValueError, match="'alphas' parameter of KernelClassifier"):
        model(alpha="cv", alphas=[1.0, -1.0]).fit(X, y)


@pytest.mark.parametrize("loss", LOSSES)
def test_class_weights_act_as_sample_weights(loss):
    few, labels = X[y < 4][:500], y[y < 4][:500]
    balanced = model(class_weight="balanced", loss=loss, tol=1e-6).fit(few, labels)
    by_hand = model(loss=loss, tol=1e-6).fit(few, labels, sample_weight=500 / (4 * np.bincount(labels)[labels]))
    np.testing.assert_allclose(balanced.decision_function(X), by_hand.decision_function(X), atol=0.02)
    heavy = model(class_weight={0: 100.0}, loss=loss).fit(few, labels)
    assert np.mean(heavy.predict(rows(0, 500, 64)) == 0) >= np.mean(
        model(loss=loss).fit(few, labels).predict(rows(0, 500, 64)) == 0
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_of_two_is_a_duplicate_and_a_class_of_weight_zero_is_absent(loss):
    few, labels = X[:300], y[:300]
    weights = np.where(labels == 3, 0, 1 + (np.arange(300) % 2))
    tight = {"loss": loss, "tol": 1e-10, "max_iter": 5000}
    weighted = model(**tight).fit(few, labels, sample_weight=weights)
    repeated = model(**tight).fit(np.repeat(few, weights, axis=0), np.repeat(labels, weights))
    assert 3 not in weighted.classes_
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_separable_data_and_unscaled_columns_end(loss):
    separable = np.r_[rows(0, 50, 2) - 10, rows(1, 50, 2) + 10]
    labels = np.repeat([0, 1], 50)
    small = 1e-3 if loss == "hinge" else 1e-6
    assert model(alpha=small, length_scale=5.0, loss=loss).fit(separable, labels).score(separable, labels) == 1.0
    unscaled = separable * np.array([1e8, 1e-8])
    assert model(length_scale="median", loss=loss).fit(unscaled, labels).score(unscaled, labels) == 1.0


@pytest.mark.filterwarnings("ignore::bochner.errors.LittleDataWarning")
@pytest.mark.parametrize("loss", LOSSES)
def test_two_classes_with_one_row_each_are_told_apart(loss):
    two = model(loss=loss).fit([[0.0, 1.0], [3.0, 2.0]], ["b", "a"])
    assert list(two.predict([[0.0, 1.0], [3.0, 2.0]])) == ["b", "a"]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_solver_cut_short_warns_and_says_how_far_it_came(loss):
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        cut = model(max_iter=1, loss=loss).fit(X, y)
    assert cut.n_iter_ == 1
    assert cut.dual_gap_ > 1e-4 * cut.objective_


def test_partial_fit_comes_close_to_fit_on_all_rows():
    whole = model(alpha=1.0).fit(X, y)
    stream = model(alpha=1.0)
    for start in range(0, len(X), 450):
        stream.partial_fit(X[start : start + 450], y[start : start + 450], classes=np.arange(10))
    first = model(alpha=1.0).fit(X[:450], y[:450])
    distance = np.abs(stream.predict_proba(X) - whole.predict_proba(X)).mean()
    assert distance < 0.2 * np.abs(first.predict_proba(X) - whole.predict_proba(X)).mean()
    assert stream.score(X, y) > whole.score(X, y) - 0.01
    with pytest.raises(ValueError, match="first call of partial_fit"):
        stream.partial_fit(X[:2], [3, 11])
    one_block = model(alpha=1.0).partial_fit(X, y)
    np.testing.assert_allclose(one_block.predict_proba(X), whole.predict_proba(X), atol=1e-9)


def test_partial_fit_is_refused_where_it_would_mislead():
    assert not hasattr(model(loss="hinge"), "partial_fit")
    with pytest.raises(ValueError, match="'class_weight' parameter"):
        model(class_weight="balanced").partial_fit(X, y, classes=np.arange(10))
    with pytest.warns(FirstBlockWarning, match="length_scale"):
        model(length_scale="median").partial_fit(X[:50], y[:50], classes=np.arange(10))


def test_a_certificate_says_how_far_the_kernel_is():
    fitted = model(loss="hinge", fit_intercept=False).fit(X[:500], y[:500] > 4)
    certificate = fitted.certify(X[:500])
    Z = fitted.features_.transform(X[:500])
    true = np.abs(Z @ Z.T - fitted.features_.kernel_(X[:500])).max()
    assert certificate.value == pytest.approx(true, rel=1e-6)
    assert certificate.statement.startswith("Only the kernel is certified")


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="1 class"):
        model().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="1 class"):
        model().fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="weights"):
        model().fit(X, y, sample_weight=np.zeros(len(X)))
    with pytest.raises(ValueError, match="'alpha' parameter"):
        model(alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter"):
        model(loss="absolute").fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type"):
        model().fit(X, X[:, 20] * 1.1)
    with bo.config_context(memory="1MB"), pytest.raises(MemoryBudgetError):
        model(n_components=2048).fit(X, y)


@pytest.mark.parametrize("loss", LOSSES)
def test_float32_is_kept_and_nearly_the_same(loss):
    small = model(loss=loss).fit(X.astype(np.float32), y)
    assert small.decision_function(X.astype(np.float32)).dtype == np.float32
    assert small.objective_ == pytest.approx(model(loss=loss).fit(X, y).objective_, rel=1e-3)
