"""Figure of the architecture, made from the code: packages in layers, the imports between them, the walk of a row.

    python tools/architecture.py [--check]

Layers are those of the import contract in pyproject.toml, arrows the imports that the files state (also those inside
functions), without the ones that a chain of others implies. Writes docs/_static/architecture.svg; `--check` only
compares, and exits with 1 if the figure in the repository is not the one that the code gives.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if __package__ in (None, ""):  # run as a script: the folder beside this file is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.counters.source import SourceFile, Tree
from tools.drawing import draw

ROOT = Path(__file__).resolve().parents[1]
FIGURE = ROOT / "docs" / "_static" / "architecture.svg"
WALK = ("data", "engines", "features", "statistics", "solvers", "fitting", "estimators", "reporting")
Edge = tuple[str, str]


@dataclass(frozen=True)
class Architecture:
    """Layers from top to bottom, what each package is, imports (importer, imported) and the walk of a row."""

    layers: list[list[str]]
    captions: dict[str, str]
    imports: set[Edge]
    walk: tuple[str, ...]

    @classmethod
    def read(cls, root: Path) -> Architecture:
        tree = Tree.read(root / "src" / "bochner")
        layers = contract_layers(root / "pyproject.toml")
        *upper, base = layers
        shown = {name for layer in upper for name in layer}
        edges = {(a, b) for a, b in package_imports(tree) if a in shown and b in shown}
        captions = {f.package: caption(f) for f in tree.files if f.package in shown and _speaks_for_package(f)}
        public = [name for name in base if not name.startswith("_")]
        return cls([*upper, public], captions, reduced(edges), tuple(name for name in WALK if name in shown))


def contract_layers(path: Path) -> list[list[str]]:
    """Layers of the first import-linter contract of that type, from top to bottom."""
    contracts = tomllib.loads(path.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip(" ()") for name in re.split("[:|]", layer)] for layer in layers]


def package_imports(tree: Tree) -> set[Edge]:
    """Pairs of different packages (importer, imported); a public name of the root counts for its home."""
    (root,) = [file for file in tree.files if file.module == ""]
    homes = dict(_homes(tree, root))
    edges = set()
    for file in (f for f in tree.files if f is not root):
        for module in _imported(tree, file, homes):
            edges.add((file.package, module.partition(".")[0]))
    return {(a, b) for a, b in edges if a != b}


def _imported(tree: Tree, file: SourceFile, homes: dict[str, str]) -> Iterator[str]:
    """Modules of the tree that a file imports, as names inside the tree."""
    for node in file.nodes:
        if isinstance(node, ast.Import):
            yield from (a.name.removeprefix(f"{tree.name}.") for a in node.names if a.name.startswith(f"{tree.name}."))
        elif isinstance(node, ast.ImportFrom):
            module = tree.imported_module(file, node)
            if module:
                yield module
            elif module == "":
                yield from (homes.get(a.name, a.name) for a in node.names)


def _homes(tree: Tree, root: SourceFile) -> Iterator[Edge]:
    """Where the public names come from: entries "name": "package.module" and imports of the root module."""
    for node in root.nodes:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                    yield str(key.value), str(value.value).removeprefix(f"{tree.name}.")
        elif isinstance(node, ast.ImportFrom) and (module := tree.imported_module(root, node)):
            yield from ((alias.asname or alias.name, module) for alias in node.names)


def reduced(edges: set[Edge]) -> set[Edge]:
    """Transitive reduction of an acyclic graph: the edges that no longer path implies."""
    after: dict[str, set[str]] = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)

    def reached(start: str) -> set[str]:
        return after.get(start, set()).union(*(reached(b) for b in after.get(start, ())))

    return {(a, b) for a, b in edges if not any(b in reached(c) for c in after[a] - {b})}


def caption(file: SourceFile) -> str:
    """First sentence of a module's docstring."""
    text = " ".join((ast.get_docstring(file.syntax) or "").partition("\n\n")[0].split())
    return re.split(r"\.(?:\s|$)", text.replace("`", ""))[0]


def _speaks_for_package(file: SourceFile) -> bool:
    return file.module == file.package


def figure(root: Path = ROOT) -> str:
    """The figure of a checkout, as SVG."""
    found = Architecture.read(root)
    return draw(found.layers, found.captions, found.imports, found.walk)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Draw docs/_static/architecture.svg from the code.")
    parser.add_argument("--check", action="store_true", help="compare with the stored figure, write nothing")
    options = parser.parse_args(arguments)
    drawn = figure()
    if options.check:
        return int(not FIGURE.exists() or FIGURE.read_text(encoding="utf-8") != drawn)
    FIGURE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
