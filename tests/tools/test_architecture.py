"""The figure of the architecture: layers, imports, and the drawing itself."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tools import architecture
from tools.counters.source import Tree
from tools.drawing import draw

FILES = {
    "__init__.py": '_HOME = {"fit": "toy.solvers"}\n',
    "errors.py": "",
    "kernels/__init__.py": '"""Kernels: values, and `constants`. More.\n\nText."""\nfrom toy.errors import E\n',
    "solvers/__init__.py": "from .direct import fit\n",
    "solvers/direct.py": "import toy.kernels.base\n\ndef fit():\n    from toy import errors\n",
    "cli/main.py": "from toy import fit\nfrom toy.kernels import base\n",
}


@pytest.fixture
def toy(tmp_path):
    for path, text in FILES.items():
        (tmp_path / "toy" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toy" / path).write_text(text, encoding="utf-8")
    return Tree.read(tmp_path / "toy")


def test_imports_are_found_between_packages(toy):
    assert architecture.package_imports(toy) == {
        ("kernels", "errors"),
        ("solvers", "kernels"),
        ("solvers", "errors"),
        ("cli", "solvers"),  # a public name counts for its home
        ("cli", "kernels"),
    }


def test_an_import_that_a_chain_implies_is_left_out():
    chain = {("a", "b"), ("b", "c"), ("c", "d")}
    assert architecture.reduced(chain | {("a", "c"), ("a", "d"), ("b", "d")}) == chain
    assert architecture.reduced({("a", "b"), ("a", "c")}) == {("a", "b"), ("a", "c")}


def test_a_caption_is_the_first_sentence(toy):
    (kernels,) = [file for file in toy.files if file.module == "kernels"]
    assert architecture.caption(kernels) == "Kernels: values, and constants"


def test_layers_are_those_of_the_contract(tmp_path):
    text = '[[tool.importlinter.contracts]]\ntype = "layers"\nlayers = ["cli", "a : b", "(c) | d"]\n'
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert architecture.contract_layers(tmp_path / "pyproject.toml") == [["cli"], ["a", "b"], ["c", "d"]]


def test_the_drawing_has_every_box_arrow_and_step():
    layers = [["cli"], ["a", "b"], ["c"], ["errors", "config"]]
    imports = {("cli", "a"), ("a", "c"), ("b", "c")}
    svg = ElementTree.fromstring(draw(layers, {"a": "x < y & z"}, imports, ("c", "a", "cli")))
    texts = [node.text for node in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"cli", "a", "b", "c", "base", "x < y & z", "1", "2", "3"} <= set(texts)
    paths = [node.get("class") for node in svg.iter("{http://www.w3.org/2000/svg}path")]
    assert paths.count("import") == len(imports) + 1  # and one in the legend
    assert paths.count("walk") == 2 + 1


def test_the_figure_in_the_repository_is_the_one_the_code_gives_and_drawing_is_reproducible(monkeypatch):
    found = architecture.Architecture.read(architecture.ROOT)
    monkeypatch.setattr(architecture.Architecture, "read", lambda root: found)  # seconds each time
    assert architecture.main(["--check"]) == 0, "run `python tools/architecture.py`"
    assert found.walk == architecture.WALK
    drawn = draw(found.layers, found.captions, found.imports, found.walk)  # a second time
    assert drawn == architecture.FIGURE.read_text(encoding="utf-8")
