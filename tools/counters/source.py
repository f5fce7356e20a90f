"""A package folder as parsed source files, and where its names come from."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Place:
    """A line of a file, with what was found there; `number` is the size of it where a measure has one."""

    file: str
    line: int
    text: str
    number: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class SourceFile:
    """One file: its path inside the tree, its text and its syntax tree."""

    path: Path
    text: str
    syntax: ast.Module

    @property
    def package(self) -> str:
        """First folder inside the tree, or the module name of a file that lies directly in it."""
        return self.path.parts[0] if len(self.path.parts) > 1 else self.path.stem

    @cached_property
    def module(self) -> str:
        """Dotted name inside the tree: 'solvers.newton', and '' for the tree's own __init__."""
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.syntax))

    @cached_property
    def tokens(self) -> list[tokenize.TokenInfo]:
        return list(tokenize.generate_tokens(io.StringIO(self.text).readline))

    @cached_property
    def docstring_lines(self) -> set[int]:
        """Lines of statements that are a lone string."""
        lone = (n for n in self.nodes if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
        strings = (n for n in lone if isinstance(n.value.value, str))
        return {line for node in strings for line in range(node.lineno, node.end_lineno + 1)}

    @cached_property
    def code_lines(self) -> set[int]:
        """Lines with code: neither blank, nor comment only, nor in a docstring."""
        lines = (range(t.start[0], t.end[0] + 1) for t in self.tokens if t.type not in NO_CODE)
        return {line for part in lines for line in part} - self.docstring_lines

    def functions(self) -> Iterator[FunctionNode]:
        return (node for node in self.nodes if isinstance(node, FunctionNode))

    def place(self, node: ast.AST, text: str, number: int = 1) -> Place:
        return Place(str(self.path), node.lineno, text, number)


@dataclass(frozen=True)
class Tree:
    """All Python files of a package folder."""

    name: str
    files: list[SourceFile]

    @classmethod
    def read(cls, folder: Path) -> Tree:
        files = []
        for path in sorted(Path(folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            files.append(SourceFile(path.relative_to(folder), text, ast.parse(text, str(path))))
        return cls(Path(folder).resolve().name, files)

    @cached_property
    def classes(self) -> dict[tuple[str, str], ast.ClassDef]:
        """Class statements by module and name."""
        return {(f.module, n.name): n for f in self.files for n in f.nodes if isinstance(n, ast.ClassDef)}

    @cached_property
    def class_names(self) -> set[str]:
        return {name for _, name in self.classes}

    @cached_property
    def classes_of_modules(self) -> dict[str, set[str]]:
        """Names of the classes that a module defines."""
        found = defaultdict(set)
        for module, name in self.classes:
            found[module].add(name)
        return found

    @cached_property
    def modules(self) -> set[str]:
        return {file.module for file in self.files}

    def imported_module(self, file: SourceFile, node: ast.ImportFrom) -> str | None:
        """Name inside the tree of the module that a `from ... import` reads; None if it lies outside."""
        if node.level:
            base = file.module.split(".") if file.path.stem == "__init__" else file.module.split(".")[:-1]
            base = base[: len(base) - node.level + 1]
            return ".".join([*base, *filter(None, [node.module])])
        head, _, rest = (node.module or "").partition(".")
        return rest if head == self.name else None

    def own_classes(self, file: SourceFile) -> set[str]:
        """Names that mean a class of the tree inside a file: defined there, or imported from the tree."""
        names = set(self.classes_of_modules.get(file.module, ()))
        for node in file.nodes:
            if isinstance(node, ast.ImportFrom) and self.imported_module(file, node) is not None:
                names |= {a.asname or a.name for a in node.names if a.name in self.class_names}
        return names

    def module_names(self, file: SourceFile) -> set[str]:
        """Names that mean a module inside a file: `import a`, `import a.b as c`, `from package import module`.

        A module of another distribution that is imported by `from` cannot be told from a class; a lower-case name is
        taken for a module.
        """
        names = set()
        for node in file.nodes:
            if isinstance(node, ast.Import):
                names |= {a.asname or a.name.partition(".")[0] for a in node.names}
            elif isinstance(node, ast.ImportFrom):
                origin = self.imported_module(file, node)
                names |= {a.asname or a.name for a in node.names if self._is_module(origin, a.name)}
        return names

    def _is_module(self, origin: str | None, name: str) -> bool:
        return name.islower() if origin is None else f"{origin}.{name}".lstrip(".") in self.modules
