"""Tables that are too large for the budget: `bochner fit` and `bochner predict` read them in pieces."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.cli import training
from bochner.cli.main import main
from tests.cli.conftest import BOCHNER, ENVIRONMENT, make_houses

QUICK = ["-D", "64", "--length-scale", "2", "--alpha", "1", "--json"]


@pytest.fixture
def in_pieces(tmp_path, monkeypatch):
    """A folder, in which every table counts as too large."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "_WHOLE_SHARE", 0.0)
    return tmp_path


def fit(capsys, *arguments):
    assert main(["fit", *arguments, *QUICK, "--force"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_the_model_is_that_of_the_rows_in_memory(in_pieces, capsys):
    houses = make_houses(500)
    houses.to_csv("t.csv", index=False)
    houses.to_csv("t.tsv.gz", index=False, sep="\t")
    houses.to_parquet("t.parquet", row_group_size=150)
    expected = None
    for name in ("t.csv", "t.tsv.gz", "t.parquet"):
        told = fit(capsys, name, "--target", "price", "--test-size", "0")
        assert told["read_in_pieces"]
        assert told["rows"] == {"fit": 500, "held_out": 0, "without_target": 0}
        model = bo.load(in_pieces / f"{name.split('.')[0] if name != 't.tsv.gz' else 't'}.bochner")
        if expected is None:
            encoder = bo.TableEncoder(target="price")
            library = bo.KernelRegressor(n_components=64, length_scale=2.0, alpha=1.0, random_state=0)
            expected = library.fit(encoder.fit_transform(houses), houses["price"]).predict(encoder.transform(houses))
        np.testing.assert_allclose(model.predict(houses), expected, rtol=1e-6)


def test_rows_are_held_out_by_lot_and_scored(in_pieces, capsys):
    make_houses(1000).to_csv("t.csv", index=False)
    told = fit(capsys, "t.csv", "--target", "price")
    assert told["rows"] == {"fit": 800, "held_out": 200, "without_target": 0}
    assert told["score"]["n_rows"] == 200
    assert told["score"]["r2"] > 0.8
    assert told["certificate"] is not None
    assert any("read in pieces" in note for note in told["notes"])
    again = fit(capsys, "t.csv", "--target", "price")
    assert again["score"] == told["score"]


def test_columns_that_split_weigh_and_miss_targets_are_seen_to(in_pieces, capsys):
    houses = make_houses(600)
    houses["fold"] = np.where(houses.index < 100, "test", "train")
    houses.loc[300:309, "price"] = np.nan
    houses.to_csv("t.csv", index=False)
    given = ["t.csv", "--target", "price", "--split-column", "fold", "--weight", "rooms"]
    assert main(["fit", *given, *QUICK]) == 2
    assert "missing in 10 of 600 rows" in capsys.readouterr().err
    told = fit(capsys, *given, "--drop-missing-target")
    assert told["rows"] == {"fit": 490, "held_out": 100, "without_target": 10}
    used = houses[(houses["fold"] == "train") & houses["price"].notna()]
    encoder = bo.TableEncoder(target="price", drop=["fold", "rooms"]).fit(used)
    library = bo.KernelRegressor(n_components=64, length_scale=2.0, alpha=1.0, random_state=0)
    library.fit(encoder.transform(used), used["price"], sample_weight=used["rooms"])
    found = bo.load("t.bochner").predict(houses.drop(columns=["fold", "rooms"]))
    np.testing.assert_allclose(found, library.predict(encoder.transform(houses)), rtol=1e-6)


@pytest.mark.parametrize("labels", [["big", "small"], [3, 7], [True, False]])
def test_classes_keep_their_labels(in_pieces, capsys, labels):
    houses = make_houses(400)
    houses["size"] = np.where(houses["price"] > 300, labels[0], labels[1])
    houses.drop(columns="price").to_csv("t.csv", index=False)
    told = fit(capsys, "t.csv", "--target", "size")
    assert told["task"] == "classification"
    assert told["score"]["accuracy"] > 0.8
    assert bo.load("t.bochner").classes_.tolist() == sorted(labels)
    assert main(["predict", "t.bochner", "t.csv"]) == 0
    assert set(capsys.readouterr().out.splitlines()[1:]) == {str(label) for label in labels}


def test_types_that_only_later_rows_tell_are_found(in_pieces, capsys, monkeypatch):
    from bochner.data import csv

    monkeypatch.setattr(csv, "TEXT_BYTES", 2000)
    n = 1000
    early = np.arange(n) < n // 2
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.standard_normal(n).round(3), "y": np.where(early, 1, 1.5) + np.arange(n)})
    table["code"] = np.where(early, "7", rng.choice(["a", "b"], n))
    table["empty"] = np.where(early, "", "2")
    table["text"] = np.where(early, "u", '"two\nlines"')
    lines = [",".join(map(str, row)) for row in table.itertuples(index=False)]
    (in_pieces / "t.csv").write_text("\n".join([",".join(table), *lines]) + "\n")
    told = fit(capsys, "t.csv", "--target", "y")
    assert told["rows"]["fit"] + told["rows"]["held_out"] == n
    assert "code=a" in told["columns"]
    assert "text=two\nlines" in told["columns"]
    assert any(name.startswith("empty") for name in told["columns"])


