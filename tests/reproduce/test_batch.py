"""Several experiments: what lacks data is skipped, a failure or an interrupt loses nothing that is finished."""

from __future__ import annotations

import json

import pytest

import bochner.reproduce as reproduce
from bochner.cli.main import main as command
from bochner.errors import BochnerError, BochnerWarning, InvalidDataError
from bochner.reproduce import EXPERIMENTS, outcomes, run
from bochner.reproduce.__main__ import main
from bochner.reproduce.experiment import SCHEMA, Experiment


def _draw(figure, numbers):
    figure.subplots().plot(numbers["values"])


def _fail(value):
    raise ZeroDivisionError("no such number")


def _interrupt(value):
    raise KeyboardInterrupt


def experiment(measure=lambda value: {"values": [value, 2]}, **more):
    return Experiment(title="a test", measure=measure, draw=_draw, quick={"value": 1}, full={"value": 2}, **more)


@pytest.fixture
def paper(monkeypatch, tmp_path):
    """Puts experiments `paper-...` in place of the real ones, without a data folder."""
    monkeypatch.setenv("BOCHNER_DATA", str(tmp_path / "nowhere"))

    def put(**experiments):
        named = {f"paper-{name}": each for name, each in experiments.items()}
        monkeypatch.setattr(reproduce, "EXPERIMENTS", named)

    return put


@pytest.fixture
def four(paper):
    paper(first=experiment(), needs=experiment(data=("mnist.npz",)), fails=experiment(_fail), last=experiment())


def written(folder):
    return sorted(path.name for path in folder.glob("*")) if folder.exists() else []


def test_all_without_the_data_folder_skips_what_needs_it(paper, tmp_path, capsys):
    paper(first=experiment(), needs=experiment(data=("mnist.npz",)), last=experiment())
    out = tmp_path / "out"
    assert main(["all", "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "paper-needs skipped: it reads data files (mnist.npz). Set BOCHNER_DATA" in told.err
    assert "2 done, 1 skipped, 0 failed" in told.err
    assert written(out) == ["paper-first.json", "paper-first.png", "paper-last.json", "paper-last.png"]
    assert command(["reproduce", "all", "--out", str(out), "--json"]) == 0
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert [each["experiment"] for each in document["done"]] == ["paper-first", "paper-last"]
    assert document["skipped"][0]["experiment"] == "paper-needs"
    assert any("skipped" in note for note in document["notes"])


def test_one_that_is_named_itself_is_refused_without_its_data(paper, tmp_path, capsys):
    paper(needs=experiment(lambda value: reproduce_data(), data=("mnist.npz",)), other=experiment())
    assert main(["paper-needs", "--out", str(tmp_path / "out")]) == 2
    assert "Set BOCHNER_DATA to their folder" in capsys.readouterr().err
    assert command(["reproduce", "paper-needs", "--out", str(tmp_path / "out")]) == 2
    assert "Set BOCHNER_DATA to their folder" in capsys.readouterr().err
    with pytest.raises(InvalidDataError, match=r"mnist\.npz"):
        run("paper-needs", folder=tmp_path / "out")
    assert written(tmp_path / "out") == []


def reproduce_data():
    from bochner.reproduce.data_folder import data_file

    return {"values": [len(data_file("mnist.npz").read_bytes())]}


def test_a_folder_that_lacks_the_file_is_named(paper, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BOCHNER_DATA", str(tmp_path))
    paper(needs=experiment(data=("mnist.npz",)), other=experiment())
    assert main(["paper", "--out", str(tmp_path / "out")]) == 0
    assert "reads mnist.npz, which the folder BOCHNER_DATA does not have" in capsys.readouterr().err


def test_a_failure_does_not_lose_the_others(four, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["paper", "--out", str(out)]) == 70
    told = capsys.readouterr().err
    assert "paper-fails failed: it raised ZeroDivisionError: no such number" in told
    assert "Traceback" in told
    assert "paper-last.json" in written(out)
    assert command(["reproduce", "paper", "--out", str(out), "--json"]) == 70
    assert json.loads(capsys.readouterr().out)["failed"][0]["experiment"] == "paper-fails"
    with pytest.raises(BochnerError, match="ZeroDivisionError"), pytest.warns(BochnerWarning, match="skipped"):
        run("paper", folder=tmp_path / "again")
    assert "paper-last.json" in written(tmp_path / "again")


def test_an_interrupt_keeps_what_is_finished(paper, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    paper(first=experiment(), stops=experiment(_interrupt), last=experiment())
    assert main(["all", "--out", str(tmp_path / "a")]) == 130
    assert "Interrupted. 1 finished, kept in" in capsys.readouterr().err
    assert command(["reproduce", "all", "--out", str(tmp_path / "b")]) == 130
    assert "paper-first.png" in capsys.readouterr().out
    for folder in ("a", "b"):
        assert written(tmp_path / folder) == ["paper-first.json", "paper-first.png"]


def test_a_figure_that_cannot_be_drawn_leaves_no_broken_file(paper, tmp_path):
    def draw(figure, numbers):
        raise ValueError("no ink")

    paper(one=Experiment("t", lambda value: {"values": [1]}, draw, {"value": 1}, {"value": 1}))
    with pytest.raises(ValueError, match="no ink"):
        run("paper-one", folder=tmp_path)
    assert written(tmp_path) == ["paper-one.json"]


def test_numbers_that_json_does_not_have_are_refused_before_a_file_is_replaced(paper, tmp_path):
    paper(one=experiment(lambda value: {"values": [float("nan")]}))
    with pytest.raises(ValueError, match="JSON"):
        run("paper-one", folder=tmp_path)
    assert written(tmp_path) == []


def test_a_file_says_what_it_is(paper, tmp_path):
    paper(one=experiment())
    run("paper-one", "full", tmp_path)
    record = json.loads((tmp_path / "paper-one.json").read_text())
    assert list(record) == ["schema", "experiment", "title", "setting", "parameters", "numbers"]
    assert (record["schema"], record["setting"], record["parameters"]) == (SCHEMA, "full", {"value": 2})
    run("paper-one", folder=tmp_path, value=7)
    assert json.loads((tmp_path / "paper-one.json").read_text())["setting"] == "changed"


def test_bad_parameters_are_refused_before_anything_runs(paper, tmp_path):
    paper(first=experiment(), last=experiment())
    with pytest.raises(ValueError, match="'n' parameter of run must be a parameter of this experiment"):
        outcomes("all", folder=tmp_path, n=3)
    assert written(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_refused_before_anything_runs(paper, tmp_path, capsys):
    paper(first=experiment(_interrupt), last=experiment())
    (tmp_path / "file").write_text("")
    for name in ("all", "paper-first"):
        assert main([name, "--out", str(tmp_path / "file")]) == 2
        assert "File exists" in capsys.readouterr().err
        assert command(["reproduce", name, "--out", str(tmp_path / "file" / "below")]) == 2
        assert "Not a directory" in capsys.readouterr().err


def test_every_experiment_that_reads_data_names_its_files():
    assert {name for name, each in EXPERIMENTS.items() if each.needs_data} == {
        "raj-rotated-digits",
        "raj-translated-digits",
        "raj-fashion",
        "raj-molecules",
    }
