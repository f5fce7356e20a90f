"""`bochner fit --loss`: quantiles, outliers and counts from the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.cli.main import main


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 200)
    years = rng.uniform(1, 4, 200)
    claims = rng.poisson(years * np.exp(x))
    frame = pd.DataFrame({"x": x, "late": x + rng.exponential(1, 200), "rate": claims / years, "years": years})
    frame.to_csv("table.csv", index=False)
    return frame


ASKED = ["--length-scale", "1", "--alpha", "0.1", "-D", "32", "--json", "--force"]


def test_a_quantile_and_a_rate_are_fitted(table, capsys):
    drop = ["--drop", "rate", "--drop", "years"]
    assert main(["fit", "table.csv", "--target", "late", "--loss", "quantile", "--quantile", "0.9", *drop, *ASKED]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"]["class"] == "KernelQuantileRegressor"
    model = bo.load("table.bochner")
    assert 0.8 < np.mean(table["late"] <= model.predict(table[["x"]])) < 0.97
    asked = ["--target", "rate", "--loss", "poisson", "--weight", "years", "--drop", "late"]
    assert main(["fit", "table.csv", *asked, *ASKED]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["class"] == "KernelPoissonRegressor"


def test_options_that_do_not_belong_together_are_refused(table, capsys):
    assert main(["fit", "table.csv", "--target", "late", "--quantile", "0.9"]) == 2
    assert "--quantile is for --loss quantile" in capsys.readouterr().err
    assert main(["fit", "table.csv", "--target", "late", "--loss", "huber", "--task", "classification"]) == 2
    assert "is for regression" in capsys.readouterr().err
