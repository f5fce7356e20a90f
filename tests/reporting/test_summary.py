"""The numbers of a report are those that one computes by hand, for every kind of model."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn import metrics
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, PowerTransformer, StandardScaler

import bochner as bo
from bochner.errors import IllConditionedWarning, InvalidDataError, InvalidParameterError
from bochner.reporting import summarise
from bochner.reporting.validation import scores
from bochner.reporting.view import ModelView
from bochner.statistics import executor
from bochner.theory import finite_set


def test_scores_of_a_regressor_are_those_of_scikit_learn(waves):
    part = summarise(waves.regressor, waves.X, waves.y, waves.weight)["quality"]
    mean, std = waves.regressor.predict(waves.X, return_std=True)
    own = {"sample_weight": waves.weight}
    assert part["r2"] == pytest.approx(metrics.r2_score(waves.y, mean, **own))
    assert part["rmse"] == pytest.approx(metrics.root_mean_squared_error(waves.y, mean, **own))
    assert part["mae"] == pytest.approx(metrics.mean_absolute_error(waves.y, mean, **own))
    constant = np.full(300, waves.regressor.moments_.y_mean[0])
    assert part["baseline_rmse"] == pytest.approx(metrics.root_mean_squared_error(waves.y, constant, **own))
    inside = np.abs(waves.y - mean) <= norm.ppf(0.95) * std
    at = part["coverage"]["levels"].index(0.9)
    assert part["coverage"]["observed"][at] == pytest.approx(np.average(inside, weights=waves.weight))
    assert sum(part["residuals"]["counts"]) == 300


def test_the_standard_error_of_the_error_is_that_of_repeated_samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 1))
    model = bo.KernelRegressor(n_components=16, random_state=0).fit(X, X[:, 0])
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
    model = bo.KernelClassifier(n_components=64, random_state=0).fit(X[:300], y[:300])
    part = summarise(model, X[300:], y[300:])["quality"]
    assert part["confusion"] is None
    assert part["most_confused"][0]["n_rows"] >= part["most_confused"][-1]["n_rows"] > 0


def test_support_vectors_without_probabilities_say_so(waves):
    model = bo.KernelClassifier(loss="squared_hinge", n_components=64, random_state=0)
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
    model = bo.KernelRegressor(n_components=64, random_state=0).fit(waves.train, Y)
    truth = np.c_[waves.y, waves.X[:, 0]]
    part = summarise(model, waves.X, truth)["quality"]
    each = metrics.r2_score(truth, model.predict(waves.X), multioutput="raw_values")
    assert [target["r2"] for target in part["targets"]] == pytest.approx(each.tolist())


def test_kernel_errors_are_those_of_maps_drawn_at_each_width(waves):
    curve = summarise(waves.regressor, waves.X)["approximation"]["curve"]
    kernel, seed = waves.regressor.features_.kernel_, waves.regressor.features_.seed_
    assert curve["n_rows"] == 300
    upper = np.triu_indices(300, 1)
    for width, largest, rms in zip(curve["widths"], curve["largest"], curve["root_mean_square"], strict=True):
        Z = bo.FourierFeatures(kernel, n_components=width, random_state=seed).fit_transform(waves.X)
        error = (Z @ Z.T - kernel(waves.X))[upper]
        assert largest == pytest.approx(np.abs(error).max())
        assert rms == pytest.approx(np.sqrt(np.mean(error**2)))
    assert max(curve["widths"]) == 512
    assert curve["guaranteed"][-1] == pytest.approx(
        finite_set.error(n_points=300, n_components=512, delta=0.01, kernel=kernel)
    )


@pytest.mark.parametrize("given", [{"embedding": "phase"}, {"n_components": 101}, {"sampling": "orthogonal"}])
def test_maps_of_other_shapes_are_measured_too(given):
    X = np.random.default_rng(0).standard_normal((60, 3))
    features = bo.FourierFeatures(**{"n_components": 64, "random_state": 0, **given}).fit(X)
    curve = summarise(features, X)["approximation"]["curve"]
    at = curve["widths"].index(features.n_components_)
    Z = features.transform(X)
    error = (Z @ Z.T - bo.Gaussian()(X))[np.triu_indices(60, 1)]
    assert curve["largest"][at] == pytest.approx(np.abs(error).max())
    if given == {"embedding": "phase"}:
        narrow = bo.FourierFeatures(n_components=32, embedding="phase", random_state=0).fit_transform(X)
        error = (narrow @ narrow.T - bo.Gaussian()(X))[np.triu_indices(60, 1)]
        assert curve["largest"][curve["widths"].index(32)] == pytest.approx(np.abs(error).max())


def test_narrow_models_are_those_that_a_fit_at_that_width_gives(waves):
    part = summarise(waves.regressor, waves.X, waves.y)["more"]["widths"]
    kernel, seed = waves.regressor.features_.kernel_, waves.regressor.seed_
    for width, error, gcv in zip(part["widths"], part["held_out"], part["gcv"], strict=True):
        model = bo.KernelRegressor(kernel, n_components=width, random_state=seed)
        model.fit(waves.train, _targets(waves))
        assert error == pytest.approx(metrics.root_mean_squared_error(waves.y, model.predict(waves.X)), rel=0.01)
        assert gcv == pytest.approx(np.sqrt(np.nanmin(model.path_.gcv)), rel=0.01)
    assert part["widths"] == [16, 32, 64, 128]


def _targets(waves):
    """The training targets: the fixture's generator, run again."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (800, 2))
    return (np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(800))[:500]


