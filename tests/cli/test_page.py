"""The page on the command line shows what the commands print."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import BOCHNER, ENVIRONMENT

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def words(text):
    """A text without its numbers and its layout: rounding and machines differ."""
    return re.sub(r"\s+", " ", re.sub(r"(-?[\d.,]+(e[-+]?\d+)?)|\b(GB|MB|kB)\b", "#", text)).strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=ENVIRONMENT, check=True)
    command = folder / "bochner"
    command.write_text(f'#!/bin/sh\nexec {" ".join(BOCHNER)} "$@"\n')
    command.chmod(0o755)
    return folder


def test_every_command_of_the_page_prints_what_the_page_shows(folder):
    blocks = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 5
    environment = {**ENVIRONMENT, "PATH": f"{folder}:{ENVIRONMENT['PATH']}"}
    for command, shown in blocks:
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        assert words(done.stderr + done.stdout) == words(shown), command
