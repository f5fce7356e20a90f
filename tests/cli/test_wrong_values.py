"""Options with wrong values, and options that contradict each other: the answer names the option and what it takes."""

import json

import numpy as np
import pandas as pd
import pytest

from bochner.cli.main import main
from bochner.cli.wording import in_options


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with t.csv."""
    place = tmp_path_factory.mktemp("wrong")
    half = np.arange(40) % 2
    table = {"a": np.arange(40) / 7, "c": np.where(half, "x", "z"), "w": 1.0, "s": np.where(half, "test", "train")}
    pd.DataFrame({**table, "y": np.sqrt(np.arange(40))}).to_csv(place / "t.csv", index=False)
    return place


@pytest.fixture
def refused(folder, monkeypatch, capsys):
    """Run a command that is refused as wrong usage: what is said of it."""
    monkeypatch.chdir(folder)

    def command(line):
        assert main(line.split()) == 2
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        assert "parameter of" not in told.err
        return " ".join(told.err.split())

    return command


FIT, PLAN, BOUNDS, TEST = "fit t.csv --target y", "plan t.csv", "bounds --dim 3 --eps 0.1", "test t.csv t.csv"
POSITIVE, SHARE, SIZE = "a number above 0.", "a number above 0 and below 1.", "a size such as 4GB or 512MiB."
WHOLE = "a whole number of at least {}."


@pytest.mark.parametrize(
    ("command", "option", "values", "rule"),
    [
        (FIT, "--test-size", "1 -0.1 nan x", "a number of at least 0 and below 1."),
        (FIT, "--quantile", "0 1 nan", SHARE),
        (FIT, "-D", "1 1.5 x", WHOLE.format(2)),
        (FIT, "--seed", "-1 x 4294967296", "a whole number from 0 to 4294967295."),
        *[(command, "--eps", "0 -1 nan inf x", POSITIVE) for command in (FIT, PLAN, BOUNDS)],
        *[(command, "--delta", "0 1 nan x", SHARE) for command in (FIT, PLAN, BOUNDS)],
        *[(command, "--memory", "lots 0 -1 4XB nan", SIZE) for command in (FIT, PLAN, "predict m.bochner t.csv")],
        *[(command, "--time", "0 -1 nan inf x", POSITIVE) for command in (FIT, PLAN)],
        (BOUNDS, "--dim", "0 x", "a whole number from 1 to 1000000."),
        (BOUNDS, "--n-points", "0 x", WHOLE.format(1)),
        (BOUNDS, "--diameter", "0 -1 nan inf", POSITIVE),
        (BOUNDS, "--length-scale", "0 nan inf", POSITIVE),
        (TEST, "--n-resamples", "18 x", WHOLE.format(19)),
        (TEST, "--fail-below", "2 -1 nan", "a number from 0 to 1."),
    ],
)
def test_a_wrong_value_is_answered_with_the_option_and_what_it_takes(refused, command, option, values, rule):
    for value in values.split():
        told = refused(f"{command} {option} {value}")
        assert f"Invalid value for '{option}'" in told
        assert f"must be {rule} Got '{value}'." in told


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{FIT} --drop y", "--target and --drop cannot both name column 'y'"),
        (f"{FIT} --id y", "--target and --id cannot both name column 'y'"),
        (f"{FIT} --weight y", "--target and --weight cannot both name"),
        (f"{FIT} --split-column y", "--target and --split-column cannot both name"),
        (f"{FIT} --categorical y", "For classes, give --task classification"),
        (f"{FIT} --categorical a --drop a", "--drop and --categorical cannot both name column 'a'"),
        (f"{FIT} --weight w --categorical w", "--weight and --categorical cannot both name"),
        (f"{FIT} --weight w --split-column w", "--weight and --split-column cannot both name"),
        (f"{FIT} --drop a --drop c --drop w --drop s", "No input is left: the table has only 'a', 'c', 'w', 's', 'y'"),
        (f"{FIT} -D 16 --eps 0.1", "-D and --eps both decide the number of features"),
        (f"{FIT} --split-column s --test-size 0.5", "--split-column and --test-size both decide"),
        (f"{FIT} --loss huber --quantile 0.9", "--quantile is for --loss quantile"),
        (f"{FIT} --loss huber --alpha loo", "--alpha loo is for squared errors. With --loss huber: auto, cv or"),
        ("fit t.csv --target c --alpha gcv", "--alpha gcv is for squared errors. With a classification: auto, cv"),
        (f"{FIT} --alpha cv", "--alpha cv is for classes and --loss. For squared errors: auto, gcv, evidence or loo"),
        (f"{FIT} --model-file m.csv", "The model is no .csv file"),
        (f"{PLAN} --target y --drop y", "--target and --drop cannot both name column 'y'"),
        (f"{PLAN} -D 16 --eps 0.1", "-D and --eps both decide"),
        (f"{TEST} --drop a --drop c --drop w --drop s --drop y", "No column is left to compare"),
        (f"{TEST} --drop aa", "'t.csv' has no column 'aa'. Did you mean 'a'?"),
        (f"{TEST} --drop a --categorical a", "--drop and --categorical cannot both name column 'a'"),
        ("report m.bochner --target y", "--target is the target in --data"),
        ("predict t.csv m.bochner", "a model is named before a table"),
        ("reproduce nothing", "NAME must be one of sutherland-schneider-figure-1"),
    ],
)
def test_options_that_contradict_each_other_are_refused(refused, line, said):
    assert said in refused(line)


def test_a_contradiction_is_told_to_machines_too(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main([*FIT.split(), "--drop", "y", "--json"]) == 2
    assert "--drop cannot both name" in json.loads(capsys.readouterr().out)["error"]["message"]


def test_messages_of_the_library_get_the_words_of_the_command():
    told = "Refused: 9 MB. Lower n_components (now 8), or raise the budget with bochner.set_config(memory=...)."
    assert in_options(told, ["fit", "t.csv"]) == "Refused: 9 MB. Lower -D (now 8), or raise the budget with --memory."
    assert in_options(told, ["report", "m.bochner"]) == told  # which has neither option
    wrong = "Error: The 'random_state' parameter of KernelRegressor must be a number or None. Got 'x' instead."
    assert in_options(wrong, ["-q", "fit"]) == "Error: --seed must be a number. Got 'x'."
    assert in_options(wrong, []) == wrong


def test_several_files_in_place_of_a_table_are_told_how_to_be_one(refused):
    assert "Got more: u.csv. Files with the same columns are one table as a folder, or" in refused(
        "fit t.csv u.csv --target y"
    )


def test_a_table_in_place_of_a_command_is_told_the_command(refused):
    assert "a command comes first: to learn from it, bochner fit t.csv --target COLUMN" in refused("t.csv")
