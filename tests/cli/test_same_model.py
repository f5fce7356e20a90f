"""`bochner fit` is the library's model on the encoded rows."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.cli.main import main
from bochner.data import read_table
from tests.cli.conftest import make_houses


def run(capsys, *arguments):
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def fitted_on(table, target, model):
    """The library's model on the encoded rows of a table."""
    rows = read_table(table)
    encoder = bo.TableEncoder(target=target)
    model.fit(encoder.fit_transform(rows), np.asarray(rows[target]))
    return lambda new: model.predict(encoder.transform(read_table(new)))


@pytest.mark.parametrize(
    ("options", "library"),
    [
        ([], bo.KernelRegressor(random_state=0)),
        (["--alpha", "gcv", "--seed", "5"], bo.KernelRegressor(alpha="gcv", random_state=5)),
        (
            ["--length-scale", "2", "-D", "64", "--alpha", "0.1"],
            bo.KernelRegressor(length_scale=2.0, n_components=64, alpha=0.1, random_state=0),
        ),
    ],
)
def test_a_regression_is_that_of_the_library(houses, tmp_path, monkeypatch, capsys, options, library):
    monkeypatch.chdir(tmp_path)
    make_houses(50, seed=1).to_csv("new.csv", index=False)
    run(capsys, "fit", "houses.csv", "--target", "price", "--test-size", "0", "--json", *options)
    predicted = pd.read_csv(io.StringIO(run(capsys, "predict", "houses.bochner", "new.csv")))["prediction"]
    np.testing.assert_allclose(predicted, fitted_on("houses.csv", "price", library)("new.csv"), rtol=1e-12)


def test_the_width_is_searched_for_where_the_library_does(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for module in ("fitting.landmark_width", "estimators.kernel_model"):
        monkeypatch.setattr(f"bochner.{module}.EXACT_ROWS", 300)  # more of them have their landmarks counted
    monkeypatch.setattr("bochner.fitting.landmark_width.LANDMARKS", (16, 32, 64))
    make_houses(400).to_csv("many.csv", index=False)
    run(capsys, "fit", "many.csv", "--target", "price", "--test-size", "0", "--json")
    model = bo.load("many.bochner")
    library = bo.KernelRegressor(random_state=0)
    predict = fitted_on("many.csv", "price", library)
    np.testing.assert_array_equal(model[-1].width_curve_.widths, library.width_curve_.widths)
    np.testing.assert_allclose(model.predict(read_table("many.csv")), predict("many.csv"), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "library"),
    [
        ([], bo.KernelClassifier(random_state=0)),
        (["--alpha", "1"], bo.KernelClassifier(alpha=1.0, random_state=0)),
    ],
)
def test_a_classification_is_that_of_the_library(houses, tmp_path, monkeypatch, capsys, options, library):
    monkeypatch.chdir(tmp_path)
    labels = np.where(houses["price"] > 300, "big", "small")
    houses.assign(size=labels).drop(columns="price").to_csv("sizes.csv", index=False)
    run(capsys, "fit", "sizes.csv", "--target", "size", "--test-size", "0", "--json", *options)
    fitted_on("sizes.csv", "size", library)
    model = bo.load("sizes.bochner")
    np.testing.assert_allclose(model[-1].coef_, library.coef_, rtol=1e-12)


def test_a_fit_certifies_once(houses, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    calls, certify = [], bo.KernelRegressor.certify

    def counted(self, *rows, **more):
        calls.append(more)
        return certify(self, *rows, **more)

    monkeypatch.setattr(bo.KernelRegressor, "certify", counted)
    told = json.loads(run(capsys, "fit", "houses.csv", "--target", "price", "--json"))
    assert len(calls) == 1
    assert told["certificate"]["statement"].split(" is between")[0] in (tmp_path / "houses.html").read_text()
