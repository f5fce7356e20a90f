"""Type hints as tests of values from files.

A test looks at the exact type of a value, which a file cannot forge, and never at attributes, which it can: an object
with a `shape` and a `dtype` is no array, and one with a `transform` is no transformer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, Union, get_args, get_origin

import numpy as np

from bochner.io.forms import SPARSE
from bochner.io.user_types import user_name

__all__ = ["Test", "is_numbers", "accepts"]

Test: TypeAlias = Callable[[object], bool]
Hints: TypeAlias = tuple[Any, ...]

_SPARSE = frozenset(SPARSE.values())

# What a number or text may be made of: NumPy's scalars are as good as Python's.
_SCALARS: dict[object, tuple[type, ...]] = {
    NoneType: (NoneType,),
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, int, np.floating, np.integer),
    str: (str,),
    np.dtype: (np.dtype,),
}


@cache
def accepts(hint: Any) -> Test:
    """The test of values that a resolved type hint allows."""
    meaning, origin = _meaning(hint), get_origin(hint)
    if meaning is not None:
        return accepts(meaning)
    if origin is not None:
        test = _BY_ORIGIN[origin] if origin in _BY_ORIGIN else _of_class(origin)
        return test(get_args(hint))
    if hint is Any or hint is object:
        return lambda value: True
    if type(hint) is TypeVar:
        return _union(hint.__constraints__ or (hint.__bound__ or object,))
    return _of_class(NoneType if hint is None else hint)(())


def _meaning(hint: object) -> object:
    """What a name stands for that was given by `type name = ...`, as NumPy 2.5 does for NDArray; None for others."""
    named = getattr(get_origin(hint) or hint, "__value__", None)
    return named[get_args(hint)] if named is not None and get_args(hint) else named


def is_numbers(value: object) -> bool:
    """Whether a value is a NumPy array of numbers, no subclass and no object that looks like one.

    Memory maps are for `save` alone: no file makes one.
    """
    return type(value) in (np.ndarray, np.memmap) and value.dtype.kind in "biuf"  # type: ignore[attr-defined]


def _of_class(class_: Any) -> Callable[[Hints], Test]:
    """The test for a class, whatever its type parameters."""
    if class_ in _SCALARS:
        return lambda _: _scalar(class_)
    if class_ is np.ndarray:
        return lambda _: is_numbers
    if class_ in _SPARSE:
        return lambda _: lambda value: type(value) in _SPARSE
    if Protocol in class_.__bases__:
        return lambda _: _has_methods_of(class_)
    return lambda _: lambda value: issubclass(type(value), class_)


def _scalar(class_: type) -> Test:
    accepted, truth_is_none = _SCALARS[class_], class_ is not bool

    def test(value: object) -> bool:
        return issubclass(type(value), accepted) and not (truth_is_none and type(value) is bool)

    return test


def _has_methods_of(protocol: type) -> Test:
    """Classes that have the methods of a protocol; those of users may have them in ways of their own."""
    names = [name for name in vars(protocol) if not name.startswith("_")]

    def test(value: object) -> bool:
        class_ = type(value)
        return all(hasattr(class_, name) for name in names) or user_name(class_) is not None

    return test


def _union(hints: Hints) -> Test:
    tests = [accepts(hint) for hint in hints]
    return lambda value: any(test(value) for test in tests)


def _literal(allowed: Hints) -> Test:
    return lambda value: any(type(value) is type(each) and value == each for each in allowed)


def _tuple(hints: Hints) -> Test:
    if len(hints) == 2 and hints[1] is ...:
        return _items(tuple, accepts(hints[0]))
    tests = [accepts(hint) for hint in hints]

    def test(value: object) -> bool:
        return type(value) is tuple and len(value) == len(tests) and all(t(v) for t, v in zip(tests, value))

    return test


def _items(class_: type, each: Test) -> Test:
    return lambda value: type(value) is class_ and all(map(each, value))  # type: ignore[call-overload]


def _dict(hints: Hints) -> Test:
    of_key, of_value = map(accepts, hints)
    return lambda value: type(value) is dict and all(of_key(k) and of_value(v) for k, v in value.items())


def _sequence(hints: Hints) -> Test:
    of_list, of_tuple = (_items(class_, accepts(hints[0])) for class_ in (list, tuple))
    return lambda value: of_list(value) or of_tuple(value)


_BY_ORIGIN: dict[object, Callable[[Hints], Test]] = {
    Union: _union,
    UnionType: _union,
    Literal: _literal,
    tuple: _tuple,
    list: lambda hints: _items(list, accepts(hints[0])),
    dict: _dict,
    Mapping: _dict,
    Sequence: _sequence,
    Callable: lambda hints: callable,  # of the class: an attribute `__call__` is not looked at
}
