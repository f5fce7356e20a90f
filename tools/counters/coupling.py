"""Counters of coupling: estimators handed down, type switches, foreign private attributes, Any."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tools.counters.source import FunctionNode, Place, SourceFile, Tree

ABOVE = {"__init__", "estimators", "reproduce", "io", "reporting", "cli", "testing"}
SHELLS = {"reproduce", "io", "reporting", "cli"}
ESTIMATOR_WORDS = {"model", "estimator"}
SAYS_NOTHING = {"Any", "object", "BaseEstimator", "RegressorMixin", "ClassifierMixin"}
NAMED_TUPLE = {"_replace", "_asdict", "_fields", "_make"}


def estimator_arguments(tree: Tree) -> list[Place]:
    """Functions in packages below `estimators` with a parameter that is an estimator.

    A parameter other than self and cls is one if its annotation names a class defined in `estimators` (and nowhere
    else), or if it is called `model` or `estimator` and its annotation is missing or says nothing (Any, object,
    scikit-learn's bases). Below means: not in `estimators`, `reproduce`, `io`, `reporting`, `cli`, nor in `testing`,
    whose checks are handed what they check.
    """
    elsewhere = {name for module, name in tree.classes if _package(module) != "estimators"}
    estimators = {name for module, name in tree.classes if _package(module) == "estimators"} - elsewhere
    return _handed(estimators, (file for file in tree.files if file.package not in ABOVE))


def helper_arguments(tree: Tree) -> list[Place]:
    """Functions and methods inside `estimators` with a parameter that is an estimator, other than self.

    As above, but only classes that inherit from scikit-learn's BaseEstimator, directly or through classes of the
    tree, are estimators: values that are defined there are not.
    """
    faces = {name for module, name in tree.classes if _package(module) == "estimators"} & _estimator_classes(tree)
    return _handed(faces, (file for file in tree.files if file.package == "estimators"))


def _handed(estimators: set[str], files: Iterable[SourceFile]) -> list[Place]:
    places = []
    for file in files:
        for function in file.functions():
            handed = [p.arg for p in _parameters(function) if _is_estimator(p, estimators)]
            if handed:
                places.append(file.place(function, f"{function.name}({', '.join(handed)})"))
    return places


def _estimator_classes(tree: Tree) -> set[str]:
    bases = {name: set().union(*map(_names, node.bases)) for (_, name), node in tree.classes.items()}
    found: set[str] = {"BaseEstimator"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def _package(module: str) -> str:
    return module.partition(".")[0]


def _parameters(function: FunctionNode) -> list[ast.arg]:
    a = function.args
    every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg, a.kwarg])]
    return [p for p in every if p.arg not in ("self", "cls")]


def _is_estimator(parameter: ast.arg, estimators: set[str]) -> bool:
    names = _names(parameter.annotation)
    return bool(names & estimators) or (parameter.arg in ESTIMATOR_WORDS and names <= SAYS_NOTHING)


def _names(annotation: ast.expr | None) -> set[str]:
    """Names in an annotation, also in one written as a string."""
    if annotation is None:
        return set()
    names = set()
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= _names(ast.parse(node.value, mode="eval").body)
    return names


def type_checks(tree: Tree) -> list[Place]:
    """Type switches on classes of the tree.

    `isinstance` and `issubclass` count once for each own class in their second argument (a class, a tuple, a union,
    or a module's constant that is one of these); so does each class pattern of a `match`. A class is own if the file
    defines it or imports it from the tree.
    """
    return [place for _, _, place in _type_checks(tree)]


def inner_type_checks(tree: Tree) -> list[Place]:
    """The same without checks for kernels and errors, and without `reproduce`, `io`, `reporting` and `cli`."""
    apart = {name for module, name in tree.classes if _package(module) in ("kernels", "errors")}
    return [place for file, name, place in _type_checks(tree) if name not in apart and file.package not in SHELLS]


def _type_checks(tree: Tree) -> Iterator[tuple[SourceFile, str, Place]]:
    for file in tree.files:
        own = tree.own_classes(file)
        constants = _constants(file.syntax)
        for node in file.nodes:
            for name in _tested(node, constants):
                if name in own:
                    text = ast.unparse(node) if isinstance(node, ast.expr) else f"case {name}"
                    yield file, name, file.place(node, text)


def _constants(module: ast.Module) -> dict[str, ast.expr]:
    """Assignments of a module's body: name -> value."""
    simple = (node for node in module.body if isinstance(node, ast.Assign))
    return {target.id: node.value for node in simple for target in node.targets if isinstance(target, ast.Name)}


def _tested(node: ast.AST, constants: dict[str, ast.expr]) -> Iterator[str]:
    """Names of the classes that a call of isinstance or a class pattern tests for."""
    if isinstance(node, ast.MatchClass):
        yield from _class_names(node.cls, {})
    elif isinstance(node, ast.Call) and _is_type_check(node):
        yield from _class_names(node.args[1], constants)


def _is_type_check(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id in ("isinstance", "issubclass")
    return named and len(call.args) == 2


def _class_names(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    if isinstance(node, ast.Name) and node.id in constants:
        yield from _class_names(constants[node.id], {})
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, (ast.Tuple, ast.BinOp)):
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from _class_names(part, constants)


def foreign_privates(tree: Tree) -> list[Place]:
    """Private attributes of another object: `x._name`, read, written or called.

    Not counted: x is `self`, `cls` or `super()`; x is a module that the file imports; dunder names; the underscored
    public methods of named tuples. An attribute of an attribute (`self.map._x`) is foreign.
    """
    places = []
    for file in tree.files:
        modules = tree.module_names(file)
        attributes = (node for node in file.nodes if isinstance(node, ast.Attribute) and _is_private(node.attr))
        places += [file.place(n, ast.unparse(n)) for n in attributes if not _is_at_home(n.value, modules)]
    return places


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLE


def _is_at_home(owner: ast.expr, modules: set[str]) -> bool:
    if isinstance(owner, ast.Call):
        return isinstance(owner.func, ast.Name) and owner.func.id == "super"
    head = owner
    while isinstance(head, ast.Attribute):  # a module of a package: `numpy.linalg._x`
        head = head.value
    if isinstance(head, ast.Name) and head.id in modules:
        return True
    return isinstance(owner, ast.Name) and owner.id in ("self", "cls")


def any_names(tree: Tree) -> list[Place]:
    """The name `Any` in code, its imports included; words in strings and comments do not count."""
    return [file.place(node, "Any") for file in tree.files for node in _positioned(file) if _is_any(node)]


def _positioned(file: SourceFile) -> Iterator[ast.AST]:
    return (node for node in file.nodes if isinstance(node, (ast.Name, ast.Attribute, ast.alias)))


def _is_any(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "Any"
    return node.attr == "Any" if isinstance(node, ast.Attribute) else getattr(node, "name", "") == "Any"
