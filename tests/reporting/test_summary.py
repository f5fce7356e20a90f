"""The numbers of a report are those that one computes by hand, for every kind of model."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import Ridge

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.reporting import summarise


def _targets(waves):
    """The training targets: the fixture's generator, run again."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (800, 2))
    return (np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(800))[:500]


MODELS = {
    "pca": bo.KernelPCA(n_components=3, width=32, random_state=0),
    "features": bo.FourierFeatures(bo.Matern(nu=1.5), n_components=32, random_state=0),
    "nystroem": bo.KernelRegressor(features=bo.NystroemFeatures(n_components=20, random_state=0), random_state=0),
    "leverage": bo.KernelRegressor(sampling="leverage", n_components=32, random_state=0),
    "float32": bo.KernelRegressor(n_components=32, alpha=1.0, random_state=0),
}


@pytest.fixture(scope="module", params=["regressor", "classifier", *MODELS])
def kind_and_model(request, waves):
    kind = request.param
    if kind in ("regressor", "classifier"):
        return kind, getattr(waves, kind)
    if kind in ("pca", "features"):
        return kind, MODELS[kind].fit(waves.train)
    return kind, MODELS[kind].fit(waves.train.astype("f4"), _targets(waves).astype("f4"))


@pytest.mark.parametrize("with_rows", [False, True])
def test_every_model_is_plain_json_and_says_what_it_cannot_tell(waves, kind_and_model, with_rows):
    kind, model = kind_and_model
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
    model = bo.KernelRegressor(n_components=32, length_scale=1.0, alpha=0.1, random_state=0)
    model.fit(waves.train, _targets(waves))
    model.fitted_ = replace(model.fitted_, moments=None)  # as after a solver that does not form them
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
