"""`bochner fit`, run as people run it."""

import json
import os

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.cli.main import main
from tests.cli.conftest import make_houses


def test_fit_ends_with_score_certificate_cost_and_two_files(fitted):
    folder, done = fitted
    for piece in (
        "houses.csv: 320 rows to fit, 80 held out",
        "price: regression (it has",
        "area: standardised; ",
        "city: one column for each of 4 levels",
        "sold: date: year, month (sine and cosine), weekday (sine and cosine);",
        "Score on 80 held-out rows",
        "RMSE, in units of price",
        "90 % intervals hold",
        "This model is exact kernel ridge: over the 320 training rows",
        "Exact: rounding is within",
        "memory on top of the data",
        "model   houses.bochner",
        "report  houses.html",
    ):
        assert piece in done.stdout
    assert {path.name for path in folder.iterdir()} >= {"houses.csv", "houses.bochner", "houses.html"}
    assert (folder / "houses.html").read_text().startswith("<!DOCTYPE html>")


def test_the_default_is_not_misled_by_rows_with_gaps():
    train, new = make_houses(800).drop(columns="rooms"), make_houses(2000, seed=7).drop(columns="rooms")
    encoder = bo.TableEncoder(target="price").fit(train)
    X, X_new = encoder.transform(train), encoder.transform(new)
    models = [bo.KernelRegressor(random_state=0), bo.KernelRegressor(features="fourier", alpha="gcv", random_state=0)]
    errors = [np.mean((model.fit(X, train["price"]).predict(X_new) - new["price"]) ** 2) for model in models]
    assert errors[0] < 0.8 * errors[1]


def test_gaps_in_the_target_are_refused_and_texts_are_left_out_with_a_word(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    houses = make_houses(100)
    houses.assign(price=houses["price"].where(houses.index > 4)).to_csv("gaps.csv", index=False)
    houses.assign(owner=[f"Person {i}" for i in range(100)]).to_csv("owners.csv", index=False)
    assert main(["fit", "gaps.csv", "--target", "price"]) == 2
    assert "missing in 5 of 100 rows" in capsys.readouterr().err
    assert main(["fit", "gaps.csv", "--target", "price", "--drop-missing-target"]) == 0
    assert "76 rows to fit, 19 held out, 5 left out (no target)" in capsys.readouterr().out
    assert main(["plan", "owners.csv", "--target", "price"]) == 0
    assert "Column 'owner' is left out: texts that hardly repeat" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that nobody may write")
def test_a_folder_that_cannot_be_written_is_told_before_the_fit(houses, bochner):
    done = bochner("fit", "houses.csv", "--target", "price", "--model-file", "/proc/houses.bochner")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: '/proc/houses.bochner' cannot be written: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_width_or_an_accuracy_beyond_the_budget_is_refused_with_code_3(houses, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for asked in (["-D", "40000", "--memory", "50MB"], ["--eps", "0.001", "--memory", "50MB"], ["--memory", "10"]):
        assert main(["fit", "houses.csv", "--target", "price", *asked]) == 3
        assert capsys.readouterr().err.startswith("Refused: ")
    assert [path.name for path in tmp_path.iterdir()] == ["houses.csv"]


def test_fit_tells_classes_keeps_their_labels_and_gives_probabilities(houses, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    houses.assign(size=np.where(houses["price"] > 300, "big house", "small")).drop(columns="price").to_csv(
        "sizes.csv", index=False
    )
    assert main(["fit", "sizes.csv", "--target", "size", "--model-file", "m.bochner", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["task"], told["task_reason"]) == ("classification", "its values are texts")
    assert told["score"]["classes"] == ["big house", "small"]
    assert told["score"]["accuracy"] > 0.8
    assert told["plan"]["seconds"] > 0
    assert main(["predict", "m.bochner", "sizes.csv", "--proba"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "prediction,probability_big house,probability_small"
    label, *chances = lines[1].split(",")
    assert label in ("big house", "small")
    assert sum(map(float, chances)) == pytest.approx(1)
    assert main(["predict", "m.bochner", "sizes.csv", "--std"]) == 2


def test_json_is_one_document_and_notes_are_in_it(houses, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    houses.assign(row=np.arange(len(houses)), fold=np.where(np.arange(len(houses)) < 50, "test", "train")).to_csv(
        "rows.csv", index=False
    )
    arguments = ["fit", "rows.csv", "--target", "price", "--split-column", "fold", "--weight", "rooms", "--seed", "3"]
    assert main([*arguments, "-D", "128", "--length-scale", "2.5", "--alpha", "0.1", "--json"]) == 0
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert told["rows"] == {"fit": 350, "held_out": 50, "without_target": 0}
    assert told["model"]["features"] == 128
    assert told["model"]["alpha"] == 0.1
    assert told["model"]["kernel"] == "Gaussian(length_scale=2.5)"
    assert "'row' numbers the rows" in told["notes"][0]
    assert "note: Column 'row' numbers the rows" in printed.err
    assert not {"rooms", "fold"} & set(told["columns"])


def test_few_whole_numbers_are_classes_unless_the_task_is_given(houses, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for given, task in ([], "classification"), (["--task", "regression"], "regression"):
        assert main(["fit", "houses.csv", "--target", "rooms", "--test-size", "0", "--alpha=1", "--json", *given]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["task"] == task
        assert "missing" in told["score"]


def test_a_wide_table_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 800)).astype(np.float32)
    frame = pd.DataFrame(X, columns=[f"gene{i}" for i in range(800)]).assign(y=X[:, 0])
    frame.to_parquet("wide.parquet")
    assert main(["fit", "wide.parquet", "--target", "y", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["columns"]) == 800


@pytest.mark.slow
def test_a_long_table_works(tmp_path, bochner):
    rng = np.random.default_rng(0)
    n = 1_000_000
    frame = pd.DataFrame(rng.standard_normal((n, 8)).round(4), columns=[f"x{i}" for i in range(8)])
    frame["kind"] = rng.choice(["a", "b", "c"], n)
    frame["y"] = (np.sin(frame["x0"]) + frame["x1"] * frame["x2"]).round(4)
    frame.to_csv(tmp_path / "long.csv", index=False)
    told = json.loads(bochner("fit", "long.csv", "--target", "y", "-D", "512", "--json").stdout)
    assert told["rows"]["fit"] == 800_000
    assert told["score"]["r2"] > 0.9
    predicted = bochner("predict", "long.bochner", "long.csv", "-o", "out.csv")
    assert predicted.returncode == 0
    assert (tmp_path / "out.csv").read_bytes().count(b"\n") == n + 1