def test_the_expected_error_with_more_rows_is_that_of_the_model_now(waves):
    part = summarise(waves.regressor)["more"]["rows"]
    model, now = waves.regressor, part["n_rows"].index(500.0)
    assert part["rmse"][now] == pytest.approx(np.sqrt(model.noise_variance_ * (1 + model.dof_ / 500)))
    assert part["rmse"] == sorted(part["rmse"], reverse=True)
    assert part["rmse"][-1] > part["noise"]


def test_memory_by_width_is_the_bill_of_a_fit(waves):
    part = summarise(waves.regressor)["more"]["bills"]
    plan = bo.plan(n_samples=500, n_features=2, kernel=bo.Gaussian())
    assert part["memory"][part["widths"].index(256)] == plan.memory
    assert plan.n_components == 256


def test_a_classifier_compares_widths_on_held_out_rows(waves):
    part = summarise(waves.classifier, waves.X, waves.labels)["more"]["widths"]
    assert part["widths"] == [16, 32, 64, 128]
    assert all(0 < error < 0.6 for error in part["held_out"])
    assert part["n_rows"] == 150
    assert "40 or more" in summarise(waves.classifier, waves.X[:20], waves.labels[:20])["more"]["widths"]["missing"]


def test_choices_are_those_of_the_model(waves):
    part = summarise(waves.regressor)["choices"]
    model = waves.regressor
    assert part["penalty"]["alpha"] == model.alpha_
    assert part["dof"] == pytest.approx(model.dof_)
    assert part["bandwidths"]["length_scale"] == pytest.approx(float(model.features_.kernel_.length_scale))
    Z = model.features_.transform(waves.train)
    eigenvalues = np.linalg.eigvalsh(np.cov(Z.T, bias=True))[::-1]
    ranks = np.array(part["spectrum"]["rank"][:20])
    assert part["spectrum"]["eigenvalue"][:20] == pytest.approx(eigenvalues[ranks - 1].tolist(), rel=1e-6)


def test_scales_per_column_are_listed_from_the_closest_look(waves):
    frame = pd.DataFrame(waves.train, columns=["price", "size"])
    kernel = bo.Gaussian(length_scale=np.array([3.0, 0.5]))
    model = bo.KernelRegressor(kernel, n_components=32, random_state=0).fit(frame, frame["price"])
    part = summarise(model)["choices"]["bandwidths"]
    assert part == {"names": ["size", "price"], "length_scales": [0.5, 3.0]}


def test_a_pipeline_tells_its_preprocessing_in_words():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.standard_normal(200), "town": rng.choice(["a", "b"], 200)})
    frame.loc[3, "size"] = np.nan
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["size"]), (OneHotEncoder(), ["town"])
    )
    model = make_pipeline(encode, bo.KernelRegressor(n_components=32, random_state=0))
    y = rng.standard_normal(200)
    made = summarise(model.fit(frame[:120], y[:120]), frame[120:], y[120:])
    told = " ".join(made["preprocessing"])
    for words in ("size", "median", "mean 0", "town", "category"):
        assert words in told
    assert made["model"]["columns"] == 3
    assert made["quality"]["rmse"] == pytest.approx(
        metrics.root_mean_squared_error(y[120:], model.predict(frame[120:]))
    )
    assert "missing" not in made["approximation"]["certificate"]


def test_steps_that_are_not_known_speak_for_themselves(waves):
    class Told(StandardScaler):
        def describe(self):
            return ["Dates become fractions of a year."]

    model = make_pipeline(
        "passthrough",
        Told(),
        PowerTransformer(),
        Normalizer(norm="l1"),
        bo.KernelRegressor(n_components=16, random_state=0),
    )
    told = summarise(model.fit(waves.train, _targets(waves)))["preprocessing"]
    assert told == [
        "Dates become fractions of a year.",
        "powertransformer: makes columns more normal by a yeo-johnson transform",
        "normalizer: Normalizer(norm='l1')",
    ]


