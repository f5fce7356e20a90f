"""Files that a command writes: never over an input, nor silently over those of another table."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bochner.cli.main import main
from bochner.cli.targets import mark_of, require_apart, require_model_file, require_ours, require_page, require_writable
from bochner.errors import InvalidDataError
from tests.cli.conftest import BOCHNER, ENVIRONMENT, make_houses

QUICK = ["-D", "64", "--length-scale", "2", "--alpha", "1", "--quiet"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_houses(60).to_csv("t.csv", index=False)
    return tmp_path


def test_a_place_that_cannot_be_written_is_told_before(tmp_path):
    with pytest.raises(InvalidDataError, match="there is no folder"):
        require_writable(str(tmp_path / "absent" / "t.csv"))
    with pytest.raises(InvalidDataError, match="there is a folder of that name"):
        require_writable(str(tmp_path))
    require_writable("/dev/null", None, str(tmp_path / "t.csv"))


def test_an_output_is_never_an_input_by_whatever_name(folder):
    os.link("t.csv", "hard.csv")
    Path("soft.csv").symlink_to("t.csv")
    Path("sub").mkdir()
    for name in ("t.csv", "./t.csv", "sub/../t.csv", str(folder / "t.csv"), "hard.csv", "soft.csv"):
        with pytest.raises(InvalidDataError, match=r"is an input \('t.csv'\)"):
            require_apart([None, name], [None, "t.csv"])
    with pytest.raises(InvalidDataError, match="written twice"):
        require_apart(["new.html", "./new.html"], [])
    require_apart(["/dev/null", "/dev/null", "other.csv"], ["t.csv", "-"])


def test_commands_refuse_to_write_over_their_inputs(folder, capsys):
    before = (folder / "t.csv").read_bytes()
    assert main(["fit", "t.csv", "--target", "price", *QUICK]) == 0
    for arguments in (
        ["fit", "t.csv", "--target", "price", "--model-file", "t.csv", "--force"],
        ["fit", "t.csv", "--target", "price", "--report", "./t.csv", "--force"],
        ["fit", "t.csv", "--target", "price", "--model-file", "same", "--report", "same"],
        ["predict", "t.bochner", "t.csv", "-o", "t.csv"],
        ["predict", "t.bochner", "t.csv", "-o", "t.bochner"],
        ["report", "t.bochner", "--data", "t.csv", "-o", "t.csv", "--force"],
        ["report", "t.bochner", "-o", "t.bochner", "--force"],
    ):
        capsys.readouterr()
        assert main(arguments) == 2, arguments
        assert "Give another name" in capsys.readouterr().err
    assert (folder / "t.csv").read_bytes() == before


def test_tables_of_two_years_have_models_of_their_own(folder, capsys):
    for year in ("2024", "2025"):
        shutil.copy("t.csv", f"sales.{year}.csv")
        assert main(["fit", f"sales.{year}.csv", "--target", "price", *QUICK]) == 0
    names = {path.name for path in folder.iterdir()}
    assert names >= {f"sales.{year}.{kind}" for year in ("2024", "2025") for kind in ("bochner", "html")}


def test_the_model_of_another_table_or_target_is_not_replaced_silently(folder, capsys):
    fit = ["fit", "t.csv", "--target", "price", *QUICK]
    assert main(fit) == 0
    assert main(["report", "t.bochner"]) == 0  # the page has a name of its own
    assert main(fit) == 0
    first = (folder / "t.bochner").read_bytes()
    (folder / "b").mkdir()
    shutil.copy("t.csv", "b/t.csv")
    for other in (["fit", "b/t.csv", "--target", "price", *QUICK], ["fit", "t.csv", "--target", "rooms", *QUICK]):
        assert main(other) == 2
        assert "'t.bochner' is there already, and is not the model of this table" in capsys.readouterr().err
        assert (folder / "t.bochner").read_bytes() == first
    assert main([*other, "--model-file", "m.bochner"]) == 2
    assert "'t.html' is there already" in capsys.readouterr().err
    assert main([*other, "--force"]) == 0
    assert (folder / "t.bochner").read_bytes() != first


def test_what_is_no_model_or_report_is_not_replaced(folder):
    for refuse, what in ((require_model_file, "a model file"), (require_page, "a report")):
        with pytest.raises(InvalidDataError, match=f"is not {what}. .*--force"):
            refuse("t.csv")
        refuse("absent")
        refuse("/dev/null")
    Path("empty").touch()
    Path("dangling").symlink_to("nowhere")
    for name in ("empty", "dangling", "t.csv"):
        with pytest.raises(InvalidDataError, match="--model-file"):
            require_ours(name, mark_of("t.csv", "price"), "model", "--model-file")


def test_a_planted_link_is_not_followed_and_two_writers_do_not_meet(fitted, tmp_path):
    folder, _ = fitted
    make_houses(300, seed=5).to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "precious").write_text("precious")
    for planted in ("out.csv", ".out.csv.part", "out.csv.part"):
        (tmp_path / planted).symlink_to(tmp_path / "precious")
    command = [*BOCHNER, "predict", str(folder / "houses.bochner"), "new.csv", "-o", "out.csv"]
    started = [subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT) for _ in range(2)]
    assert [process.wait() for process in started] == [0, 0]
    assert (tmp_path / "precious").read_text() == "precious"
    assert (tmp_path / "out.csv").read_bytes().count(b"\n") == 301
    assert {path.name for path in tmp_path.iterdir() if path.name.endswith(".part")} == {
        ".out.csv.part",
        "out.csv.part",
    }
