"""Scores of the report are those of scikit-learn, with honest standard errors and names for the rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import bochner as bo
from bochner.errors import InvalidDataError
from bochner.reporting import summarise
from bochner.reporting.validation import scores
from bochner.reporting.view import ModelView


def _targets(waves):
    """The training targets: the fixture's generator, run again."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (800, 2))
    return (np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(800))[:500]


def _without_width_search(html):
    return html.replace("Error on held-out rows (standard", "")


def test_scores_of_a_regressor_are_those_of_scikit_learn(waves):
    part = summarise(waves.regressor, waves.X, waves.y, waves.weight)["quality"]
    mean, (low, high) = waves.regressor.predict(waves.X, return_interval=0.9)
    own = {"sample_weight": waves.weight}
    assert part["r2"] == pytest.approx(metrics.r2_score(waves.y, mean, **own))
    assert part["rmse"] == pytest.approx(metrics.root_mean_squared_error(waves.y, mean, **own))
    assert part["mae"] == pytest.approx(metrics.mean_absolute_error(waves.y, mean, **own))
    constant = np.full(300, waves.regressor.moments_.y_mean[0])
    assert part["baseline_rmse"] == pytest.approx(metrics.root_mean_squared_error(waves.y, constant, **own))
    inside = (low <= waves.y) & (waves.y <= high)
    at = part["coverage"]["levels"].index(0.9)
    assert part["coverage"]["observed"][at] == pytest.approx(np.average(inside, weights=waves.weight))
    assert sum(part["residuals"]["counts"]) == 300


def test_the_standard_error_of_the_error_is_that_of_repeated_samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 1))
    model = bo.KernelRegressor(n_components=16, length_scale=1.0, random_state=0).fit(X, X[:, 0])
    claimed, found = [], []
    for _ in range(200):
        rows = rng.standard_normal((200, 1))
        part = scores(ModelView.of(model), rows, rows[:, 0] + rng.standard_normal(200), None)
        claimed.append(part["rmse_standard_error"])
        found.append(part["rmse"])
    # The spread of 200 draws is known to 5 %; six of its standard errors.
    assert np.mean(claimed) == pytest.approx(np.std(found), rel=0.3)


def test_scores_of_a_classifier_are_those_of_scikit_learn(waves):
    part = summarise(waves.classifier, waves.X, waves.labels)["quality"]
    predicted, proba = waves.classifier.predict(waves.X), waves.classifier.predict_proba(waves.X)
    assert part["accuracy"] == pytest.approx(np.mean(predicted == waves.labels))
    assert part["confusion"] == metrics.confusion_matrix(waves.labels, predicted).tolist()
    assert part["log_loss"] == pytest.approx(metrics.log_loss(waves.labels, proba))
    assert part["baseline_accuracy"] == pytest.approx(pd.Series(waves.labels).value_counts(normalize=True).max())
    recall = metrics.recall_score(waves.labels, predicted, average=None)
    assert [c["recall"] for c in part["per_class"]] == pytest.approx(recall.tolist())
    assert sum(part["reliability"]["count"]) == 300
    confidence, hit = proba.max(axis=1), predicted == waves.labels
    bins = np.minimum((confidence * 10).astype(int), 9)
    by_hand = sum(np.mean(bins == b) * abs(confidence[bins == b].mean() - hit[bins == b].mean()) for b in set(bins))
    assert part["reliability"]["ece"] == pytest.approx(by_hand)


def test_a_class_that_the_model_does_not_know_counts_as_an_error(waves):
    labels = waves.labels.astype(object)
    labels[:30] = "new"
    part = summarise(waves.classifier, waves.X, labels)["quality"]
    assert part["n_unknown"] == 30
    assert part["accuracy"] == pytest.approx(np.mean(waves.classifier.predict(waves.X) == labels))
    with pytest.raises(InvalidDataError, match="none of the classes"):
        summarise(waves.classifier, waves.X, np.full(300, "new"))


def test_many_classes_get_a_list_of_confusions_instead_of_a_matrix():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    y = np.digitize(X[:, 0], np.linspace(-2, 2, 19))
    model = bo.KernelClassifier(n_components=64, length_scale=1.0, alpha=0.1, random_state=0).fit(X[:300], y[:300])
    part = summarise(model, X[300:], y[300:])["quality"]
    assert part["confusion"] is None
    assert part["most_confused"][0]["n_rows"] >= part["most_confused"][-1]["n_rows"] > 0


def test_support_vectors_without_probabilities_say_so(waves):
    model = bo.KernelClassifier(loss="squared_hinge", n_components=64, length_scale=1.0, alpha=0.1, random_state=0)
    model.fit(waves.train, waves.regressor.predict(waves.train) > 0)
    part = summarise(model, waves.X, waves.y > 0)["quality"]
    assert "probability=True" in part["reliability"]["missing"]
    assert part["accuracy"] > 0.8


def test_components_keep_the_share_of_the_variance_of_held_out_features(waves):
    model = bo.KernelPCA(n_components=5, width=64, random_state=0).fit(waves.train)
    part = summarise(model, waves.X)["quality"]
    Z = model.features_.transform(waves.X) - model.mean_
    scores = model.transform(waves.X)
    assert part["held_out_share"][-1] == pytest.approx(np.sum(scores**2) / np.sum(Z**2))
    assert part["training_share"][-1] == pytest.approx(model.explained_variance_ratio_.sum())


def test_many_targets_are_scored_one_by_one(waves):
    Y = np.c_[waves.regressor.predict(waves.train), waves.train[:, 0]]
    model = bo.KernelRegressor(n_components=64, length_scale=1.0, random_state=0).fit(waves.train, Y)
    truth = np.c_[waves.y, waves.X[:, 0]]
    part = summarise(model, waves.X, truth)["quality"]
    each = metrics.r2_score(truth, model.predict(waves.X), multioutput="raw_values")
    assert [target["r2"] for target in part["targets"]] == pytest.approx(each.tolist())


@pytest.mark.parametrize("kind", ["regressor", "classifier", "pca"])
def test_rows_are_called_held_out_only_where_someone_says_so(waves, kind):
    pca = bo.KernelPCA(n_components=3, width=32, random_state=0).fit(waves.train)
    model = {"regressor": waves.regressor, "classifier": waves.classifier, "pca": pca}[kind]
    y = waves.labels if kind == "classifier" else waves.y
    given, held_out = (bo.report(model, X=waves.X, y=y, held_out=known) for known in (False, True))
    for made, known in ((given, False), (held_out, True)):
        said = made.summary["answers"]["quality"]
        assert ("on 300 held-out rows" in said) == known
        assert ("on the 300 rows that were given" in said) == (not known)
        assert "has not seen" not in made.html
        assert ("held-out rows" in _without_width_search(made.html).lower()) == known
        assert made.summary["rows_held_out"] is known
