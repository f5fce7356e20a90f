"""Output for pipes and terminals."""

import contextlib
import os
import subprocess

import pytest

import bochner as bo
from tests.cli.conftest import BOCHNER, ENVIRONMENT


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
    assert b"Fitting 320 rows" in shown
    assert bo.load(tmp_path / "houses.bochner").predict(houses).shape == (400,)
