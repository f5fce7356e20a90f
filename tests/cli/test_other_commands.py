"""`bochner report`, `plan`, `test`, `bounds` and `reproduce`, run as people run them."""

import json
import shlex

import bochner as bo
from bochner.cli.main import main
from tests.cli.conftest import make_houses


def test_report_takes_rows_that_the_model_has_not_seen(fitted, monkeypatch, capsys):
    folder, _ = fitted
    monkeypatch.chdir(folder)
    make_houses(100, seed=4).to_csv("test.csv", index=False)
    assert main(["report", "houses.bochner", "--data", "test.csv", "-o", "page.html", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"] == "page.html"
    assert told["summary"]["quality"]["n_rows"] == 100
    assert (folder / "page.html").exists()


def test_plan_says_what_a_fit_takes(houses, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "houses.csv", "--target", "price", "--eps", "0.1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["certified_error"] <= 0.1
    assert told["n_samples"] == len(houses)
    assert main(["plan", "houses.csv", "--target", "price", "-D", "512"]) == 0
    assert "512 (as given)" in capsys.readouterr().out


def test_the_command_of_a_plan_can_be_copied_into_a_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "60")
    table = make_houses(120).rename(columns={"price": "the price", "area": "area (m2)"})
    table.to_csv("my houses.csv", index=False)
    options = ["--kernel", "matern", "--memory", "2GB", "--time", "20", "--drop", "area (m2)", "--missing", "?"]
    options += ["--delta", "0.05", "--seed", "3", "--month-first", "--categorical", "rooms"]
    assert main(["plan", "my houses.csv", "--target", "the price", *options]) == 0
    (line,) = [each for each in capsys.readouterr().out.splitlines() if each.startswith("bochner fit")]
    words = shlex.split(line)
    assert words[:5] == ["bochner", "fit", "my houses.csv", "--target", "the price"]
    assert sorted(words[5:]) == sorted(options)
    assert main([*words[1:], "--quiet"]) == 0
    capsys.readouterr()
    assert main(["plan", "my houses.csv", "--target", "the price", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["command"] == line


def test_test_has_an_exit_code_only_if_asked_for_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_houses(300, seed=1).to_csv("before.csv", index=False)
    make_houses(200, seed=2)[["sold", "price", "area", "city", "rooms"]].to_csv("same.csv", index=False)
    moved = make_houses(200, seed=3)
    moved.assign(area=moved["area"] + 60).to_csv("moved.csv", index=False)
    assert main(["test", "before.csv", "moved.csv"]) == 0
    assert "p-value    0.001" in capsys.readouterr().out
    assert main(["test", "before.csv", "moved.csv", "--fail-below", "0.01"]) == 1
    capsys.readouterr()
    assert main(["test", "before.csv", "same.csv", "--fail-below", "0.001", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pvalue"] > 0.001
    assert told["failed"] is False


def test_an_index_that_pandas_wrote_is_no_difference_of_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    houses = make_houses(400, seed=1)
    houses[:200].to_csv("before.csv")
    houses[200:].to_csv("after.csv")
    assert main(["test", "before.csv", "after.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pvalue"] > 0.001
    assert "" not in told["columns_changed"]
    assert "Column '' is left out: an index without a name, as pandas writes it." in told["notes"]


def test_bounds_are_those_of_the_theory(capsys):
    assert main(["bounds", "--dim", "10", "--eps", "0.1", "--json"]) == 0
    told = {row["name"]: row for row in json.loads(capsys.readouterr().out)["bounds"]}
    assert told["finite_set.UnionSubGaussian"]["features"] == 3684
    assert told["published.LiHonorioTheorem1"]["status"] == "REFUTED"
    assert told["published.LiHonorioTheorem1"]["features"] is None
    assert len(told) == len(bo.theory.bounds())
    assert main(["bounds", "--dim", "3", "--eps", "0.2", "--kernel", "laplacian", "--embedding", "phase"]) == 0
    assert "58" not in capsys.readouterr().out.splitlines()[0]


def test_bounds_print_probabilities_near_one_as_differences(capsys):
    assert main(["bounds", "--dim", "3", "--eps", "0.1", "--delta", "1e-12"]) == 0
    assert "with probability 1 - 1e-12:" in capsys.readouterr().out


def test_reproduce_lists_and_runs_experiments(tmp_path, capsys):
    assert main(["reproduce", "--list"]) == 0
    assert "sutherland-schneider-figure-2" in capsys.readouterr().out
    assert main(["reproduce", "sutherland-schneider-figure-2", "--out", str(tmp_path)]) == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".png", ".json"}
    assert main(["reproduce", "nobody"]) == 2
    assert main(["reproduce"]) == 2
