"""Counter of repeated code: the same run of six or more lines in two places."""

from __future__ import annotations

import ast
import tokenize
from collections import defaultdict

from tools.counters.source import FunctionNode, Place, SourceFile, Tree

SHORTEST_RUN = 6
Line = tuple[int, str]  # number in the file, folded text


def repetitions(tree: Tree) -> list[Place]:
    """Pairs of places with the same 6 or more consecutive lines of statements.

    Left out are blank lines, comments, docstrings, imports, `__all__`, the headers of functions and classes (decorators
    and signatures: declarations, which siblings share by intent) and lines without a letter or digit; whitespace is
    folded. A run is as long as it can be, and is reported once.
    """
    return _repeated(tree, [compared_lines(file, headers=False) for file in tree.files])


def repetitions_with_headers(tree: Tree) -> list[Place]:
    """The same with the headers of functions and classes compared too."""
    return _repeated(tree, [compared_lines(file, headers=True) for file in tree.files])


def _repeated(tree: Tree, texts: list[list[Line]]) -> list[Place]:
    windows = defaultdict(list)
    for f, lines in enumerate(texts):
        for i in range(len(lines) - SHORTEST_RUN + 1):
            windows[tuple(text for _, text in lines[i : i + SHORTEST_RUN])].append((f, i))
    pairs = {(a, b) for found in windows.values() for i, a in enumerate(found) for b in found[i + 1 :]}
    places = []
    for (f, i), (g, j) in sorted(pairs):
        if ((f, i - 1), (g, j - 1)) in pairs or (f == g and j - i < SHORTEST_RUN):
            continue  # inside a longer run, or a run that overlaps itself
        n = SHORTEST_RUN
        while ((f, i + n - SHORTEST_RUN + 1), (g, j + n - SHORTEST_RUN + 1)) in pairs:
            n += 1
        other = f"{tree.files[g].path}:{texts[g][j][0]}"
        places.append(Place(str(tree.files[f].path), texts[f][i][0], f"{n} lines as in {other}", n))
    return places


def compared_lines(file: SourceFile, *, headers: bool) -> list[Line]:
    """Lines of a file that are compared, without comments and with whitespace folded."""
    skipped = file.docstring_lines.union(*(_span(node, headers) for node in file.nodes))
    lines = enumerate(_without_comments(file), 1)
    folded = ((number, " ".join(line.split())) for number, line in lines if number not in skipped)
    return [(number, line) for number, line in folded if any(map(str.isalnum, line))]


def _span(node: ast.AST, headers: bool) -> range:
    """Lines of a node that are not compared."""
    if isinstance(node, (ast.Import, ast.ImportFrom)) or _is_export_list(node):
        return range(node.lineno, node.end_lineno + 1)
    if not headers and isinstance(node, (FunctionNode, ast.ClassDef)):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        return range(first, max(first + 1, node.body[0].lineno))  # a body on the header's line goes with it
    return range(0)


def _is_export_list(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)


def _without_comments(file: SourceFile) -> list[str]:
    lines = file.text.splitlines()
    for token in file.tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return lines
