"""Counters of size: files, functions, cyclomatic complexity, the face of an estimator."""

from __future__ import annotations

import ast

from tools.counters.source import FunctionNode, Place, Tree

LONGEST_FILE = 350
LARGEST_COMPLEXITY = 10
FACE = "KernelRegressor"


def files(tree: Tree) -> list[Place]:
    """Python files of the tree."""
    return [Place(str(f.path), 1, f"{len(f.text.splitlines())} lines") for f in tree.files]


def long_files(tree: Tree) -> list[Place]:
    """Files of more than 350 lines, everything counted."""
    lengths = ((f.path, len(f.text.splitlines())) for f in tree.files)
    return [Place(str(path), 1, f"{n} lines", n) for path, n in lengths if n > LONGEST_FILE]


def function_lengths(tree: Tree) -> list[Place]:
    """Code lines of each function and method, longest first.

    From `def` to the last line, without docstrings, comments and blank lines; a nested function counts for itself and
    for the one around it.
    """
    places = []
    for file in tree.files:
        for function in file.functions():
            span = range(function.lineno, function.end_lineno + 1)
            n = sum(line in file.code_lines for line in span)
            places.append(file.place(function, f"{function.name}, {n} lines", n))
    return sorted(places, key=lambda place: -place.number)


def complex_functions(tree: Tree) -> list[Place]:
    """Functions and methods of cyclomatic complexity over 10, most complex first.

    radon's rules: 1, and 1 each for `if`, ternary, `for` and `while` and their `else`, `except` and the `else` of a
    `try`, `assert`, operand of a boolean operator beyond the first, comprehension and each of its `if`s, case of a
    `match` other than `_`. A nested function is counted for itself, not for the one around it. Classes are not counted.
    """
    places = []
    for file in tree.files:
        for function in file.functions():
            n = complexity(function)
            if n > LARGEST_COMPLEXITY:
                places.append(file.place(function, f"{function.name}, complexity {n}", n))
    return sorted(places, key=lambda place: -place.number)


def complexity(function: FunctionNode) -> int:
    """Cyclomatic complexity of a function by radon's rules."""
    return 1 + sum(map(_branches, function.body))


def _branches(node: ast.AST) -> int:
    if isinstance(node, (FunctionNode, ast.ClassDef)):
        return 0
    if isinstance(node, ast.Assert):
        return 1  # radon does not look into an assertion
    return _own_branches(node) + sum(map(_branches, ast.iter_child_nodes(node)))


def _own_branches(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp():
            return 1
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1 + bool(node.orelse)
        case ast.Try() | ast.TryStar():
            return len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.Match():
            return len(node.cases) - any(_is_wildcard(case.pattern) for case in node.cases)
    return 0


def _is_wildcard(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def face(tree: Tree) -> list[Place]:
    """Lines of the class statement of `KernelRegressor`, from its first decorator to its end, docstrings included."""
    places = []
    for file in tree.files:
        for node in file.nodes:
            if isinstance(node, ast.ClassDef) and node.name == FACE:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                n = node.end_lineno - first + 1
                places.append(file.place(node, f"class {node.name}, {n} lines", n))
    return places