def test_plan_and_actual_cost_stand_side_by_side(waves):
    plan = bo.plan(n_samples=500, n_features=2)
    part = summarise(waves.regressor, plan=plan, extra={"seconds": 2.0, "memory": 10**6, "file": "t.csv"})["cost"]
    assert (part["plan"]["memory"], part["plan"]["seconds"]) == (plan.memory, plan.seconds)
    assert (part["seconds"], part["memory"], part["extra"]) == (2.0, 10**6, {"file": "t.csv"})
    assert part["passes"] == 1
    assert part["versions"]["bochner"] == bo.__version__


@pytest.mark.parametrize("with_rows", [False, True])
@pytest.mark.parametrize("kind", ["regressor", "classifier", "pca", "features", "nystroem", "leverage", "float32"])
def test_every_model_is_plain_json_and_says_what_it_cannot_tell(waves, kind, with_rows):
    model = {
        "regressor": waves.regressor,
        "classifier": waves.classifier,
        "pca": bo.KernelPCA(n_components=3, width=32, random_state=0).fit(waves.train),
        "features": bo.FourierFeatures(bo.Matern(nu=1.5), n_components=32, random_state=0).fit(waves.train),
        "nystroem": bo.KernelRegressor(features=bo.NystroemFeatures(n_components=20, random_state=0), random_state=0),
        "leverage": bo.KernelRegressor(sampling="leverage", n_components=32, random_state=0),
        "float32": bo.KernelRegressor(n_components=32, alpha=1.0, random_state=0),
    }[kind]
    if kind in ("nystroem", "leverage", "float32"):
        model.fit(waves.train.astype("f4"), _targets(waves).astype("f4"))
    y = waves.labels if kind == "classifier" else waves.y
    made = summarise(model, waves.X, y) if with_rows else summarise(model)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert all(answer for answer in made["answers"].values())
    assert ("missing" in made["quality"]) == (not with_rows or kind == "features")
    if not with_rows:
        assert "X=X_test" in str(made["quality"]) + str(made["approximation"])


@pytest.mark.parametrize("case", ["constant", "one row", "one feature", "odd width", "no intercept", "many columns"])
def test_unusual_models_have_a_page(waves, case):
    settings = {"n_components": {"one feature": 1, "odd width": 33}.get(case, 32), "random_state": 0}
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 300 if case == "many columns" else 2))
    y = np.ones(100) if case == "constant" else X[:, 0]
    if case == "many columns":
        settings["kernel"] = bo.Gaussian(length_scale=np.linspace(20, 40, 300))
    model = bo.KernelRegressor(**settings, fit_intercept=case != "no intercept").fit(X, y)
    held_out_rows = 1 if case == "one row" else 100
    made = bo.report(model, X=X[:held_out_rows], y=y[:held_out_rows])
    assert made.summary["quality"]["rmse"] == pytest.approx(
        metrics.root_mean_squared_error(y[:held_out_rows], model.predict(X[:held_out_rows]))
    )
    assert made.html.count("</section>") == 5
    json.dumps(made.summary, allow_nan=False)


def test_a_regressor_without_moments_tells_what_it_can(waves):
    model = bo.KernelRegressor(n_components=32, alpha=0.1, random_state=0).fit(waves.train, _targets(waves))
    model.moments_ = None  # as after a solver that does not form them
    made = bo.report(model, X=waves.X, y=waves.y).summary
    assert made["quality"]["rmse"] == pytest.approx(metrics.root_mean_squared_error(waves.y, model.predict(waves.X)))
    assert made["quality"]["baseline"] == "the mean of these targets"
    assert "no error bars" in made["quality"]["coverage"]["missing"]
    assert made["approximation"]["certificate"]["value"] > 0
    assert made["more"]["widths"]["widths"] == [16, 32]
    assert {"missing"} == set(made["more"]["rows"]) == set(made["more"]["bills"]) == set(made["choices"]["spectrum"])


@pytest.mark.parametrize("statistics", [True, False])
def test_models_from_files_are_reported(waves, tmp_path, statistics):
    path = tmp_path / "model.bochner"
    for model, y in ((waves.regressor, waves.y), (waves.classifier, waves.labels)):
        bo.save(model, path, statistics=statistics)
        before, after = (bo.report(each, X=waves.X, y=y).summary for each in (model, bo.load(path)))
        own = "rmse" if model is waves.regressor else "accuracy"
        assert after["quality"][own] == before["quality"][own]
        assert after["model"] == before["model"]
        assert after["cost"]["passes"] == before["cost"]["passes"]
        assert after["more"]["bills"]["memory"] == before["more"]["bills"]["memory"]
        if statistics:
            assert after["approximation"] == before["approximation"]
            assert after["choices"] == before["choices"]
    bo.save(bo.KernelPCA(n_components=3, width=32, random_state=0).fit(waves.X), path, statistics=statistics)
    assert bo.report(bo.load(path), X=waves.X).summary["quality"]["held_out_share"][-1] > 0.5


