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


@pytest.fixture
def late(table, capsys):
    """Models of the quantile 0.9 and of the mean of the same table."""
    table[["x", "late"]].to_csv("late.csv", index=False)
    given = ["fit", "late.csv", "--target", "late", *[each for each in ASKED if each != "--json"]]
    assert main([*given, "--loss", "quantile", "--quantile", "0.9", "--model-file", "q.bochner"]) == 0
    told = capsys.readouterr().out
    assert main([*given, "--model-file", "mean.bochner"]) == 0
    capsys.readouterr()
    return told


def test_a_quantile_is_scored_by_its_share_of_targets_and_its_own_loss(late):
    assert "of the held-out targets are up to the quantile 0.9" in late
    assert "pinball loss, in units of late" in late
    assert "R2" not in late


def test_a_table_of_one_row_is_not_compared(table, capsys):
    table[:1].to_csv("one.csv", index=False)
    assert main(["test", "table.csv", "one.csv"]) == 2
    assert "'one.csv' must have at least two rows" in capsys.readouterr().err


def test_standard_deviations_of_a_quantile_are_refused(late, capsys):
    assert main(["predict", "q.bochner", "late.csv", "--std"]) == 2
    assert "no standard deviations" in capsys.readouterr().err


def test_a_quantile_is_compared_with_models_of_the_same_quantile_only(late, capsys):
    assert main(["report", "q.bochner", "mean.bochner", "--data", "late.csv", "-o", "both.html"]) == 2
    assert "one and the same quantile" in capsys.readouterr().err
    bo.save(bo.load("q.bochner"), "again.bochner")
    assert main(["report", "q.bochner", "again.bochner", "--data", "late.csv", "-o", "both.html"]) == 0
    assert "the same pinball loss" in " ".join(capsys.readouterr().out.split())


def test_several_quantiles_are_refused_and_those_of_a_file_have_a_column_each(table, capsys):
    asked = ["--loss", "quantile", "--quantile", "0.1", "--quantile", "0.9"]
    assert main(["fit", "table.csv", "--target", "late", *asked]) == 2
    assert "takes one number. Got 2" in capsys.readouterr().err
    model = bo.KernelQuantileRegressor(quantile=[0.1, 0.9], length_scale=1.0, alpha=0.1, n_components=16)
    bo.save(model.fit(table[["x"]], table["late"]), "both.bochner")
    assert main(["predict", "both.bochner", "table.csv"]) == 0
    assert capsys.readouterr().out.startswith("prediction_1,prediction_2\n")
