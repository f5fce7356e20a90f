"""The page on the command line shows what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from bochner.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def words(text):
    """A text without its numbers and its layout: rounding and machines differ."""
    return re.sub(r"\s+", " ", re.sub(r"(-?[\d.,]+(e[-+]?\d+)?)|\b(GB|MB|kB|s|min|h|days)\b", "#", text)).strip()


def shown_by_a_shell(line, capsys):
    """What a shell shows of `bochner ...`, `bochner ... | head -4` or `bochner ... || echo "exit code $?"`."""
    command, operator, rest = re.fullmatch(r"bochner (.*?)(?: (\|\|?) (.*))?", line).groups()
    code = main(shlex.split(command))
    out, err = capsys.readouterr()
    if operator == "|":
        (lines,) = re.fullmatch(r"head -(\d+)", rest).groups()
        out = "".join(out.splitlines(keepends=True)[: int(lines)])
    elif operator == "||" and code != 0:
        out += re.fullmatch(r'echo "(.*)"', rest)[1].replace("$?", str(code))
    return err + out


@pytest.fixture
def _folder_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(code, {})


@pytest.mark.usefixtures("_folder_of_the_page")
def test_every_command_of_the_page_prints_what_the_page_shows(capsys):
    blocks = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 5
    for command, shown in blocks:
        assert words(shown_by_a_shell(command, capsys)) == words(shown), command
