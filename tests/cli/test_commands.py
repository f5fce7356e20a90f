"""The commands, run as people run them."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bochner as bo
from bochner.cli.app import app
from bochner.cli.main import main
from bochner.cli.options import KERNELS
from bochner.errors import TableWarning
from bochner.kernels import KERNELS as NAMED_KERNELS
from tests.cli.conftest import BOCHNER, ENVIRONMENT, make_houses


def test_help_loads_nothing_heavy():
    code = "import sys; from bochner.cli.main import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([*BOCHNER[:1], "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert not {"numpy", "scipy", "sklearn", "pandas", "pyarrow", "numba", "narwhals"} & loaded
    assert "fit        Learn to predict a column of a table." in done.stdout


@pytest.mark.parametrize("command", sorted(app.commands))
def test_every_command_teaches_by_examples(command):
    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    assert re.search(rf"Examples?:\n(.*\n)?\s+bochner {command}", shown.output)


def test_the_kernels_are_those_of_the_library():
    assert set(KERNELS) == set(NAMED_KERNELS)


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
        "90 % error bars hold",
        "those of exact kernel ridge with the same targets is between",
        "memory on top of the data",
        "model   houses.bochner",
        "report  houses.html",
    ):
        assert piece in done.stdout
    assert {path.name for path in folder.iterdir()} >= {"houses.csv", "houses.bochner", "houses.html"}
    assert (folder / "houses.html").read_text().startswith("<!DOCTYPE html>")


def test_leave_one_out_is_not_misled_by_rows_with_gaps(fitted):
    folder, _ = fitted
    assert bo.load(folder / "houses.bochner")[-1].alpha == "loo"
    train, new = make_houses(800).drop(columns="rooms"), make_houses(2000, seed=7).drop(columns="rooms")
    encoder = bo.TableEncoder(target="price").fit(train)
    X, X_new = encoder.transform(train), encoder.transform(new)
    models = [bo.KernelRegressor(alpha=alpha, random_state=0).fit(X, train["price"]) for alpha in ("loo", "gcv")]
    by_loo, by_gcv = (np.mean((model.predict(X_new) - new["price"]) ** 2) for model in models)
    assert by_loo < 0.8 * by_gcv


def test_output_to_a_pipe_has_no_bars_and_no_escape_codes(fitted):
    _, done = fitted
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr == ""
    assert not any(line.endswith(" ") for line in done.stdout.splitlines())


def test_a_terminal_has_a_bar_for_the_fit_and_the_model_file_does_not(houses, tmp_path):
    pty = pytest.importorskip("pty", reason="terminals of Unix")
    reader, terminal = pty.openpty()
    process = subprocess.Popen(
        [*BOCHNER, "fit", "houses.csv", "--target", "price"],
        cwd=tmp_path, env={**ENVIRONMENT, "TERM": "xterm"}, stdin=terminal, stdout=terminal, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends a terminal with an error
        while piece := os.read(reader, 2**16):
            shown += piece
    os.close(reader)
    assert process.wait() == 0
    assert b"Fitting 320 rows with 256 features" in shown
    assert bo.load(tmp_path / "houses.bochner").predict(houses).shape == (400,)


def test_predict_finds_columns_by_name_and_counts_what_is_new(fitted, bochner):
    folder, _ = fitted
    new = make_houses(50, seed=1)
    new.loc[0, "city"] = "Rome"
    new.loc[:, "garden"] = 1
    new[["garden", "sold", "rooms", "city", "area"]].to_csv(folder / "new.csv", index=False)
    done = bochner("predict", "houses.bochner", "new.csv", "--std", "--id", "garden", folder=folder)
    assert done.returncode == 0
    assert "'city' has 1 value that training did not have ('Rome')" in done.stderr
    lines = done.stdout.splitlines()
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
    make_houses(20_000, seed=3).to_csv(folder / "many.csv", index=False)
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


def test_report_takes_rows_that_the_model_has_not_seen(fitted, monkeypatch, capsys):
    folder, _ = fitted
    monkeypatch.chdir(folder)
    make_houses(100, seed=4).to_csv("test.csv", index=False)
    assert main(["report", "houses.bochner", "--data", "test.csv", "-o", "page.html", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"] == "page.html"
    assert told["summary"]["quality"]["n_rows"] == 100
    assert (folder / "page.html").exists()


def test_bad_input_is_one_sentence_that_says_what_and_where(fitted, monkeypatch, capsys):
    folder, _ = fitted
    monkeypatch.chdir(folder)

    def refused(*arguments):
        assert main(list(arguments)) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        (sentence,) = printed.err.splitlines()
        return sentence

    make_houses(20).drop(columns=["city", "sold"]).to_csv(folder / "short.csv", index=False)
    make_houses(20).assign(area="large").to_csv(folder / "wrong.csv", index=False)
    (folder / "not.bochner").write_text("something else")
    assert refused("fit", "absent.csv", "--target", "price") == "Error: There is no file 'absent.csv'."
    assert "has no column 'cost'. It has 'area', 'rooms'" in refused("fit", "houses.csv", "--target", "cost")
    assert "no 'city', 'sold'" in refused("predict", "houses.bochner", "short.csv")
    assert "invalid value 'large'" in refused("predict", "houses.bochner", "wrong.csv")
    assert "--proba needs a model that predicts classes" in refused(
        "predict", "houses.bochner", "houses.csv", "--proba"
    )
    assert "not.bochner" in refused("predict", "not.bochner", "houses.csv")
    assert "there is no folder" in refused("fit", "houses.csv", "--target", "price", "--report", "no/r.html")
    assert "Only one has 'city', 'sold': --drop them" in refused("test", "houses.csv", "short.csv")


def test_gaps_in_the_target_and_texts_are_refused_with_the_remedy(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    houses = make_houses(100)
    houses.assign(price=houses["price"].where(houses.index > 4)).to_csv("gaps.csv", index=False)
    houses.assign(owner=[f"Person {i}" for i in range(100)]).to_csv("owners.csv", index=False)
    assert main(["fit", "gaps.csv", "--target", "price"]) == 2
    assert "missing in 5 of 100 rows" in capsys.readouterr().err
    assert main(["fit", "gaps.csv", "--target", "price", "--drop-missing-target"]) == 0
    assert "76 rows to fit, 19 held out, 5 left out (no target)" in capsys.readouterr().out
    assert main(["fit", "owners.csv", "--target", "price"]) == 2
    assert "--drop 'owner'" in capsys.readouterr().err
    assert main(["plan", "owners.csv", "--target", "price", "--drop", "owner"]) == 0


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that nobody may write")
def test_a_folder_that_cannot_be_written_is_told_before_the_fit(houses, bochner):
    done = bochner("fit", "houses.csv", "--target", "price", "--model-file", "/proc/houses.bochner")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: '/proc/houses.bochner' cannot be written: ")
    assert len(done.stderr.splitlines()) == 1


def test_an_interrupt_ends_with_130_and_leaves_no_files(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "long.npz", X=rng.standard_normal((60_000, 20)), y=rng.standard_normal(60_000))
    process = subprocess.Popen(
        [*BOCHNER, "fit", "long.npz", "--target", "y", "-D", "4096"],
        cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(5)
    assert process.poll() is None, "the fit was over before the interrupt"
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert printed == ""
    assert told.strip() == "Interrupted."
    assert [path.name for path in tmp_path.iterdir()] == ["long.npz"]


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
    assert told["plan"]["seconds"] is None
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


def test_plan_says_what_a_fit_takes(houses, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "houses.csv", "--target", "price", "--eps", "0.1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["certified_error"] <= 0.1
    assert told["n_samples"] == len(houses)
    assert main(["plan", "houses.csv", "--target", "price", "-D", "512"]) == 0
    assert "512 (as given)" in capsys.readouterr().out


def test_test_has_an_exit_code_only_if_asked_for_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_houses(300, seed=1).to_csv("before.csv", index=False)
    make_houses(200, seed=2)[["sold", "price", "area", "city", "rooms"]].to_csv("same.csv", index=False)
    moved = make_houses(200, seed=3)
    moved.assign(area=moved["area"] + 60).to_csv("moved.csv", index=False)
    assert main(["test", "before.csv", "moved.csv"]) == 0
    assert "p-value    0.001" in capsys.readouterr().out
    assert main(["test", "before.csv", "moved.csv", "--fail-below", "0.01"]) == 1
    assert main(["test", "before.csv", "same.csv", "--fail-below", "0.001", "--json"]) == 0
    told = json.loads(capsys.readouterr().out.split("verdict")[-1].partition("\n")[2])
    assert told["pvalue"] > 0.001
    assert told["failed"] is False


def test_bounds_are_those_of_the_theory(capsys):
    assert main(["bounds", "--dim", "10", "--eps", "0.1", "--json"]) == 0
    told = {row["name"]: row for row in json.loads(capsys.readouterr().out)["bounds"]}
    assert told["finite_set.UnionSubGaussian"]["features"] == 3684
    assert told["published.LiHonorioTheorem1"]["status"] == "REFUTED"
    assert told["published.LiHonorioTheorem1"]["features"] is None
    assert len(told) == len(bo.theory.bounds())
    assert main(["bounds", "--dim", "3", "--eps", "0.2", "--kernel", "laplacian", "--embedding", "phase"]) == 0
    assert "58" not in capsys.readouterr().out.splitlines()[0]


def test_reproduce_lists_and_runs_experiments(tmp_path, capsys):
    assert main(["reproduce", "--list"]) == 0
    assert "sutherland-schneider-figure-2" in capsys.readouterr().out
    assert main(["reproduce", "sutherland-schneider-figure-2", "--out", str(tmp_path)]) == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".png", ".json"}
    assert main(["reproduce", "nobody"]) == 2
    assert main(["reproduce"]) == 2


def test_a_wide_table_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 5000)).astype(np.float32)
    frame = pd.DataFrame(X, columns=[f"gene{i}" for i in range(5000)]).assign(y=X[:, 0])
    frame.to_parquet("wide.parquet")
    assert main(["fit", "wide.parquet", "--target", "y", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["columns"]) == 5000


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
