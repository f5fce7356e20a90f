"""`bochner predict`, run as people run it."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.cli.main import main
from bochner.errors import TableWarning
from tests.cli.conftest import BOCHNER, ENVIRONMENT, make_houses


def test_predict_finds_columns_by_name_and_counts_what_is_new(fitted, monkeypatch, capsys):
    folder, _ = fitted
    monkeypatch.chdir(folder)
    new = make_houses(50, seed=1)
    new.loc[0, "city"] = "Rome"
    new.loc[:, "garden"] = 1
    new[["garden", "sold", "rooms", "city", "area"]].to_csv(folder / "new.csv", index=False)
    assert main(["predict", "houses.bochner", "new.csv", "--std", "--id", "garden"]) == 0
    printed = capsys.readouterr()
    assert "'city' has 1 value that training did not have ('Rome')" in printed.err
    lines = printed.out.splitlines()
    assert lines[0] == "garden,prediction,std"
    predicted = np.array([line.split(",") for line in lines[1:]], dtype=float)
    with pytest.warns(TableWarning, match="Rome"):
        expected, std = bo.load(folder / "houses.bochner").predict(new.drop(columns="garden"), return_std=True)
    np.testing.assert_allclose(predicted[:, 1], expected, rtol=1e-9)
    np.testing.assert_allclose(predicted[:, 2], std, rtol=1e-9)
    error = predicted[1:, 1] - new["price"][1:]
    assert np.sqrt(np.mean(error**2)) < 0.5 * new["price"].std()


def test_predictions_go_to_files_and_json(fitted, monkeypatch, capsys):
    monkeypatch.chdir(fitted[0])
    make_houses(20, seed=2).to_csv("few.csv", index=False)
    assert main(["predict", "houses.bochner", "few.csv", "-o", "out.parquet"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["predict", "houses.bochner", "few.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    written = pd.read_parquet("out.parquet")["prediction"]
    np.testing.assert_array_equal(told["columns"]["prediction"], written)


def test_predict_reads_standard_input_and_survives_a_closed_pipe(fitted):
    folder, _ = fitted
    make_houses(6_000, seed=3).to_csv(folder / "many.csv", index=False)
    with (folder / "many.csv").open() as rows:
        process = subprocess.Popen(
            [*BOCHNER, "predict", "houses.bochner", "-"],
            cwd=folder, env=ENVIRONMENT, stdin=rows, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout.readline() == "prediction\n"
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr.read() == ""
        process.stderr.close()
