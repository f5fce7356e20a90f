"""Standard streams and interrupts: closed outputs, outputs without umlauts, narrow terminals, Ctrl-C at the start."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from bochner.cli.main import main
from bochner.cli.screen import _wrapped
from bochner.cli.streams import Interrupts, text_width
from tests.cli.conftest import BOCHNER, ENVIRONMENT, make_houses

QUICK = ["-D", "64", "--length-scale", "2", "--alpha", "1", "--quiet"]


@pytest.fixture
def umlauts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_houses(60).rename(columns={"city": "Städte"}).to_csv("t.csv", index=False)
    return tmp_path


def shell(command, **environment):
    text = command.replace("bochner ", " ".join(BOCHNER) + " ", 1)
    return subprocess.run(
        ["bash", "-c", text], env={**ENVIRONMENT, **environment}, capture_output=True, timeout=300, check=False
    )


def test_a_closed_output_is_told_with_the_files_that_were_written(umlauts):
    done = shell(f"bochner fit t.csv --target price {' '.join(QUICK)} >&-")
    assert done.returncode == 141
    assert done.stderr.decode().splitlines() == [
        "The result could not be shown (Standard output is closed.). Written: t.bochner, t.html"
    ]
    assert (umlauts / "t.bochner").read_bytes().startswith(b"PK")
    done = shell("bochner predict t.bochner t.csv >&- 2>&-")
    assert done.returncode == 141


def test_an_output_without_umlauts_has_escapes_and_tables_are_utf_8(umlauts):
    done = shell("bochner plan t.csv --target price", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"St\\xe4dte: one column" in done.stdout
    assert main(["fit", "t.csv", "--target", "price", *QUICK]) == 0
    done = shell("bochner predict t.bochner t.csv --id Städte 2>&-", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.decode("utf-8").startswith("Städte,prediction\n")


@pytest.mark.parametrize("command", ["fit", "plan", "test"])
def test_cells_of_1e308_are_an_error_with_their_place(umlauts, capsys, command):
    """They ended with 70 and a traceback."""
    houses = make_houses(60)
    houses.loc[7, "area"] = 1e308
    houses.to_csv("t.csv", index=False)
    given = ["t.csv", "t.csv"] if command == "test" else ["t.csv", "--target", "price"]
    assert main([command, *given]) == 2
    said = capsys.readouterr().err
    assert "1e+308" in said
    assert "area" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("columns", [60, 80])
def test_no_line_is_wider_than_the_terminal(umlauts, monkeypatch, capsys, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert text_width() == columns
    main(["fit", "t.csv", "--target", "price", *QUICK])
    main(["plan", "t.csv", "--target", "price", "--eps", "0.2"])
    main(["bounds", "--dim", "10", "--eps", "0.1"])
    main(["reproduce", "--list"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 60
    assert max(map(len, lines)) <= columns


def test_help_fits_80_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    for command in ("", "fit", "predict", "plan", "test", "bounds", "report", "reproduce", "demo"):
        assert main([*command.split(), "--help"]) == 0
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 80, command


def test_long_lines_go_on_below_their_second_column():
    assert _wrapped("  data    one two three four", 20) == "  data    one two\n          three four"
    assert _wrapped("  - one two three four five", 16) == "  - one two\n    three four\n    five"
    assert _wrapped("short", 20) == "short"


def test_a_terminal_has_errors_in_lines_of_its_width(tmp_path):
    own, terminal = pty.openpty()
    command = [*BOCHNER, "fit", "a" * 30 + "/table.csv", "--target", "price", "--model-file", "no/such/folder/m"]
    process = subprocess.Popen(command, cwd=tmp_path, env={**ENVIRONMENT, "COLUMNS": "60"}, stderr=terminal)
    assert process.wait() == 2
    os.close(terminal)
    lines = os.read(own, 10_000).decode().splitlines()
    os.close(own)
    assert len(lines) > 1
    assert max(map(len, lines)) <= 60


START = """
import signal, sys, threading, os, time
from bochner.cli.main import main
threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGINT)).start()
sys.exit(main(["fit", "t.csv", "--target", "price", "--alpha", "1"]))
"""


@pytest.mark.parametrize("delay", ["0.05", "0.3", "0.9"])
def test_an_interrupt_during_imports_ends_with_130_and_no_traceback(umlauts, delay):
    done = subprocess.run(
        [sys.executable, "-c", START, delay], env=ENVIRONMENT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 130
    assert done.stderr.strip() == "Interrupted."
    assert [path.name for path in umlauts.iterdir()] == ["t.csv"]


def test_an_interrupt_that_an_import_turned_into_an_error_is_still_one(monkeypatch, capsys):
    def broken(arguments, tell):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            raise ImportError("numpy failed to load") from None

    monkeypatch.setattr("bochner.cli.main._run", broken)
    assert main([]) == 130
    assert capsys.readouterr().err.strip() == "Interrupted."
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_that_left_an_exec_has_the_exit_code_too():
    code = (
        "import sys, bochner.cli.main as m\n"
        "def run(arguments, tell): exec('raise KeyboardInterrupt')\n"
        "m._run = run\nsys.exit(m.main([]))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False)
    assert done.returncode == 130


def test_an_interrupt_in_a_callback_comes_again():
    class Lost:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

    def lose():
        Lost()
        time.sleep(5)

    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            lose()
        assert interrupts.came


def test_an_interrupt_that_somebody_swallows_comes_again():
    def swallow():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            pass
        time.sleep(5)

    with Interrupts(), pytest.raises(KeyboardInterrupt):
        swallow()


def test_what_an_interrupt_set_going_is_left_to_end():
    ended = []

    def cleaning():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        finally:
            time.sleep(0.3)
            ended.append("removed")

    with Interrupts(), pytest.raises(KeyboardInterrupt):
        cleaning()
    assert ended == ["removed"]
