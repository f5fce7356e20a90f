"""First minutes of a user: tables as people have them, typos, wrong names of files, and words for what was found."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bochner.cli.main import main

QUICK = ("-D", "16", "--alpha", "1", "--length-scale", "1", "--force")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here, capsys):
    """Run a command in the folder of the test: its exit code, output and messages."""

    def command(*arguments):
        code = main([*map(str, arguments)])
        told = capsys.readouterr()
        return code, told.out, told.err

    return command


@pytest.fixture
def fitted(run):
    """`fit` of a table, quickly: the document of its result."""

    def fit(table, *options, target="y"):
        code, out, err = run("fit", table, "--target", target, *QUICK, *options, "--json")
        assert code == 0, err
        return json.loads(out)

    return fit


def rows(n=60, **columns):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 10, n).round(3), rng.normal(size=n).round(3)
    return pd.DataFrame({"a": a, "b": b, **columns, "y": (a + b).round(3)})


def days(n=60, form="%d/%m/%Y"):
    moments = pd.Timestamp("2020-01-15") + pd.to_timedelta(np.arange(n) * 1003, "min")
    return moments.strftime(form)


def test_ids_of_64_bits_are_left_out_with_a_word(fitted):
    rows(id=2**60 + 7 * np.arange(60)).to_csv("t.csv", index=False)
    told = fitted("t.csv")
    assert told["columns"] == ["a", "b"]
    assert "beyond 2^53" in " ".join(told["notes"])
    rows(id=[2**63 + i for i in range(60)]).to_csv("t.csv", index=False)
    assert fitted("t.csv")["columns"] == ["a", "b"]


def test_a_header_in_latin_1_is_refused_with_the_remedy(run):
    rows().rename(columns={"a": "größe"}).to_csv("t.csv", index=False, encoding="latin-1")
    code, _, err = run("fit", "t.csv", "--target", "y")
    assert code == 2
    assert "not UTF-8" in err
    assert "iconv" in err


def test_a_report_does_not_replace_that_of_the_fit_and_speaks_to_the_command_line(run, fitted, here):
    rows().to_csv("t.csv", index=False)
    fitted("t.csv")
    of_fit = (here / "t.html").read_bytes()
    assert run("report", "t.bochner")[:2] == (0, "t-report.html\n")
    assert (here / "t.html").read_bytes() == of_fit
    assert "bochner report MODEL --data TABLE" in (here / "t-report.html").read_text()


@pytest.mark.parametrize("mark", ["?", "unknown", "-"])
def test_a_text_among_numbers_is_shown_with_its_row_and_may_be_missing(run, fitted, mark):
    table = rows().astype(object)
    table.loc[40, "a"] = mark
    table.loc[41, "b"] = "NULL"
    table.to_csv("t.csv", index=False)
    code, _, err = run("fit", "t.csv", "--target", "y", *QUICK)
    assert code == 2
    assert f"Got {mark!r} in row 41" in err
    assert f"--missing {mark!r}" in err
    assert "a" in fitted("t.csv", f"--missing={mark}")["columns"]
    assert run("predict", "t.bochner", "t.csv")[0] == 0  # the model knows the mark
    table.assign(a=table["a"].replace(mark, "oops")).to_csv("new.csv", index=False)
    code, _, err = run("predict", "t.bochner", "new.csv")
    assert code == 2
    assert "Column 'a' must hold a number. Got 'oops' in row 41" in err


@pytest.mark.parametrize(
    ("form", "said"),
    [("%d/%m/%Y", "day first"), ("%d.%m.%Y %H:%M", "day first"), ("%m/%d/%Y %I:%M %p", "month first")],
)
def test_dates_are_understood(run, fitted, form, said):
    rows(on=days(form=form)).to_csv("t.csv", index=False)
    told = fitted("t.csv")
    assert f"on: date, {said}" in " ".join(told["preprocessing"])
    assert run("predict", "t.bochner", "t.csv")[0] == 0
    rows(on="soon").to_csv("new.csv", index=False)
    code, _, err = run("predict", "t.bochner", "new.csv")
    assert code == 2
    assert "Column 'on' must hold dates, as in its other rows. Got 'soon' in row 1" in err


def test_dates_whose_day_and_month_cannot_be_told_apart_are_asked_for(run, fitted):
    rows(on=[f"{1 + i % 12:02}/{1 + i % 9:02}/2020" for i in range(60)]).to_csv("t.csv", index=False)
    code, _, err = run("fit", "t.csv", "--target", "y", *QUICK)
    assert code == 2
    assert "--day-first or --month-first" in err
    assert "month first" in " ".join(fitted("t.csv", "--month-first")["preprocessing"])


def test_time_zones_are_said_and_checked(run, fitted):
    aware, naive = days(form="%Y-%m-%dT%H:%M:%S+02:00"), days(form="%Y-%m-%dT%H:%M:%S")
    rows(at=aware).to_csv("t.csv", index=False)
    rows(at=naive).to_csv("naive.csv", index=False)
    rows(at=[*aware[:30], *naive[30:]]).to_csv("mixed.csv", index=False)
    assert "at: date, in UTC" in " ".join(fitted("t.csv")["preprocessing"])
    code, _, err = run("predict", "t.bochner", "naive.csv")
    assert code == 2
    assert "had a time zone in training and has none here" in err
    code, _, err = run("fit", "mixed.csv", "--target", "y", *QUICK)
    assert code == 2
    assert "a time zone in all dates or in none. It has none in row 31" in err


@pytest.mark.parametrize("place", ["fit", "pieces", "predict"])
def test_an_infinity_is_told_with_its_column_and_row(run, fitted, place, monkeypatch):
    bad = rows(500)
    bad.to_csv("good.csv", index=False)
    bad.loc[400, "b"] = np.inf
    bad.to_csv("t.csv", index=False)
    if place == "predict":
        fitted("good.csv")
        code, _, err = run("predict", "good.bochner", "t.csv")
    else:
        if place == "pieces":
            monkeypatch.setattr("bochner.cli.training._WHOLE_SHARE", 0)
        code, _, err = run("fit", "t.csv", "--target", "y", *QUICK)
    assert code == 2
    assert "Column 'b' must hold finite numbers. Got an infinite value in row 401" in err


def test_a_typo_is_met_with_the_name_that_was_meant(run):
    noise = {f"column{i}": np.arange(30) * 1.5 for i in range(100)}
    rows(30, **noise).rename(columns={"y": "price"}).to_csv("t.csv", index=False)
    for options, meant in ((["--target", "prcie"], "price"), (["--target", "price", "--drop", "colunm7"], "column7")):
        code, _, err = run("fit", "t.csv", *options, *QUICK)
        assert code == 2
        assert f"Did you mean '{meant}'" in err


def test_decimal_commas_are_understood_or_said(run, fitted):
    rows().to_csv("t.csv", index=False, sep=";", decimal=",")
    assert fitted("t.csv")["task"] == "regression"
    table = rows().astype(str)
    table["y"] = table["y"].str.replace(".", ",")
    table.to_csv("mixed.csv", index=False, sep=";")
    assert "decimal comma" in run("fit", "mixed.csv", "--target", "y", *QUICK)[2]


def test_numbers_as_people_write_them_are_said(run, fitted):
    money = [f"${1000 * i:,}" for i in range(60)]
    rows(price=money).to_csv("t.csv", index=False)
    assert "numbers with separators of thousands" in " ".join(fitted("t.csv")["notes"])
    rows().assign(y=money).to_csv("t.csv", index=False)
    code, _, err = run("fit", "t.csv", "--target", "y", *QUICK)
    assert code == 2
    assert "numbers with separators of thousands" in err
    rows(code=[str(900 + i) for i in range(60)]).to_parquet("codes.parquet")
    assert "separators" not in " ".join(fitted("codes.parquet")["notes"])


def test_an_index_of_pandas_and_identifiers_are_left_out_with_a_word(fitted):
    rows(name=[f"c{i:05}" for i in range(60)]).to_csv("t.csv")
    told = fitted("t.csv")
    assert told["columns"] == ["a", "b"]
    notes = " ".join(told["notes"])
    assert "Column '' is left out" in notes
    assert "Column 'name' is left out: texts that hardly repeat" in notes
    assert "--categorical 'name'" in notes


def test_a_name_of_a_type_that_is_not_written_is_refused(run, fitted, here):
    rows().to_csv("t.csv", index=False)
    fitted("t.csv")
    for arguments in (
        ["predict", "t.bochner", "t.csv", "-o", "out.xlsx"],
        ["report", "t.bochner", "-o", "x.pdf"],
        ["fit", "t.csv", "--target", "y", "--report", "x.pdf", *QUICK],
    ):
        code, _, err = run(*arguments)
        assert code == 2
        assert "must be a ." in err
    assert not [*here.glob("*.xlsx"), *here.glob("*.pdf")]


@pytest.mark.parametrize("share", [1.0, 0.0], ids=["whole", "streamed"])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_folder_and_a_pattern_are_one_table(run, fitted, here, kind, share, monkeypatch):
    monkeypatch.setattr("bochner.cli.training._WHOLE_SHARE", share)
    (here / "parts").mkdir()
    for at in range(3):
        part = rows().iloc[20 * at : 20 * at + 20]
        part.to_parquet(f"parts/{at}.parquet", index=False) if kind == "parquet" else part.to_csv(
            f"parts/{at}.csv", index=False
        )
    for table in ("parts", f"parts/*.{kind}"):
        told = fitted(table)
        assert told["files"]["model"] == "parts.bochner"
        assert told["read_in_pieces"] == (share == 0)
        assert told["rows"]["fit"] + told["rows"]["held_out"] == 60
    code, out, _ = run("predict", "parts.bochner", "parts")
    assert (code, len(out.splitlines())) == (0, 61)


def test_files_of_two_types_or_other_columns_are_no_table(run, here):
    (here / "parts").mkdir()
    rows().to_csv("parts/a.csv", index=False)
    rows().drop(columns="b").to_csv("parts/b.csv", index=False)
    assert "Not all have 'b'" in run("fit", "parts", "--target", "y", *QUICK)[2]
    rows().to_parquet("parts/c.parquet")
    assert "files of one type" in run("fit", "parts", "--target", "y", *QUICK)[2]


def test_plan_bounds_and_test_begin_with_a_verdict(run):
    rows().to_csv("t.csv", index=False)
    rows(b=5.0 + np.arange(60)).to_csv("moved.csv", index=False)
    plan = run("plan", "t.csv", "--target", "y")[1]
    assert plan.startswith("This fit takes about")
    assert "bochner fit t.csv --target y" in " ".join(plan.split())
    assert run("plan", "t.csv", "--eps", "0.001", "--memory", "100MB")[1].startswith("Not as asked: ")
    assert run("bounds", "--dim", "3", "--eps", "0.1")[1].startswith("Take 3,684 features: kernel values between all")
    changed = run("test", "t.csv", "moved.csv", "--n-resamples", "99")[1]
    assert changed.startswith("The tables differ (p = 0.01). It lies most in b (")
    assert run("test", "t.csv", "t.csv", "--n-resamples", "99")[1].startswith("No change was found")


def test_the_time_of_the_whole_command_is_said_in_words(run, fitted):
    rows().to_csv("t.csv", index=False)
    out = run("fit", "t.csv", "--target", "y", *QUICK)[1]
    assert "the whole command, with reading, certificate and report" in out
    cost = fitted("t.csv")["cost"]
    assert cost["command_seconds"] > cost["seconds"] > 0


def test_the_package_is_the_command():
    done = subprocess.run([sys.executable, "-m", "bochner", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("bochner, version")


@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        (["fit", "absent.csv", "--target", "y"], "error", 2),
        (["fit", "t.csv", "--target", "y", "-D", "1000000", "--memory", "20MB"], "refused", 3),
        (["fit", "t.csv"], "error", 2),
    ],
)
def test_errors_are_json_where_json_was_asked_for(run, arguments, kind, code):
    rows().to_csv("t.csv", index=False)
    got, out, err = run(*arguments, "--json")
    error = json.loads(out)["error"]
    assert (got, error["kind"], error["exit_code"]) == (code, kind, code)
    assert error["message"] in err


def test_five_rows_are_fitted_with_a_word(run):
    rows(5).to_csv("t.csv", index=False)
    code, _, err = run("fit", "t.csv", "--target", "y", *QUICK)
    assert code == 0
    assert "fitted to 4 row" in err


def test_two_models_are_compared_on_the_same_rows(run, fitted, here):
    rows(200).to_csv("t.csv", index=False)
    fitted("t.csv", "--model-file", "good.bochner")
    fitted("t.csv", "--model-file", "poor.bochner", "--drop", "a")
    assert "--data" in run("report", "good.bochner", "poor.bochner")[2]
    code, out, _ = run("report", "poor.bochner", "good.bochner", "--data", "t.csv", "-o", "which.html")
    assert code == 0
    assert out.startswith("good.bochner is better: its RMS error is ")
    assert "poor.bochner" in (here / "which.html").read_text()
    code, out, _ = run("report", "good.bochner", "poor.bochner", "--data", "t.csv", "--json")
    summary = json.loads(out)["summary"]
    assert summary["best"] == "good.bochner"
    assert summary["standard_errors_behind"]["poor.bochner"] > 5


def test_a_test_writes_a_page_of_what_changed(run, here):
    rows().to_csv("t.csv", index=False)
    rows(b=5.0 + np.arange(60)).to_csv("moved.csv", index=False)
    assert run("test", "t.csv", "moved.csv", "--n-resamples", "99", "--report", "t.csv")[0] == 2
    assert run("test", "t.csv", "moved.csv", "--n-resamples", "99", "--report", "change.html")[0] == 0
    page = (here / "change.html").read_text()
    assert "Which columns changed" in page
    assert "One that only goes with a changed column has a share, too." in page
    assert "The tables differ (p = 0.01)" in page


def test_the_report_says_which_inputs_matter_and_where_it_is_wrong(run, fitted, here):
    table = rows(200, city=np.where(np.arange(200) % 3, "Bonn", "Ulm"))
    table["a"] *= 10
    table["y"] = table["a"] + table["b"]
    table.to_csv("t.csv", index=False)
    fitted("t.csv")
    assert run("report", "t.bochner", "--data", "t.csv", "-o", "t.json")[0] == 0
    found = json.loads((here / "t.json").read_text())["quality"]["rows"]
    assert found["importance"]["inputs"][0]["name"] == "a"
    assert {segment["name"] for segment in found["segments"]} == {"a", "b", "city"}
    for segment in found["segments"]:
        assert sum(part["n_rows"] for part in segment["parts"]) == 200
    worst = found["worst"][0]
    assert worst["error"] == pytest.approx(abs(worst["target"] - worst["prediction"]))
    assert worst["target"] == table["y"][worst["row"] - 1]
    page = (here / "t.html").read_text()
    for title in ("Predicted against actual", "Which inputs matter", "Where the errors are", "The worst rows"):
        assert title in page
    assert "the exact kernel machine with the same settings would differ" in page