def test_bad_rows_are_refused_with_their_place(in_pieces, capsys):
    houses = make_houses(300)
    houses.assign(area=np.where(houses.index == 250, np.inf, houses["area"])).to_csv("t.csv", index=False)
    houses.assign(rooms=-1).to_csv("w.csv", index=False)
    for arguments, what in (
        (["t.csv", "--target", "price"], "Column 'area' must hold finite numbers. Got an infinite value in row 251"),
        (["t.csv", "--target", "cost"], "has no column 'cost'. It has 'area'"),
        (["w.csv", "--target", "price", "--weight", "rooms"], "not negative"),
        (["w.csv", "--target", "rooms"], "must vary"),
    ):
        assert main(["fit", *arguments, *QUICK]) == 2
        assert what in capsys.readouterr().err
    assert not [path for path in in_pieces.iterdir() if path.suffix in (".bochner", ".html")]


def test_predictions_in_pieces_are_those_at_once(in_pieces, capsys, monkeypatch):
    from bochner.cli import predicting

    make_houses(300).to_csv("t.csv", index=False)
    fit(capsys, "t.csv", "--target", "price")
    new = make_houses(200, seed=3)
    new.loc[[3, 150], "city"] = ["Rome", "Oslo"]
    new.assign(garden=1).to_csv("new.csv", index=False)
    monkeypatch.setattr(predicting, "_PIECE_ROWS", 37)
    asked = ["predict", "t.bochner", "new.csv", "--std", "--id", "rooms", "--id", "sold"]
    assert main([*asked, "-o", "pieces.csv"]) == 0
    told = capsys.readouterr().err
    assert "'city' has 2 values that training did not have ('Rome', 'Oslo')" in told
    assert "'garden' was not in training" in told
    assert main([*asked, "-o", "pieces.parquet"]) == 0
    assert main([*asked, "--json"]) == 3
    monkeypatch.setattr(training, "_WHOLE_SHARE", 1.0)
    assert main([*asked, "-o", "once.csv"]) == 0
    pieces, once = pd.read_csv("pieces.csv"), pd.read_csv("once.csv")
    pd.testing.assert_frame_equal(pieces, once)
    np.testing.assert_allclose(pd.read_parquet("pieces.parquet")["std"], once["std"])


def test_a_model_without_encoder_predicts_in_pieces(in_pieces, capsys):
    X = np.random.default_rng(0).standard_normal((100, 2))
    bo.save(bo.KernelRegressor(n_components=8, length_scale=1.0, alpha=1.0, random_state=0).fit(X, X[:, 0]), "m")
    pd.DataFrame(X, columns=["b", "a"]).to_csv("t.csv", index=False)
    assert main(["predict", "m", "t.csv", "--id", "a", "-o", "out.csv"]) == 0
    np.testing.assert_allclose(pd.read_csv("out.csv")["prediction"], bo.load("m").predict(X))


def test_a_budget_that_holds_nothing_is_refused(in_pieces, capsys):
    make_houses(300).to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", "--target", "price", "--memory", "1kB"]) == 3
    assert "raise --memory" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory in kilobytes")
def test_memory_does_not_grow_with_the_table(tmp_path):
    """Peak of a table of 140 MB of text against that of a fifth of it, both read in pieces of the same budget."""
    rng = np.random.default_rng(0)
    peaks = {}
    for name, n in (("small", 300_000), ("large", 1_400_000)):
        X = rng.standard_normal((n, 10)).round(6)
        pd.DataFrame(X, columns=[f"x{i}" for i in range(10)]).to_csv(tmp_path / f"{name}.csv", index=False)
        code = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
        )
        command = [*BOCHNER, "fit", f"{name}.csv", "--target", "x0", "--memory", "120MB", *QUICK]
        done = subprocess.run(
            [sys.executable, "-c", code, *command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["read_in_pieces"]
        peaks[name] = 1024 * int(done.stderr.splitlines()[-1])
    assert peaks["large"] < peaks["small"] + 60e6
    assert os.path.getsize(tmp_path / "large.csv") > 120e6
