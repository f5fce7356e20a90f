"""Schemas of the types in model files: which attributes an object may have, and of which types.

A schema is read from what a class declares, so that there is one place for both:

    dataclasses                fields and their hints; nothing else. A private field with a factory is a cache
    estimators of bochner      parameters, attributes with a hint in the class, and other names that are fitted
                               (`coef_`) or private and that the class does not have
    estimators of sklearn      any names that the class does not have
    others of the fixed table  attributes with a hint in the class; nothing else
    classes of users           what their base among ours declares, and any names that are not code of the class

No object gets an attribute that hides a method, a property or a constant of its class, nor one with a name such as
`__array_interface__`, which NumPy looks up on objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, cached_property
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, ClassVar, cast, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from bochner.io.hints import Test, accepts
from bochner.io.types import types_by_name

__all__ = ["Schema", "schema_of"]

_CODE = (FunctionType, classmethod, staticmethod)
_RULES = "_parameter_constraints"  # declared with a hint, and a constant of the class


@dataclass(frozen=True)
class Schema:
    """Attributes of the objects of a type.

    Attributes
    ----------
    required : set of str
        Those that an object always has.
    tests : dict of callables
        Tests of the values of attributes with a declared type.
    parameters : dict
        Names that may have any value, with their defaults (`Parameter.empty` if there are none).
    caches : dict of callables
        Attributes that are never taken from a file, and made anew.
    derived : set of str
        Cached properties: neither written nor read.
    others : callable
        Whether an object may have an attribute of another name.
    """

    required: frozenset[str]
    tests: Mapping[str, Test]
    parameters: Mapping[str, object]
    caches: Mapping[str, Callable[[], object]]
    derived: frozenset[str]
    others: Callable[[str], bool]

    def problem(self, state: Mapping[str, object]) -> str | None:
        """What is wrong with the attributes of an object, if anything is."""
        for name in sorted(self.required - state.keys()):
            return f"has no {name!r}"
        for name in state.keys() - self.caches.keys() - self.derived:
            test = self.tests.get(name)
            if test is None and name not in self.parameters and not self.others(name):
                return f"has an attribute {name[:80]!r}, which objects of this type have not"
            if test is not None and not test(state[name]):
                return f"has a {name!r} that is {_described(state[name])}, and not what its class declares"
        return None

    def complete(self, state: dict[str, object]) -> None:
        """Put caches and new parameters in place of what a file says or does not say."""
        for name in self.derived:
            state.pop(name, None)
        for name, default in self.parameters.items():
            if default is not Parameter.empty:
                state.setdefault(name, default)
        state.update({name: make() for name, make in self.caches.items()})


def _described(value: object) -> str:
    kind = getattr(getattr(value, "dtype", None), "name", None)
    return f"of type {type(value).__name__}" + (f" of {kind}" if type(kind) is str else "")


def schema_of(value: object) -> Schema:
    """The schema of an object of a type of the fixed table, or of a user's class."""
    return _of_type(cast(type, type(value)))  # mypy: `type[object]` has no hash


@cache
def _of_type(type_: type) -> Schema:
    ours = _table()
    if type_ not in ours:
        base = next((each for each in type_.__mro__ if each in ours), None)
        return _of_user(type_, None if base is None else _of_type(base))
    if is_dataclass(type_):
        return _of_dataclass(type_)
    if type_.__module__.startswith("sklearn."):
        return _schema(type_, parameters=_parameters(type_), others=_new_names(type_))
    if issubclass(type_, BaseEstimator):
        return _of_estimator(type_)
    hints = _hints(type_, _declared(type_))
    return _schema(type_, hints.keys() - _names(type_), hints)


@cache
def _table() -> frozenset[type]:
    return frozenset(types_by_name().values())


def _schema(
    type_: type,
    required: Iterable[str] = (),
    tests: Mapping[str, Test] | None = None,
    parameters: Mapping[str, object] | None = None,
    caches: Mapping[str, Callable[[], object]] | None = None,
    others: Callable[[str], bool] = lambda name: False,
) -> Schema:
    derived = frozenset(name for name, value in _members(type_).items() if type(value) is cached_property)
    return Schema(frozenset(required), tests or {}, parameters or {}, caches or {}, derived, others)


def _of_dataclass(type_: type) -> Schema:
    """Fields, as far as the class has not replaced them by properties or a constructor of its own."""
    taken = signature(type_).parameters.keys() - {
        name for name, value in _members(type_).items() if type(value) is property
    }
    own = {each.name: each for each in fields(type_) if each.name in taken}
    caches: dict[str, Any] = {name: field.default_factory for name, field in own.items() if _is_cache(field)}
    required = [name for name, field in own.items() if not _has_default(field)]
    return _schema(type_, required, _hints(type_, own.keys() - caches.keys()), caches=caches)


def _is_cache(field: Any) -> bool:
    return field.name.startswith("_") and field.default_factory is not MISSING


def _has_default(field: Any) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _of_estimator(type_: type) -> Schema:
    parameters, is_new = _parameters(type_), _new_names(type_)
    declared = [name for name in _declared(type_) if name not in parameters]
    return _schema(
        type_,
        tests={**_hints(type_, declared), **_labels(declared)},
        parameters=parameters,
        others=lambda name: is_new(name) and (name.endswith("_") or name.startswith("_")),
    )


def _labels(declared: Iterable[str]) -> dict[str, Test]:
    """Arrays of numbers or texts: classes are what the user calls them."""
    return {name: lambda value: type(value) is np.ndarray for name in declared if name == "classes_"}


def _of_user(type_: type, base: Schema | None) -> Schema:
    """What a base of ours declares holds for its subclasses too: our compiled code may be behind them."""
    members = _members(type_)

    def others(name: str) -> bool:
        return not _is_special(name) and type(members.get(name)) not in _CODE

    parameters = _parameters(type_) if issubclass(type_, BaseEstimator) else {}
    if base is None:
        return Schema(frozenset(), {}, parameters, {}, frozenset(), others)
    return Schema(frozenset(), base.tests, parameters, base.caches, base.derived, others)


def _members(type_: type) -> dict[str, object]:
    """Everything that a class has: methods, properties, constants."""
    return {name: value for class_ in reversed(type_.__mro__) for name, value in vars(class_).items()}


def _names(type_: type) -> set[str]:
    return set(_members(type_))


def _new_names(type_: type) -> Callable[[str], bool]:
    taken = _names(type_)
    return lambda name: name.isidentifier() and name not in taken and not _is_special(name)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _parameters(type_: type) -> dict[str, object]:
    """Parameters of the constructor, and their defaults."""
    if type(_members(type_)["__init__"]) is not FunctionType:
        return {}
    starred = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return {name: each.default for name, each in signature(type_).parameters.items() if each.kind not in starred}


def _declared(type_: type) -> list[str]:
    """Attributes of objects that a class declares with a hint; constants and code of the class are none."""
    members = _members(type_)
    return [
        name
        for name, hint in get_type_hints(type_).items()
        if get_origin(hint) is not ClassVar and name != _RULES and not hasattr(members.get(name), "__get__")
    ]


def _hints(type_: type, names: Iterable[str]) -> dict[str, Test]:
    resolved = get_type_hints(type_)
    return {name: accepts(resolved[name]) for name in names}
