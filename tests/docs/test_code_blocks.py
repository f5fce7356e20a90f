"""All code in the documentation runs: page by page, in the order of the page, in an empty folder.

A page finds the names of `prelude` (rows, targets, labels, two samples). What else it needs, and what should hold in
the end, stands in the page itself, where readers do not see it:

    <!-- run
    X = ...
    -->

Blocks with prompts are compared with their output, others are executed. Where an answer follows (a fence of `text`),
its words are compared with what was printed, numbers apart. A block that cannot run says why, in a line
`<!-- not run: reason -->` above it.
"""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path
from types import ModuleType

import matplotlib.pyplot as plt
import numpy as np
import pytest

import bochner as bo

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(
    r"^<!-- run\n(?P<hidden>.*?)^-->$"
    r"|(?:^<!-- not run: (?P<reason>[^\n]+) -->\n+)?^```(?:python|pycon)\n(?P<shown>.*?)^```$"
    r"(?:\n\n^```text\n(?P<answer>.*?)^```$)?",
    re.S | re.M,
)


def prelude():
    rng = np.random.default_rng(0)
    X, X_new, Y = rng.standard_normal((200, 3)), rng.standard_normal((50, 3)), rng.standard_normal((200, 3))
    truth = lambda X: np.sin(2 * X[:, 0]) + X[:, 1]  # noqa: E731
    return {
        "X": X,
        "y": truth(X) + 0.1 * rng.standard_normal(200),
        "labels": np.where(truth(X) > 0, "yes", "no"),
        "X_new": X_new,
        "y_new": truth(X_new),
        "Y": Y,
    }


def blocks_of(page):
    """(line, code, answer) of everything on a page that runs; the answer is None where the page shows none."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        if match["reason"] is None:
            group = "shown" if match["hidden"] is None else "hidden"
            yield text[: match.start(group)].count("\n"), match[group], match["answer"]


def words_of(answer):
    """An answer without its numbers and units of time, which differ between processors, and its line breaks."""
    return re.sub(r"[-+]?\d[\d,.]*(?:e[-+]?\d+)?(?: (?:ms|s|min|h)\b)?", "#", answer.replace("]", " ")).split()


SLOW = {"tutorial", "larger-than-memory", "cluster", "losses", "extend"}


def with_code(pages):
    kept = [page for page in pages if "```py" in page.read_text(encoding="utf-8")]
    return [pytest.param(page, marks=[pytest.mark.slow] if page.stem in SLOW else []) for page in kept]


def run_prompts(code, names, page, line):
    parser = doctest.DocTestParser()
    test = parser.get_doctest(code, names, page.name, str(page), line)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    found = []
    runner.run(test, out=found.append, clear_globs=False)
    assert not runner.failures, "".join(found)
    names.update(test.globs)


@pytest.fixture
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    with bo.config_context():
        yield
    plt.close("all")


@pytest.mark.usefixtures("_empty_folder")
@pytest.mark.filterwarnings("ignore::bochner.errors.NoSkillWarning")  # searches try bad models, and images are noise
@pytest.mark.parametrize("page", with_code(PAGES), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_the_page_runs(page, monkeypatch, capsys):
    module = ModuleType(f"page_{page.stem}")  # so that classes of the page can be pickled
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names = vars(module)
    names |= prelude()
    for line, code, answer in blocks_of(page):
        capsys.readouterr()
        if code.lstrip().startswith(">>>"):
            run_prompts(code, names, page, line)
        else:
            exec(compile("\n" * line + code, str(page), "exec"), names)
        if answer is not None:
            assert words_of(capsys.readouterr().out) == words_of(answer)


def test_no_block_escapes():
    """Every fence of Python is either run or excused."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        excused = len(re.findall(r"^<!-- not run: \S", text, re.M))
        run = sum(match["shown"] is not None for match in BLOCK.finditer(text))
        assert run == len(re.findall(r"^ *(?:```|:::) *\{?(?:code-block\}? *)?py", text, re.M)), page
        assert excused == len(re.findall("<!-- not run", text)), f"{page}: an excuse without a reason"