def test_what_cannot_be_reported_is_refused(waves):
    with pytest.raises(InvalidParameterError, match="'model' parameter of report must be a KernelRegressor"):
        summarise(Ridge().fit(waves.X, waves.y))
    with pytest.raises(InvalidDataError, match="same length"):
        summarise(waves.regressor, waves.X, waves.y[:-1])
    with pytest.raises(InvalidParameterError, match="'extra' parameter of report must be a dict"):
        bo.report(waves.regressor, extra=[1])


def test_a_width_that_was_searched_for_is_told_with_its_curve():
    X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    model = bo.KernelRegressor(bo.Gaussian(), random_state=0).fit(X, np.sin(3 * X[:, 0]))
    curve, summary = model.width_curve_, summarise(model)
    assert summary["choices"]["width_curve"]["widths"] == curve.widths.tolist()
    assert summary["choices"]["width_curve"]["gain"][0] is None
    assert summary["cost"]["passes"] == len(curve.widths)
    page = str(bo.report(model).html)
    assert curve.reason in page
    assert "% over 256" in page


class _CountedPasses:
    """How often the features of rows are computed block by block."""

    def __init__(self, monkeypatch):
        self.n = 0
        monkeypatch.setattr(executor, "run_in_threads", self._counted(executor.run_in_threads))

    def _counted(self, run):
        def counted(*args, **kwargs):
            self.n += 1
            return run(*args, **kwargs)

        return counted


@pytest.mark.parametrize("case", ["one", "leave-one-out", "again in float64", "leave-one-out again", "pieces", "pca"])
def test_the_passes_told_are_those_made(case, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 2)).astype(np.float32 if "again" in case else float)
    y = np.sin(3 * X[:, 0]) + (0 if "again" in case else 0.1 * rng.standard_normal(600))
    settings = {"n_components": 64, "alpha": "loo" if "leave" in case else "gcv", "random_state": 0}
    passes = _CountedPasses(monkeypatch)
    if case == "pca":
        model = bo.KernelPCA(n_components=3, width=32, random_state=0).fit(X)
    elif case == "pieces":
        model = bo.KernelRegressor(bo.Gaussian(), **settings).partial_fit(X[:300], y[:300])
        passes.n = 0
        model.partial_fit(X[300:], y[300:])
    else:
        model = bo.KernelRegressor(bo.Gaussian(), **settings).fit(X, y)
    expected = {"one": 1, "leave-one-out": 2, "again in float64": 2, "leave-one-out again": 4, "pieces": 1, "pca": 1}
    assert passes.n == expected[case]
    summary = summarise(model)
    assert summary["cost"]["passes"] == passes.n
    words = {1: "read once.", 2: "read twice.", 4: "read 4 times."}
    assert words[passes.n] in summary["answers"]["cost"]


def test_a_search_for_a_width_is_not_called_two_passes(monkeypatch):
    X = np.random.default_rng(0).uniform(-1, 1, (3000, 4))
    passes = _CountedPasses(monkeypatch)
    y = np.sin(5 * X[:, 0] * X[:, 1]) + X[:, 2] * X[:, 3]
    model = bo.KernelRegressor(bo.Gaussian(0.4), random_state=0).fit(X, y)
    summary, n_widths = summarise(model), len(model.width_curve_.widths)
    assert passes.n == n_widths + 1  # the last adds the rows that the search had held out
    assert summary["cost"]["passes"] == n_widths > 2
    assert f"read {n_widths} times." in summary["answers"]["cost"]


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


def _without_width_search(html):
    return html.replace("Error on held-out rows (standard", "")


def test_a_penalty_that_was_raised_is_not_called_given():
    X = np.repeat(np.linspace(0, 1, 5), 20)[:, None]
    with pytest.warns(IllConditionedWarning):
        model = bo.KernelRegressor(bo.Gaussian(), n_components=64, alpha=0.0, random_state=0).fit(X, X[:, 0])
    told = summarise(model)["answers"]["choices"]
    assert "raised from 0.0, at which the equations are singular" in told
    model = bo.KernelRegressor(bo.Gaussian(), n_components=64, alpha=1.0, random_state=0).fit(X, X[:, 0])
    assert "alpha = 1, as given" in summarise(model)["answers"]["choices"]


def test_a_search_by_an_iterative_solver_is_not_called_given(waves):
    model = bo.KernelRegressor(bo.Gaussian(), n_components=32, solver="iterative", alpha="gcv", random_state=0).fit(
        waves.train, _targets(waves)
    )
    part = summarise(model)["choices"]["penalty"]
    assert "was given" not in str(part.get("missing"))
