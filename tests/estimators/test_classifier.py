"""KernelClassifier is multinomial logistic regression on features, however large the data."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import bochner as bo
from bochner.errors import MemoryBudgetError
from tests.strategies import rows

DIGITS = load_digits()
X, y = DIGITS.data / 16, DIGITS.target


def model(**parameters):
    return bo.KernelClassifier(
        **{"n_components": 256, "length_scale": 1.5, "alpha": 0.1, "random_state": 0, **parameters}
    )


def objective(Z, labels, coef, intercept, alpha):
    scores = Z @ coef.T + intercept
    scores = np.c_[np.zeros(len(Z)), scores] if scores.shape[1] == 1 else scores
    losses = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(Z)), labels]
    return losses.sum() + alpha / 2 * np.sum(coef**2)


@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_the_objective_is_that_of_scikit_learns_solver(n_classes, alpha):
    chosen = y < n_classes
    fitted = model(alpha=alpha).fit(X[chosen], y[chosen])
    Z = fitted.features_.transform(X[chosen])
    theirs = LogisticRegression(C=1 / alpha, tol=1e-10, max_iter=20_000).fit(Z, y[chosen])
    best = objective(Z, y[chosen], theirs.coef_, theirs.intercept_, alpha)
    assert fitted.objective_ == pytest.approx(objective(Z, y[chosen], fitted.coef_, fitted.intercept_, alpha))
    assert fitted.objective_ <= best * (1 + 1e-4)
    assert fitted.objective_ - best <= fitted.dual_gap_ + 1e-6 * best
    np.testing.assert_allclose(fitted.predict_proba(X[chosen]), theirs.predict_proba(Z), atol=0.02)


def test_recomputed_features_give_the_model_of_kept_ones():
    kept = model().fit(X, y)
    with bo.config_context(memory=11_200_000):  # the features of all rows take 5.75 MB: more than half of it
        small = model(n_components=400).fit(X, y)
    whole = model(n_components=400).fit(X, y)
    np.testing.assert_allclose(small.predict_proba(X), whole.predict_proba(X), atol=1e-6)
    assert kept.score(X, y) > 0.99


def test_it_is_as_accurate_as_an_exact_support_vector_machine():
    train, test = slice(0, 1200), slice(1200, None)
    exact = SVC(gamma=1 / (2 * 1.5**2), C=10).fit(X[train], y[train]).score(X[test], y[test])
    assert model(n_components=2048, alpha=0.02).fit(X[train], y[train]).score(X[test], y[test]) > exact - 0.03


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


def test_class_weights_act_as_sample_weights():
    balanced = model(class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_hand = model().fit(X, y, sample_weight=len(y) / (10 * counts[y]))
    np.testing.assert_allclose(balanced.predict_proba(X), by_hand.predict_proba(X), atol=1e-6)
    heavy = model(class_weight={0: 100.0}).fit(X, y)
    assert np.mean(heavy.predict(rows(0, 500, 64)) == 0) >= np.mean(model().fit(X, y).predict(rows(0, 500, 64)) == 0)


def test_a_weight_of_two_is_a_duplicate_and_a_class_of_weight_zero_is_absent():
    weights = np.where(y == 3, 0, 1 + (np.arange(len(y)) % 2))
    weighted = model(tol=1e-8, max_iter=500).fit(X, y, sample_weight=weights)
    repeated = model(tol=1e-8, max_iter=500).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert 3 not in weighted.classes_
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-3)


def test_separable_data_end_and_warn_only_when_cut_short():
    separable = np.r_[rows(0, 50, 2) - 10, rows(1, 50, 2) + 10]
    labels = np.repeat([0, 1], 50)
    assert model(alpha=1e-6, length_scale=5.0).fit(separable, labels).score(separable, labels) == 1.0
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        model(max_iter=1).fit(X, y)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="1 class"):
        model().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="1 class"):
        model().fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="'alpha' parameter"):
        model(alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter"):
        model(loss="hinge").fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type"):
        model().fit(X, X[:, 20] * 1.1)
    with bo.config_context(memory="1MB"), pytest.raises(MemoryBudgetError):
        model(n_components=2048).fit(X, y)


def test_float32_is_kept_and_nearly_the_same():
    small = model().fit(X.astype(np.float32), y)
    assert small.decision_function(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(small.predict_proba(X), model().fit(X, y).predict_proba(X), atol=0.02)
