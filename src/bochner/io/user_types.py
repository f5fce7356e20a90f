"""Classes of users in model files: written by name, made only if they are handed to `load`.

A file names such a class as "module:QualifiedName". Names of the fixed table have no colon, so that a class that is
handed over never takes the place of one of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from inspect import Parameter, isabstract, signature
from itertools import product
from typing import TypeAlias

from sklearn.base import BaseEstimator

from bochner.errors import FileFormatError, invalid_parameter
from bochner.features import FeatureMap
from bochner.io.forms import Json

__all__ = ["UserTypes", "check_user_object", "handed_over", "is_data", "require_types", "user_name"]

UserTypes: TypeAlias = Iterable[type] | Mapping[str, type]
"""Classes that may be made, or a dict of them by their names in files, for classes that have moved."""

_RULE = "a list of classes that are scikit-learn estimators, dataclasses, enumerations or feature maps"


def is_data(type_: type) -> bool:
    """Whether objects of a class are their attributes: estimators, dataclasses, enumerations, feature maps."""
    return is_dataclass(type_) or (issubclass(type_, (BaseEstimator, Enum, FeatureMap)) and not isabstract(type_))


def user_name(type_: type) -> str | None:
    """The name of a user's class in files, "module:QualifiedName"; None if it cannot be in one.

    Classes of bochner and scikit-learn that are not in the fixed table stay out: compiled code behind them may trust
    arrays that nobody has checked.
    """
    package = type_.__module__.partition(".")[0]
    return (
        f"{type_.__module__}:{type_.__qualname__}" if is_data(type_) and package not in ("bochner", "sklearn") else None
    )


def handed_over(types: UserTypes) -> dict[str, type]:
    """The classes that a caller of `load` trusts, by the names that they have in files."""
    if isinstance(types, (str, type)):
        raise invalid_parameter("load", "types", _RULE, types)
    pairs = list(types.items()) if isinstance(types, Mapping) else [(_checked_name(type_), type_) for type_ in types]
    table: dict[str, type] = {}
    for name, type_ in pairs:
        if ":" not in name or not isinstance(type_, type) or not is_data(type_):
            raise invalid_parameter("load", "types", "a dict of classes by names such as 'module:Class'", {name: type_})
        if table.setdefault(name, type_) is not type_:
            raise invalid_parameter("load", "types", f"one class for the name {name!r}", [table[name], type_])
    return table


def _checked_name(type_: object) -> str:
    name = user_name(type_) if isinstance(type_, type) else None
    if name is None:
        raise invalid_parameter("load", "types", _RULE, type_)
    return name


def require_types(tree: Json, types: Mapping[str, type]) -> None:
    """Raise `FileFormatError`, with the remedy, if a file needs classes of users that were not handed over."""
    missing = {name[:200]: None for name in _type_names(tree) if ":" in name and name not in types}
    if not missing:
        return
    names = list(missing)[:8]
    classes = ", ".join(map(_bare, names))
    text = f"needs {', '.join(map(repr, names))}, not of bochner. If you trust them: load(path, types=[{classes}])."
    raise FileFormatError(text + _hint(names, types))


def _hint(names: Collection[str], types: Collection[str]) -> str:
    """The remedy for a class of the right name from another module."""
    for old, new in product(names, types):
        if _bare(old) == _bare(new):
            return f" {new!r} was handed over; if that is where the class is now: types={{{old!r}: {_bare(new)}}}."
    return ""


def _bare(name: str) -> str:
    return name.rpartition(":")[2].rpartition(".")[2]


def _type_names(tree: Json) -> Iterator[str]:
    """Names of types in the JSON of a model, without recursion."""
    waiting = [tree]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            named = value.get("object") or value.get("enum")
            name = named[0] if isinstance(named, list) and named else named
            if isinstance(name, str):
                yield name
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def check_user_object(value: object) -> None:
    """Raise `FileFormatError` if an object lacks attributes that its class, as it is now, always has."""
    missing = sorted(name for name in _always_there(type(value)) if name not in vars(value))
    if missing:
        raise FileFormatError(
            f"has a {type(value).__qualname__} without {', '.join(missing)}: the class that was handed over is not the "
            "one that was saved, or has changed since."
        )


def _always_there(type_: type) -> Collection[str]:
    """Parameters and fields without a default."""
    if is_dataclass(type_):
        return [field.name for field in fields(type_) if not hasattr(type_, field.name)]
    if not issubclass(type_, BaseEstimator):
        return []
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    parameters = signature(type_).parameters.values()
    return [each.name for each in parameters if each.default is each.empty and each.kind in named]
